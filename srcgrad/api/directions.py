"""Products with a Jacobian: forward along a direction (``jvp``), backward from a cotangent (``vjp``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from srcgrad.api.plans import Backward, Forward, Tangent
from srcgrad.api.specialise import Specialisation, Specialisations
from srcgrad.errors import ArgumentTypeError, AtTheCall, ShapeError
from srcgrad.frontend.boundary.objects import class_of_object
from srcgrad.frontend.boundary.pytree import (
    build_container,
    children_of,
    describe,
    flatten,
    is_number,
    layout_of,
    parts_of,
)
from srcgrad.frontend.boundary.run_time_lists import columns_of
from srcgrad.frontend.boundary.structure import Leaf, RunTimeList, Static, Structure, Tree
from srcgrad.settings import Options


class Jvp:
    """A function and its derivative along a direction."""

    def __init__(self, function: Callable[..., object], options: Options) -> None:
        self._function = function
        self._options = replace(options, mutates=False)
        self._tables: dict[int, Specialisations] = {}

    def __call__(self, primals: tuple[object, ...], tangents: tuple[object, ...]) -> tuple[object, object]:
        if len(primals) != len(tangents):
            raise ArgumentTypeError(
                f"jvp got {len(primals)} primals and {len(tangents)} tangents.", hint="Pass one tangent per primal."
            )
        table = self._table(len(primals))
        arguments = table.bound(primals, {})
        code = table.find(arguments)
        pair = code(code.leaves(arguments), list(conformed(primals, tangents, "tangents")))
        assert isinstance(pair, tuple)
        return pair

    def _table(self, count: int) -> Specialisations:
        if count not in self._tables:
            self._tables[count] = Specialisations(self._function, Tangent(tuple(range(count))), self._options)
        return self._tables[count]


class Vjp:
    """A function and, for each call, its pullback."""

    def __init__(self, function: Callable[..., object], options: Options) -> None:
        self._function = function
        self._options = replace(options, mutates=False)
        self._tables: dict[int, tuple[Specialisations, Specialisations]] = {}

    def __call__(self, primals: tuple[object, ...]) -> tuple[object, Pullback]:
        forwards, backwards = self._table(len(primals))
        arguments = forwards.bound(primals, {})
        forward = forwards.find(arguments)
        leaves = forward.leaves(arguments)
        forward, pair = forward.attempt(leaves)
        assert isinstance(pair, tuple)
        result, kept = pair
        backward = forward.other_half
        if backward is None or not backward.fresh():
            backward = forward.other_half = backwards.compile(forward.structures)  # both are of one program
        return result, Pullback(backward, leaves, kept, result)

    def _table(self, count: int) -> tuple[Specialisations, Specialisations]:
        if count not in self._tables:
            argnums = tuple(range(count))
            forwards = Specialisations(self._function, Forward(argnums), self._options)
            backwards = Specialisations(self._function, Backward(argnums), self._options)
            self._tables[count] = (forwards, backwards)
        return self._tables[count]


class Pullback:
    """From a cotangent of the result to the gradients of the arguments; may be called many times."""

    def __init__(self, code: Specialisation, leaves: list[object], kept: tuple[object, ...], result: object) -> None:
        self._code = code
        # The caller may change the arguments and the result before the pullback is called.
        reads = code.artifact.reads
        self._leaves = [_own(leaf) if k in reads else leaf for k, leaf in enumerate(leaves)]
        seen = [x for x in (*leaves, *flatten(result)) if isinstance(x, np.ndarray)]
        self._leaves += [_own(x) if any(np.may_share_memory(x, other) for other in seen) else x for x in kept]
        self._result = _copied(result)  # its containers may change too

    def __call__(self, cotangent: object) -> tuple[object, ...]:
        with AtTheCall():
            directions = list(conformed(self._result, cotangent, "the cotangent"))
        gradients = self._code(self._leaves, directions)
        assert isinstance(gradients, tuple)
        return gradients


def conformed(primal: object, direction: object, where: str) -> Iterator[object]:
    """The leaves of a tangent or cotangent, one per floating leaf of ``primal``, each of that leaf's type and shape.

    None in the place of an array, a number or a container stands for zeros.
    """
    yield from _conformed(describe(primal), primal, direction, where)


def _conformed(structure: Structure, primal: object, direction: object, where: str) -> Iterator[object]:
    match structure:
        case Tree() if isinstance(primal, RunTimeList):
            for column, given in zip(primal.columns, columns_of(primal, direction, where), strict=True):
                yield from _conformed(describe(column), column, given, where)
        case Leaf(type=type_) if type_.dtype.differentiable:
            yield _leaf(type_.dtype.numpy, primal, zero_like(primal) if direction is None else direction, where)
        case Tree() if direction is None:
            for child, inner in zip(structure.children, children_of(primal), strict=True):
                yield from _conformed(child, inner, None, where)
        case Tree(cls=cls, keys=keys):
            given = describe(direction)
            if not isinstance(given, Tree) or (given.keys, len(given.children)) != (keys, len(structure.children)):
                raise ArgumentTypeError(
                    f"{where} should be a {cls.__name__} of {len(structure.children)}, as what it belongs to.",
                    hint="Give it the same structure; None stands for zeros, and for what is not floating point.",
                )
            children = zip(structure.children, children_of(primal), children_of(direction), strict=True)
            for k, (child, inner, given_inner) in enumerate(children):
                yield from _conformed(child, inner, given_inner, f"{where}[{keys[k] if keys else k!r}]")
        case Static() if direction is primal:
            return
        case Leaf() | Static() if direction is not None and np.any(np.asarray(direction) != 0):
            raise ArgumentTypeError(
                f"{where} is {direction!r}, but what it belongs to carries no derivative.", hint="Pass None there."
            )


def zero_like(leaf: object) -> object:
    """Zeros of its shape and dtype; None for what is not floating point."""
    array = np.asarray(leaf)
    return np.zeros_like(array)[()] if array.dtype.kind in "fc" else None


def _leaf(dtype: np.dtype, primal: object, direction: object, where: str) -> object:
    given = np.asarray(direction)
    if given.dtype.kind not in "biufc" or (given.dtype.kind == "c" and dtype.kind != "c"):
        raise ArgumentTypeError(
            f"{where} is of dtype {given.dtype}, what it belongs to of dtype {dtype}.", hint=f"Convert it to {dtype}."
        )
    wanted = primal.shape if isinstance(primal, np.ndarray) else ()
    if given.shape != wanted:
        raise ShapeError(
            f"{where} has shape {given.shape}, what it belongs to has shape {wanted}.",
            hint="Give it the same shape.",
        )
    if not isinstance(primal, np.ndarray):
        return dtype.type(given[()])
    if layout_of(primal) == "F":
        return np.require(given, dtype, ["F", "W", "A"])
    return np.require(given, dtype, ["C", "W", "A"])


def _own(leaf: object) -> object:
    return leaf.copy(order="K") if isinstance(leaf, np.ndarray) else leaf


def _copied(value: object) -> object:
    """The same leaves in containers of their own."""
    if isinstance(value, RunTimeList):
        twin = RunTimeList(value)
        twin.columns = value.columns
        return twin
    container = None if is_number(value) or isinstance(value, np.ndarray) else parts_of(value)
    if container is None:
        return value
    return build_container(class_of_object(value), container[0], [_copied(child) for child in container[1]])
