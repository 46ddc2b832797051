"""Helpers that generated modules use. Their source is pasted into the module, which so depends on NumPy alone.

Each runs as plain Python and under Numba.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def grow(stack):  # type: ignore[no-untyped-def]  # pasted into modules that import nothing but NumPy
    """A copy with room for more."""
    larger = np.empty(2 * stack.size, stack.dtype)
    larger[: stack.size] = stack
    return larger


def slice_stop(start, count, step, extent):  # type: ignore[no-untyped-def]  # as above
    """The stop of a slice of ``count`` elements whose step may have either sign."""
    stop = start + count * step
    if count > 0 and stop < 0:
        return -extent - 1
    return stop


HELPERS: dict[str, Callable[..., NDArray[np.generic] | int]] = {"grow": grow, "slice_stop": slice_stop}


def helper_source(name: str) -> str:
    """The text of a helper, without the remarks that are meant for its maintainers."""
    lines = textwrap.dedent(inspect.getsource(HELPERS[name])).splitlines()
    return "\n".join([lines[0].partition("  # type:")[0], *lines[1:]]) + "\n"


def reword(error: Exception) -> None:
    """Put the values that a generated check raised with into its message."""
    if len(error.args) > 1 and isinstance(error.args[0], str):
        template, *values = error.args
        error.args = (template.format(*values),)
