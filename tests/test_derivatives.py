"""Derivatives of random IR: reverse against forward mode, by <w, J v> = <Jᵀ w, v>, before and after optimisation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from interpreter import run
from random_ir import random_function

from srcgrad import compiler
from srcgrad.differentiate import pullbacks
from srcgrad.differentiate.activity import differentiable
from srcgrad.differentiate.forward import forward
from srcgrad.differentiate.recall import recall
from srcgrad.errors import UnsupportedError
from srcgrad.ir.core import Function
from srcgrad.ir.verify import verify
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

WRT = (0, 1, 2, 3, 4)


def optimised(function: Function) -> Function:
    return compiler.pullback(function, WRT, Options(jit=False))


def plain(function: Function) -> Function:
    return recall(pullbacks.pullback(function, WRT))


def compared(seed: int, transform: Callable[[Function], Function]) -> bool:
    """False where the program gives infinities, or is refused (stacks of active values)."""
    function = random_function(seed)
    rng = np.random.default_rng(seed)
    arguments = [
        *(rng.uniform(0.3, 1.2, 4) for _ in range(2)),
        rng.uniform(0.3, 1.2, 4).astype(np.float32),
        *(np.float64(0.7), np.float32(0.4), np.int64(2)),
    ]
    tangents = [_noise(rng, arguments[k]) for k in WRT]
    outcome = run(forward(function, WRT), *_fresh(arguments), *_fresh(tangents))
    values, dots = outcome[: len(function.results)], outcome[len(function.results) :]
    cotangents = [_noise(rng, v) for v, r in zip(values, function.results, strict=True) if differentiable(r)]
    ahead = [_double(c) * _double(d) for c, d in zip(cotangents, dots, strict=True)]
    if not np.isfinite(ahead).all() or np.abs(ahead).sum() > 1e8:
        return False
    try:
        backward = transform(function)
    except UnsupportedError:
        return False
    verify(backward, infer)
    gradients = run(backward, *_fresh(arguments), *_fresh(cotangents))
    behind = [np.sum(_double(g) * _double(t)) for g, t in zip(gradients, tangents, strict=True)]
    scale = max(np.abs(ahead).sum(), np.abs(behind).sum(), 1e-3)
    assert abs(sum(ahead) - sum(behind)) < 1e-4 * scale, f"program {seed}: forward {sum(ahead)}, reverse {sum(behind)}"
    return True


def _noise(rng: np.random.Generator, like: object) -> object:
    array = np.asarray(like)
    return rng.standard_normal(array.shape).astype(array.dtype)[()]


def _fresh(values: list[object]) -> list[object]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


def _double(value: object) -> np.ndarray:
    return np.asarray(value, dtype=np.float64)


@pytest.mark.parametrize("transform", [plain, optimised])
def test_reverse_is_the_transpose_of_forward(transform: Callable[[Function], Function]) -> None:
    assert sum(compared(seed, transform) for seed in range(120)) > 80


@pytest.mark.slow
@pytest.mark.parametrize("transform", [plain, optimised])
@pytest.mark.parametrize("start", range(1000, 2000, 125))
def test_many_more(start: int, transform: Callable[[Function], Function]) -> None:
    assert sum(compared(seed, transform) for seed in range(start, start + 125)) > 75
