"""Gradient descent with a step that adapts, as GradBench's ``particle`` and ``saddle`` define it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.gradbench.tasks import Array

TOLERANCE = 1e-5
RISE_AFTER = 10


def argmin(f: Callable[[Array], float], gradient: Callable[[Array], Array], start: Array) -> Array:
    """Where ``f`` is smallest. The rate is doubled after ten steps that succeed, and halved by one that does not."""
    x = start
    value = f(x)
    slope = gradient(x)
    rate = 1e-5
    successes = 0
    while np.sqrt(np.sum(slope * slope)) > TOLERANCE:
        if successes == RISE_AFTER:
            rate *= 2.0
            successes = 0
            continue
        step = rate * slope
        if np.sqrt(np.sum(step * step)) <= TOLERANCE:
            break
        there = x - step
        value_there = f(there)
        if value_there < value:
            x = there
            value = value_there
            slope = gradient(x)
            successes += 1
        else:
            rate *= 0.5
            successes = 0
    return x
