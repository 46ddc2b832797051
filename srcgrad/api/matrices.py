"""Whole Jacobians and Hessians, direction by direction: forward for columns, or backward for rows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from srcgrad.api.binding import parameters_of
from srcgrad.api.compiled import Compiled
from srcgrad.api.directions import Jvp, Vjp, zero_like
from srcgrad.api.plans import Columns, Primal, Rows, Structures
from srcgrad.api.specialise import Specialisations
from srcgrad.errors import ArgumentTypeError, AtTheCall, Error, InternalError
from srcgrad.frontend.boundary.objects import class_of_object
from srcgrad.frontend.boundary.pytree import map_leaves
from srcgrad.settings import Options


class Jacobian:
    """The function from the arguments of ``f`` to its Jacobian; see `srcgrad.jacobian`.

    ``mode`` is ``"fwd"``, ``"rev"`` or ``"auto"``, the one with fewer directions. Forward mode needs a real argument
    and reverse mode a real result, unless the function is holomorphic.
    """

    def __init__(
        self, function: Callable[..., object], argnums: int, options: Options, mode: str, holomorphic: bool = False
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.mode = mode
        self.holomorphic = holomorphic
        self.argnums = argnums
        self._jvp = Jvp(function, options)
        self._vjp = Vjp(function, options)
        self._primal = Compiled(function, Primal(), replace(options, mutates=False))
        self._tall: dict[tuple[int, int, np.dtype, tuple[int, ...]], bool] = {}
        self._tables: dict[tuple[int, Columns | Rows], Specialisations] = {}
        self._refused: set[tuple[Columns | Rows, Structures]] = set()  # of which no loop over directions can be made

    def __call__(self, *args: object, **kwargs: object) -> object:
        with AtTheCall():
            return self._matrix(self._by_position(args, kwargs) if kwargs else args)

    def __repr__(self) -> str:
        names = {"fwd": "jacfwd", "rev": "jacrev", "auto": "jacobian"}
        return f"<{names[self.mode]} of {self.function!r}>"

    def _by_position(self, args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[object, ...]:
        """The arguments of a call with keywords, and the defaults in front of these."""
        rows = parameters_of(self.function).rows
        bound = inspect.Signature(rows).bind(*args, **kwargs)
        bound.apply_defaults()
        by_name = [row.name for row in rows if row.kind in (row.KEYWORD_ONLY, row.VAR_KEYWORD)]
        given = next((name for name in kwargs if name in by_name or name not in bound.arguments), None)
        if given is not None:
            raise ArgumentTypeError(
                f"A Jacobian is asked for with the keyword-only argument {given!r}.",
                hint="Bind it first: functools.partial(f, name=value).",
            )
        return bound.args

    def _matrix(self, args: tuple[object, ...]) -> object:
        if not -len(args) <= self.argnums < len(args):
            raise ArgumentTypeError(
                f"argnums={self.argnums}, but {len(args)} arguments are given.", hint="Count from 0."
            )
        position = self.argnums % len(args)
        point = self._number(args[position], f"argument {position}", self.mode == "fwd")
        if point.size and (self.mode == "fwd" or (self.mode == "auto" and self._is_tall(args, position, point))):
            return self._columns(args, position, point)
        at_once = self._at_once(Rows(position), args)
        if at_once is not None:
            return at_once
        result, pullback = self._vjp(args)
        out = self._number(result, "the result", self.mode == "rev" or point.dtype.kind == "c")
        rows = [np.asarray(pullback(unit)[position]) for unit in units(out)]
        return number_or_array(np.array(rows, point.dtype).reshape(out.shape + point.shape))

    def _number(self, value: object, what: str, real: bool) -> np.ndarray:
        """The argument or result as an array; refused if the chosen mode cannot say what its derivative is."""
        array = floating(value, what)
        if self.holomorphic and array.dtype.kind != "c":
            raise ArgumentTypeError(
                f"holomorphic=True, but {what} is of dtype {array.dtype}.", hint="Make it complex, or leave it out."
            )
        if real and not self.holomorphic and array.dtype.kind == "c":
            raise ArgumentTypeError(
                f"The Jacobian is asked for, but {what} is complex.",
                hint="If the function is holomorphic, pass holomorphic=True; else use jvp and vjp.",
            )
        return array

    def _is_tall(self, args: tuple[object, ...], position: int, point: np.ndarray) -> bool:
        """Whether forward mode takes fewer directions, or is the only mode; asked for once for each kind of point."""
        key = (len(args), position, point.dtype, point.shape)
        if key not in self._tall:
            owned = [map_leaves(_own, argument) for argument in args]  # the function may write to its arguments
            out = self._number(self._primal(*owned), "the result", point.dtype.kind == "c")
            same = point.dtype.kind == out.dtype.kind
            self._tall[key] = point.size < out.size if same else point.dtype.kind == "f"
        return self._tall[key]

    def _columns(self, args: tuple[object, ...], position: int, point: np.ndarray) -> object:
        at_once = self._at_once(Columns(position), args)
        if at_once is not None:
            return at_once
        tangents = [map_leaves(zero_like, argument) for argument in args]
        columns = []
        for unit in units(point):
            tangents[position] = unit
            _, column = self._jvp(tuple(args), tuple(tangents))
            columns.append(self._number(column, "the result", False))
        return number_or_array(np.stack(columns, axis=-1).reshape(columns[0].shape + point.shape))

    def _at_once(self, plan: Columns | Rows, args: tuple[object, ...]) -> object:
        """The Jacobian by one sweep of all directions in compiled code; None where it has to be one after the other."""
        table = self._tables.get((len(args), plan))
        if table is None:
            table = Specialisations(self.function, plan, replace(self.options, mutates=False))
            self._tables[len(args), plan] = table
        arguments = table.bound(args, {})
        if self._refused and (plan, table.structures(arguments)) in self._refused:
            return None
        try:
            code = table.find(arguments)
            return code(code.leaves(arguments))  # which may be compiled for what extents these arguments have
        except InternalError:
            raise
        except Error:  # which is raised again where a direction alone is not taken either
            self._refused.add((plan, table.structures(arguments)))
            return None


def _own(leaf: object) -> object:
    return leaf.copy(order="K") if isinstance(leaf, np.ndarray) else leaf


def floating(value: object, what: str) -> np.ndarray:
    """The value as an array, if it is a floating number, real or complex, or an array of them."""
    known = float | complex | np.ndarray | np.floating | np.complexfloating
    array = np.asarray(value) if isinstance(value, known) else None
    if array is None or array.dtype.kind not in "fc":
        raise ArgumentTypeError(
            f"The Jacobian is asked for, but {what} is a {class_of_object(value).__name__}.",
            hint="It has to be a float or an array of floats. For other structures use vjp or jvp.",
        )
    return array


def units(array: np.ndarray) -> Iterator[np.ndarray]:
    """Each array of this shape that is 1 in one place and 0 elsewhere."""
    for k in range(array.size):
        unit = np.zeros(array.size, array.dtype)
        unit[k] = 1
        yield unit.reshape(array.shape)


def number_or_array(array: np.ndarray) -> object:
    if array.shape:
        return array
    return array.item() if array.dtype in (np.float64, np.complex128) else array[()]
