"""What became of one program: right, wrong, refused, or a fault of the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from random_programs import Program

import srcgrad
from oracle.derivatives import differentiable, forward, random_direction, reverse
from oracle.programs import exact, is_well_conditioned, load, relative_error, time_limit

RIGHT = "right"


def verdict(source: str, args: Sequence[Any], *, single: bool = False, jit: bool = False, seconds: int = 60) -> str:
    """``RIGHT``; ``wrong ...``; ``refused ...`` or ``fault ...`` followed by the exception."""
    expected_value, expected = exact(source, args)
    tolerance = 2e-3 if single else 1e-9
    wrt = differentiable(args)
    direction = random_direction(args, wrt)
    along = sum(float(np.sum(g * d)) for g, d in zip(expected, direction, strict=True))
    try:
        with time_limit(seconds):
            f = load(source)
            value, gradients = reverse(f, args, wrt, jit=jit)
            forward_value, tangent = forward(f, args, wrt, direction, jit=jit)
    except srcgrad.Error as refusal:
        return f"refused {type(refusal).__name__}: {refusal}"
    except Exception as fault:
        return f"fault {type(fault).__name__}: {fault}"
    scale = max([1.0, *(float(np.max(np.abs(g), initial=0.0)) for g in expected)])
    checks = {
        "value": abs(value - expected_value) / max(1.0, abs(expected_value)),
        "forward value": abs(forward_value - expected_value) / max(1.0, abs(expected_value)),
        "gradient": relative_error(gradients, expected),
        "tangent": abs(tangent - along) / scale,
    }
    bad = [name for name, error in checks.items() if not error <= tolerance]
    if not bad:
        return RIGHT
    return (
        f"wrong {', '.join(bad)}: expected {expected_value}, {expected}, {along}; got {value}, {gradients}, {tangent}"
    )


def kind(text: str) -> str:
    """The first two words: what a smaller program must share to be the same failure."""
    return " ".join(text.split(":")[0].split()[:2])


def fails_alike(source: str, program: Program, failure: str, *, jit: bool = False) -> bool:
    """Whether a smaller program is valid and still fails in the same way."""
    args = program.make_args()
    try:
        with time_limit(5):
            if not is_well_conditioned(source, args):
                return False
    except Exception:
        return False
    single = program.dtype is np.float32
    return kind(verdict(source, args, single=single, jit=jit, seconds=10)) == kind(failure)
