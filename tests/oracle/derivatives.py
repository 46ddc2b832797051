"""The derivatives under test, through the public interface, in the form the checks want them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import srcgrad
from oracle.dual_numpy import is_differentiable

Function = Callable[..., Any]


def differentiable(args: Sequence[Any]) -> tuple[int, ...]:
    return tuple(k for k, x in enumerate(args) if is_differentiable(x))


def copied(args: Sequence[Any]) -> tuple[Any, ...]:
    """Copies that lie in memory as the arguments do."""
    return tuple(_copied(x) if isinstance(x, np.ndarray) else x for x in args)


def _copied(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if x.flags.forc:
        return x.copy(order="K")
    if x.strides[0] < 0:
        return x[::-1].copy()[::-1]
    return np.repeat(x, 2, axis=0)[::2]


def reverse(f: Function, args: Sequence[Any], wrt: tuple[int, ...], *, jit: bool = False) -> tuple[Any, list[Any]]:
    """Value and gradients from one sweep."""
    given = copied(args)
    value, gradients = srcgrad.value_and_grad(f, argnums=wrt, jit=jit)(*given)
    check_kept(given, args)
    check_kinds(gradients, args, wrt)
    return value, list(gradients)


def gradient_alone(
    f: Function, args: Sequence[Any], wrt: tuple[int, ...], *, jit: bool = False
) -> tuple[Any, list[Any]]:
    """Gradients without a value: forward loops that nothing needs are gone. The value is the compiled primal's."""
    given = copied(args)
    derivative: Any = srcgrad.grad(f, argnums=wrt, jit=jit)
    gradients = derivative(*given)
    check_kept(given, args)
    check_kinds(gradients, args, wrt)
    return derivative.primal(*given), list(gradients)


def pulled_back(f: Function, args: Sequence[Any], wrt: tuple[int, ...], *, jit: bool = False) -> tuple[Any, list[Any]]:
    """Two separate sweeps. The caller overwrites its arrays in between, and pulls back twice."""
    given = copied(args)
    value, pullback = srcgrad.vjp(f, *given, jit=jit)
    check_kept(given, args)
    for x in given:
        if isinstance(x, np.ndarray):
            x[...] = 7
    doubled: Any = pullback(2.0)
    once: Any = pullback(1.0)
    gradients = [once[k] for k in wrt]
    check_kinds(gradients, args, wrt)
    for k, g in zip(wrt, gradients, strict=True):
        np.testing.assert_allclose(doubled[k], 2.0 * g, rtol=1e-6, atol=1e-6, err_msg=f"pulled back twice: {k}")
    return value, gradients


def mutating(f: Function, args: Sequence[Any], wrt: tuple[int, ...], *, jit: bool = False) -> tuple[Any, list[Any]]:
    """The function's writes reach the caller's arrays, and leave there what they leave without derivatives."""
    given, expected = copied(args), copied(args)
    value, gradients = srcgrad.value_and_grad(f, argnums=wrt, jit=jit, mutates=True)(*given)
    f(*expected)
    for k, (x, y) in enumerate(zip(given, expected, strict=True)):
        np.testing.assert_allclose(x, y, rtol=1e-4 if np.asarray(y).dtype == np.float32 else 1e-9, err_msg=f"{k}")
    check_kinds(gradients, args, wrt)
    return value, list(gradients)


REVERSE = (reverse, gradient_alone, pulled_back, mutating)


def check_kept(given: Sequence[Any], args: Sequence[Any]) -> None:
    """The caller's arguments are as they were."""
    for k, (x, y) in enumerate(zip(given, args, strict=True)):
        if isinstance(x, np.ndarray):
            assert np.array_equal(x, y), f"argument {k} was written to"


def check_kinds(gradients: Sequence[Any], args: Sequence[Any], wrt: Sequence[int]) -> None:
    """Each gradient has the shape and the dtype of its argument."""
    for g, k in zip(gradients, wrt, strict=True):
        assert np.shape(g) == np.shape(args[k]), f"gradient {k} has the shape {np.shape(g)}"
        if isinstance(args[k], np.ndarray):
            assert g.dtype == args[k].dtype, f"gradient {k} has the dtype {g.dtype}"


def forward(
    f: Function, args: Sequence[Any], wrt: tuple[int, ...], direction: Sequence[Any], *, jit: bool = False
) -> tuple[Any, Any]:
    """Value and derivative along a direction, which has an entry for each argument in ``wrt``."""
    tangents = [_zero_tangent(x) for x in args]
    for k, d in zip(wrt, direction, strict=True):
        tangents[k] = np.asarray(d, dtype=args[k].dtype) if isinstance(args[k], np.ndarray) else d
    value, tangent = srcgrad.jvp(f, copied(args), tuple(tangents), jit=jit)
    return value, tangent


def _zero_tangent(x: Any) -> Any:
    """None for what carries no derivative."""
    if not is_differentiable(x):
        return None
    return np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0)


def random_direction(args: Sequence[Any], wrt: Sequence[int], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    draws: list[Any] = [rng.uniform(0.5, 1.5, np.shape(args[k])) for k in wrt]
    draws = [d - 1j * np.cos(9.0 * d) if np.iscomplexobj(args[k]) else d for d, k in zip(draws, wrt, strict=True)]
    return [d if isinstance(args[k], np.ndarray) else np.asarray(d).item() for d, k in zip(draws, wrt, strict=True)]
