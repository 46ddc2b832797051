"""Updates in place as functions: the new array from the old one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


def replaced(base: Array, key: Any, value: Array) -> Array:
    """``base`` with ``base[key] = value``."""
    result = base.copy()
    result[key] = value
    return result


def added_along(base: Array, axis: int, index: NDArray[np.int64], value: Array) -> Array:
    """``base`` with ``value`` added at ``index`` along one axis, all other indices being the same."""
    result = base.copy()
    for at in np.ndindex(index.shape):
        place = (*at[:axis], index[at], *at[axis + 1 :])
        result[place] += value[at]
    return result


def put_along(base: Array, axis: int, index: NDArray[np.int64], value: Array) -> Array:
    """``base`` with ``value`` stored at ``index`` along one axis, all other indices being the same."""
    result = base.copy()
    for at in np.ndindex(index.shape):
        place = (*at[:axis], index[at], *at[axis + 1 :])
        result[place] = value[at]
    return result
