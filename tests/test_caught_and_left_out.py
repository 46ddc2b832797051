"""`try` around writes: what comes behind an exception that is caught is left out; and `raise` in handlers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import grad, jit
from srcgrad.errors import Error, UnsupportedError
from srcgrad.testing import check_grads


def table_of_quotients(numbers: np.ndarray) -> float:
    """Items of lists are stored in the body, and in a handler of whatever may go wrong."""
    x = [float(v) for v in numbers]
    n = len(x)
    terms = [[0.0] * n for _ in range(n)]
    inverse = [[0.0] * n for _ in range(n)]
    for i in range(n):
        row = inverse[i]
        for j in range(i, n):
            term = (x[j] - x[1]) * x[i]
            try:
                row[j] = inverse[j][i] = 1.0 / term
            except:  # noqa: E722
                row[j] = 7.0 * x[i]
            terms[i][j] = terms[j][i] = term
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += terms[i][j] * inverse[i][j] ** 2 * (i + 1) + 0.01 * inverse[i][j]
    return total


def stores_around_a_division(a: float, b: float, c: float) -> float:
    y, z = np.zeros(3), np.ones(3)
    for k, v in enumerate((a, b, c)):
        try:
            z[k] = 3.0 * v
            y[k] = a / (v - b)
            z[k] += y[k]
        except ZeroDivisionError:
            y[k] = v * v
    return np.sum(y * z)


def raised_again(a: float, b: float, c: float) -> float:
    try:
        y = a / (b - c)
    except ZeroDivisionError:
        if a > 0.0:
            y = b * c
        else:
            raise
    return y * a


def loops_behind(a: float, b: float, c: float) -> float:
    """Loops and slices behind what fails, and in a loop that is left half-way, are left out."""
    y, w = np.array([a, b, c, 1.0]), np.ones(4)
    try:
        for i in range(2):
            y[i] = 0.5 * float(y[i]) + b
            y[3] = y[3] + a / (b - c + 0.1 * i)
            y[1:3] = y[0:2] * a
        w[0] = a / (b - c)
        for i in range(3):
            y[i] = 2.0 * float(y[i])
            if i > 1:
                w[1:] = y[:3] * b
        y[0:2] = w[1:3]
    except ZeroDivisionError:
        y[1:3] += y[0:2] * a
    return y[0] + 2.0 * y[1] + 3.0 * y[2] * y[3] + w[0] * w[1] + w[3]


PROGRAMS = [loops_behind, stores_around_a_division, raised_again]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("point", [(0.3, 0.8, 1.1), (0.3, 0.8, 0.8)])
def test_values_and_derivatives(f: Callable[..., float], point: tuple[float, ...]) -> None:
    assert jit(f, jit=False)(*point) == pytest.approx(f(*point), rel=1e-12)
    assert grad(f, argnums=(0, 1, 2), jit=False)(*point)[0] == pytest.approx(
        (f(point[0] + 1e-6, *point[1:]) - f(point[0] - 1e-6, *point[1:])) / 2e-6, rel=1e-6
    )


@pytest.mark.parametrize("f", PROGRAMS)
def test_both_modes(f: Callable[..., float]) -> None:
    equal = np.array([0.8])  # not known while compiling

    def at(a: float) -> float:
        return f(a, float(equal[0]), float(equal[0]))

    check_grads(at, (0.3,), order=2, modes=("fwd", "rev"), jit=False)


@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f: Callable[..., float]) -> None:
    compiled, plain = grad(f, argnums=(0, 1, 2)), grad(f, argnums=(0, 1, 2), jit=False)
    assert compiled(0.3, 0.8, 0.8) == pytest.approx(plain(0.3, 0.8, 0.8), rel=1e-12)


def test_items_of_lists() -> None:
    x = np.array([0.3, 0.8, 1.1])
    assert jit(table_of_quotients, jit=False)(x) == pytest.approx(table_of_quotients(x), rel=1e-12)
    found = grad(table_of_quotients, jit=False)(x)

    def elsewhere(y: np.ndarray) -> float:
        """The same, with the handler's value where it was taken."""
        total = 0.0
        for i in range(3):
            for j in range(3):
                first, second = min(i, j), max(i, j)
                term = (y[second] - y[1]) * y[first]
                caught = second == 1
                inverse = (7.0 * y[first] if (i, j) == (first, second) else 0.0) if caught else 1.0 / term
                total += (0.0 if caught else term) * inverse**2 * (i + 1) + 0.01 * inverse
        return total

    assert np.allclose(found, grad(elsewhere, jit=False)(x), rtol=1e-12)
    assert np.allclose(grad(table_of_quotients)(x), found, rtol=1e-12)


def test_what_is_raised_again() -> None:
    for f in (jit(raised_again, jit=False), jit(raised_again)):
        with pytest.raises(ZeroDivisionError):
            f(-1.0, 0.5, 0.5)


