"""The adjoints that generated code is measured against are right themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks import gmm_hand, gmm_lanes
from benchmarks.flags import plain_njit
from benchmarks.lane_math import exp, log
from benchmarks.mechanical import gmm as gmm_mechanical
from benchmarks.problems import PROBLEMS, problem
from srcgrad.demo.problem import DATA, Problem, read_problem
from srcgrad.demo.reference import directional_error, objective

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("by_hand", [gmm_hand, gmm_lanes, gmm_mechanical])
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


JACOBIANS = ("ba", "hand:simple", "hand:complicated")


@pytest.mark.parametrize("name", [name for name in PROBLEMS if name not in JACOBIANS])
def test_hand_forms_against_differences(name):
    """Along one direction of each argument, by the primal alone."""
    found = problem(name)
    primal = plain_njit(found.plain or found.primal)
    argnums = found.argnums if isinstance(found.argnums, tuple) else (found.argnums,)
    for form in filter(None, (found.hand, found.best, found.mechanical)):
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


@pytest.mark.parametrize("name", ["hand:simple", "hand:complicated"])
def test_hand_tracking_by_hand_against_differences(name):
    found = problem(name)
    front, *rest = found.arguments
    direction = np.cos(np.arange(front.size))
    expected = (found.primal(front + 1e-6 * direction, *rest) - found.primal(front - 1e-6 * direction, *rest)) / 2e-6
    for form in (found.hand, found.best):
        np.testing.assert_allclose(form(*found.arguments) @ direction, expected, atol=1e-8)


def test_bundle_adjustment_by_hand_against_differences():
    """A few observations, all of whose numbers move at once."""
    found = problem("ba")
    cameras, points, weights, seen, features = found.arguments
    seen, features = seen[:60], features[:60]
    moves = np.cos(np.arange(15.0))

    def errors(step):
        own = cameras + step * moves[:11], points + step * moves[11:14], weights[:60] + step * moves[14]
        return found.primal(*own, seen, features)

    expected = [(high - low) / 2e-6 for high, low in zip(errors(1e-6), errors(-1e-6), strict=True)]
    for form in (found.hand, found.best):
        blocks, slopes = form(cameras, points, weights[:60], seen, features)
        np.testing.assert_allclose(blocks @ moves, expected[0], rtol=1e-6)
        np.testing.assert_allclose(slopes * moves[14], expected[1], rtol=1e-6)
