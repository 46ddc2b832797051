"""Loops along antidiagonals leave what loops over rows leave: in random nests, and in recurrences of users."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them.

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients, confirm_tangents
from interpreter import run
from oracle.derivatives import differentiable, reverse
from random_tables import WIDEST, random_table

from srcgrad import grad, hessian, jit, value_and_grad
from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.apart import never_wraps_to
from srcgrad.analysis.verify_sites import verify_sites
from srcgrad.ir.core import Block, Function, Op, Value, index, walk
from srcgrad.ir.types import INDEX
from srcgrad.ir.verify import verify
from srcgrad.optimize import run_along_diagonals as pass_
from srcgrad.optimize.diagonals import nests
from srcgrad.optimize.diagonals import walk as walk_
from srcgrad.primitives.table import infer
from srcgrad.settings import Options
from srcgrad.testing import check_grads


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every nest that may run along antidiagonals does, in strips of three rows, in plain Python too."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    monkeypatch.setattr(pass_, "is_worth_it", lambda *_: True)
    monkeypatch.setattr(walk_, "STRIP", 3)


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape)


def after(function: Function, n: int, m: int) -> list[np.ndarray]:
    """The number, and the arrays as the function leaves them."""
    arrays = [numbers(n + WIDEST), numbers(m + WIDEST, seed=1), numbers(n + WIDEST, m + WIDEST, seed=2)]
    (result,) = run(function, *arrays, n, m)
    return [np.asarray(result), *arrays]


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("first", range(0, 200, 40))
def test_random_tables(first: int) -> None:
    changed = 0
    for seed in range(first, first + 40):
        function = random_table(seed)
        along = pass_.run_along_diagonals(function)
        changed += len(diagonals(along)) > 1
        verify(along, infer)
        verify_sites(along)
        for n, m in ((0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (5, 2), (3, 6), (12, 1), (2, 13)):
            for ours, theirs in zip(after(along, n, m), after(function, n, m), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12, err_msg=f"seed {seed}, {n} by {m}")
    assert changed > 20


def diagonals(function: Function) -> list[Op]:
    loops = [op for op in walk(function.body) if op.primitive == "for"]
    return [op for op in loops if op.blocks[0].parameters[0].name == "diagonal"]


def warping(x, y):
    """The soft minimum of three earlier cells."""
    n, m = x.shape[0], y.shape[0]
    r = np.full((n + 1, m + 1), 9.0)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 - math.log(math.exp(-a) + math.exp(-b) + math.exp(-c))
    return r[n, m]


def alignment(x, y):
    """Three tables for gaps that have been opened or not, with boundaries of their own; columns outermost."""
    n, m = x.shape[0], y.shape[0]
    match, down, right = np.zeros((n + 1, m + 1)), np.full((n + 1, m + 1), -3.0), np.full((n + 1, m + 1), -3.0)
    for i in range(1, n + 1):
        match[i, 0] = -0.3 * i
    for j in range(1, m + 1):
        match[0, j] = -0.2 * j
    for j in range(1, m + 1):
        for i in range(1, n + 1):
            down[i, j] = np.logaddexp(match[i - 1, j] - 0.5, down[i - 1, j] - 0.1)
            right[i, j] = np.logaddexp(match[i, j - 1] - 0.5, right[i, j - 1] - 0.1)
            best = np.logaddexp(match[i - 1, j - 1] + x[i - 1] * y[j - 1], down[i, j])
            match[i, j] = np.logaddexp(best, right[i, j])
    return match[n, m] + down[n, m] * right[n, m]


def local_alignment(x, y):
    """Every cell may be the last: a sum over all of them, in the same loops."""
    n, m = x.shape[0], y.shape[0]
    h = np.zeros((n + 1, m + 1))
    total = 0.0
    for i in range(n):
        for j in range(m):
            ways = 1.0 + math.exp(h[i, j] + x[i] * y[j]) + math.exp(h[i, j + 1] - 1.0) + math.exp(h[i + 1, j] - 1.0)
            h[i + 1, j + 1] = math.log(ways)
            total += math.exp(0.1 * h[i + 1, j + 1])
    return total


def backwards(x, y):
    """Rows from the last to the first, columns upwards: the table is walked along its other diagonals."""
    n, m = x.shape[0], y.shape[0]
    u = np.zeros((n + 1, m + 1))
    for i in range(n - 1, -1, -1):
        for j in range(m):
            u[i, j + 1] = np.tanh(x[i] * u[i + 1, j] - y[j] * u[i, j] + 0.5 * u[i + 1, j + 1] + x[i])
    return np.sum(u * u)


def row_sums(x, y):
    """What a row adds up goes to an element, to a total, and is asked for by nothing in the loops."""
    n, m = x.shape[0], y.shape[0]
    u, sums = np.ones((n + 1, m + 1)), np.zeros(n)
    total = 0.0
    for i in range(n):
        s = 0.0
        for j in range(m):
            u[i + 1, j + 1] = np.sin(u[i, j + 1] * x[i] + u[i + 1, j] * y[j])
            s += u[i + 1, j + 1] ** 2
        sums[i] += s
        total += s
    return total + np.sum(sums**2)


def branching(x, y):
    """Boundaries inside the loops."""
    n, m = x.shape[0], y.shape[0]
    d = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            before = 0.0
            if i > 0 and j > 0:
                before = min(d[i - 1, j], d[i, j - 1])
            elif i > 0:
                before = d[i - 1, j]
            elif j > 0:
                before = d[i, j - 1]
            d[i, j] = before + math.sqrt(0.1 + (x[i] - y[j]) ** 2)
    return d[n - 1, m - 1] if n > 0 and m > 0 else 0.0


def rows_apart(x, y):
    """Rows that do not wait for each other; the inner loop cannot but wait."""
    n, m = x.shape[0], y.shape[0]
    u = np.ones((n, m + 1))
    for i in range(n):
        for j in range(m):
            u[i, j + 1] = np.sin(u[i, j] + x[i] * y[j])
    return np.sum(u)


def costs_given(c, y):
    """The costs come in a table of the caller's, and go out in one that the result is made of."""
    n, m = c.shape
    r = np.zeros((n, m))
    for i in range(1, n):
        for j in range(1, m):
            r[i, j] = c[i, j] * y[j] + np.log(np.exp(r[i - 1, j]) + np.exp(r[i, j - 1]))
    return np.sum(r[1:, 1:] ** 2)


