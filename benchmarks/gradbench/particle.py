"""A particle between two charges is steered to the origin: a derivative inside a function that is differentiated.

The field is the gradient of the potential, and the place where the particle meets the axis is differentiated by the
control. ``fr`` is forward mode outside and reverse mode inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.gradbench.descent import argmin
from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jacfwd, jit

STEP = 0.1
MODES: dict[str, Callable[..., Any]] = {"f": jacfwd, "r": grad}


def potential(place: Array, w: float) -> float:
    """Of a charge at (10, 10 - w) and one at (10, 0)."""
    a, b = place[0] - 10.0, place[1]
    return 1.0 / np.sqrt(a * a + (b - 10.0 + w) ** 2) + 1.0 / np.sqrt(a * a + b * b)


def miss(control: Array, field: Callable[[Array, float], Array]) -> float:
    """The square of where the axis is met, by Euler's method and interpolation in the last step."""
    w = control[0]
    x, y = 0.0, 8.0
    u, v = 0.75, 0.0
    while y + STEP * v > 0.0:
        force = field(np.array([x, y]), w)
        x += STEP * u
        y += STEP * v
        u -= STEP * force[0]
        v -= STEP * force[1]
    meets = x - y / v * u
    return meets * meets


def steered(outer: str, inner: str) -> Callable[[Array], float]:
    field = MODES[inner](potential)

    def objective(control: Array) -> float:
        return miss(control, field)

    gradient = MODES[outer](objective)

    def control_of(start: Array) -> float:
        return argmin(objective, gradient, start)[0]

    return jit(control_of)


def prepare(given: dict[str, Any]) -> tuple[Array]:
    return (np.array([given["w"]], dtype=float),)


TASKS = {outer + inner: Task(prepare, steered(outer, inner)) for outer in "fr" for inner in "fr"}
