"""Reverse mode: the adjoint of a function, by one walk over its ops from last to first.

The walk names values of the forward sweep freely, in scope or not; ``recall`` repairs that afterwards, in one
place. What is done to memory follows from Python's references: the reverse of a load adds into the shadow, the
reverse of a store takes the shadow's element and zeroes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from srcgrad.differentiate import control_flow
from srcgrad.differentiate.activity import carries_derivative, find_active
from srcgrad.differentiate.in_place import InPlace
from srcgrad.differentiate.partials import convert, partials, scaled, zero_like
from srcgrad.differentiate.regions import count_whiles, mark_repeated, number_regions
from srcgrad.differentiate.shadows import TwinPass
from srcgrad.errors import UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Op, Operand, Value, constant, defined
from srcgrad.ir.rewrite import renamed
from srcgrad.ir.types import Array, Scalar, Stack
from srcgrad.primitives.table import Effect, effect, new_builder

BAR = "_bar"


class Reverse:
    """The state of the walk: where ops go, and the adjoint so far of each scalar."""

    def __init__(self, builder: Builder, active: set[Value], twins: dict[Value, Value], in_place: InPlace) -> None:
        self.builder = builder
        self.active = active  # scalars that carry a derivative
        self.twins = twins  # active array -> its shadow
        self.in_place = in_place
        self.adjoints: dict[Value, Operand] = {}

    def add(self, target: Operand, ct: Operand) -> None:
        """Add a contribution to the adjoint of a scalar."""
        if not isinstance(target, Value) or target not in self.active:
            return
        if ct.type != target.type:
            ct = convert(self.builder, ct, target.type)
        old = self.adjoints.get(target)
        name = f"{target.name}{BAR}" if target.name else ""
        self.adjoints[target] = ct if old is None else self.builder("add", old, ct, name=name)

    def take(self, value: Value) -> Operand | None:
        """The finished adjoint of a value that is about to be reversed; None if it is zero."""
        return self.adjoints.pop(value, None)

    def ops(self, ops: Sequence[Op]) -> None:
        for op in reversed(ops):
            self.builder.location = op.location
            self.op(op)

    def op(self, op: Op) -> None:
        match effect(op.primitive):
            case Effect.CONTROL:
                control_flow.reverse_control(self, op)
            case Effect.READ:
                self.load(op)
            case Effect.WRITE:
                self.write(op)
            case Effect.PURE | Effect.CHECK:
                self.scalar(op)
            case Effect.CALL if any(r in self.active for r in op.results) or any(x in self.twins for x in op.operands):
                raise UnsupportedError("reverse mode through a call that is not inlined is not there yet")
            case Effect.STACK if any(x in self.twins or x in self.active for x in (*op.operands, *op.results)):
                raise UnsupportedError(
                    "reverse mode over a function that is itself a reverse sweep with a stack is not there yet",
                    hint="Use forward mode over it: hvp, hessian or jvp of the gradient.",
                )
            case _:
                pass

    def load(self, op: Op) -> None:
        ct = self.take(op.result)
        array = op.operands[0]
        if ct is not None and array in self.twins:
            self.builder.emit("accumulate", self.shadow(array), *op.operands[1:], ct)

    def write(self, op: Op) -> None:
        array, *indices, value = op.operands
        if array not in self.twins:
            return
        shadow = self.shadow(array)
        if op.primitive == "store" or value in self.active:
            name = f"{value.name}{BAR}" if isinstance(value, Value) and value.name else ""
            ct = self.builder("load", shadow, *indices, name=name)
            if clears_shadow(op):
                self.builder.emit("store", shadow, *indices, zero_like(value))
            self.add(value, ct)

    def shadow(self, array: Operand) -> Value:
        assert isinstance(array, Value)
        return self.twins[array]

    def scalar(self, op: Op) -> None:
        if not op.results or op.result not in self.active:
            return
        ct = self.take(op.result)
        if ct is None:
            return
        if op.primitive == "cast":
            self.add(op.operands[0], ct)
        elif op.primitive == "select":
            condition, *sides = op.operands
            zero = zero_like(ct)
            for side, chosen in zip(sides, ((ct, zero), (zero, ct)), strict=True):
                if side in self.active:
                    self.add(side, self.builder("select", condition, *chosen))
        elif carries_derivative(op):
            for operand, partial in zip(op.operands, partials(self.builder, op), strict=True):
                if operand in self.active:
                    self.add(operand, scaled(self.builder, op, partial, ct))


def clears_shadow(op: Op) -> bool:
    """A store overwrites: the reverse zeroes the shadow's element, also when the stored value is constant."""
    return op.primitive == "store"


