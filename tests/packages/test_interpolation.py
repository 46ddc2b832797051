"""Cubic splines of interpolation.py, against the gradients that its ``vec_eval_cubic_splines_G_*`` return."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad

splines = pytest.importorskip("interpolation.splines.eval_cubic_numba")
pytestmark = pytest.mark.packages


@pytest.mark.parametrize("dimensions", [1, 2])
def test_gradient_by_the_points(dimensions: int) -> None:
    random = np.random.default_rng(0)
    low, high, orders = np.zeros(dimensions), np.ones(dimensions), np.full(dimensions, 5)
    coefficients = random.standard_normal((7,) * dimensions + (2,))
    points = random.uniform(0.1, 0.9, (3, dimensions))
    values, slopes = np.zeros((3, 2)), np.zeros((3, dimensions, 2))
    getattr(splines, f"vec_eval_cubic_splines_G_{dimensions}")(low, high, orders, coefficients, points, values, slopes)
    evaluate = getattr(splines, f"vec_eval_cubic_splines_{dimensions}")

    def curve(at: np.ndarray) -> np.ndarray:
        out = np.zeros((3, 2))
        evaluate(low, high, orders, coefficients, at, out)
        return out

    _, pullback = srcgrad.vjp(curve, points, jit=False)
    for column in range(2):
        seed = np.zeros((3, 2))
        seed[:, column] = 1.0
        np.testing.assert_allclose(pullback(seed)[0], slopes[:, :, column], rtol=1e-9)
