"""Random programs with several arrays as results: pulled back and pushed forward, whatever memory they share."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from oracle.derivatives import check_kept, check_kinds, copied, differentiable, forward, random_direction
from oracle.programs import exact, is_well_conditioned, load, relative_error, time_limit
from random_programs import Program, program_of_arrays

import srcgrad

WEIGHED = """

def f(*args):
    total = 0.0
    for k, r in enumerate(results(*args)):
        weights = np.cos(k + np.arange(np.size(r)))
        total += np.sum(weights.reshape(np.shape(r)) * r)
    return total
"""


def weighed(p: Program) -> str:
    """The source of a program whose result is the weighed sum of all results of this one."""
    return f"\n{p.source}".replace("\ndef f(", "\ndef results(") + WEIGHED


def weights(results: Sequence[Any]) -> tuple[Any, ...]:
    """Cotangents that make the same sum."""
    made = [np.cos(k + np.arange(np.size(r))).reshape(np.shape(r)) for k, r in enumerate(results)]
    return tuple(w.astype(np.asarray(r).dtype) if np.ndim(r) else float(w) for w, r in zip(made, results, strict=True))


def pulled_back(p: Program, args: tuple[Any, ...], wrt: tuple[int, ...], jit: bool) -> tuple[Any, list[Any]]:
    """The caller overwrites arguments and results before it pulls back."""
    given = copied(args)
    results, pullback = srcgrad.vjp(load(p.source), *given, jit=jit)
    check_kept(given, args)
    kept, cotangents = copy.deepcopy(results), weights(results)
    for x in (*given, *results):
        if isinstance(x, np.ndarray) and x.flags.writeable:
            x[...] = 7
    gradients = pullback(cotangents)
    check_kinds([gradients[k] for k in wrt], args, wrt)
    return kept, [gradients[k] for k in wrt]


def check(seeds: range, jit: bool = False) -> None:
    refused = []
    for seed in seeds:
        p = program_of_arrays(seed)
        args = p.make_args()
        if not is_well_conditioned(weighed(p), args):
            continue
        value, expected = exact(weighed(p), args)
        wrt = differentiable(args)
        direction = random_direction(args, wrt)
        try:
            with time_limit(60):
                results, gradients = pulled_back(p, args, wrt, jit)
                pushed, tangents = forward(load(p.source), args, wrt, direction, jit=jit)
        except srcgrad.Error:
            refused.append(seed)
            continue
        tolerance = 2e-3 if p.dtype is np.float32 else 1e-9
        along = sum(float(np.sum(g * d).real) for g, d in zip(expected, direction, strict=True))
        sums = [sum(np.sum(w * r) for w, r in zip(weights(rs), rs, strict=True)) for rs in (results, pushed, tangents)]
        errors = [relative_error(gradients, expected), relative_error(sums, [value, value, along])]
        assert max(errors) < tolerance, f"seed {seed}: {errors}\n{p.source}"
        # A result that is the same memory as another has been returned as such, or as a copy: the same numbers.
        for a, b in zip(results, pushed, strict=True):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    assert len(refused) <= max(1, len(seeds) // 25), refused


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("batch", range(3))
def test_plain(batch: int) -> None:
    check(range(10 * batch, 10 * (batch + 1)))


@pytest.mark.slow
@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("batch", range(2, 40))
def test_plain_slow(batch: int) -> None:
    check(range(25 * batch, 25 * (batch + 1)))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_jitted_slow(batch: int) -> None:
    check(range(5 * batch, 5 * (batch + 1)), jit=True)
