"""Soft dynamic time warping of tslearn, against the backward recursion and the Jacobian product it comes with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad

soft_dtw = pytest.importorskip("tslearn.metrics.soft_dtw_fast")
pytestmark = pytest.mark.packages

RANDOM = np.random.default_rng(0)
ONE, OTHER = RANDOM.standard_normal((5, 2)), RANDOM.standard_normal((4, 2))
GAMMA = 0.7


def _distances(one: Any, other: Any) -> Any:
    return np.sum((one[:, None, :] - other[None, :, :]) ** 2, axis=2)


def _value(distances: Any, gamma: float) -> Any:
    m, n = distances.shape
    cost = np.zeros((m + 2, n + 2))
    soft_dtw._njit_soft_dtw(distances, cost, gamma)
    return cost[m, n]


def _alignment() -> np.ndarray:
    """The derivative by the distances, by their backward recursion."""
    m, n = len(ONE), len(OTHER)
    distances = np.zeros((m + 1, n + 1))
    distances[:m, :n] = _distances(ONE, OTHER)
    cost, alignment = np.zeros((m + 2, n + 2)), np.zeros((m + 2, n + 2))
    soft_dtw._njit_soft_dtw(distances[:m, :n].copy(), cost, GAMMA)
    soft_dtw._njit_soft_dtw_grad(distances, cost, alignment, GAMMA)
    return alignment[1 : m + 1, 1 : n + 1]


def test_by_the_distances() -> None:
    gradient = srcgrad.grad(_value, jit=False)(_distances(ONE, OTHER), GAMMA)
    np.testing.assert_allclose(gradient, _alignment(), rtol=1e-9)


def test_by_the_series() -> None:
    product = np.zeros_like(ONE)
    soft_dtw._njit_jacobian_product_sq_euc(ONE, OTHER, _alignment(), product)
    gradient = srcgrad.grad(lambda one: _value(_distances(one, OTHER), GAMMA), jit=False)(ONE)
    np.testing.assert_allclose(gradient, product, rtol=1e-9)
