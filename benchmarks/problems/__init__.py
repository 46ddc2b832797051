"""The problems of the suite, one a file: each has a ``problem`` that makes the inputs."""

from __future__ import annotations

import importlib

from benchmarks.problem import Problem

PROBLEMS = (
    "heston",
    "kepler",
    "heat1d",
    "wave2d",
    "lotka_volterra",
    "lennard_jones",
    "gauss_seidel",
    "logistic",
    "cholesky",
    "rosenbrock2",
    "rosenbrock",
    "kmeans",
    "mlp",
    "kalman",
    "soft_dtw",
    "gmm:d10_k25",
    "gmm:d10_k25_arrays",
    "gmm:d10_k100",
    "gmm:d10_k100_arrays",
    "gmm:d64_k50",
    "gmm:d64_k50_arrays",
    "lstm:l2_c1024",
    "lstm:l2_c4096",
    "lstm:l4_c1024",
    "lstm:l4_c4096",
    "ba",
    "hand:simple",
    "hand:complicated",
)


def problem(name: str) -> Problem:
    """What follows a colon is the form that the module is asked for."""
    module, *form = name.split(":")
    found: Problem = importlib.import_module(f"benchmarks.problems.{module}").problem(*form)
    return found
