"""Forward mode over reverse mode, judged by differences of exact gradients."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from random_programs import Program

import srcgrad
from oracle.derivatives import differentiable, random_direction
from oracle.programs import exact, load, relative_error

STEP = 1e-4


def numeric(source: str, args: Sequence[Any], direction: Sequence[Any], step: float) -> list[Any]:
    """The derivative of the gradients along a direction, by central differences."""

    def gradients(h: float) -> list[Any]:
        moved = list(copy.deepcopy(args))
        for k, d in zip(differentiable(args), direction, strict=True):
            moved[k] = args[k] + h * d
        return exact(source, moved)[1]

    return [(a - b) / (2 * step) for a, b in zip(gradients(step), gradients(-step), strict=True)]


def error(p: Program) -> float:
    """How far the product of Hessian and direction is off; 0 where a kink is so near that differences say nothing."""
    args = p.make_args()
    wrt = differentiable(args)
    direction = random_direction(args, wrt)
    coarse, fine = (numeric(p.source, args, direction, h) for h in (STEP, STEP / 2))
    if relative_error(coarse, fine) > 1e-5:
        return 0.0
    extrapolated = [(4 * b - a) / 3 for a, b in zip(coarse, fine, strict=True)]
    tangents = dict(zip(wrt, direction, strict=True))
    gradient = srcgrad.grad(load(p.source), argnums=wrt, jit=False)
    found: Any = srcgrad.jvp(gradient, args, tuple(tangents.get(k) for k in range(len(args))), jit=False)[1]
    return relative_error(found, extrapolated)
