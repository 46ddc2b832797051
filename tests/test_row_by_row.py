"""Statements about all rows as one loop: the same numbers, and two loops still where a row needs another one."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interpreter import run
from lowered import lowered

from srcgrad import grad, hessian, jit, value_and_grad, vjp
from srcgrad.compiler import PREPARE
from srcgrad.ir.core import Function, walk
from srcgrad.ir.verify import verify
from srcgrad.optimize.lanes import decision
from srcgrad.optimize.remove_dead import remove_dead
from srcgrad.optimize.rows import interchange, joining
from srcgrad.optimize.rows.touches import Touched
from srcgrad.optimize.run_row_by_row import run_row_by_row
from srcgrad.primitives.table import infer

N, D, K = 5, 3, 4
RANDOM = np.random.default_rng(11)
X, W, V, B = (RANDOM.standard_normal(shape) for shape in ((N, D), (D, K), (D, K), (K,)))


def prepared(f: Callable[..., Any], *args: Any) -> tuple[Function, list[Any]]:
    """The program in front of the pass."""
    result, leaves = lowered(f, *args)
    function = result.function
    for step in PREPARE:
        function = step.run(function)
    return remove_dead(function), leaves


def both(f: Callable[..., Any], *args: Any) -> tuple[Function, Function]:
    """Before and after, once both have given the same."""
    before, leaves = prepared(f, *args)
    after = run_row_by_row(before)
    verify(after, infer)
    wanted, found = ([np.copy(r) for r in run(p, *map(np.copy, leaves))] for p in (before, after))
    for a, b in zip(wanted, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13)
    return before, after


def loops(function: Function) -> int:
    return sum(op.primitive == "for" for op in function.body.ops)


def arrays(function: Function) -> int:
    return sum(op.primitive == "alloc" for op in function.body.ops)


def softmax(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    h = x @ w + b
    top = np.max(h, axis=1)
    return np.sum(np.log(np.sum(np.exp(h - top[:, None]), axis=1)) + top)


def columns(x: np.ndarray, w: np.ndarray, v: np.ndarray) -> float:
    """As a mixture: a column of terms for each component, which needs a matrix of its own."""
    terms = np.zeros((x.shape[0], w.shape[1]))
    for k in range(w.shape[1]):
        factor = np.zeros((x.shape[1], x.shape[1]))
        for a in range(x.shape[1]):
            factor[a, : a + 1] = v[: a + 1, k] * (1.0 + a)
        y = (x - w[:, k]) @ factor.T
        terms[:, k] = -0.5 * np.sum(y * y, axis=1) + np.sum(v[:, k])
    return np.sum(np.log(np.sum(np.exp(terms), axis=1)))


def kept_numbers(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    """What an iteration hands on is a carried number, which is kept in an array."""
    terms = np.zeros((x.shape[0], w.shape[1]))
    scale = 1.0
    for k in range(w.shape[1]):
        scale = scale * (1.0 + b[k] * b[k])
        terms[:, k] = scale * np.sum(np.sin(x * w[:, k]) ** 2, axis=1)
    return np.sum(np.sqrt(np.sum(terms * terms, axis=1) + 1.0))


def layers(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    hidden = np.tanh(x @ w + b)
    again = np.tanh(hidden @ (w.T @ w))
    return np.sum(np.exp(np.sum(hidden * again, axis=1)))


def distances(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    apart = np.sum((x[:, None, :] - w.T[None, :, :]) ** 2, axis=2)
    near = np.exp(-apart / (1.0 + b * b))
    return np.sum(np.log(np.sum(near, axis=1)))


def partly_filled(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    """Zeros that nobody writes are zeros of each row."""
    h = np.zeros((x.shape[0], w.shape[1]))
    h[:, 1:] = (x @ w)[:, 1:]
    return np.sum(np.log(np.sum(np.exp(h), axis=1)))


JOINED = [
    (softmax, (X, W, B), 1),
    (columns, (X, W, V), 2),
    (kept_numbers, (X, W, B), 2),
    (distances, (X, W, B), 2),
    (partly_filled, (X, W, B), 1),
]


@pytest.mark.parametrize(("f", "args", "left"), JOINED, ids=lambda x: getattr(x, "__name__", ""))
def test_one_loop_over_the_rows(f: Callable[..., float], args: tuple[Any, ...], left: int) -> None:
    before, after = both(f, *args)
    assert loops(after) == left < loops(before) + sum(op.primitive == "call" for op in walk(before.body))
    assert not any(op.primitive == "call" for op in walk(after.body))
    over_rows = [op for op in after.body.ops if op.primitive == "for" and decision.is_worth_it(op)]
    assert len(over_rows) == 1


def test_what_rows_hand_on_is_no_array_of_all_rows() -> None:
    assert arrays(both(softmax, X, W, B)[1]) == 0
    assert arrays(both(columns, X, W, V)[1]) == 2  # the matrices of all components, and sums of v


def test_no_rows_and_no_columns() -> None:
    both(columns, X[:0], W, V)
    both(kept_numbers, X, W[:, :0], B[:0])
    both(layers, X[:0], W, B)


def another_row(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    h = x * w[:, 0]
    return np.sum(np.sum(h[::-1] * h, axis=1) ** 2)


def the_row_before(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    h = np.exp(np.sin(x)[:, :, None] * w).sum(axis=1)
    moved = np.zeros(h.shape)
    moved[1:] = h[:-1]
    return np.sum(np.log(1.0 + np.sum(moved * h, axis=1)))


def all_rows(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    h = np.exp(x @ w)
    scaled = h / np.sum(h)
    return np.sum(np.log(np.sum(scaled, axis=1)))


def the_column_before(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    """What comes before the rows needs the rows of an earlier column."""
    terms = np.ones((x.shape[0], w.shape[1]))
    for k in range(1, w.shape[1]):
        scale = np.sum(terms[:, k - 1])
        terms[:, k] = np.sum((scale * x * w[:, k]) ** 2, axis=1)
    return np.sum(np.sum(terms * terms, axis=1) ** 2)


def changed_in_between(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    y = x * 1.0
    h = np.exp(y @ w)
    y[2, 1] = 7.0
    return np.sum(np.log(np.sum(h, axis=1))) + np.sum(np.exp(np.sum(y * y, axis=1) / 50.0))


def around_the_means(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    """Over two axes that are not neighbours: the rows of the one loop are the columns of the next."""
    y = x[:, :, None] * b
    mean = np.sum(y, axis=(0, 2), keepdims=True) / np.sum(y > -9.0, axis=(0, 2), keepdims=True)
    return np.sum(np.sqrt(np.sum((y - mean) ** 2, axis=(0, 2))))


APART = [another_row, the_row_before, all_rows, the_column_before, changed_in_between]


@pytest.mark.parametrize("f", APART, ids=lambda f: f.__name__)
def test_rows_that_need_others_stay_apart(f: Callable[..., float]) -> None:
    _, after = both(f, X, W, B)
    assert loops(after) + sum(op.primitive == "call" for op in after.body.ops) > 1


def test_what_was_made_for_the_loop_is_seen() -> None:
    both(around_the_means, X, W, B)
    both(lambda x: np.nanstd(x, axis=(0, 2), keepdims=True), RANDOM.standard_normal((2, 3, 4)))


def test_of_which_row_it_is_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Touched, "same_row", lambda self, site, counter: frozenset({0}))
    with pytest.raises(AssertionError):
        both(another_row, X, W, B)


def test_what_a_later_loop_needs_of_all_rows_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "_row_by_row", lambda first, second, looking: True)
    with pytest.raises((AssertionError, KeyError)):
        both(all_rows, X, W, B)


def test_what_comes_before_the_rows_of_a_column_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interchange._Turning, "is_allowed", lambda self: True)
    with pytest.raises((AssertionError, KeyError)):
        both(the_column_before, X, W, B)


def checked(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> float:
    h = np.exp(x @ w)
    if b[0] > 10.0:
        raise ValueError("too large")
    return np.sum(np.log(np.sum(h, axis=1))) + np.log(h[int(b[1]), 0])


def test_checks_come_first_or_stay() -> None:
    both(checked, X, W, np.array([0.0, 2.0, 0.0, 0.0]))
    _, leaves = prepared(checked, X, W, B)
    after = run_row_by_row(prepared(checked, X, W, B)[0])
    with pytest.raises(ValueError, match="too large"):
        run(after, leaves[0], leaves[1], np.array([11.0, 99.0, 0.0, 0.0]))
    with pytest.raises(IndexError):
        run(after, leaves[0], leaves[1], np.array([0.0, 99.0, 0.0, 0.0]))


class _Writer:
    """Statements about arrays of the same rows, now and then about other rows, or about all of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows = ["x", "x * 2.0"]  # of so many rows and D columns
        self.numbers = ["x[:, 0]"]  # one for each row
        self.lines: list[str] = []

    def source(self) -> str:
        for k in range(self.random.randint(2, 6)):
            self.random.choice(
                (
                    self.array,
                    self.array,
                    self.product,
                    self.reduced,
                    self.by_column,
                    self.shifted,
                    self.statistic,
                    self.planes,
                )
            )(k)
        total = " + ".join(f"np.sum({a})" for a in (*self.rows[-2:], *self.numbers[-2:]))
        return "\n    ".join(["def f(x, w, b):", *self.lines, f"return {total}"]) + "\n"

    def one(self) -> str:
        return self.random.choice(self.rows)

    def add(self, kind: list[str], name: str, text: str) -> None:
        self.lines.append(f"{name} = {text}")
        kind.append(name)

    def array(self, k: int) -> None:
        a, b = self.one(), self.one()
        forms = (
            f"np.sin({a}) + {b}",
            f"np.exp(-({a}) ** 2) * ({b})",
            f"{a} * {self.random.choice(self.numbers)}[:, None]",
        )
        self.add(
            self.rows,
            f"a{k}",
            self.random.choice(forms) if self.random.random() < 0.9 else f"{a} / (1.0 + np.sum({b}) ** 2)",
        )

    def product(self, k: int) -> None:
        self.add(self.rows, f"p{k}", f"({self.one()}) @ (w @ w.T)")

    def reduced(self, k: int) -> None:
        form = self.random.choice(("np.sum({}, axis=1)", "np.log(np.sum(np.exp({}), axis=1))", "np.max({}, axis=1)"))
        self.add(self.numbers, f"r{k}", form.format(self.one()))

    def by_column(self, k: int) -> None:
        start = self.random.choice(("np.zeros(x.shape)", "x * 1.0"))
        read = self.random.choice((f"({self.one()})", f"({self.one()}) * t{k}", f"(t{k} + {self.one()})"))
        before = self.random.choice(("w[:, c]", f"np.sum(t{k}[:, c - 1]) * w[:, 1]", "b[c] * w[:, 0]"))
        self.lines += [
            f"t{k} = {start}",
            "for c in range(x.shape[1]):",
            f"    v = {before}",
            f"    t{k}[:, c] = np.sum(np.sin({read} * v), axis=1)",
        ]
        self.rows.append(f"t{k}")

    def statistic(self, k: int) -> None:
        """Of each column."""
        a = self.one()
        self.lines.append(f"m{k} = np.sum({a}, axis=0, keepdims=True) / x.shape[0]")
        self.add(self.rows, f"d{k}", f"np.tanh(({self.one()}) - m{k})")

    def planes(self, k: int) -> None:
        """Of three axes, and over two of them."""
        axes = self.random.choice(("(0, 2)", "(1, 2)", "(0, 1)", "2"))
        self.lines += [
            f"y{k} = ({self.one()})[:, :, None] * b",
            f"c{k} = np.sum(y{k}, axis={axes}, keepdims=True) / np.sum(y{k} > -9.0, axis={axes}, keepdims=True)",
            f"z{k} = np.sqrt(1.0 + np.sum((y{k} - c{k}) ** 2, axis={axes}, keepdims=True))",
        ]
        self.add(self.rows, f"q{k}", f"np.sum(y{k} / z{k}, axis=2)")

    def shifted(self, k: int) -> None:
        a = self.one()
        self.lines += [f"s{k} = np.cos({a})", f"s{k}[1:] = ({self.one()})[:-1] * 0.5"]
        self.rows.append(f"s{k}")


