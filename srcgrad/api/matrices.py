"""Whole Jacobians and Hessians, direction by direction: forward for columns, or backward for rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from srcgrad.api.directions import Jvp, Vjp
from srcgrad.errors import ArgumentTypeError, AtTheCall
from srcgrad.frontend.boundary.pytree import map_leaves
from srcgrad.settings import Options


class Jacobian:
    """The function from the arguments of ``f`` to its Jacobian; see `srcgrad.jacobian`.

    ``mode`` is ``"fwd"``, ``"rev"`` or ``"auto"``, the one with fewer directions.
    """

    def __init__(self, function: Callable[..., object], argnums: int, options: Options, mode: str) -> None:
        functools.update_wrapper(self, function)
        self._argnums = argnums
        self._mode = mode
        self._jvp = Jvp(function, options)
        self._vjp = Vjp(function, options)

    def __call__(self, *args: object) -> object:
        with AtTheCall():
            return self._matrix(args)

    def _matrix(self, args: tuple[object, ...]) -> object:
        if not -len(args) <= self._argnums < len(args):
            raise ArgumentTypeError(
                f"argnums={self._argnums}, but {len(args)} arguments are given.", hint="Count from 0."
            )
        position = self._argnums % len(args)
        point = floating(args[position], f"argument {position}")
        if self._mode == "fwd" and point.size:
            return self._columns(args, position, point)
        result, pullback = self._vjp(args)
        out = floating(result, "the result")
        if self._mode == "auto" and 0 < point.size < out.size:
            return self._columns(args, position, point)
        rows = [np.asarray(pullback(unit)[position]) for unit in units(out)]
        return number_or_array(np.array(rows, point.dtype).reshape(out.shape + point.shape))

    def _columns(self, args: Sequence[object], position: int, point: np.ndarray) -> object:
        tangents = [map_leaves(zero_like, argument) for argument in args]
        columns = []
        for unit in units(point):
            tangents[position] = unit
            _, column = self._jvp(tuple(args), tuple(tangents))
            columns.append(floating(column, "the result"))
        return number_or_array(np.stack(columns, axis=-1).reshape(columns[0].shape + point.shape))


def floating(value: object, what: str) -> np.ndarray:
    """The value as an array, if it is a real floating number or an array of them."""
    array = np.asarray(value) if isinstance(value, float | np.ndarray | np.floating) else None
    if array is None or array.dtype.kind != "f":
        raise ArgumentTypeError(
            f"The Jacobian is asked for, but {what} is a {type(value).__name__}.",
            hint="It has to be a float or an array of floats. For other structures use vjp or jvp.",
        )
    return array


def units(array: np.ndarray) -> Iterator[np.ndarray]:
    """Each array of this shape that is 1 in one place and 0 elsewhere."""
    for k in range(array.size):
        unit = np.zeros(array.size, array.dtype)
        unit[k] = 1
        yield unit.reshape(array.shape)


def zero_like(leaf: object) -> object:
    array = np.asarray(leaf)
    return np.zeros_like(array)[()] if array.dtype.kind in "fc" else None


def number_or_array(array: np.ndarray) -> object:
    if array.shape:
        return array
    return float(array) if array.dtype == np.float64 else array[()]
