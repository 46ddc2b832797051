"""A function through the compiler, beside Python itself: the same value, and derivatives that agree with it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle.derivatives import differentiable, forward, random_direction, reverse
from oracle.differences import gradient

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


def confirm_gradients(f: Callable[..., float], args: tuple[Any, ...]) -> None:
    """The value and the gradients of a number, by reverse mode and by differences."""
    wrt = differentiable(args)
    value, gradients = reverse(f, args, wrt)
    assert value == pytest.approx(f(*args), rel=1e-12)
    for k, g in zip(wrt, gradients, strict=True):
        np.testing.assert_allclose(g, gradient(f, args, k, 1e-4), rtol=1e-6, atol=1e-7)


def confirm_tangents(f: Callable[..., float], args: tuple[Any, ...]) -> None:
    """The value and the derivative of a number along a direction, by forward mode and by differences."""
    wrt = differentiable(args)
    direction = random_direction(args, wrt)
    value, tangent = forward(f, args, wrt, direction)
    along = sum(float(np.sum(gradient(f, args, k, 1e-4) * d)) for k, d in zip(wrt, direction, strict=True))
    assert (value, tangent) == (pytest.approx(f(*args), rel=1e-12), pytest.approx(along, rel=1e-6, abs=1e-7))
