"""Numeric checks of derivatives, for users' functions and for our own tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Unpack

import numpy as np

from srcgrad.api import grad, jvp, vjp
from srcgrad.api.transforms import several
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.boundary.pytree import flatten, map_leaves
from srcgrad.settings import OptionValues

Point = tuple[object, ...]
SHOWN = 5  # numbers in the message of a comparison that fails


def check_grads(
    f: Callable[..., object],
    args: Sequence[object],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    **options: Unpack[OptionValues],
) -> None:
    """Compare the derivatives of ``f`` with differences along random directions.

    The reference is a central difference of the plain Python function or, where a function of real numbers takes
    complex ones and agrees with that, a complex step, which is exact.

    Parameters
    ----------
    f : function
        Any function of the language.
    args : tuple
        Arguments at which ``f`` is smooth; all floating leaves are varied at once, complex ones in both parts.
    order : int
        2 checks the gradient's own derivative as well (``f`` then returns one real number).
    modes : sequence of {"fwd", "rev"}
        Forward mode, reverse mode.
    atol, rtol : float, optional
        Tolerances; 1e-6 for double and 2e-2 for single precision by default.
    **options
        As for `srcgrad.grad`.

    Raises
    ------
    AssertionError
        If they differ; the message gives both.

    Examples
    --------
    >>> check_grads(lambda x, y: np.sin(x) * y, (1.0, 2.0))
    """
    unknown = set(modes) - {"fwd", "rev"}
    if unknown:
        raise ValueError(f"modes are 'fwd' and 'rev', got {sorted(unknown)}")
    point = several(args, "args")
    leaves = flatten(point)
    narrow = any(
        isinstance(leaf, np.ndarray | np.generic) and leaf.dtype in (np.float32, np.complex64) for leaf in leaves
    )
    step, tolerance = (1e-2, 2e-2) if narrow else (1e-5, 1e-6)
    limits = Limits(tolerance if atol is None else atol, tolerance if rtol is None else rtol)
    random = np.random.default_rng(0)
    direction = _random_like(random, point)
    expected = _directional_derivative(f, point, direction, step)
    if "fwd" in modes:
        _, tangent = jvp(f, point, direction, **options)
        limits.compare(_vector(tangent), expected, "Forward mode", f)
    if "rev" in modes:
        result, pullback = vjp(f, *point, **options)
        cotangent = _random_like(random, result)
        along = np.vdot(_vector(_conjugate(pullback(cotangent))), _vector(direction))
        limits.compare(along, np.vdot(_vector(_conjugate(cotangent)), expected), "Reverse mode", f)
    if order > 1:
        argnums = tuple(k for k, argument in enumerate(point) if _has_floats(argument))
        check_grads(grad(f, argnums, **options), point, order - 1, ("fwd",), atol, rtol, **options)


@dataclass(frozen=True)
class Limits:
    """How far two numbers may be apart."""

    atol: float
    rtol: float

    def compare(self, got: np.ndarray, expected: np.ndarray, mode: str, f: Callable[..., object]) -> None:
        got, expected = np.ravel(got), np.ravel(expected)
        apart = np.flatnonzero(~np.isclose(got, expected, self.rtol, self.atol))
        if not apart.size:
            return
        name = f"{f.__name__}()" if isinstance(f, FunctionType) else repr(f)
        worst = apart[np.argsort(-np.abs(np.nan_to_num(got - expected, nan=np.inf))[apart], kind="stable")[:SHOWN]]
        which = "" if got.size == 1 else f" in {apart.size} of {got.size} numbers, most in those at {worst.tolist()}"
        raise AssertionError(
            f"{mode} of {name} along a random direction differs from the numeric derivative{which}:\n"
            f"    srcgrad:  {got[worst]}\n    numeric:  {expected[worst]}"
        )


def _directional_derivative(f: Callable[..., object], point: Point, direction: Point, step: float) -> np.ndarray:
    """The derivative of the plain Python function along a direction."""
    plain = python_function(f) or f
    ahead, behind = (_vector(plain(*_moved(point, direction, h))) for h in (step, -step))
    central: np.ndarray = (ahead - behind) / (2 * step)
    if any(np.asarray(leaf).dtype.kind == "c" for leaf in flatten((point, plain(*_moved(point, direction, 0.0))))):
        return central
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            exact = _imaginary(plain(*_moved(point, direction, 1e-30j))) / 1e-30
    except Exception:  # the user's function need not take complex numbers, or stores them as real ones
        return central
    # A comparison or an abs() makes the complex step wrong; then the two are far apart.
    return exact if exact.shape == central.shape and np.allclose(exact, central, 1e-4, 1e-6) else central


def _moved(point: Point, direction: Point, step: complex) -> Point:
    """Fresh arguments: ``point + step * direction`` in the floating leaves."""

    def move(leaf: Any, along: Any) -> object:
        if not _is_floating(leaf):
            return leaf.copy() if isinstance(leaf, np.ndarray) else leaf
        moved = leaf + step * along
        python = isinstance(leaf, float | complex) and not isinstance(leaf, np.generic)
        return moved if isinstance(step, complex) or python else np.asarray(moved, leaf.dtype)[()]

    moved = map_leaves(move, point, direction)
    assert isinstance(moved, tuple)
    return moved


def _random_like(random: np.random.Generator, value: object) -> Any:
    """The same structure with normal random numbers in the floating leaves, None in the others."""

    def draw(leaf: Any) -> object:
        if not _is_floating(leaf):
            return None
        drawn = random.standard_normal(np.shape(leaf))
        if np.iscomplexobj(leaf):
            drawn = drawn + 1j * random.standard_normal(np.shape(leaf))
        return drawn.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(drawn)

    return map_leaves(draw, value)


def _conjugate(value: object) -> Any:
    """With the conjugate in place of each floating leaf: a cotangent pairs with a tangent by ``Re(ct * t)``."""
    return map_leaves(lambda leaf: np.conj(leaf) if _is_floating(leaf) else leaf, value)


def _vector(value: object) -> np.ndarray:
    """The floating leaves in one flat array of float64, a complex number as its two parts."""
    leaves = [np.ravel(np.asarray(leaf)) for leaf in flatten(value) if _is_floating(leaf)]
    parts = [p for leaf in leaves for p in ((leaf.real, leaf.imag) if np.iscomplexobj(leaf) else (leaf,))]
    return np.concatenate(parts).astype(np.float64) if parts else np.zeros(0)


def _imaginary(value: object) -> np.ndarray:
    """The imaginary parts of the floating leaves, in one flat array."""
    parts = [np.imag(leaf).ravel() for leaf in map(np.asarray, flatten(value)) if _is_floating(leaf)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _is_floating(leaf: object) -> bool:
    return np.asarray(leaf).dtype.kind in "fc"


def _has_floats(argument: object) -> bool:
    return any(_is_floating(leaf) for leaf in flatten(argument))
