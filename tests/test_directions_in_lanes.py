"""Jacobians whose directions run side by side: the same as direction by direction, and no primal is computed twice."""

from __future__ import annotations

import numpy as np
import pytest
from test_all_directions import CASES as FUNCTIONS
from test_all_directions import number, one_by_one

from srcgrad import grad, hessian, jacfwd, jacobian, jacrev, vjp
from srcgrad.api.compiled import Compiled
from srcgrad.api.derivative import Derivative
from srcgrad.api.plans import Columns, Gradient, Rows
from srcgrad.differentiate import all_directions
from srcgrad.optimize import skip_rows
from srcgrad.optimize.lanes import reach, widen
from srcgrad.settings import Options

X = np.linspace(0.3, 1.1, 7)
A = np.random.default_rng(0).normal(size=(7, 7))


@pytest.fixture(autouse=True)
def three_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of three, in plain Python too: the last of seven directions has a block of its own."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    monkeypatch.setattr(all_directions, "COLUMNS", 3)
    monkeypatch.setattr(all_directions, "ROWS", 3)
    monkeypatch.setattr(widen, "GROUP", 3)
    monkeypatch.setattr(skip_rows, "LONG", 3)


def left(x):
    """The left factor has tangents, and sums of three, of seven, and of more terms than are added at once."""
    m = np.outer(np.sin(x), x)
    return m[:2, :3] @ A[:3, :2] + (m @ A)[:2, :2] + (np.outer(x[:2], np.ones(9)) @ np.ones((9, 2)))


def right(x):
    m = np.outer(np.sin(x), x)
    return A[:2, :3] @ m[:3, :2] + (A @ m)[:2, :2] + A[:2, :3] @ m[4:, 1:3] + A[:2, :3] @ m[:2, :3].T


def both(x):
    m = np.outer(np.cos(x), x)
    return m @ m


def columns(x):
    """Factors of which columns, not rows, lie in a row."""
    m = np.outer(np.cos(x), x)
    return m.T @ np.asfortranarray(A) @ m[:, ::2]


def large(x):
    m = np.outer(np.cos(x), np.linspace(0.0, 1.0, 20))
    return m.T @ (m @ np.ones((20, 12)))


def solved(x):
    """A routine of LAPACK knows nothing of lanes."""
    return np.linalg.solve(A + np.diag(x * x), x) * np.linalg.det(A * x)


def swapped(x):
    """Arrays that change places."""
    u, v = np.sin(x), np.zeros(7)
    for t in range(3):
        for i in range(1, 6):
            v[i] = u[i - 1] * u[i + 1] + t * x[i]
        u, v = v, u
    return u + 2.0 * v


def chosen(x):
    """An array that is one of two, by values."""
    y = np.exp(x) if x[0] > 1.0 else x * x
    z = np.zeros(7) if x[0] < 1.0 else y
    return y * z[::-1] + y


def filled(x):
    """Memory with and without derivatives, written in turn; an index that is a value."""
    out, count = np.zeros((3, 7)), np.zeros(3)
    for i in range(7):
        k = int(10.0 * x[i]) % 3
        count[k] += 1.0
        out[k] += x[i] * count[k]
    return out / count.reshape(3, 1)


def halved(x):
    """A loop that ends by a value, with numbers that have tangents and numbers that have none."""
    u, steps = x[0] * 10.0, 0
    while u > x[1]:
        u = u / (1.0 + x[2])
        steps += 1
    return x * u + steps


def kinks(x):
    return np.maximum(np.abs(x - 0.5), np.where(x > 0.8, x * x, 0.1)) + np.sort(x[::-1]) * np.max(x)


def copied(x):
    """A view of a row, and one of a column."""
    m = np.outer(x, x)
    m[1] = m[:, 2] + m[0]
    m[:, 3] *= x
    return m.reshape(49)[5:40:3]


def reduced(x):
    return np.array([np.sum(x), np.prod(x), np.std(x), np.linalg.norm(x), np.dot(x, x)])


OWN = [left, right, both, columns, large, solved, swapped, chosen, filled, halved, kinks, copied, reduced]


