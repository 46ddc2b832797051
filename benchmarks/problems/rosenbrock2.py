"""Rosenbrock's function of two numbers: what a call costs."""

from __future__ import annotations

import numpy as np

from benchmarks.problem import Problem
from benchmarks.problems.rosenbrock import best, hand, value


def problem() -> Problem:
    return Problem("Rosenbrock, n=2", value, (np.array([-1.2, 1.0]),), 0, hand, best)
