"""The gradient of a number by forward mode, for a function that cannot be reversed: direction after direction.

A reverse sweep that keeps values on a stack is not reversed again. Its derivative along a direction is known, and a
gradient has one by each element of the arguments. Before and after, for ``f(x: f64[:], c: f64)``::

    def f(x, c, x_dot, c_dot):                def f(x, c):
        ...                                       n: i64 = dim(x, axis=0)
        return y, y_dot                           by_x: f64[:] = alloc(n, dtype=f64, fill='empty')
                                                  with for_(n):
                                                      def _(k: i64):
                                                          x_dot: f64[:] = alloc(n, dtype=f64, fill='zeros')
                                                          store(x_dot, k, 1.0)
                                                          ...                    # with c_dot = 0.0
                                                          store(by_x, k, y_dot)
                                                  ...                            # with x_dot of zeros, c_dot = 1.0
                                                  return by_x, y_dot

The function itself comes last, where it may write to its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from srcgrad.differentiate.all_directions import COLUMNS, extents_of, inlined, of_type, product
from srcgrad.differentiate.partials import convert
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Function, Op, Operand, Value, constant, walk, zero_like
from srcgrad.ir.rewrite import fresh
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import new_builder


def gradient_by_directions(tangent: Function, value: Function, wrt: Sequence[int], with_value: bool) -> Function:
    """``(value?, *further results, *gradients)`` of the first result, as `pullbacks.gradient` gives them.

    ``tangent`` gives the results and their derivatives along the directions of ``wrt``, which are its last parameters,
    and writes to none of its arguments; ``value`` gives the results alone.
    """
    parameters = tuple(fresh(p) for p in value.parameters)
    builder = new_builder()
    builder.open(parameters)
    sweep = _Sweep(builder, tangent, parameters, [parameters[k] for k in wrt], len(value.results))
    gradients = [sweep.gradient(by) for by in sweep.wrt]
    results = inlined(builder, value, parameters)
    body = builder.close((*results[0 if with_value else 1 :], *gradients))
    return Function(value.name, body, {**value.callees, **tangent.callees}, value.location)


def may_repeat(function: Function) -> bool:
    """Whether each run of the function does the same: none draws random numbers, or prints."""
    bodies = [f.body for f in (function, *function.callees.values())]
    return not any(_is_ordered(op) for body in bodies for op in walk(body))


def _is_ordered(op: Op) -> bool:
    """Whether the op is a routine that takes its turn by memory that it reads and writes."""
    routine = ROUTINES.get(op.text("callee")) if op.primitive == "call" else None
    if routine is None:
        return False
    reads = {x for k, x in enumerate(op.operands) if k not in routine.written}
    return any(op.operands[k] in reads for k in routine.written)


@dataclass(frozen=True)
class _Sweep:
    """The derivatives of the first result, one direction at a time."""

    builder: Builder
    tangent: Function
    parameters: Sequence[Value]
    wrt: Sequence[Value]
    results: int  # how many, in front of the tangents

    def gradient(self, by: Value) -> Operand:
        """With respect to one of the parameters."""
        if not isinstance(by.type, Array):
            return self.slope(by, lambda one: one)
        builder, dtype = self.builder, by.type.dtype
        extents = extents_of(builder, by)
        size = product(builder, extents)
        elements = builder("alloc", size, name="gradient", dtype=dtype, fill="empty")

        def element(k: Value) -> Sequence[Operand]:
            def unit(one: Const) -> Operand:
                flat = builder("alloc", product(builder, extents), name="direction", dtype=dtype, fill="zeros")
                builder.emit("store", flat, k, one)
                return of_type(builder, _shaped(builder, flat, by, extents), by.type)

            builder.emit("store", elements, k, self.slope(by, unit))
            return ()

        builder.for_(size, (), element, counter="k", directions=COLUMNS)
        return _shaped(builder, elements, by, extents)

    def slope(self, by: Value, direction: Callable[[Const], Operand]) -> Operand:
        """The derivative by a number, along the direction that is made of the size of a step.

        By a complex one it is ``df/dx - i df/dy``, of steps to either side; of a complex result, which is holomorphic,
        that along the real axis.
        """
        dtype = by.type.dtype  # type: ignore[union-attr]  # a stack is no parameter
        real = self.along(by, direction(constant(1, dtype)))
        assert isinstance(real.type, Scalar)
        if dtype.kind != "c" or real.type.dtype.kind == "c":
            return convert(self.builder, real, Scalar(dtype))
        imaginary = self.builder("neg", self.along(by, direction(constant(1j, dtype))))
        parts = (convert(self.builder, x, Scalar(dtype.real)) for x in (real, imaginary))
        return self.builder("complex", *parts)

    def along(self, by: Value, direction: Operand) -> Operand:
        """The derivative of the first result where one parameter moves and the others stay."""
        still = [direction if other is by else self.zero(other) for other in self.wrt]
        return inlined(self.builder, self.tangent, (*self.parameters, *still))[self.results]

    def zero(self, parameter: Value) -> Operand:
        if not isinstance(parameter.type, Array):
            return zero_like(parameter)
        extents = extents_of(self.builder, parameter)
        flat = self.builder("alloc", product(self.builder, extents), dtype=parameter.type.dtype, fill="zeros")
        return of_type(self.builder, _shaped(self.builder, flat, parameter, extents), parameter.type)


def _shaped(builder: Builder, flat: Value, like: Value, extents: Sequence[Operand]) -> Value:
    """Elements in one row as an array of the extents of a parameter, and in its order."""
    assert isinstance(like.type, Array)
    if len(extents) == 1:
        return flat
    if like.type.layout != "F":
        return builder("reshape", flat, *extents)
    backwards = tuple(reversed(range(len(extents))))
    return builder("transpose", builder("reshape", flat, *reversed(extents)), permutation=backwards)
