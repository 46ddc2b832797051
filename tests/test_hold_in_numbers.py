"""Small arrays of an iteration as numbers: the text that is compiled has none, and computes the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import grad, value_and_grad
from srcgrad.api.compiled import Compiled
from srcgrad.api.plans import Primal
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.hold_in_numbers import hold_in_numbers
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

Array = np.ndarray
X = np.random.default_rng(5).normal(size=(6, 4))


@pytest.fixture(autouse=True)
def as_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done to compiled text, in plain Python, too."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))


def own_row(own: Array) -> float:
    return own[0] * np.sin(own[1]) + own[2] * own[0] * own[3]


by_row = grad(own_row)


def rows_of_gradients(x: Array) -> Array:
    own = np.empty(4)
    out = np.empty((x.shape[0], 4))
    for i in range(x.shape[0]):
        for k in range(4):
            own[k] = x[i, k]
        own[3] *= 2.0
        out[i] = by_row(own)
    return out


def shifted_columns(x: Array) -> Array:
    """Indices that are sums, a matrix of two by two, and an element that nothing was stored to."""
    out = np.empty((x.shape[0], 2))
    for i in range(x.shape[0]):
        m = np.zeros((2, 2))
        for k in range(2):
            m[0, k] = x[i, k + 1]
        m[0, 0] += x[i, 3]
        for k in range(2):
            out[i, k] = m[k, 1] + m[0, k] * x[i, 0]
    return out


def found_in_branches(x: Array) -> Array:
    """An element is written to under a condition, and one at an index of the run time: memory it stays."""
    out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        m = np.zeros(3)
        if x[i, 0] > 0.0:
            m[1] = x[i, 1]
        m[i % 3] += x[i, 2]
        out[i] = m[0] + 2.0 * m[1] + 3.0 * m[2]
    return out


CASES = (rows_of_gradients, shifted_columns, found_in_branches)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_the_same(f: Callable[[Array], Array]) -> None:
    expected = f(X)
    compiled = Compiled(f, Primal(), Options(jit=False))
    np.testing.assert_allclose(compiled(X), expected, rtol=1e-13)
    single = X.astype(np.float32)
    assert compiled(single).dtype == f(single).dtype


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_memory_is_left_where_it_is_needed(f: Callable[[Array], Array]) -> None:
    text = Compiled(f, Primal(), Options(jit=False)).source(X, level="compiled")
    lines = (line.split("#")[0] for line in text.splitlines())
    made = [line for line in lines if "= empty(" in line or "= buffer(" in line]
    assert len(made) == (2 if f is found_in_branches else 1)


@pytest.mark.parametrize("f", CASES[1:], ids=lambda f: f.__name__)
def test_gradients(f: Callable[[Array], Array]) -> None:
    def loss(x: Array) -> float:
        return np.sum(f(x) ** 2)

    value, gradient = value_and_grad(loss, jit=False)(X)
    assert value == pytest.approx(loss(X), rel=1e-13)
    direction = np.cos(np.arange(X.size)).reshape(X.shape)
    slope = (loss(X + 1e-6 * direction) - loss(X - 1e-6 * direction)) / 2e-6
    assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-7)


LEFT = {
    "seen under a name": "s: f64[:] = slice(own, 0, k, 1, axes='s')\n            store(out, i, 0.0)",
    "a counter of the run time": "w: f64 = load(own, k)\n            store(out, i, w)",
    "a loop that carries": """with for_(2, v) as (t,):
                def _(a: i64, u: f64):
                    w: f64 = load(own, a)
                    z: f64 = add(u, w)
                    yield z
            store(out, i, t)""",
}


@pytest.mark.parametrize("use", LEFT.values(), ids=LEFT)
def test_left_alone(use: str) -> None:
    function = parse(
        f"""
def f(x: f64[:], out: f64[:], n: i64, k: i64):
    with for_(n):
        def _(i: i64):
            own: f64[:] = alloc(2, dtype=f64, fill='zeros')
            v: f64 = load(x, i)
            store(own, 1, v)
            {use}
""",
        infer,
    )
    assert hold_in_numbers(function) is function


def test_two_loops_inside_one_another() -> None:
    function = parse(
        """
def f(x: f64[:, :], out: f64[:, :], n: i64):
    with for_(n):
        def _(i: i64):
            own: f64[:, :] = alloc(2, 3, dtype=f64, fill='empty')
            with for_(2):
                def _(a: i64):
                    with for_(3):
                        def _(b: i64):
                            v: f64 = load(x, a, b)
                            store(own, a, b, v)
            w: f64 = load(own, 1, 2)
            store(out, i, 0, w)
""",
        infer,
    )
    held = hold_in_numbers(function)
    verify(held, infer)
    assert [op.primitive for op in walk(held.body)] == ["for", *["load"] * 6, "store"]