@pytest.mark.parametrize("f", OWN)
def test_as_one_by_one(f) -> None:
    np.testing.assert_allclose(jacfwd(f, jit=False)(X), one_by_one(f, X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("f", "arguments"), FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_known_cases(f, arguments, dtype) -> None:
    x = arguments[0].astype(dtype, order="K")
    found = jacfwd(f, jit=False)(x, *arguments[1:])
    expected = one_by_one(f, x, *arguments[1:])
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype is np.float64 else 1e-5)


@pytest.mark.parametrize("f", OWN)
def test_they_run_in_lanes(f) -> None:
    text = Compiled(f, Columns(0), Options(jit=False)).source(X, level="compiled")
    assert "for lane in range(lanes)" in text and "for k in range(x.shape[0])" not in text


def row_by_row(f, x, *rest):
    """The rows, a pullback each; the pullback is for one cotangent."""
    out, pullback = vjp(f, x, *rest, jit=False)
    units = np.eye(out.size, dtype=out.dtype).reshape(out.size, *out.shape)
    return np.stack([pullback(unit)[0] for unit in units]).reshape(out.shape + x.shape)


@pytest.mark.parametrize("f", OWN)
def test_rows_as_one_by_one(f) -> None:
    np.testing.assert_allclose(jacrev(f, jit=False)(X), row_by_row(f, X), rtol=1e-12, atol=1e-12)
    if f is not kinks:
        np.testing.assert_allclose(jacrev(f, jit=False)(X), one_by_one(f, X), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("f", "arguments"), [case for case in FUNCTIONS if case[0] is not number])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_known_cases(f, arguments, dtype) -> None:
    x = arguments[0].astype(dtype, order="K")
    before = x.copy()
    found = jacrev(f, jit=False)(x, *arguments[1:])
    expected = one_by_one(f, x, *arguments[1:])
    assert found.dtype == dtype
    assert np.array_equal(x, before)
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype is np.float64 else 1e-4)


@pytest.mark.parametrize("f", OWN)
def test_rows_run_in_lanes(f) -> None:
    text = Compiled(f, Rows(0), Options(jit=False)).source(X, level="compiled")
    assert "in range(lanes)" in text


def wide(x):
    x[0] *= 2.0
    return np.array([np.sum(x * np.sin(x)), np.prod(np.cos(x))])


def test_the_mode_with_fewer_directions_leaves_arguments_alone() -> None:
    x = X.copy()
    for _ in range(2):
        np.testing.assert_allclose(jacobian(wide, jit=False)(x), one_by_one(wide, X), rtol=1e-12)
        assert np.array_equal(x, X)


