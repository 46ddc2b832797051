"""Random programs against exact dual numbers: right, or (rarely) refused, never wrong."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest
from oracle import second_order
from oracle.differences import gradient
from oracle.dual_numpy import is_differentiable
from oracle.programs import exact, is_well_conditioned, load, relative_error, shrink
from oracle.verdicts import RIGHT, fails_alike, verdict
from random_programs import Program, program, program_of_habits, program_of_iterations

import srcgrad

BATCH = 25
DAILY = 6  # batches that are run every day
# The slow suite's plain programs; fewer can be asked for.
PROGRAMS = int(os.environ.get("SRCGRAD_RANDOM_PROGRAMS", "10000"))
REFUSABLE = ("UnboundError", "UnsupportedError")


def failures(seeds: range, jit: bool, make: Callable[[int], Program]) -> list[tuple[Program, str]]:
    """The programs of these seeds that do not come out right. Those that rounding could decide are left out."""
    found = []
    for seed in seeds:
        p = make(seed)
        if not is_well_conditioned(p.source, p.make_args()):
            continue
        said = verdict(p, jit=jit)
        if said != RIGHT:
            found.append((p, said))
    return found


def check(seeds: range, jit: bool = False, make: Callable[[int], Program] = program) -> None:
    found = failures(seeds, jit, make)
    refused = [s for _, s in found if s.startswith("refused") and s.split()[1].rstrip(":") in REFUSABLE]
    if len(found) == len(refused) <= max(1, len(seeds) // 50):
        return
    p, said = found[0]
    smallest = shrink(p.source, lambda source: fails_alike(source, p, said, jit=jit), attempts=150)
    rest = "\n".join(f"seed {q.seed}: {s[:300]}" for q, s in found)
    pytest.fail(f"{rest}\n\nThe smallest program that fails like seed {p.seed}:\n{smallest}", pytrace=False)


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("batch", range(DAILY))
def test_plain(batch: int) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)))


@pytest.mark.slow
@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("batch", range(DAILY, PROGRAMS // BATCH))
def test_plain_slow(batch: int) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)))


@pytest.mark.slow
@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("batch", range(20))
def test_independent_iterations(batch: int) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)), make=program_of_iterations)


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("batch", range(2))
def test_habits(batch: int) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)), make=program_of_habits)


@pytest.mark.slow
@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("batch", range(2, 40))
def test_habits_slow(batch: int) -> None:
    check(range(BATCH * batch, BATCH * (batch + 1)), make=program_of_habits)


@pytest.mark.parametrize("batch", range(2))
def test_jitted(batch: int) -> None:
    check(range(3 * batch, 3 * (batch + 1)), jit=True)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(40))
def test_jitted_slow(batch: int) -> None:
    check(range(5 * batch, 5 * (batch + 1)), jit=True)


def check_second_order(seeds: range) -> None:
    refused = []
    for seed in seeds:
        p = program(seed)
        if p.dtype is np.float64 and is_well_conditioned(p.source, p.make_args()):
            try:
                assert second_order.error(p) < 1e-6, f"seed {seed}:\n{p.source}"
            except srcgrad.Error:
                refused.append(seed)
    assert len(refused) <= max(1, len(seeds) // 25), refused


def test_second_order() -> None:
    check_second_order(range(10))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(1, 15))
def test_second_order_slow(batch: int) -> None:
    check_second_order(range(15 * batch, 15 * (batch + 1)))


@pytest.mark.parametrize("seed", range(0, 500, 50))
def test_oracle_agrees_with_differences(seed: int) -> None:
    p = program(seed)
    args = p.make_args()
    if p.dtype is np.float32 or not is_well_conditioned(p.source, args):
        pytest.skip("differences say nothing about this one")
    value, gradients = exact(p.source, args)
    f = load(p.source)
    assert f(*p.make_args()) == pytest.approx(value, rel=1e-12)
    numeric = [gradient(f, args, k, 1e-5) for k, x in enumerate(args) if is_differentiable(x)]
    assert relative_error(numeric, gradients) < 1e-5
