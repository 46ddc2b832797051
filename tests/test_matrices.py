"""Jacobians, Hessians and products with them."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import ArgumentTypeError, hessian, hvp, jacfwd, jacobian, jacrev


def widen(x, scale, name="f"):
    y = np.empty((x.shape[0], 2))
    for i in range(x.shape[0]):
        y[i, 0] = scale * x[i] ** 2
        y[i, 1] = np.sin(x[i]) * x[0]
    return y


def narrow(x):
    return np.array([x[0] * x[1] * x[2]])


def rosenbrock(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


X = np.array([0.3, 0.5, 0.7])


def central(f, x, h=1e-6):
    columns = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("make", [jacfwd, jacrev, jacobian])
def test_jacobian(make) -> None:
    wide = make(widen, jit=False)(X, 2.0)
    assert wide.shape == (3, 2, 3)
    np.testing.assert_allclose(wide, central(lambda x: widen(x, 2.0), X), atol=1e-8)
    np.testing.assert_allclose(make(narrow, jit=False)(X), [[0.35, 0.21, 0.15]])


def test_scalars_and_other_arguments() -> None:
    assert jacobian(lambda x, y: x * y, jit=False)(2.0, 3.0) == 3.0
    assert jacobian(lambda x, y: x * y, 1, jit=False)(2.0, 3.0) == 2.0
    np.testing.assert_allclose(jacobian(widen, argnums=1, jit=False)(X, 2.0)[:, 0], X**2)
    narrow_type = jacobian(lambda x: x * 2.0, jit=False)(X.astype(np.float32))
    assert narrow_type.dtype == np.float32


def test_hessian() -> None:
    h = hessian(rosenbrock, jit=False)(X)
    expected = np.array(
        [
            [1200 * X[0] ** 2 - 400 * X[1] + 2, -400 * X[0], 0.0],
            [-400 * X[0], 1200 * X[1] ** 2 - 400 * X[2] + 202, -400 * X[1]],
            [0.0, -400 * X[1], 200.0],
        ]
    )
    np.testing.assert_allclose(h, expected)
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(hvp(rosenbrock, (X,), (v,), jit=False), expected @ v)
    assert hessian(lambda x: x**3, jit=False)(2.0) == pytest.approx(12.0)
    assert hvp(lambda x, y: x * x * y, (2.0, 3.0), (1.0, 0.0), jit=False) == (6.0, 4.0)


def test_jitted() -> None:
    np.testing.assert_allclose(hessian(rosenbrock)(X), hessian(rosenbrock, jit=False)(X))


def test_keywords() -> None:
    def area(x, a=2.0, *, b=1.0):
        return a * b * x**3

    assert hessian(area, jit=False)(2.0, a=5.0) == 60.0
    assert jacobian(area, argnums=1, jit=False)(2.0, a=5.0) == 8.0
    assert jacfwd(area, jit=False)(x=2.0) == 24.0
    with pytest.raises(ArgumentTypeError, match="keyword-only argument 'b'"):
        hessian(area, jit=False)(2.0, b=5.0)


def test_refusals() -> None:
    with pytest.raises(ArgumentTypeError, match="argument 0 is a int"):
        jacobian(lambda x: x * 2.0)(3)
    with pytest.raises(ArgumentTypeError, match="the result is a tuple"):
        jacobian(lambda x: (x, x), jit=False)(3.0)
    with pytest.raises(ArgumentTypeError, match="give an int"):
        jacobian(lambda x: x, argnums=(0,))
