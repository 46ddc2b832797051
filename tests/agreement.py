"""A function through the compiler, beside Python itself: the same value, and derivatives that agree with it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad import jit
from srcgrad.frontend.boundary.pytree import flatten
from srcgrad.testing import check_grads


def confirm(function: Callable[..., Any], *arguments: Any, order: int = 2, jitted: bool = False) -> None:
    """The value, and the derivatives up to this order, forward and reverse."""
    wanted = function(*copy.deepcopy(arguments))
    got = jit(function, jit=jitted)(*copy.deepcopy(arguments))
    for ours, theirs in zip(flatten(got), flatten(wanted), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    check_grads(function, arguments, order=order, jit=jitted)
