"""A factor spread over a sum that a recurrence waits for: no bit of the user's values changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients
from interpreter import run

from srcgrad import grad
from srcgrad.ir.core import Function, walk
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.spread_factors import spread_factors
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

LOOP = """
def f(a: f64[:], n: i64):
    with for_(n, 1.0{adjoint}) as (last,):
        def _(i: i64, u: f64):
            x: f64 = load(a, i)
            s: f64 = {sum}
            v: f64 = {product}
            yield {next}
    return last
"""


def loop(sum: str, product: str, next: str = "v", adjoint: bool = False) -> Function:
    mark = ", adjoint=True" if adjoint else ""
    return parse(LOOP.format(sum=sum, product=product, next=next, adjoint=mark), infer)


def products(function: Function) -> int:
    return sum(op.primitive == "mul" for op in walk(function.body))


@pytest.mark.parametrize("sum", ["add(x, u)", "add(u, x)", "sub(x, u)", "sub(u, x)"])
@pytest.mark.parametrize("product", ["mul(s, 0.25)", "mul(-0.5, s)", "div(s, 4.0)", "div(s, -2.0)"])
def test_no_bit_changes(sum: str, product: str) -> None:
    before = loop(sum, product)
    after = spread_factors(before)
    verify(after, infer)
    assert products(after) == 2
    a = np.random.default_rng(0).standard_normal(50) * 10.0 ** np.arange(-25, 25)
    assert run(after, a, 50) == run(before, a, 50)


@pytest.mark.parametrize(
    ("sum", "product", "next"),
    [
        ("add(x, u)", "mul(s, 0.3)", "v"),  # the sum may cancel
        ("add(x, u)", "mul(s, 4.0)", "v"),  # a product may be too large
        ("add(x, u)", "div(s, 0.5)", "v"),
        ("add(x, u)", "mul(s, x)", "v"),  # it may be infinite
        ("add(x, 1.0)", "mul(s, 0.5)", "v"),  # no recurrence, which LLVM vectorises
        ("add(x, u)", "mul(s, 0.5)", "u"),  # nobody waits for it
    ],
)
def test_others_stay(sum: str, product: str, next: str) -> None:
    before = loop(sum, product, next)
    assert spread_factors(before) is before


def test_adjoints_by_any_constant() -> None:
    before = loop("add(x, u)", "mul(s, 0.3)", adjoint=True)
    after = spread_factors(before)
    assert products(after) == 2
    a = np.random.default_rng(1).standard_normal(50)
    assert run(after, a, 50)[0] == pytest.approx(run(before, a, 50)[0], rel=1e-14)


def smoothed(x: Any, weight: Any) -> float:
    u = x.copy()
    for _ in range(3):
        for i in range(1, u.shape[0] - 1):
            u[i] = (u[i - 1] + weight[i] * u[i] + u[i + 1]) / 4.0
    return float(np.sum(u * u))


def test_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain Python too, where the step is taken."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    rng = np.random.default_rng(2)
    args = (rng.standard_normal(9), rng.standard_normal(9))
    assert "* u_carried" in grad(smoothed, (0, 1), jit=False).source(*args, level="compiled")
    confirm_gradients(smoothed, args)