def written(seed: int) -> tuple[str, Callable[..., float]]:
    source = _Writer(seed).source()
    space: dict[str, Any] = {"np": np}
    name = f"<rows {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), space)
    return source, space["f"]


@pytest.mark.parametrize("seed", range(60))
def test_random_statements(seed: int) -> None:
    source, f = written(seed)
    args = (0.5 * RANDOM.standard_normal((4, 3)), RANDOM.standard_normal((3, 3)), RANDOM.standard_normal(3))
    before, leaves = prepared(f, *args)
    after = run_row_by_row(before)
    verify(after, infer)
    (found,) = run(after, *map(np.copy, leaves))
    np.testing.assert_allclose(found, f(*args), rtol=1e-10, err_msg=source)


@pytest.mark.parametrize("f", [softmax, columns, kept_numbers], ids=lambda f: f.__name__)
def test_gradients(f: Callable[..., float]) -> None:
    args = (RANDOM.standard_normal((150, D)), W, V if f is columns else B)
    gradients = grad(f, argnums=(0, 1, 2))(*args)
    plain = grad(f, argnums=(0, 1, 2), jit=False)(*args)
    for a, b in zip(gradients, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def test_second_derivatives() -> None:
    def f(w: np.ndarray) -> float:
        return softmax(X, w, B)

    for a, b in zip(hessian(f)(W), hessian(f, jit=False)(W), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_float32_stays() -> None:
    args = tuple(a.astype(np.float32) for a in (X, W, B))
    value, gradients = value_and_grad(softmax, argnums=(0, 1, 2))(*args)
    assert np.asarray(value).dtype == np.float32 and all(g.dtype == np.float32 for g in gradients)
    for a, b in zip(gradients, grad(softmax, argnums=(0, 1, 2))(X, W, B), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


def test_large_matrices_take_other_code() -> None:
    w, x = RANDOM.standard_normal((80, 7)), RANDOM.standard_normal((9, 80))
    for small_first in (True, False):

        def f(w: np.ndarray, x: np.ndarray) -> float:
            h = x @ w
            return np.sum(np.log(np.sum(np.exp(h), axis=1)))

        derivative, value = value_and_grad(f), jit(f)
        arguments = [(W, X), (w, x), (W, X)]
        for a, b in arguments if small_first else arguments[1:]:
            e = np.exp(b @ a)
            found, slope = derivative(a, b)
            assert found == pytest.approx(f(a, b)) == value(a, b)
            np.testing.assert_allclose(slope, b.T @ (e / e.sum(axis=1, keepdims=True)), rtol=1e-11)
    _, pullback = vjp(f, w, x)
    np.testing.assert_allclose(pullback(1.0)[0], grad(f, jit=False)(w, x), rtol=1e-11)


def test_a_table_that_is_left_stays_apart() -> None:
    """It would be computed twice when reversed in place, and lanes would write it by columns."""

    def f(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
        e = np.exp(x @ w)
        return e / np.sum(e, axis=1)[:, None]

    _, after = both(f, X, W, B)
    assert sum(op.primitive == "call" for op in after.body.ops) == 1
    assert loops(after) == 2  # exponentials are kept; sums and quotients are cheap


def test_nothing_dear_need_be_left() -> None:
    """A product in loops is in lanes, too, where the gradient does without the logarithm."""

    def f(x: np.ndarray, p: np.ndarray) -> float:
        return np.sum(np.log1p(np.sum((x @ p) * x, axis=1) ** 2))

    x, p = RANDOM.standard_normal((90, 3)), np.eye(3)
    gradient = grad(f, argnums=1)
    assert "lane" in gradient.backward_source(x, p, level="compiled")
    np.testing.assert_allclose(gradient(x, p), grad(f, argnums=1, jit=False)(x, p), rtol=1e-12)
