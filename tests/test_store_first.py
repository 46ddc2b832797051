"""Where the first to add may store, and what it leaves out is still zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients
from interpreter import run

import srcgrad.library  # noqa: F401  # brings the routines
from srcgrad import grad
from srcgrad.ir.core import Function, walk
from srcgrad.ir.text import parse
from srcgrad.optimize.store_first import _StoringPart, store_first, store_part_first
from srcgrad.primitives.table import infer
from srcgrad.settings import Options


def program(*lines: str) -> Function:
    """Fills w with zeros, does what the lines say, and gives the array."""
    head = "def f(x: f64[:], n: i64):\n    w: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)\n"
    return parse(head + "".join(f"    {line}\n" for line in lines) + "    return w\n", infer)


def adding(trips: str, start: str, more: str = "") -> list[str]:
    """A loop that adds to w, from an element on."""
    body = [f"j: i64 = add(i, {start})", "v: f64 = load(x, i)", "accumulate(w, j, v)", *filter(None, [more])]
    return [f"with for_({trips}):", "    def _(i: i64):", *(f"        {line}" for line in body)]


TAKEN = {
    "all elements": ["with for_(n):", "    def _(i: i64):", "        v: f64 = load(x, i)",
                     "        accumulate(w, i, v)"],
    "all but the first": ["a: i64 = sub(n, 1)", "m: i64 = max(0, a)", *adding("m", "1")],
    "all but the last": ["a: i64 = sub(n, 1)", "m: i64 = max(0, a)", *adding("m", "0")],
    "from a place that may be negative": ["a: i64 = sub(n, 3)", "m: i64 = min(n, 2)", "k: i64 = max(0, a)",
                                          "t: i64 = min(k, m)", *adding("t", "a")],
    "none of one or two": ["a: i64 = sub(n, 5)", "m: i64 = max(0, a)", *adding("m", "4")],
}  # fmt: skip
LEFT = {
    "changed before": ["s: i64 = max(0, n)", "store(w, 0, 2.0)", *adding("n", "0")],
    "read by the loop": adding("n", "0", "u: f64 = load(w, 0)"),
    "added to twice": adding("n", "0", "accumulate(w, 0, v)"),
    "each element several times": ["with for_(2):", "    def _(k: i64):",
                                   *(f"        {line}" for line in adding("n", "0"))],
    "every second one": ["m: i64 = floordiv(n, 2)", "with for_(m):", "    def _(i: i64):", "        j: i64 = mul(i, 2)",
                         "        v: f64 = load(x, i)", "        accumulate(w, j, v)"],
}  # fmt: skip
SIZES = (1, 2, 3, 4, 5, 7)


def outcome(function: Function, n: int) -> np.ndarray:
    (w,) = run(function, np.linspace(0.5, 1.5, n), n)
    assert isinstance(w, np.ndarray)
    return w


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    before = program(*TAKEN[name])
    after = store_part_first(before)
    assert "accumulate" not in {op.primitive for op in walk(after.body)}
    for n in SIZES:
        np.testing.assert_array_equal(outcome(after, n), outcome(before, n))


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    before = program(*LEFT[name])
    assert store_part_first(before) is before


@pytest.mark.parametrize("name", TAKEN)
def test_readers_are_shown_whole_arrays_only(name: str) -> None:
    before = program(*TAKEN[name])
    assert (store_first(before) is before) == (name != "all elements")


def test_rule_what_is_there_already_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the rule the element that was changed before is overwritten."""
    monkeypatch.setattr(_StoringPart, "touches", lambda self, op, array: op.primitive == "for")
    before = program(*LEFT["changed before"])
    after = store_part_first(before)
    assert outcome(before, 3)[0] - outcome(after, 3)[0] == 2.0


def curvature(x: Any) -> float:
    total = 0.0
    for i in range(1, x.shape[0] - 1):
        total += (x[i - 1] - 2.0 * x[i] + x[i + 1]) ** 2
    return total


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8])
def test_gradient(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    x = np.linspace(-1.0, 2.0, n) ** 3
    confirm_gradients(curvature, (x,))
    assert "empty(" in grad(curvature, jit=False, cache=False).backward_source(x, level="compiled")


PRODUCT = """
def f(a: f64[:, :], b: f64[:, :], n: i64):
    w: f64[:, :] = alloc(n, n, dtype=f64, fill='zeros')
    wt: f64[:, :, 'F'] = transpose(w, permutation=(1, 0))
    call(a, b, wt, callee='add_product', types=())
    return w
"""


@pytest.mark.parametrize(
    ("line", "taken"),
    [
        ("call(a, b, wt, callee='add_product', types=())", True),
        ("call(a, w, wt, callee='add_product', types=())", False),  # reads what it adds to
        ("store(w, 0, 0, 1.0)\n    call(a, b, wt, callee='add_product', types=())", False),
        ("r: f64[1, :] = slice(w, 0, 1, 1, axes='s:')\n    call(a, b, r, callee='add_product', types=())", False),
    ],
)
def test_a_product_is_put_where_it_meets_zeros(line: str, taken: bool) -> None:
    function = parse(PRODUCT.replace("call(a, b, wt, callee='add_product', types=())", line), infer)
    after = store_first(function)
    assert any(op.attributes.get("callee") == "matrix_product" for op in walk(after.body)) == taken
    a, b = np.random.default_rng(1).normal(size=(2, 3, 3))
    if "axes" not in line:
        np.testing.assert_array_equal(run(after, a, b, 3)[0], run(function, a, b, 3)[0])
