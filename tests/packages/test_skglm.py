"""Data fits and penalties of skglm: methods of objects, against `raw_grad`, `raw_hessian` and `gradient_scalar`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad

single_task = pytest.importorskip("skglm.datafits.single_task")
pytestmark = pytest.mark.packages

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((6, 4))
W = 0.3 * RANDOM.standard_normal(4)
SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
COUNTS = np.array([1.0, 2.0, 1.0, 3.0, 2.0, 1.0])
TARGETS = RANDOM.uniform(0.5, 2.0, 6)
SURVIVAL = np.column_stack([TARGETS, SIGNS > 0])


def _fit(name: str, *options: object) -> Any:
    return getattr(single_task, name)(*options)


FITS = [
    pytest.param(_fit("Quadratic"), TARGETS, id="Quadratic"),
    pytest.param(_fit("WeightedQuadratic", np.linspace(0.5, 1.5, 6)), TARGETS, id="WeightedQuadratic"),
    pytest.param(_fit("Logistic"), SIGNS, id="Logistic"),
    pytest.param(_fit("Poisson"), COUNTS, id="Poisson"),
    pytest.param(_fit("Gamma"), TARGETS, id="Gamma"),
    pytest.param(_fit("Cox"), SURVIVAL, id="Cox"),
]


@pytest.mark.parametrize(("fit", "y"), FITS)
def test_gradient_by_the_prediction(fit: Any, y: np.ndarray) -> None:
    if hasattr(fit, "initialize"):
        fit.initialize(X, y)
    gradient = srcgrad.grad(fit.value, argnums=2, jit=False)
    np.testing.assert_allclose(gradient(y, W, X @ W), fit.raw_grad(y, X @ W), rtol=1e-9)


@pytest.mark.parametrize(("fit", "y"), FITS[:-1])  # Cox bounds the diagonal of its Hessian instead
def test_diagonal_of_the_hessian(fit: Any, y: np.ndarray) -> None:
    def value(prediction: Any) -> Any:
        return fit.value(y, W, prediction)

    hessian = srcgrad.hessian(value, jit=False)(X @ W)
    np.testing.assert_allclose(np.diag(hessian), fit.raw_hessian(y, X @ W), rtol=1e-9)


def test_huber() -> None:
    fit = _fit("Huber", 0.7)

    def loss(w: Any) -> Any:
        return fit.value(TARGETS, w, X @ w)

    by_hand = [fit.gradient_scalar(X, TARGETS, W, X @ W, j) for j in range(4)]
    np.testing.assert_allclose(srcgrad.grad(loss, jit=False)(W), by_hand, rtol=1e-9)


@pytest.mark.parametrize("name", ["MCPenalty", "SCAD"])
def test_concave_penalties_have_the_proximal_point_of_their_gradient(name: str) -> None:
    penalty = getattr(pytest.importorskip("skglm.penalties"), name)(0.3, 3.5)
    step, v = 0.4, 1.1
    x = penalty.prox_1d(v, step, 0)
    slope = srcgrad.grad(penalty.value, jit=False)(np.array([x]))[0]
    assert x - v + step * slope == pytest.approx(0.0, abs=1e-12)
