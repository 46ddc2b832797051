"""Strings that depend on the path: which one it is, is known at run time only."""

from __future__ import annotations

import enum
from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import grad, hessian, jit, jvp


class Side(enum.Enum):
    LEFT = 0
    RIGHT = 1


def kind_of_orbit(ecc: float) -> str:
    if ecc > 1.5:
        return "hyperbola"
    kind = "ellipse"
    if ecc < 0.5:
        kind = "circle" if ecc < 0.1 else "near circle"
    return kind


def compared(x: float) -> float:
    kind = kind_of_orbit(x)
    s = x * x
    if kind == "ellipse" or kind == "near circle":
        s *= 3.0
    if kind in ("circle", "parabola"):
        s += np.sin(x)
    if kind != "hyperbola":
        return s
    return s**2


def in_a_table(x: float) -> float:
    scale = {"ellipse": 2.0, "circle": 3.0, "near circle": 5.0, "hyperbola": 7.0, "none": 11.0}
    return scale[kind_of_orbit(x)] * x**2


def by_methods(x: float) -> float:
    kind = kind_of_orbit(x)
    s = len(kind) * x**3
    if kind.startswith("near") or kind[0] == "h":
        s += kind.count("e") * np.exp(x)
    return s


def in_a_loop(x: float) -> float:
    state, s = "up", 0.0
    for _ in range(6):
        if state == "up":
            s += x * x
            state = "top" if s > 2.0 else "up"
        elif state == "top":
            s *= x
            state = "down"
        else:
            s -= 0.3 * x
    return s


def in_a_library_call(x: float) -> float:
    order = "ij" if x > 1.0 else "xy"
    a, b = np.meshgrid(x * np.arange(1.0, 3.0), np.arange(3.0), indexing=order)
    return np.sum((a - b).ravel() * np.arange(6.0))


def of_an_enumeration(x: float) -> float:
    side = Side.LEFT if x < 1.0 else Side.RIGHT
    return x**2 if side is Side.LEFT else side.value * x**3


def or_none(x: float) -> float:
    kind = None
    if x > 0.3:
        kind = "some" if x > 1.0 else "few"
    if kind is None:
        return 2.0 * x
    return x**3 if kind == "some" else x**2


def chosen_from_a_list(x: float) -> float:
    names = ["a", "b", "c"]
    return x**2 if names[int(x)] == "b" else x**3


FUNCTIONS = [
    compared,
    in_a_table,
    by_methods,
    in_a_loop,
    in_a_library_call,
    of_an_enumeration,
    or_none,
    chosen_from_a_list,
]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("x", [0.05, 0.4, 0.9, 1.2, 1.7])
def test_derivatives(f: Callable[[float], float], x: float) -> None:
    numeric = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
    assert jit(f, jit=False)(x) == pytest.approx(f(x), rel=1e-13)
    assert grad(f, jit=False)(x) == pytest.approx(numeric, rel=1e-7, abs=1e-8)
    assert jvp(f, (x,), (1.0,), jit=False)[1] == pytest.approx(numeric, rel=1e-7, abs=1e-8)


def test_second_order() -> None:
    assert hessian(in_a_table, jit=False)(0.7) == pytest.approx(4.0)
    assert hessian(compared, jit=False)(1.7) == pytest.approx(12 * 1.7**2)


@pytest.mark.parametrize("f", [compared, in_a_loop, by_methods])
def test_compiled(f: Callable[[float], float]) -> None:
    for x in (0.05, 0.4, 1.7):
        assert grad(f)(x) == pytest.approx(grad(f, jit=False)(x), rel=1e-13)


def test_in_a_message() -> None:
    def f(x: float) -> float:
        kind = kind_of_orbit(x)
        if kind == "hyperbola":
            raise ValueError("no rule for " + kind)
        return x * x

    with pytest.raises(ValueError, match="no rule for "):
        grad(f, jit=False)(1.7)
    assert grad(f, jit=False)(0.3) == pytest.approx(0.6)
