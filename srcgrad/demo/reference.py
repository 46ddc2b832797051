"""The same objective in plain NumPy with complex arguments, for a complex-step derivative.

It shares no code with the functions that srcgrad differentiates: the imaginary part of
``f(x + 1e-30j * v) * 1e30`` is the derivative along ``v``, exact to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from srcgrad.demo.gmm import Array
from srcgrad.demo.problem import Problem

Complex = npt.NDArray[np.complex128]
STEP = 1e-30


def objective(alphas: Complex, means: Complex, icf: Complex, problem: Problem) -> complex:
    """The log-likelihood of complex parameters, the data taken from the problem."""
    points, gamma, m = problem.points, problem.gamma, problem.m
    n, d = points.shape
    components = alphas.shape[0]
    columns, rows = np.triu_indices(d, 1)  # transposed: the lower triangle, column by column
    factor = np.zeros((components, d, d), dtype=np.complex128)
    factor[:, rows, columns] = icf[:, d:]
    factor[:, range(d), range(d)] = np.exp(icf[:, :d])
    y = np.stack([(points - means[k]) @ factor[k].T for k in range(components)], axis=1)
    terms = alphas + np.sum(icf[:, :d], axis=1) - 0.5 * np.sum(y**2, axis=2)
    freedom = d + m + 1
    log_gamma_d = d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma((freedom - j) / 2) for j in range(d))
    normaliser = freedom * d * (math.log(gamma) - math.log(2) / 2) - log_gamma_d
    value = -n * d / 2 * math.log(2 * math.pi) - components * normaliser
    value += np.sum(_log_sum_exp(terms)) - n * _log_sum_exp(alphas)
    value += gamma**2 / 2 * np.sum(factor**2) - m * np.sum(icf[:, :d])
    return complex(value)


def _log_sum_exp(terms: Complex) -> Complex:
    """Over the last axis. The shift is real and constant: it changes neither the value nor the derivative."""
    top = np.max(terms.real, axis=-1)
    shifted: Complex = top + np.log(np.sum(np.exp(terms - top[..., None]), axis=-1))
    return shifted


def directional_derivative(problem: Problem, direction: Sequence[Array]) -> float:
    """The derivative along a direction of alphas, means and icf."""
    parameters = (problem.alphas, problem.means, problem.icf)
    alphas, means, icf = (x + 1j * STEP * v for x, v in zip(parameters, direction, strict=True))
    return objective(alphas, means, icf, problem).imag / STEP


def directional_error(problem: Problem, gradient: Sequence[Array], directions: int = 4) -> float:
    """The largest error of ``<gradient, v>`` over random directions, relative to the gradient's norm.

    The components of ``v`` are standard normal, so that ``<gradient, v>`` is of the size of the norm.
    """
    generator = np.random.default_rng(0)
    norm = math.sqrt(sum(float(np.sum(g * g)) for g in gradient))
    worst = 0.0
    for _ in range(directions):
        direction = [generator.standard_normal(g.shape) for g in gradient]
        along = sum(float(np.sum(g * v)) for g, v in zip(gradient, direction, strict=True))
        worst = max(worst, abs(along - directional_derivative(problem, direction)) / norm)
    return worst
