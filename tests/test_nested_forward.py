"""Forward mode inside functions that are compiled: jvp, hvp, jacfwd, jacobian, hessian; and differentiated again."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import (
    ArgumentTypeError,
    UnsupportedError,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    vjp,
)

X = np.array([0.7, -1.3, 2.1])
V = np.array([0.5, 1.5, -1.0])
GRADIENT = np.array([3 * 0.7**2 * -1.3, 0.7**3 + np.cos(-1.3) * 2.1, np.sin(-1.3)])
HESSIAN = np.array(
    [
        [6 * 0.7 * -1.3, 3 * 0.7**2, 0.0],
        [3 * 0.7**2, -np.sin(-1.3) * 2.1, np.cos(-1.3)],
        [0.0, np.cos(-1.3), 0.0],
    ]
)


def f(x):
    return x[0] ** 3 * x[1] + np.sin(x[1]) * x[2]


def cube(x):
    return x * x * x


def pair(x, w):
    return np.array([x[0] * x[1] * w, np.exp(x[2])])


def scaled(x, w, n):
    return w**n * np.sum(x * x)


def both(x):
    return x[0], x[1]


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "jit"])
def jitted(request) -> bool:
    return request.param


def test_jvp(jitted) -> None:
    value, slope = jit(lambda x, v: jvp(f, (x,), (v,)), jit=jitted)(X, V)
    assert value == pytest.approx(f(X))
    assert slope == pytest.approx(GRADIENT @ V)


def test_jvp_differentiated(jitted) -> None:
    by_point, by_direction = grad(lambda x, v: jvp(f, (x,), (v,))[1], (0, 1), jit=jitted)(X, V)
    np.testing.assert_allclose(by_point, HESSIAN @ V)
    np.testing.assert_allclose(by_direction, GRADIENT)


def test_jvp_in_jvp() -> None:
    def slope(x):
        return jvp(cube, (x,), (1.0,))[1]

    assert jvp(lambda x: jvp(slope, (x,), (1.0,))[1], (2.0,), (1.0,), jit=False) == (12.0, 6.0)


def test_jvp_of_structures() -> None:
    def of_dict(p, n):
        return {"area": p["a"] * p["b"] ** n, "sides": (p["a"], p["b"])}

    def tangent(a, b):
        return jvp(of_dict, ({"a": a, "b": b}, 2), ({"a": 1.0, "b": 3.0}, None))[1]["area"]

    assert jit(tangent, jit=False)(5.0, 7.0) == 7.0**2 + 5.0 * 2 * 7.0 * 3.0


def test_none_holds_an_argument_fixed(jitted) -> None:
    expected = 1.5**2 * 2.0 * X @ V
    assert jvp(scaled, (X, 1.5, 2), (V, None, None), jit=jitted)[1] == pytest.approx(expected)
    inside = jit(lambda x, w, v: jvp(scaled, (x, w, 2), (v, None, None))[1], jit=jitted)
    assert inside(X, 1.5, V) == pytest.approx(expected)


def test_none_in_the_place_of_a_container_or_a_cotangent() -> None:
    product = jvp(lambda p, s: p[0] * p[1] * s, ((2.0, 3.0), 4.0), (None, 1.0), jit=False)
    assert product == (24.0, 6.0)
    _, pullback = vjp(lambda x: (x * x, 5.0 * x), 3.0, jit=False)
    assert pullback((1.0, None)) == (6.0,)


def test_direction_of_another_dtype_and_shape() -> None:
    assert jit(lambda x: jvp(f, (x,), (np.array([0, 1, 0]),))[1], jit=False)(X) == pytest.approx(GRADIENT[1])
    with pytest.raises(ValueError, match="extent 2 does not fit"):
        jit(lambda x: jvp(f, (x,), (np.ones(2),))[1], jit=False)(X)


def test_hvp(jitted) -> None:
    product = jit(lambda x, v: hvp(f, (x,), (v,)), jit=jitted)(X, V)
    np.testing.assert_allclose(product, HESSIAN @ V)


@pytest.mark.parametrize("transform", [jacfwd, jacobian, jacrev])
def test_gradient_of_a_number_by_an_array(transform, jitted) -> None:
    np.testing.assert_allclose(jit(lambda x: transform(f)(x), jit=jitted)(X), GRADIENT)
    summed = grad(lambda x: np.sum(V * transform(f)(x)), jit=jitted)(X)
    np.testing.assert_allclose(summed, HESSIAN @ V)


def test_matrix(jitted) -> None:
    expected = np.array([[X[1] * 2.0, X[0] * 2.0, 0.0], [0.0, 0.0, np.exp(X[2])]])
    np.testing.assert_allclose(jit(lambda x: jacfwd(pair)(x, 2.0), jit=jitted)(X), expected)
    by_scalar = jit(lambda x, w: jacobian(pair, argnums=-1)(x, w), jit=False)(X, 2.0)
    np.testing.assert_allclose(by_scalar, [X[0] * X[1], 0.0])


def test_matrix_by_a_matrix() -> None:
    def product(a):
        return a @ np.array([1.0, 2.0, 3.0])

    a = np.arange(6.0).reshape(2, 3)
    inside = jit(lambda a: jacfwd(product)(a), jit=False)(a)
    np.testing.assert_allclose(inside, jacfwd(product, jit=False)(a))
    assert inside.shape == (2, 2, 3)


def test_scalar_by_scalar(jitted) -> None:
    assert jit(lambda x: jacfwd(cube)(x), jit=jitted)(2.0) == 12.0
    assert grad(lambda x: jacfwd(cube)(x), jit=jitted)(2.0) == 12.0


def test_hessian(jitted) -> None:
    np.testing.assert_allclose(jit(lambda x: hessian(f)(x), jit=jitted)(X), HESSIAN)
    trace = grad(lambda x: np.trace(hessian(f)(x)), jit=False)(X)
    np.testing.assert_allclose(trace, [6 * X[1], 6 * X[0] - np.cos(X[1]) * X[2], -np.sin(X[1])])


def test_float32_stays() -> None:
    x = X.astype(np.float32)
    row = jit(lambda x: jacfwd(f)(x), jit=False)(x)
    assert row.dtype == np.float32
    np.testing.assert_allclose(row, GRADIENT, rtol=1e-5)


@pytest.mark.parametrize(
    ("program", "error", "message"),
    [
        (lambda x: vjp(f, x)[0], UnsupportedError, "vjp.. is called inside"),
        (lambda x: jacrev(pair)(x, 1.0)[0, 0], UnsupportedError, "row by row"),
        (lambda x: jvp(f, x, x)[1], ArgumentTypeError, "as tuples"),
        (lambda x: jvp(f, (x,), (x, x))[1], ArgumentTypeError, "1 primals and 2 tangents"),
        (lambda x: jvp(f, (x,), (1.0,))[1], ArgumentTypeError, "tangent of an array"),
        (lambda x: jacfwd(f, argnums=1)(x)[0], ArgumentTypeError, "argnums=1"),
        (lambda x: jacfwd(both)(x)[0], ArgumentTypeError, "Jacobian of a tuple"),
        (lambda x: jacfwd(scaled, argnums=2)(x, 1.0, 2), ArgumentTypeError, "Jacobian"),
    ],
)
def test_refusals(program, error, message) -> None:
    with pytest.raises(error, match=message):
        jit(program, jit=False)(X)
