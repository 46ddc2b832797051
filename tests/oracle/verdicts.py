"""What became of one program: right, wrong, refused, or a fault of the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from random_programs import Program

import srcgrad
from oracle.derivatives import REVERSE, Function, copied, differentiable, forward, random_direction
from oracle.programs import exact, is_well_conditioned, load, relative_error, time_limit

RIGHT = "right"


def verdict(p: Program, *, source: str | None = None, jit: bool = False, seconds: int = 60) -> str:
    """``RIGHT``; ``wrong ...``; ``refused ...`` or ``fault ...`` followed by the exception.

    A smaller ``source`` may stand in the place of the program's own. Which way of reverse mode is taken goes by the
    program's number.
    """
    source, args, by = source or p.source, p.make_args(), REVERSE[p.seed % len(REVERSE)]
    wrt = differentiable(args)
    asked = some_of(wrt, p.seed)
    direction = random_direction(args, wrt)
    try:
        with time_limit(seconds):
            f = load(source)
            value, gradients = by(f, args, asked, jit=jit)
            forward_value, tangent = forward(f, args, wrt, direction, jit=jit)
            at_once = _many_directions(f, args, wrt, p.seed, jit)
    except srcgrad.Error as refusal:
        return f"refused {type(refusal).__name__}: {refusal}"
    except Exception as fault:
        return f"fault {type(fault).__name__}: {fault}"
    expected_value, expected = exact(source, args)
    along = sum(float(np.sum(g * d).real) for g, d in zip(expected, direction, strict=True))
    scale = max([1.0, *(float(np.max(np.abs(g), initial=0.0)) for g in expected)])
    errors = {
        "value": abs(value - expected_value) / max(1.0, abs(expected_value)),
        "forward value": abs(forward_value - expected_value) / max(1.0, abs(expected_value)),
        "gradient": relative_error(gradients, [expected[wrt.index(k)] for k in asked]),
        "tangent": abs(tangent - along) / scale,
        "many tangents": relative_error([g for _, g in at_once], [expected[wrt.index(k)] for k, _ in at_once]),
    }
    tolerance = 2e-3 if p.dtype is np.float32 else 1e-9
    bad = [name for name, error in errors.items() if not error <= tolerance]
    if not bad:
        return RIGHT
    wanted, found = (expected_value, *expected, along), (value, *gradients, tangent)
    return f"wrong {', '.join(bad)} by {by.__name__} for {asked} of {wrt}: expected {wanted}, got {found}"


def some_of(wrt: tuple[int, ...], seed: int) -> tuple[int, ...]:
    """Every other program is asked for a few of its gradients: what the others would have kept alive is dead then."""
    if seed % 2 == 0 or not wrt:
        return wrt
    rng = Random(seed)
    return tuple(sorted(rng.sample(wrt, rng.randint(1, len(wrt)))))


def _many_directions(
    f: Function, args: Sequence[Any], wrt: tuple[int, ...], seed: int, jit: bool
) -> list[tuple[int, Any]]:
    """Of some programs, the gradient by a real array, its number in front, from a sweep of all directions at once."""
    arrays = [k for k in wrt if isinstance(args[k], np.ndarray) and not np.iscomplexobj(args[k])]
    if seed % 5 != 1 or not arrays:
        return []
    k = arrays[seed % len(arrays)]
    return [(k, srcgrad.jacfwd(f, argnums=k, jit=jit)(*copied(args)))]


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
    return kind(verdict(program, source=source, jit=jit, seconds=10)) == kind(failure)
