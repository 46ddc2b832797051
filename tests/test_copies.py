"""Large functions of numbers that are called often become functions of their own; all others are lowered in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lowered import lowered
from oracle.differences import along

import srcgrad
from srcgrad.frontend.calls import copies
from srcgrad.ir.core import walk


def error_function(x: float, kind: int) -> float:
    """A rational approximation with branches, as of Cody; ``kind`` is a literal at each call."""
    y = abs(x)
    if y < 0.5:
        top, bottom = 0.185777706184603153, 1.0
        for c in (3.16112374387056560, 113.864154151050156, 377.485237685302021):
            top = top * y * y + c
        for c in (23.6012909523441209, 244.024637934444173, 1282.61652607737228):
            bottom = bottom * y * y + c
        result = x * (top * y * y + 3209.37758913846947) / (bottom * y * y + 2844.23683343917062)
        return 1.0 - result if kind == 1 else result
    result = 1.0 / (1.0 + 0.3 * y + 0.1 * y**2) ** 4
    result = result if x > 0 else 2.0 - result
    return result if kind == 1 else 1.0 - result


def of_many_calls(x: float, y: float) -> Any:
    total = 0.0
    for k in range(3):
        total += error_function(x * k - 0.7, 0) * error_function(y + 0.1 * k, 1)
        total += error_function(x + y, 1) * error_function(x - y, 0) + error_function(x * y * k, 0)
        if total > 0.3:
            total -= error_function(total, 0) * error_function(x / (1.0 + y * y), 1)
    return total + error_function(total, 0)


def scaled(a: Any, c: float) -> Any:
    return np.sum(np.sin(a) * c + a**2)


def of_arrays(a: Any) -> Any:
    return scaled(a, 1.0) + scaled(2.0 * a, 2.0) + scaled(a + 1.0, 3.0) + scaled(a * a, 4.0) + scaled(-a, 5.0)


def _calls(function: Any, *args: Any) -> int:
    program = lowered(function, *args)[0].function
    return sum(op.primitive == "call" for op in walk(program.body))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "MANY_OPS", 100)


def test_small_programs_are_lowered_in_place() -> None:
    assert _calls(of_many_calls, 0.4, 0.9) == 0


@pytest.mark.usefixtures("few")
def test_copies_become_calls() -> None:
    assert _calls(of_many_calls, 0.4, 0.9) > 2


@pytest.mark.usefixtures("few")
def test_functions_of_arrays_stay() -> None:
    assert _calls(of_arrays, np.arange(3.0)) == 0


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("jit", [False, True])
def test_derivatives_through_the_calls(jit: bool) -> None:
    at, direction = (0.4, 0.83), (0.7, -0.3)
    expected = along(of_many_calls, at, (0, 1), direction)
    gradient = srcgrad.grad(of_many_calls, (0, 1), jit=jit)
    assert np.dot(gradient(*at), direction) == pytest.approx(expected, rel=1e-8)
    assert srcgrad.jvp(of_many_calls, at, direction, jit=jit)[1] == pytest.approx(expected, rel=1e-8)


@pytest.mark.usefixtures("few")
def test_second_derivatives() -> None:
    def slope(x: float) -> Any:
        return srcgrad.grad(of_many_calls, jit=False)(x, 0.83)

    second = srcgrad.hessian(of_many_calls, jit=False)(0.4, 0.83)
    assert second == pytest.approx(along(slope, (0.4,), (0,), (1.0,)), rel=1e-7)
