"""An axis that is an argument: the function is compiled for its value, and again for another one."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np
import pytest

import srcgrad

RNG = np.random.default_rng(4)
M = RNG.normal(size=(3, 4))


def along(x, axis, keep=False):
    total = np.sum(np.cumsum(x, axis=axis) ** 2)
    return total + np.sum(np.sum(x**3, axis=axis, keepdims=keep) ** 2)


def from_the_other_side(x, axis):
    return np.sum(np.max(x, axis=-1 - axis) ** 2)


def of_a_dict(problem):
    return np.sum(np.sum(problem["x"], axis=problem["axis"]) ** 2)


def in_parts(x, parts):
    total = 0.0
    for k, part in enumerate(np.array_split(x, parts)):
        total += (k + 1.0) * np.sum(part) ** 2
    return total


def squeezed(x):
    y = np.squeeze(x)
    return np.sum(y**2) * (1.0 + y.ndim)


def gradient_along(x, axis):
    return np.sum(srcgrad.grad(along)(x, axis) ** 2)


@pytest.mark.parametrize("jit", [False, True])
def test_each_value_has_its_own_code(jit: bool) -> None:
    f = srcgrad.grad(along, jit=jit)
    for axis in (0, 1, -1, np.int64(1), 0):
        known = srcgrad.grad(lambda x, axis=int(axis): along(x, axis), jit=False)
        np.testing.assert_allclose(f(M, axis), known(M), rtol=1e-12)
        assert f.primal(M, axis) == pytest.approx(along(M, axis))
    np.testing.assert_allclose(f(M, 1, True), f(M, 1), rtol=1e-12)
    np.testing.assert_allclose(f(M, keep=True, axis=1), f(M, 1), rtol=1e-12)


@pytest.mark.parametrize(
    ("f", "rest"),
    [(along, 1), (along, np.int32(0)), (from_the_other_side, 0), (from_the_other_side, 1), (in_parts, 2)],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_every_transformation(f: Callable[..., float], rest: int) -> None:
    srcgrad.check_grads(f, (M, rest), order=2, jit=False)
    hessian = srcgrad.hessian(f, jit=False)(M, rest)
    np.testing.assert_allclose(hessian, np.transpose(hessian, (2, 3, 0, 1)), atol=1e-10)
    value, _ = srcgrad.value_and_grad(f, jit=False)(M, rest)
    assert value == pytest.approx(f(M, rest))


def test_inside_a_structure_and_a_derivative() -> None:
    gradient = srcgrad.grad(of_a_dict, jit=False)({"x": M, "axis": 0})
    np.testing.assert_allclose(gradient["x"], np.tile(2.0 * M.sum(axis=0), (3, 1)))
    srcgrad.check_grads(lambda x: gradient_along(x, 1), (M,), modes=("fwd",), jit=False)
    outer = srcgrad.grad(gradient_along, jit=False)
    np.testing.assert_allclose(outer(M, 1), srcgrad.grad(lambda x: gradient_along(x, 1), jit=False)(M))


@pytest.mark.parametrize("jit", [False, True])
def test_squeeze_asks_which_extents_are_1(jit: bool) -> None:
    f = srcgrad.value_and_grad(squeezed, jit=jit)
    for shape in ((3, 4), (1, 4), (3, 1), (1, 1), (1, 4)):
        x = RNG.normal(size=shape)
        value, gradient = f(x)
        assert value == pytest.approx(squeezed(x))
        np.testing.assert_allclose(gradient, 2.0 * x * (1.0 + np.squeeze(x).ndim))


def test_squeeze_of_an_extent_that_is_1_by_chance() -> None:
    """It is known from an argument's shape whether ``x[1:]`` is of one row, and not of ``x[k:]``."""
    f = srcgrad.grad(lambda x: np.sum(x[1:].squeeze() ** 2) * x[1:].squeeze().ndim, jit=False)
    for rows in (3, 2, 3):
        np.testing.assert_allclose(f(np.ones((rows, 2)))[1:], 4.0 if rows == 3 else 2.0)
    g = srcgrad.grad(lambda x, k: np.sum(x[k:].squeeze() ** 2), jit=False)
    np.testing.assert_allclose(g(np.ones((3, 2)), 1)[1:], 2.0)
    with pytest.raises(ValueError, match="name the axis"):
        g(np.ones((3, 2)), 2)


def test_source_is_that_of_the_value() -> None:
    f = srcgrad.grad(along, jit=False)
    assert f.backward_source(M, 0) != f.backward_source(M, 1)
    assert "axis" not in f.ir(M, 1).split("\n")[0]
    assert "gradient of along()" in f.explain(M, 1)


def test_what_is_not_an_argument_is_refused() -> None:
    with pytest.raises(srcgrad.ArgumentTypeError, match="known at compile time"):
        srcgrad.grad(lambda x: np.sum(np.sum(x, axis=int(x[0, 0]))), jit=False)(np.zeros((2, 2)))
    derivative = srcgrad.grad(along)

    @numba.njit
    def caller(x):
        return derivative(x, 1)

    with pytest.raises(Exception, match="axis must be known at compile time"):
        caller(M)
