"""Hessians of random programs with their directions in lanes, against one direction at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from oracle.derivatives import differentiable
from oracle.programs import is_well_conditioned, load
from random_programs import Program, program, program_of_habits

import srcgrad
from srcgrad.differentiate import all_directions
from srcgrad.errors import Error
from srcgrad.optimize import skip_rows
from srcgrad.optimize.lanes import widen
from srcgrad.settings import Options

BATCH = 10


@pytest.fixture(autouse=True)
def three_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of three, as in test_directions_in_lanes.py."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    for module, name in ((all_directions, "COLUMNS"), (all_directions, "ROWS"), (widen, "GROUP"), (skip_rows, "LONG")):
        monkeypatch.setattr(module, name, 3)


def check(p: Program) -> bool:
    """Whether there was something to compare: an array to differentiate by, in a program that is taken."""
    arguments = p.make_args()
    arrays = [k for k in differentiable(arguments) if isinstance(arguments[k], np.ndarray) and arguments[k].size < 40]
    arrays = [k for k in arrays if arguments[k].dtype == np.float64]
    if not arrays or not is_well_conditioned(p.source, arguments):
        return False
    k = arrays[p.seed % len(arrays)]
    f, x = load(p.source), arguments[k]
    try:
        found = srcgrad.hessian(f, argnums=k, jit=False)(*p.make_args())
        for i in np.random.default_rng(p.seed).choice(x.size, size=min(3, x.size), replace=False):
            direction = np.zeros(x.size)
            direction[i] = 1.0
            tangents = tuple(direction.reshape(x.shape) if j == k else None for j in range(len(arguments)))
            gradient = srcgrad.grad(f, argnums=k, jit=False)
            expected = srcgrad.jvp(gradient, p.make_args(), tangents, jit=False)[1]
            got = found.reshape(*x.shape, -1)[..., i]
            scale = np.max(np.abs(expected), initial=1e-3)
            np.testing.assert_allclose(got, expected, atol=1e-9 * scale, rtol=1e-9, err_msg=p.source)
    except Error:  # what is refused is a matter of test_random.py
        return False
    return True


@pytest.mark.parametrize("make", [program, program_of_habits], ids=lambda m: m.__name__)
@pytest.mark.parametrize("batch", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 30))])
def test_hessians(make: Callable[[int], Program], batch: int) -> None:
    with np.errstate(all="ignore"):
        compared = [check(make(seed)) for seed in range(BATCH * batch, BATCH * (batch + 1))]
    assert sum(compared) >= 3
