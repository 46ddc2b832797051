"""Complex numbers in every mode, against differences along the real and the imaginary axis of each argument."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad
from srcgrad import grad, hessian, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from srcgrad.testing import check_grads

Z = np.array([0.7 + 0.4j, -1.3 + 0.2j, 0.5 - 1.1j])
W = np.array([1.1 - 0.3j, 0.4 + 0.9j, -0.6 + 0.2j])
X = np.array([0.3, -0.8, 1.4])


def scalars_of_python(x: float, z: complex) -> float:
    w = complex(x, 2.0 * x) * z + 1j * x
    u = cmath.exp(w / (3.0 + z)) + cmath.sqrt(z) - w.conjugate() ** 2
    r, phi = cmath.polar(u)
    return r + phi * u.real + abs(cmath.rect(x, 0.3) - z.imag) + cmath.phase(w)


def parts_of_arrays(x: np.ndarray, z: np.ndarray) -> float:
    u = x * np.exp(1j * z) + z.conj() * z[::-1]
    return np.sum(np.abs(u) ** 2) + np.sum(u.real * np.imag(z)) + np.sum(np.angle(u)) + np.abs(np.mean(z)) + u.imag[1]


def loop_with_carried_complex(x: np.ndarray, z: np.ndarray) -> float:
    total, w = 0.0, 0j
    for i in range(x.shape[0]):
        w = w * w + x[i] * z[i]
        z[i] = w - 1j * z[i]
        total += abs(w) + z[i].real
    return total


def escape_iteration(x: np.ndarray, z: np.ndarray) -> float:
    total = 0.0
    for k in range(x.shape[0]):
        c, w = z[k], 0j
        for _ in range(20):
            w = w * w + c
            if abs(w) > 2.0:
                break
            total += x[k] * (w.real**2 + w.imag**2)
    return total


def powers(x: np.ndarray, z: np.ndarray) -> float:
    u = z**2 + z**3 - z**-1 + z**x + x**z + (1.0 + 2.0j) ** z + np.power(z, 0.5) + z**z
    return np.sum(np.abs(u)) + np.sum((x + 1j) ** 2).real


def products(x: np.ndarray, z: np.ndarray) -> float:
    m = np.outer(z, np.conj(z)) + np.diag(x)
    u = m @ z + np.dot(m.T, x)
    return abs(np.vdot(z, u)) + np.einsum("ij,jk,ki->", m, m, m).real + np.prod(u).imag + np.abs(np.linalg.norm(u))


def hermite_recursion(x: np.ndarray, z: np.ndarray) -> float:
    total = 0.0
    for k in range(z.shape[0]):
        before, h = 1.0 + 0j, 2.0 * z[k]
        for n in range(1, 5):
            before, h = h, 2.0 * z[k] * h - 2.0 * n * before
        total += x[k] * (h * np.exp(-(z[k] ** 2) / 2)).real
    return total


def writes_to_parts(x: np.ndarray, z: np.ndarray) -> float:
    u = np.zeros(z.shape, dtype=np.complex128)
    u.real = x**2
    u.imag[1:] += z.real[1:] * z.imag[:-1]
    u.real[0] *= z[1].imag
    u.imag -= 0.5 * x
    v = np.empty((2, 3), dtype=complex)
    v[0] = u * z
    v[1] = x
    v.imag[1] = x[::-1]
    return np.sum(np.abs(v) ** 2) + u.imag[2]


def mixed_real_and_complex(x: np.ndarray, z: np.ndarray) -> float:
    u = x.astype(complex)
    u += z
    u[0] = x[1]
    u[1:] *= x[1:]
    w = np.where(x > 0.0, z, x) * np.complex128(x[0]) + np.array([1j, x[0], z[1]])
    return np.abs(np.sum(u / w + w / x))


def statistics(x: np.ndarray, z: np.ndarray) -> float:
    w = np.stack([z, x * z])
    return np.var(z) + np.std(w) + abs(np.mean(w, axis=0)[1]) + abs(np.cumsum(z)[2]) + np.abs(np.cumprod(z)).sum()


def elementary(x: np.ndarray, z: np.ndarray) -> float:
    u = np.exp(z) + np.log(z) + np.sin(z) - np.cos(z) * np.tan(z) + np.sinh(z) * np.cosh(z) - np.tanh(z)
    u = u + np.sqrt(z) + np.arcsin(z) + np.arccos(z) * np.arctan(z) + np.arcsinh(z) - np.arccosh(z) + np.arctanh(z)
    u = u + np.exp2(z) + np.expm1(z) + np.log2(z) + np.log10(z) + np.log1p(z) + np.square(z) + np.reciprocal(z)
    return np.sum(x * u.real) + np.sum(u.imag)


PROGRAMS: list[Callable[..., float]] = [
    parts_of_arrays,
    loop_with_carried_complex,
    escape_iteration,
    powers,
    products,
    hermite_recursion,
    writes_to_parts,
    mixed_real_and_complex,
    statistics,
    elementary,
]


def differences(f: Callable[..., float], x: np.ndarray, z: np.ndarray, step: float = 2e-3) -> tuple[Any, Any]:
    """``df/dx``, and ``df/da - i df/db`` for ``z = a + ib``, each by extrapolated central differences."""

    def along(dx: Any, dz: Any) -> float:
        def central(h: float) -> float:
            return (f(x + h * dx, z + h * dz) - f(x - h * dx, z - h * dz)) / (2 * h)

        d1, d2, d4 = central(step), central(step / 2), central(step / 4)
        r1, r2 = (4 * d2 - d1) / 3, (4 * d4 - d2) / 3
        return (16 * r2 - r1) / 15

    units = np.eye(np.size(x)).reshape(np.size(x), *np.shape(x))
    with np.errstate(all="ignore"):
        by_x = [along(e, 0 * z) for e in units]
        by_z = [along(0 * x, e) - 1j * along(0 * x, 1j * e) for e in units]
    return np.reshape(by_x, np.shape(x)), np.reshape(by_z, np.shape(z))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f: Callable[..., float]) -> None:
    expected = differences(lambda x, z: f(x.copy(), z.copy()), X, Z)
    value, gradient = value_and_grad(f, argnums=(0, 1), jit=False)(X, Z)
    np.testing.assert_allclose(value, f(X.copy(), Z.copy()), rtol=1e-13)
    for found, wanted in zip(gradient, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)
    assert [g.dtype for g in gradient] == [np.float64, np.complex128]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_forward_mode_agrees_with_reverse_mode(f: Callable[..., float]) -> None:
    _, gradient = value_and_grad(f, argnums=(0, 1), jit=False)(X, Z)
    dx, dz = np.array([0.2, -1.0, 0.7]), np.array([1.0 - 0.5j, 0.3j, -0.8])
    _, tangent = jvp(f, (X, Z), (dx, dz), jit=False)
    np.testing.assert_allclose(tangent, np.sum(gradient[0] * dx) + np.sum(gradient[1] * dz).real, rtol=1e-11)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_forward_over_reverse(f: Callable[..., float]) -> None:
    """The derivative of the gradient along a direction, against differences of the gradient."""
    gradient = grad(f, argnums=(0, 1), jit=False)
    dx, dz = np.array([0.2, -1.0, 0.7]), np.array([1.0 - 0.5j, 0.3j, -0.8])
    _, found = jvp(gradient, (X, Z), (dx, dz), jit=False)
    h = 1e-5
    ahead, behind = (gradient(X + s * h * dx, Z + s * h * dz) for s in (1, -1))
    for k in range(2):
        expected = (ahead[k] - behind[k]) / (2 * h)
        np.testing.assert_allclose(found[k], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", [loop_with_carried_complex, escape_iteration, powers, writes_to_parts, elementary])
def test_jitted_agrees_with_plain(f: Callable[..., float]) -> None:
    plain, jitted = (value_and_grad(f, argnums=(0, 1), jit=j)(X, Z) for j in (False, True))
    np.testing.assert_allclose(jitted[0], plain[0], rtol=1e-12)
    for found, wanted in zip(jitted[1], plain[1], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("jit", [False, True])
def test_python_scalars(jit: bool) -> None:
    expected = differences(scalars_of_python, np.float64(0.7), np.complex128(0.4 + 1.2j))
    found = grad(scalars_of_python, argnums=(0, 1), jit=jit)(0.7, 0.4 + 1.2j)
    assert [type(g) for g in found] == [float, complex]
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_check_grads_of_complex_functions() -> None:
    check_grads(parts_of_arrays, (X, Z), order=2, jit=False)
    check_grads(lambda z: z * np.conj(z) + np.exp(z) * z.real, (Z,), jit=False)
    check_grads(lambda x: np.exp(1j * x), (X,), jit=False)


@pytest.mark.parametrize("z", [Z, Z.astype(np.complex64)], ids=["complex128", "complex64"])
def test_dtypes_are_kept(z: np.ndarray) -> None:
    x = X.astype(z.real.dtype)

    def f(x: np.ndarray, z: np.ndarray) -> float:
        return np.sum(np.abs(x * np.exp(1j * z)) + z.real * np.angle(z)) + np.sum(z.imag * 2.0)

    by_x, by_z = grad(f, argnums=(0, 1), jit=False)(x, z)
    assert (by_x.dtype, by_z.dtype) == (x.dtype, z.dtype)
    wide = grad(f, argnums=(0, 1), jit=False)(X, Z)
    np.testing.assert_allclose(by_x, wide[0], rtol=1e-5 if z.dtype == np.complex64 else 1e-14)
    np.testing.assert_allclose(by_z, wide[1], rtol=1e-5 if z.dtype == np.complex64 else 1e-14)


@pytest.mark.parametrize("layout", [lambda m: m, np.asfortranarray, lambda m: np.repeat(m, 2, axis=1)[:, ::2]])
@pytest.mark.parametrize("jit", [False, True])
def test_layouts(layout: Callable[[np.ndarray], np.ndarray], jit: bool) -> None:
    m = np.add.outer(Z, W)

    def f(m: np.ndarray) -> float:
        return np.sum(np.abs(m @ m.T) ** 2 + (m * m[::-1]).imag)

    np.testing.assert_allclose(grad(f, jit=jit)(layout(m)), grad(f, jit=False)(m), rtol=1e-12)


# -- conventions -------------------------------------------------------------------------------------------


def test_real_function_of_a_complex_number() -> None:
    """``df/dx - i df/dy``, the conjugate of the direction of steepest ascent, as in JAX."""
    assert grad(lambda z: z.real, jit=False)(1.0 + 2.0j) == 1.0
    assert grad(lambda z: z.imag, jit=False)(1.0 + 2.0j) == -1.0j
    assert grad(lambda z: abs(z) ** 2, jit=False)(1.0 + 2.0j) == 2.0 - 4.0j
    assert grad(lambda z: abs(z), jit=False)(0j) == 0.0
    assert grad(lambda z: np.sqrt(abs(z)), jit=False)(4.0j) == -0.25j


def test_pullbacks_are_transposed_without_a_conjugate() -> None:
    _, pullback = vjp(lambda z: z**3, 1.0 + 2.0j, jit=False)
    assert pullback(1j)[0] == 1j * 3 * (1.0 + 2.0j) ** 2
    _, pullback = vjp(np.conj, 1.0 + 2.0j, jit=False)
    assert pullback(2.0 + 1j)[0] == 2.0 - 1j
    _, pullback = vjp(lambda x, y: complex(x, y), 1.0, 2.0, jit=False)
    assert pullback(3.0 + 4j) == (3.0, -4.0)


def squares(z: Any) -> Any:
    return np.stack([z * z[0], np.exp(z)])


def test_holomorphic() -> None:
    assert grad(lambda z: z * z, holomorphic=True, jit=False)(1.0 + 2.0j) == 2.0 + 4.0j
    assert value_and_grad(lambda z: 1j * z, holomorphic=True, jit=False)(2.0 + 0j) == (2j, 1j)
    np.testing.assert_allclose(grad(lambda z: np.sum(z**3), holomorphic=True, jit=False)(Z), 3 * Z**2)
    expected = np.zeros((2, 3, 3), complex)
    for k, i in np.ndindex(3, 3):
        h = 1e-6 * (np.arange(3) == i)
        expected[0, k, i], expected[1, k, i] = ((squares(Z + h) - squares(Z - h)) / 2e-6)[:, k]
    for jacobian_of in (jacfwd, jacrev, jacobian):
        found = jacobian_of(squares, holomorphic=True, jit=False)(Z)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_jacobians_between_real_and_complex() -> None:
    turned = jacobian(lambda x: x * np.exp(1j * x), jit=False)(X)
    np.testing.assert_allclose(turned, np.diag((1.0 + 1j * X) * np.exp(1j * X)))
    np.testing.assert_allclose(jacobian(lambda z: np.abs(z) ** 2, jit=False)(Z), np.diag(2 * np.conj(Z)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: grad(lambda z: z * z, jit=False)(1j), "holomorphic=True"),
        (lambda: grad(lambda x: x * 1j, jit=False)(1.0), "holomorphic=True"),
        (lambda: grad(lambda z: z * z, holomorphic=True, jit=False)(1.0), "Pass a complex argument"),
        (lambda: grad(lambda z: abs(z), holomorphic=True, jit=False)(1j), "one complex number"),
        (lambda: jacfwd(lambda z: abs(z), jit=False)(1j), "holomorphic=True"),
        (lambda: jacrev(lambda x: 1j * x, jit=False)(1.0), "holomorphic=True"),
        (lambda: jacobian(lambda z: z * z, jit=False)(1j), "holomorphic=True"),
        (lambda: jacobian(lambda z: abs(z), holomorphic=True, jit=False)(1j), "Make it complex"),
        (lambda: hessian(lambda z: abs(z) ** 2, jit=False)(1j), "holomorphic=True"),
    ],
)
def test_what_has_no_single_derivative(call: Callable[[], object], message: str) -> None:
    with pytest.raises(srcgrad.ArgumentTypeError, match=message):
        call()


def test_refused_of_complex_numbers() -> None:
    for f in (lambda z: np.fabs(z), lambda z: np.floor(z), lambda z: np.sign(z), lambda z: z.astype(float)):
        with pytest.raises(srcgrad.Error, match="complex"):
            srcgrad.jit(lambda z, f=f: np.sum(f(z)), jit=False)(Z)


# -- parts that are views ------------------------------------------------------------------------------------


def kept_and_written(z: np.ndarray) -> float:
    w = z.real
    z[0] = 5.0
    return w[0] + w[1]


def written_through_a_name(z: np.ndarray) -> float:
    w = z.imag
    w[0] = 5.0
    return np.sum(z.imag)


def written_by_the_next_iteration(z: np.ndarray) -> float:
    total, w = 0.0, z.real.copy()
    for _ in range(z.shape[0]):
        z[0] = 2.0 * z[0]
        total += w[0]
        w = z.real
    return total


def reshaped_and_written_by_the_next_iteration(z: np.ndarray) -> float:
    total, w = 0.0, z.copy()
    for _ in range(z.shape[0]):
        z[0] = 2.0 * z[0]
        total += w[0].real
        w = z[::-1].reshape(-1)
    return total


def transposed_and_written(z: np.ndarray) -> float:
    w = np.stack([z, z])
    v = w.real.T
    w[0, 0] = 3.0
    return v[0, 0]


def filled(z: np.ndarray) -> float:
    z.real.fill(1.0)
    return z.real[0]


@pytest.mark.parametrize(
    "f",
    [
        kept_and_written,
        written_through_a_name,
        written_by_the_next_iteration,
        reshaped_and_written_by_the_next_iteration,
        transposed_and_written,
        filled,
    ],
)
def test_a_copy_in_the_place_of_a_view_is_refused(f: Callable[..., float]) -> None:
    with pytest.raises(srcgrad.UnsupportedError, match=r"z.real.copy\(\)"):
        srcgrad.jit(f, jit=False)(Z.copy())


def test_a_copy_of_a_part_is_its_own() -> None:
    def f(z: np.ndarray) -> float:
        w = z.real.copy()
        z[0] = 5.0
        w[1] = 2.0
        return w[0] + w[1] + z[1].real

    np.testing.assert_allclose(grad(f, jit=False)(Z), [1.0, 1.0, 0.0])


def test_conj_of_a_real_array_is_the_array() -> None:
    def method(x: np.ndarray) -> float:
        y = x.conj()
        y[0] = 5.0
        return np.sum(x * x)

    def function(x: np.ndarray) -> float:
        y = np.conj(x)
        y[0] = 5.0
        return np.sum(x * x)

    for f in (method, function):
        assert srcgrad.jit(f, jit=False)(X.copy()) == f(X.copy())


def test_structures_of_complex_numbers() -> None:
    found = grad(lambda p: (p["z"] * p["x"] * 1j).real + np.sum(np.abs(p["w"])), jit=False)(
        {"z": 1 + 2j, "x": 2.0, "w": Z}
    )
    assert (found["z"], found["x"]) == (2j, -2.0)
    np.testing.assert_allclose(found["w"], np.conj(Z) / np.abs(Z))
    _, pullback = vjp(lambda z: [z * z, {"a": z.real}], 1 + 2j, jit=False)
    assert pullback([1j, {"a": 2.0}]) == (-2 + 2j,)


def test_branch_not_taken_leaves_no_nan() -> None:
    def f(z: np.ndarray) -> float:
        return np.sum(np.where(z == 0, 1.0, np.log(z) * np.sqrt(z)).real)

    with np.errstate(all="ignore"):
        found = grad(f, jit=False)(np.array([0j, 1 + 1j]))
    w = np.complex128(1 + 1j)
    np.testing.assert_allclose(found, [0.0, 1 / np.sqrt(w) + np.log(w) * 0.5 / np.sqrt(w)])


def test_parts_are_read_at_once() -> None:
    def f(z: np.ndarray) -> float:
        total = 0.0
        for _ in range(3):
            total += np.dot(z.real, z.imag) + np.sum(z.real[1:])
            z *= 1j
        return total

    expected = differences(lambda x, z: f(z.copy()), X, Z)[1]
    np.testing.assert_allclose(grad(f, jit=False)(Z), expected, rtol=1e-8)