def with_cause(a: float) -> float:
    try:
        y = 1.0 / a
    except (ZeroDivisionError, ValueError) as error:
        raise ValueError(f"{a} has no inverse") from error
    return y


def test_a_cause_is_named() -> None:
    assert grad(with_cause, jit=False)(2.0) == pytest.approx(-0.25)
    with pytest.raises(ValueError, match="no inverse"):
        grad(with_cause, jit=False)(0.0)


def checked_product(u: list[float], v: list[float]) -> float:
    try:
        if u is None or len(u) != len(v):
            raise ValueError("the vectors differ in length")
    except TypeError as e:
        print(f"An error occurred: {e.args[-1]}")
        raise TypeError("the input must be lists") from None
    except Exception:
        raise
    try:
        ratio = u[0] / v[0]
    except ZeroDivisionError as e:
        if u[0] > 0.0:
            print("no ratio:", e, str(e))
            ratio = 1.0
        else:
            raise e
    return ratio * u[1] * v[1]


def test_an_exception_is_shown() -> None:
    f = grad(checked_product, jit=False)
    assert f([0.6, 2.0], [0.3, 4.0]) == pytest.approx([8.0 / 0.3, 8.0])
    assert f([0.6, 2.0], [0.0, 4.0]) == pytest.approx([0.0, 4.0])
    with pytest.raises(ZeroDivisionError):
        f([-0.6, 2.0], [0.0, 4.0])
    with pytest.raises(ValueError, match="differ in length"):
        jit(checked_product, jit=False)([0.6, 2.0], [1.0])


N = 2


def raised_for_sure(x: float) -> float:
    y = 1.0
    try:
        y = x
        if N == 2:
            y = 2.0 * x
            raise ValueError("n is 2")
        y = 3.0 * x
    except ValueError:
        y = y * x
    return y * x


def test_what_is_raised_for_sure_is_caught() -> None:
    assert jit(raised_for_sure, jit=False)(0.7) == pytest.approx(raised_for_sure(0.7))
    check_grads(raised_for_sure, (0.7,), order=2, modes=("fwd", "rev"), jit=False)


def test_an_index_out_of_range_is_raised() -> None:
    """A handler of everything does not catch it, as Python's would; one that names it is refused."""

    def everything(x: np.ndarray, k: int) -> float:
        try:
            y = x[k] / x[0]
        except Exception:
            y = 1.0
        return y

    def named(x: np.ndarray, k: int) -> float:
        try:
            y = x[k] * x[0]
        except IndexError:
            y = 1.0
        return y

    assert np.allclose(grad(everything, jit=False)(np.array([2.0, 3.0]), 1), [-0.75, 0.5])
    with pytest.raises(IndexError):
        grad(everything, jit=False)(np.ones(2), 5)
    with pytest.raises(UnsupportedError, match="an index that is out of range is caught"):
        grad(named, jit=False)(np.ones(2), 1)


def test_a_list_in_a_message() -> None:
    def f(x: np.ndarray) -> float:
        doubled = []
        for v in x:
            doubled.append(2.0 * v)
        if doubled[0] < 0.0:
            raise ValueError(f"not positive: {doubled}")
        return doubled[0] * doubled[1]

    assert np.allclose(grad(f, jit=False)(np.array([2.0, 3.0])), [12.0, 8.0])
    with pytest.raises(ValueError, match="not positive"):
        grad(f, jit=False)(-np.ones(2))


def none_until_later(a: float, b: float) -> float:
    """What is read in a branch is None at first, but not where the branch is taken."""
    point = 0.5
    last = None
    for _ in range(12):
        residual, slope = point**3 + a * point - b, 3.0 * point * point + a
        if slope < 1e-10:
            point = last + (point - last) * 0.5
            continue
        last = point
        point = point - residual / slope
    return point


def without_tolerance(a: float, b: float, tolerance: float | None = None) -> float:
    x = 0.5
    for _ in range(12):
        residual = x**3 + a * x - b
        if abs(residual) > 1e3 and (b > 1e6 or residual < tolerance):
            return x + tolerance
        x = x - residual / (3.0 * x * x + a) + (0.0 if b < 1e3 else 2.0 * tolerance)
    return x


def test_none_where_nobody_comes() -> None:
    check_grads(without_tolerance, (0.3, 0.5), order=2, modes=("fwd", "rev"), jit=False)
    assert grad(without_tolerance)(0.3, 0.5) == pytest.approx(grad(without_tolerance, jit=False)(0.3, 0.5))
    with pytest.raises(TypeError, match="None"):
        jit(without_tolerance, jit=False)(0.3, 1e5)
    with pytest.raises(Error, match="between a number and None"):
        jit(lambda a, b=None: a * b, jit=False)(0.3)


def test_none_at_first() -> None:
    check_grads(none_until_later, (0.3, 0.5), order=2, modes=("fwd", "rev"), jit=False)
    with pytest.raises(TypeError, match="None"):
        jit(none_until_later, jit=False)(-3.0, 0.5)