SERIES = [warping, alignment, local_alignment, backwards, row_sums, branching, rows_apart]
SIZES = [(1, 1), (1, 4), (5, 2), (3, 7)]


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize(("n", "m"), [*SIZES, (0, 2), (2, 0)])
@pytest.mark.parametrize("f", SERIES)
def test_gradients(f: Callable[..., float], n: int, m: int) -> None:
    confirm_gradients(f, (numbers(n), numbers(m, seed=1)))


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("f", SERIES)
def test_tangents(f: Callable[..., float]) -> None:
    confirm_tangents(f, (numbers(4), numbers(3, seed=1)))


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_a_table_of_costs(n: int, m: int) -> None:
    args = (numbers(n, m), numbers(m, seed=1))
    confirm_gradients(costs_given, args)
    confirm_tangents(costs_given, args)
    confirm_gradients(costs_given, (np.asfortranarray(args[0]), args[1]))


@pytest.mark.parametrize("f", [f for f in SERIES if f is not rows_apart])  # whose rows run in lanes
def test_these_run_along_diagonals(f: Callable[..., float]) -> None:
    """The primal and both sweeps of the gradient."""
    args = (numbers(4), numbers(3, seed=1))
    assert jit(f).source(*args, level="compiled").count("for diagonal in") >= 1
    text = grad(f, (0, 1)).source(*args, level="compiled")
    assert text.count("for diagonal in") >= 2
    assert "for diagonal in" not in grad(f, (0, 1)).source(*args)


def test_rows_that_do_not_wait_run_in_lanes() -> None:
    """The recurrence is in memory, from one element of a row to the next."""
    args = (numbers(4), numbers(3, seed=1))
    assert "lane in" in jit(rows_apart).source(*args, level="compiled")


@pytest.mark.parametrize("f", [warping, alignment, local_alignment])
def test_jitted(f: Callable[..., float]) -> None:
    args = (numbers(23), numbers(40, seed=1))
    wrt = differentiable(args)
    value, gradients = reverse(f, args, wrt, jit=True)
    expected, others = reverse(f, args, wrt)
    assert value == pytest.approx(expected, rel=1e-12)
    for g, other in zip(gradients, others, strict=True):
        np.testing.assert_allclose(g, other, rtol=1e-11, atol=1e-12)


@pytest.mark.usefixtures("everywhere")
def test_second_derivatives() -> None:
    check_grads(warping, (numbers(3), numbers(4, seed=1)), order=2, jit=False)
    second: Any = hessian(warping, jit=False)(numbers(3), numbers(4, seed=1))
    assert second.shape == (3, 3)


@pytest.mark.usefixtures("everywhere")
def test_single_precision() -> None:
    x, y = (numbers(k).astype(np.float32) for k in (4, 3))

    def f(x, y):
        r = np.zeros((5, 4), dtype=np.float32)
        for i in range(4):
            for j in range(3):
                r[i + 1, j + 1] = np.exp(x[i] * r[i, j + 1]) - np.exp(y[j] * r[i + 1, j])
        return r[4, 3]

    value, g = value_and_grad(f, jit=False)(x, y)
    assert np.asarray(value).dtype == g.dtype == np.float32


