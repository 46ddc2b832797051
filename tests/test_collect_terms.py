"""Terms that a sum has several times become one: the same numbers to rounding, and no law of infinities broken."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients
from interpreter import run

from srcgrad.ir.core import Function, walk
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.collect_terms import collect_terms
from srcgrad.optimize.remove_dead import remove_dead
from srcgrad.primitives.table import infer
from srcgrad.settings import Options


def function(*lines: str) -> Function:
    body = "".join(f"    {line}\n" for line in lines)
    return parse(f"def f(x: f64, y: f64, z: f64):\n{body}", infer)


def random_sum(seed: int) -> Function:
    """Products of few factors, then sums and differences of them."""
    rng = Random(seed)
    products, lines = ["x", "y", "z"], []
    for k in range(8):
        a, b = rng.choice(products), rng.choice([*products, "2.0", "-0.5"])
        lines.append(f"p{k}: f64 = neg({a})" if rng.random() < 0.15 else f"p{k}: f64 = mul({a}, {b})")
        products.append(f"p{k}")
    total = rng.choice(products)
    for k in range(7):
        operands = [total, rng.choice(products)]
        rng.shuffle(operands)
        lines.append(f"s{k}: f64 = {rng.choice(['add', 'add', 'sub'])}({', '.join(operands)})")
        total = f"s{k}"
    return function(*lines, f"return {total}")


def test_random_sums() -> None:
    changed = 0
    for seed in range(200):
        before = random_sum(seed)
        after = remove_dead(collect_terms(before))
        verify(after, infer)
        changed += len(list(walk(after.body))) < len(list(walk(remove_dead(before).body)))
        for args in ((1.3, -0.7, 0.4), (-2.1, 0.3, 1.7)):
            (expected,), (found,) = run(before, *args), run(after, *args)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-10), seed
    assert changed > 30


def test_opposite_terms_stay() -> None:
    """What is left of ``(x + h) - x`` is what was lost to rounding."""
    before = function("s: f64 = add(x, y)", "d: f64 = sub(s, x)", "return d")
    assert collect_terms(before) is before


@pytest.mark.parametrize("factor", ["0.0", 'f64("inf")'])
def test_constants_that_are_of_their_own(factor: str) -> None:
    before = function(f"p: f64 = mul(x, {factor})", "s: f64 = add(x, p)", "t: f64 = add(s, p)", "return t")
    after = collect_terms(before)
    for x in (1.0, math.inf, math.nan):
        np.testing.assert_equal(run(after, x, 0.0, 0.0), run(before, x, 0.0, 0.0))


def powers(x: Any, w: Any) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i] * w[0]
        cube = y * y * y
        total += cube * cube - w[1] * (y * cube) + np.sin(y * y * w[1])
    return total


def test_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain Python too, where the step is taken."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    confirm_gradients(powers, (np.random.default_rng(0).standard_normal(7), np.array([0.7, -0.4])))