def gradient(function: Function, wrt: Sequence[int], with_value: bool) -> Function:
    """The function that gives ``(value?, *gradients)`` of a function with one real scalar result."""
    (result,) = function.results
    assert isinstance(result.type, Scalar)
    return adjoint(function, wrt, [constant(1, result.type.dtype)], (), with_value)


def pullback(function: Function, wrt: Sequence[int]) -> Function:
    """The function of ``(*primals, *cotangents)`` that gives the gradients; one cotangent per floating result."""
    results = [x for x in function.results if x.type.dtype.differentiable]  # type: ignore[union-attr]
    cotangents = [Value(x.type, "ct") for x in results]
    return adjoint(function, wrt, cotangents, cotangents, with_value=False)


def adjoint(
    function: Function,
    wrt: Sequence[int],
    seeds: Sequence[Operand],
    extra: Sequence[Value],
    with_value: bool,
) -> Function:
    """Forward sweep, then reverse sweep, in one block. ``extra`` are parameters that the seeds come from."""
    function = number_regions(count_whiles(function))
    inputs = [function.parameters[k] for k in wrt]
    activity = find_active(function, inputs, reverse=True)
    shadows = TwinPass(activity, BAR, shadow=True)
    function = shadows.function(function, {})
    active = {v for v in _scalars(function.body) if v in activity}
    builder = new_builder()
    builder.open((*function.parameters, *extra))
    walk = Reverse(builder, active, shadows.twins, InPlace(function))
    builder.ops.extend(function.body.ops)
    _seed(walk, function, seeds)
    walk.ops(function.body.ops)
    builder.location = None
    gradients = [_gradient_of(walk, value) for value in inputs]
    values = function.results if with_value else ()
    result = Function(function.name, builder.close((*values, *gradients)), function.callees, function.location)
    return mark_repeated(result, walk.in_place.repeated)


def _scalars(block: Block) -> Iterable[Value]:
    return (v for v in defined(block) if isinstance(v.type, Scalar))


def _seed(walk: Reverse, function: Function, seeds: Sequence[Operand]) -> None:
    results = [x for x in function.results if x.type.dtype.differentiable]  # type: ignore[union-attr]
    for result, seed in zip(results, seeds, strict=True):
        if isinstance(result.type, Array):
            if result in walk.twins:
                _add_array(walk, walk.shadow(result), seed)
        else:
            walk.add(result, seed)


def _add_array(walk: Reverse, shadow: Value, seed: Operand) -> None:
    """``shadow += seed``, element by element."""
    assert isinstance(shadow.type, Array)
    rank = shadow.type.rank

    def nest(indices: tuple[Operand, ...]) -> None:
        if len(indices) == rank:
            element = walk.builder("load", seed, *indices)
            walk.builder.emit("accumulate", shadow, *indices, element)
            return
        extent = walk.builder("dim", shadow, axis=len(indices))

        def body(i: Value) -> Sequence[Operand]:
            nest((*indices, i))
            return ()

        walk.builder.for_(extent, (), body)

    nest(())


def _gradient_of(walk: Reverse, value: Value) -> Operand:
    if isinstance(value.type, Array):
        if value in walk.twins:
            return walk.twins[value]
        extents = [walk.builder("dim", value, axis=k) for k in range(value.type.rank)]
        return walk.builder("alloc", *extents, dtype=value.type.dtype, fill="zeros", name=f"{value.name}{BAR}")
    assert not isinstance(value.type, Stack)
    return renamed(walk.adjoints.get(value, zero_like(value)), {})
