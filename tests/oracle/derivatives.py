"""The derivatives under test, through the public interface, in the form the checks want them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import srcgrad
from oracle.dual import is_differentiable

Function = Callable[..., Any]


def differentiable(args: Sequence[Any]) -> tuple[int, ...]:
    return tuple(k for k, x in enumerate(args) if is_differentiable(x))


def reverse(f: Function, args: Sequence[Any], wrt: tuple[int, ...], *, jit: bool = False) -> tuple[Any, list[Any]]:
    """Value and gradients; the arguments must come out unharmed."""
    given = copy.deepcopy(args)
    value, gradients = srcgrad.value_and_grad(f, argnums=wrt, jit=jit)(*given)
    for k, (x, y) in enumerate(zip(given, args, strict=True)):
        if isinstance(x, np.ndarray):
            assert np.array_equal(x, y), f"argument {k} was written to"
    for g, k in zip(gradients, wrt, strict=True):
        assert np.shape(g) == np.shape(args[k]), f"gradient {k} has the shape {np.shape(g)}"
        if isinstance(args[k], np.ndarray):
            assert g.dtype == args[k].dtype, f"gradient {k} has the dtype {g.dtype}"
    return value, list(gradients)


def forward(
    f: Function, args: Sequence[Any], wrt: tuple[int, ...], direction: Sequence[Any], *, jit: bool = False
) -> tuple[Any, Any]:
    """Value and derivative along a direction, which has an entry for each argument in ``wrt``."""
    tangents = [_zero_tangent(x) for x in args]
    for k, d in zip(wrt, direction, strict=True):
        tangents[k] = np.asarray(d, dtype=args[k].dtype) if isinstance(args[k], np.ndarray) else d
    value, tangent = srcgrad.jvp(f, copy.deepcopy(tuple(args)), tuple(tangents), jit=jit)
    return value, tangent


def _zero_tangent(x: Any) -> Any:
    """None for what carries no derivative."""
    if not is_differentiable(x):
        return None
    return np.zeros_like(x) if isinstance(x, np.ndarray) else 0.0


def random_direction(args: Sequence[Any], wrt: Sequence[int], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    draws = [rng.uniform(0.5, 1.5, np.shape(args[k])) for k in wrt]
    return [d if isinstance(args[k], np.ndarray) else float(d) for d, k in zip(draws, wrt, strict=True)]
