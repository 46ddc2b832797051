"""A mixture of Gaussians: the logarithm of its posterior with a Wishart prior, and the gradient.

GradBench has had two forms of the problem. Today's names the mean ``mu``, the logarithm of the diagonal ``q`` and the
strictly lower triangle ``l``, and answers with these names. ADBench's has ``q`` and ``l`` as rows of one array
``icf``, a prior of the other sign, and one list as the answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jit
from srcgrad.demo.gmm import log_likelihood, log_sum_exp, log_wishart

Arguments = tuple[Array, ...]


def log_posterior(alpha: Array, mu: Array, q: Array, lower: Array, x: Array, gamma: float, m: int) -> float:
    n, d = x.shape
    components = alpha.shape[0]
    diagonal = np.exp(q)
    offset = alpha + np.sum(q, axis=1)
    total = 0.0
    centred = np.empty(d)
    image = np.empty(d)
    terms = np.empty(components)
    for i in range(n):
        for k in range(components):
            for a in range(d):
                centred[a] = x[i, a] - mu[k, a]
                image[a] = diagonal[k, a] * centred[a]
            p = 0
            for b in range(d):
                for a in range(b + 1, d):
                    image[a] += lower[k, p] * centred[b]
                    p += 1
            distance = 0.0
            for a in range(d):
                distance += image[a] * image[a]
            terms[k] = offset[k] - 0.5 * distance
        total += log_sum_exp(terms)
    prior = m * np.sum(q) - 0.5 * gamma * gamma * (np.sum(diagonal * diagonal) + np.sum(lower * lower))
    constant = components * log_wishart(d, gamma, m) - 0.5 * n * d * np.log(2.0 * np.pi)
    return constant + total - n * log_sum_exp(alpha) + prior


of_parts = jit(log_posterior), grad(log_posterior, argnums=(0, 1, 2, 3))
of_rows = jit(log_likelihood), grad(log_likelihood, argnums=(0, 1, 2))


def prepare(given: dict[str, Any]) -> tuple[Any, ...]:
    names = ("alpha", "means", "icf", "x") if "icf" in given else ("alpha", "mu", "q", "l", "x")
    arrays = (np.array(given[name], dtype=float) for name in names)
    return (*arrays, float(given["gamma"]), int(given["m"]))


def objective(*arguments: Any) -> float:
    value: float = (of_rows if len(arguments) == 6 else of_parts)[0](*arguments)
    return value


def gradients(*arguments: Any) -> Arguments:
    parts: Arguments = (of_rows if len(arguments) == 6 else of_parts)[1](*arguments)
    return parts


def answer(parts: Arguments) -> Any:
    if len(parts) == 3:
        return np.concatenate([part.ravel() for part in parts]).tolist()
    return {name: part.tolist() for name, part in zip(("alpha", "mu", "q", "l"), parts, strict=True)}


TASKS = {"objective": Task(prepare, objective), "jacobian": Task(prepare, gradients, answer)}
