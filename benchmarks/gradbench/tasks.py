"""What a problem of GradBench consists of: functions, each with what goes in, what is timed, and what goes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def to_json(result: Any) -> Any:
    """Arrays as lists of lists, NumPy's numbers as Python's."""
    return result.tolist() if isinstance(result, np.ndarray | np.generic) else result


@dataclass(frozen=True)
class Task:
    """A function of a problem.

    ``prepare`` makes the arguments out of the message's ``input``, ``call`` is the work, and what ``answer`` makes of
    its result is the ``output``. Only ``call`` is timed.
    """

    prepare: Callable[[Any], tuple[Any, ...]]
    call: Callable[..., Any]
    answer: Callable[[Any], Any] = to_json
