"""The adjoints that generated code is measured against are right themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks import gmm_hand, gmm_lanes
from benchmarks.flags import plain_njit
from benchmarks.lane_math import exp, log
from benchmarks.problems import PROBLEMS, problem
from srcgrad.demo.problem import DATA, Problem, read_problem
from srcgrad.demo.reference import directional_error, objective

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("by_hand", [gmm_hand, gmm_lanes])
@pytest.mark.parametrize("points", [1, 32, 45, 1000])
def test_gradient_by_hand(by_hand, points):
    whole = read_problem(DATA)
    problem = Problem(*whole[:3], whole.points[:points].copy(), 0.8, 1)
    value, *gradient = by_hand.value_and_gradient(*problem)
    assert value == pytest.approx(objective(*(x + 0j for x in problem[:3]), problem).real, rel=1e-13)
    assert directional_error(problem, gradient) < 1e-13


@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, 0.3, 700.0, -700.0, 709.78, 711.0, -745.0, -800.0, 1e9, -1e9])
def test_exp(x):
    expected = math.exp(x) if x < 709.79 else math.inf
    assert exp(x) == pytest.approx(expected, rel=3e-16, abs=5e-324)


@pytest.mark.parametrize("x", [1.0, 0.5, 2.0, 0.7, 1.4, 1e300, 1e-300, 5e-324, 1e-310, 1.7976931348623157e308])
def test_log(x):
    assert log(x) == pytest.approx(math.log(x), rel=3e-16)


def test_special_values():
    assert exp(math.inf) == math.inf
    assert exp(-math.inf) == 0.0
    assert log(math.inf) == math.inf
    assert log(0.0) == log(-0.0) == -math.inf
    assert all(np.isnan([exp(math.nan), log(math.nan), log(-1.0), log(-math.inf)]))


# Paths of Heston's model whose variance comes near zero, where its square root is steep.
STEP = {"heston": 1e-9}


@pytest.mark.parametrize("name", PROBLEMS)
def test_hand_forms_against_differences(name):
    """Along one direction of each argument, by the primal alone."""
    found = problem(name)
    primal = plain_njit(found.primal)
    argnums = found.argnums if isinstance(found.argnums, tuple) else (found.argnums,)
    for form in filter(None, (found.hand, found.best)):
        gradients = form(*found.arguments)
        gradients = gradients if isinstance(found.argnums, tuple) else (gradients,)
        for k, gradient in zip(argnums, gradients, strict=True):
            x = found.arguments[k]
            direction = np.sign(gradient) if np.ndim(x) else 1.0  # all terms of one sign: nothing cancels
            step = STEP.get(name, 1e-6) * np.max(np.abs(x))
            high, low = ([*found.arguments] for _ in range(2))
            high[k], low[k] = x + step * direction, x - step * direction
            difference = (primal(*high) - primal(*low)) / (2.0 * step)
            assert np.sum(gradient * direction) == pytest.approx(difference, rel=2e-3), (
                form,
                k,
            )  # paths that cross the strike