def energy(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def decaying(x):
    """What the reverse sweep needs is on a stack."""
    u, s = x[0] * 10.0, 0.0
    while u > 1.0:
        u = u / (1.0 + x[1] * np.sin(u))
        s += u * x[2]
    return s + np.sum(x**3)


def layers(x):
    """Arrays that are new in each step: references on a stack."""
    h, t = x, 0
    while t < 3:
        h = np.tanh(A @ h + x)
        t += 1
    return np.sum(h * h)


def likelihood(x):
    z = A @ x
    return np.sum(np.log1p(np.exp(-z))) + 0.1 * np.sum(x * x)


@pytest.mark.parametrize("f", [energy, decaying, layers, likelihood])
def test_hessians(f) -> None:
    found = hessian(f, jit=False)(X)
    np.testing.assert_allclose(found, found.T, rtol=1e-10, atol=1e-10)
    h, g = 1e-5, grad(f, jit=False)
    numeric = np.stack([(g(X + h * e) - g(X - h * e)) / (2.0 * h) for e in np.eye(7)], axis=-1)
    np.testing.assert_allclose(found, numeric, rtol=1e-5, atol=1e-5)


def pairs(x):
    """Neighbours in two directions, of which each product is seen by four directions."""
    total = 0.0
    for i in range(x.shape[0] - 1):
        for j in range(x.shape[1] - 1):
            total += x[i, j] ** 2 * x[i + 1, j] * x[i, j + 1] / (1.0 + x[i + 1, j + 1] ** 2)
    return total


def test_hessian_by_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    x = X[:6].reshape(2, 3)
    found = hessian(pairs, jit=False)(x)
    h, g = 1e-5, grad(pairs, jit=False)
    units = np.eye(6).reshape(6, 2, 3)
    numeric = np.stack([(g(x + h * e) - g(x - h * e)) / (2.0 * h) for e in units], axis=-1).reshape(2, 3, 2, 3)
    np.testing.assert_allclose(found, numeric, rtol=1e-5, atol=1e-5)
    monkeypatch.undo()
    derivative = Compiled(Derivative(pairs, Gradient(0), Options()), Columns(0), Options())
    assert "start <= " in derivative.source(x, level="compiled")


def offset(x):
    """What is linear in the elements and what is not: a loop may be left out only if all of it is."""
    out = np.zeros(7)
    s = 0.0
    for i in range(7):
        s += x[i] * out[i]
        for j in range(7):
            out[j] += x[i] * x[j]
        s = s + 3.0 * out[0]
    return out * s


def test_a_loop_that_does_more_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = one_by_one(offset, X)
    np.testing.assert_allclose(jacfwd(offset, jit=False)(X), expected, rtol=1e-12)
    monkeypatch.setattr(reach, "zeros_needed", lambda op: (op.operands, any))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(jacfwd(offset, jit=False)(X), expected, rtol=1e-12)


def in_a_row(x):
    total = 0.0
    for v in x.ravel():
        total += v * v * v
    return total


def otherwise_in_rows(x):
    """Elements and their neighbours under another shape than the argument's."""
    y = x.reshape(3, 2)
    total = 0.0
    for i in range(3):
        for j in range(2):
            total += y[i, j] ** 3 * y[i - 1, j]
    return total


def back_and_forth(x):
    """The shape that indices are of is the last one."""
    y = x.reshape(6).reshape(3, 2)
    total = 0.0
    for i in range(3):
        total += y[i, 0] ** 2 * y[i, 1] * x[1, 2 - i]
    return total


@pytest.mark.parametrize("f", [in_a_row, otherwise_in_rows, back_and_forth])
def test_elements_are_found_under_another_shape(f) -> None:
    """The gradient is in the same places, and its differences are."""
    x = np.linspace(0.3, 1.1, 6).reshape(2, 3)
    h, g = 1e-5, grad(f, jit=False)
    units = np.eye(6).reshape(6, 2, 3)
    numeric = np.stack([(g(x + h * e) - g(x - h * e)) / (2.0 * h) for e in units], axis=-1).reshape(2, 3, 2, 3)
    np.testing.assert_allclose(hessian(f, jit=False)(x), numeric, rtol=1e-8, atol=1e-8)


def shrunk_rows(x):
    """Writes to its argument, which a branch merges with a new array."""
    x[0] *= x[0, 1]
    for k in range(2):
        if x[0, k] > 0.5:
            x = x * 0.5
    return np.sum(x**3)


def test_an_argument_of_one_row_that_is_written_to() -> None:
    x = np.array([[0.9, 0.8, 1.4]])
    h, g = 1e-5, grad(shrunk_rows, jit=False)
    units = np.eye(3).reshape(3, 1, 3)
    numeric = np.stack([(g(x + h * e) - g(x - h * e)) / (2.0 * h) for e in units], axis=-1).reshape(1, 3, 1, 3)
    np.testing.assert_allclose(hessian(shrunk_rows, jit=False)(x), numeric, rtol=1e-7, atol=1e-7)


def halved(a, low, high, factor):
    if high - low == 1:
        return a[low] * factor
    middle = (low + high) // 2
    return np.sin(halved(a, low, middle, factor)) + halved(a, middle, high, factor) * a[low] * 0.5


def by_halves(x):
    """A number that is computed for a call alone."""
    x[-1] = x[0] * 0.5
    return np.sin(halved(x, 0, x.shape[0], np.sin(x[-1] * x[1]))) * x[2]


def test_numbers_for_a_call() -> None:
    x = np.array([0.3, 0.7, -0.2])
    h, g = 1e-5, grad(by_halves, jit=False)
    numeric = np.stack([(g(x + h * e) - g(x - h * e)) / (2.0 * h) for e in np.eye(3)], axis=-1)
    np.testing.assert_allclose(hessian(by_halves, jit=False)(x), numeric, rtol=1e-8, atol=1e-9)


def short_circuited(x):
    """A loop that goes on by two conditions, the second of which may only be asked for where the first holds."""
    u, i = x[0], 0
    while i < 7 and u * x[i] < 1.0:
        u += x[i] * u
        i += 1
    return u * x


def test_a_loop_that_ends_by_two_conditions() -> None:
    np.testing.assert_allclose(jacfwd(short_circuited, jit=False)(X), one_by_one(short_circuited, X), rtol=1e-12)
    np.testing.assert_allclose(jacrev(short_circuited, jit=False)(X), one_by_one(short_circuited, X), rtol=1e-12)


@pytest.mark.parametrize("f", [both, swapped, pytest.param(solved, marks=pytest.mark.slow)])
def test_compiled_as_plain(f, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of as many as there are; with checks of each number, and with threads."""
    expected = one_by_one(f, X)
    monkeypatch.undo()
    np.testing.assert_allclose(jacfwd(f)(X), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(jacrev(f)(X), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(jacfwd(f, check_nan=True, parallel=True)(X), expected, rtol=1e-12, atol=1e-12)


def test_lanes_that_nobody_asks_for_hold_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they hold goes through all computations: were it any numbers, these could be so small that it takes long."""
    monkeypatch.setattr(widen, "GROUP", 8)
    monkeypatch.setattr(all_directions, "COLUMNS", 8)

    def f(r):
        square = 0.0
        for i in range(r.shape[0]):
            square += r[i] * r[i]
        return np.sqrt(square) * r

    r = np.array([0.3, -0.4, 1.2])
    text = Compiled(f, Columns(0), Options(jit=False)).source(r, level="compiled")
    written = [k for k, line in enumerate(text.splitlines()) if line.strip().endswith("[lane] = 0.0")]
    assert written and all(text.splitlines()[k - 1].strip() == "for lane in range(padded):" for k in written)
    np.testing.assert_allclose(jacfwd(f, jit=False)(r), 1.3 * np.eye(3) + np.outer(r, r) / 1.3, rtol=1e-14)
