"""The problems of the suite, one a file: each has a ``problem()`` that makes the inputs."""

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
)


def problem(name: str) -> Problem:
    found: Problem = importlib.import_module(f"benchmarks.problems.{name}").problem()
    return found
