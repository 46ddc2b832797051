"""A mixture of Gaussians in ADBench's sizes, with loops and with arrays: gradient by weights, means and covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import gmm_hand, gmm_lanes
from benchmarks.mechanical import gmm as gmm_mechanical
from benchmarks.problem import Array, Problem
from srcgrad.demo.gmm import log_likelihood, log_likelihood_arrays

POINTS = 1000


def hand(*arguments: Any) -> tuple[Array, ...]:
    return gmm_hand.value_and_gradient(*arguments)[1:]


def best(*arguments: Any) -> tuple[Array, ...]:
    return gmm_lanes.value_and_gradient(*arguments)[1:]


def mechanical(*arguments: Any) -> tuple[Array, ...]:
    return gmm_mechanical.value_and_gradient(*arguments)[1:]


def problem(form: str) -> Problem:
    """``form`` is such as ``d10_k25``, and ``d10_k25_arrays``."""
    d, components = (int(part[1:]) for part in form.split("_")[:2])
    generator = np.random.default_rng(d * components)
    arguments = (
        generator.standard_normal(components),
        generator.standard_normal((components, d)),
        0.3 * generator.standard_normal((components, d * (d + 1) // 2)),
        generator.standard_normal((POINTS, d)),
        1.0,
        0,
    )
    title = f"Mixture of Gaussians, d={d} K={components}"
    if form.endswith("_arrays"):
        return Problem(
            f"{title}, arrays", log_likelihood_arrays, arguments, (0, 1, 2), hand, best, plain=log_likelihood, ratio=2.0
        )
    return Problem(title, log_likelihood, arguments, (0, 1, 2), hand, best, ratio=2.0, mechanical=mechanical)
