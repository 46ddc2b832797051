"""Adam's update as one compiled loop: in NumPy it would make ten temporaries."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np


def adam_update(
    group: dict[str, Any],
    step: int,
    value: np.ndarray,
    gradient: np.ndarray,
    means: tuple[np.ndarray, np.ndarray],
    largest: np.ndarray | None,
) -> np.ndarray:
    """The parameter after a step; the running means are updated in place."""
    first, second = group["betas"]
    result = np.empty_like(value)
    size = group["lr"] / (1 - first**step)
    root = math.sqrt(1 - second**step)
    greatest = means[1] if largest is None else largest
    constants = np.array([first, second, size, root, group["eps"]], value.dtype)
    flat = [a.reshape(-1) for a in (value, gradient, *means, greatest, result)]
    adam_loop(*flat, constants, largest is not None)
    return result


@numba.njit(cache=True, fastmath={"contract", "arcp"}, error_model="numpy")  # type: ignore[untyped-decorator]  # Numba's
def adam_loop(
    value: np.ndarray,
    gradient: np.ndarray,
    mean: np.ndarray,
    square: np.ndarray,
    greatest: np.ndarray,
    result: np.ndarray,
    constants: np.ndarray,
    amsgrad: bool,
) -> None:
    first, second, size, root, eps = constants
    one = value.dtype.type(1)
    for k in range(value.size):
        g = gradient[k]
        mean[k] += (g - mean[k]) * (one - first)
        square[k] = second * square[k] + (one - second) * (g * g)
        used = square[k]
        if amsgrad:
            used = max(used, greatest[k])
            greatest[k] = used
        result[k] = value[k] - size * mean[k] / (np.sqrt(used) / root + eps)
