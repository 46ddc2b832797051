"""Functions whose code or defaults are replaced in place, as IPython's autoreload does: the old never answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from srcgrad import grad, hessian, jacfwd, jit, jvp, vjp

JITTED = [False, True]


def scaled(x, by=2.0, *, weights=(1.0, 3.0)):
    return by * weights[1] * x * x


def cubed(x, by=2.0, *, weights=(1.0, 3.0)):
    return by * weights[1] * x**3


def loss(x):
    return scaled(x)


def cubic_loss(x):
    return cubed(x) + 1.0


@pytest.fixture(autouse=True)
def _as_written() -> Iterator[None]:
    functions = (scaled, loss)
    before = [(f.__code__, f.__defaults__, f.__kwdefaults__ and dict(f.__kwdefaults__)) for f in functions]
    yield
    for function, (code, defaults, keywords) in zip(functions, before, strict=True):
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, keywords


def new_default() -> None:
    scaled.__defaults__ = (5.0,)


def new_keyword_default() -> None:
    scaled.__kwdefaults__ = {"weights": (1.0, 7.0)}


def new_item() -> None:
    scaled.__kwdefaults__["weights"] = (1.0, 4.0)


def new_code_of_helper() -> None:
    scaled.__code__ = cubed.__code__


def new_code() -> None:
    loss.__code__ = cubic_loss.__code__


def slope(x: float) -> float:
    """Of the function as it now is."""
    return float(loss(x + 1e-6) - loss(x - 1e-6)) / 2e-6


CHANGES = [new_default, new_keyword_default, new_item, new_code_of_helper, new_code]


@pytest.mark.parametrize("jitted", JITTED)
@pytest.mark.parametrize("change", CHANGES)
def test_gradients(change: Callable[[], None], jitted: bool) -> None:
    gradient, value = grad(loss, jit=jitted), jit(loss, jit=jitted)
    before = gradient(1.5)
    assert before == pytest.approx(slope(1.5), rel=1e-8)
    change()
    assert gradient(1.5) == pytest.approx(slope(1.5), rel=1e-8) != pytest.approx(before)
    assert value(1.5) == pytest.approx(loss(1.5), rel=1e-12)


@pytest.mark.parametrize("change", CHANGES)
def test_other_transformations(change: Callable[[], None]) -> None:
    x = np.array(1.5)
    twice = grad(grad(loss, jit=False), jit=False)
    second, first = hessian(loss, jit=False), jacfwd(loss, jit=False)
    before = twice(1.5), float(second(x)), float(first(x))
    change()
    curvature = (slope(1.501) - slope(1.499)) / 2e-3
    assert jvp(loss, (1.5,), (1.0,), jit=False)[1] == pytest.approx(slope(1.5), rel=1e-8)
    assert vjp(loss, 1.5, jit=False)[1](1.0)[0] == pytest.approx(slope(1.5), rel=1e-8)
    found = twice(1.5), float(second(x)), float(first(x))
    assert found == pytest.approx((curvature, curvature, slope(1.5)), rel=1e-5) != pytest.approx(before)