def up_and_right(x, y):
    """A cell that is made of one above and two to the right, which is on a later antidiagonal."""
    n, m = x.shape[0], y.shape[0]
    u = np.ones((n + 1, m + 3))
    for i in range(n):
        for j in range(m):
            u[i + 1, j + 1] = np.sin(u[i, j + 3] * x[i] + u[i + 1, j] * y[j])
    return np.sum(u)


def product_of_rows(x, y):
    """Each row begins with what the one before it ended with."""
    u, last = np.ones((x.shape[0] + 1, y.shape[0] + 1)), 1.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            u[i + 1, j + 1] = np.sin(u[i, j + 1] * x[i] + u[i + 1, j] * y[j])
            last = last * u[i + 1, j + 1]
    return last


def partial_sums_stored(x, y):
    u, s = np.ones((x.shape[0] + 1, y.shape[0] + 1)), 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += u[i, j + 1] * x[i]
            u[i + 1, j + 1] = np.sin(s + u[i + 1, j] * y[j])
    return s


def read_at_the_start_of_a_row(x, y):
    u, v = np.ones((x.shape[0] + 1, y.shape[0] + 1)), np.ones(x.shape[0])
    for i in range(x.shape[0]):
        t = v[i]
        for j in range(y.shape[0]):
            u[i + 1, j + 1] = np.sin(t + u[i, j + 1] * x[i] + u[i + 1, j] * y[j])
            v[i] += u[i + 1, j + 1]
    return np.sum(u) * np.sum(v)


def squares_of_sums(x, y):
    """What a row adds up is more than added."""
    u, total = np.ones((x.shape[0] + 1, y.shape[0] + 1)), 0.0
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(y.shape[0]):
            u[i + 1, j + 1] = np.sin(u[i, j + 1] * x[i] + u[i + 1, j] * y[j])
            s += u[i + 1, j + 1]
        total += s * s
    return total


def triangle(x, y):
    n = min(x.shape[0], y.shape[0])
    u = np.ones((n + 1, n + 1))
    for i in range(n):
        for j in range(i):
            u[i + 1, j + 1] = np.sin(u[i, j + 1] * x[i] + u[i + 1, j] * y[j])
    return np.sum(u)


# With how many nests fill the table, or add it up, and may come in any order.
OTHERS = {
    up_and_right: 2,
    product_of_rows: 1,
    partial_sums_stored: 1,
    read_at_the_start_of_a_row: 2,
    squares_of_sums: 1,
    triangle: 2,
}


@pytest.mark.usefixtures("everywhere", "poisoned")
@pytest.mark.parametrize("f", OTHERS)
def test_what_may_not_run_so_is_left(f: Callable[..., float]) -> None:
    args = (numbers(5), numbers(4, seed=1))
    confirm_gradients(f, args)
    confirm_tangents(f, args)
    assert jit(f, jit=False).source(*args, level="compiled").count("for diagonal in") == OTHERS[f]


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize(
    ("f", "rule"), [(up_and_right, "keeps_order"), (read_at_the_start_of_a_row, "_rows_do_not_matter")]
)
def test_wrong_without_the_rule(f: Callable[..., float], rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    args = (numbers(5), numbers(4, seed=1))
    monkeypatch.setattr(nests, rule, lambda _: True)
    assert jit(f, jit=False)(*args) != pytest.approx(f(*args), rel=1e-6)


def test_rows_that_diagonals_share_are_told_apart() -> None:
    """By the constant between them, below the least number of rows there is; not by rows of another table."""
    rows, others, a, b, c = (Value(INDEX, name) for name in ("rows", "others", "a", "b", "c"))
    n, again = Value(INDEX, "n"), Value(INDEX, "again")
    ops = [
        Op("max", (n, index(8)), (rows,)),
        Op("max", (n, index(8)), (others,)),
        *(Op("mul", (rows, again), (x,)) for x in (a, b)),
        Op("mul", (again, others), (c,)),
    ]
    known = Definitions(Function("f", Block((n, again), tuple(ops), ())))
    for gap in range(-12, 13):
        assert never_wraps_to(Affine({a: 1, b: -1}, gap), known) == (0 < abs(gap) < 8)
        assert never_wraps_to(Affine({a: -2}, gap), known) == (0 < abs(gap) < 8 or gap % 2 == 1)
        assert never_wraps_to(Affine({a: 9, b: -9}, gap), known) == (0 < abs(gap) < 8 or gap % 9 != 0)
        assert never_wraps_to(Affine({}, gap), known) == (gap != 0)
        assert not never_wraps_to(Affine({a: 1, c: -1}, gap), known)
        assert not never_wraps_to(Affine({a: 1, n: -1}, gap), known)
