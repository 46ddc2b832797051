"""Reads that loops' bounds keep apart from later writes: read again where they may be, kept where they may not."""

from __future__ import annotations

import linecache
import random

import numpy as np
import pytest

from benchmarks.problems import cholesky
from srcgrad import grad, jvp

PROGRAM = """
def f(x):
    n = 4
    u = x.copy()
    total = 0.0
    for i in range(n):
        for j in range({inner}):
            s = 0.3
            for k in range({innermost}):
                s += u[{r0}, {r1}] * u[{r2}, {r3}]
            if {test}:
                u[{w0}, {w1}] = np.sin(s) * u[{w2}, {w3}]
            else:
                u[{w4}, {w5}] = s / (2.0 + u[{w6}, {w7}] ** 2)
            total += s * s
    return total + np.sum(u * u)
"""
OUTER = ["i", "j", "i", "j", "i + 1", "j + 1", "4 - i", "i - j + 4", "6 - j", "2 * i", "2 * j"]
INNER = [*OUTER, "k", "k", "k", "k + 1", "j - k + 4", "i - k + 4"]


def program(seed: int):
    """A function of a matrix with triangular loops."""
    pick = random.Random(seed).choice
    parts = {
        "inner": pick(["i", "i + 1", "n", "n - i", "1, i + 1", "i, -1, -1"]),
        "innermost": pick(["j", "j + 1", "i", "i + 1", "n", "j - 1", "1, j"]),
        "test": pick(["i == j", "i != j", "i > j", "j == i + 1"]),
        **{f"r{k}": pick(INNER) for k in range(4)},
        **{f"w{k}": pick(OUTER) for k in range(8)},
    }
    text, name = PROGRAM.format(**parts), f"<triangle {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, object] = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"], text


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(s, marks=pytest.mark.slow) for s in range(10, 200))])
def test_random_triangles(seed) -> None:
    """Reverse mode against forward mode, which keeps nothing."""
    f, text = program(seed)
    generator = np.random.default_rng(seed)
    x, v = generator.normal(size=(2, 12, 12))
    expected = jvp(f, (x,), (v,), jit=False)[1]
    assert np.sum(grad(f, jit=False)(x) * v) == pytest.approx(expected, rel=1e-9, abs=1e-9), text


def test_factor_is_read_again() -> None:
    """Of Cholesky's factor nothing is kept."""
    generator = np.random.default_rng(1)
    m, weights = generator.normal(size=(2, 5, 5))
    a = m @ m.T + 5.0 * np.eye(5)
    gradient = grad(cholesky.weighted, jit=False)
    assert "Nothing is kept" in gradient.explain(a, weights)
    np.testing.assert_allclose(gradient(a, weights), cholesky.hand(a, weights))
