"""How long is each axis of each array? The extents given at allocation, followed through views and loop carries.

An extent is an operand in scope wherever the array is, or ``Dim(array, axis)``: what only that reference knows
(of a parameter, of what a call returned, of a carry whose extent changes). Carries are solved optimistically: an
extent is the initial one until some iteration is seen to yield another. ``u, u_new = u_new, u`` needs that. Another is
one that no check in front of the loop has found to be equal.
"""

from __future__ import annotations

from typing import NamedTuple

from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, first_carried, index, walk
from srcgrad.ir.types import Array
from srcgrad.primitives.memory import slice_parts


class Dim(NamedTuple):
    array: Value
    axis: int


Extent = Const | Value | Dim
Shape = tuple[Extent, ...]


class Extents:
    """The shape of every array value of a function, and which integers are extents."""

    def __init__(self, function: Function) -> None:
        self.shapes: dict[Value, Shape] = {}
        self._named: dict[Value, Extent] = {}  # the result of a `dim` -> what it is
        self._opaque: set[Dim] = set()  # axes of carries and merges that vary
        self._compared: dict[Operand, tuple[Extent, Extent]] = {}  # the result of an `eq` -> what is equal if it holds
        self._equal: dict[Extent, Extent] = {}  # by checks that were passed: what stands for an extent
        for parameter in function.parameters:
            self._give(parameter, None)
        known = -1
        while known != len(self._opaque):
            known = len(self._opaque)
            self._block(function.body)

    def of(self, operand: Operand) -> Shape:
        assert isinstance(operand, Value)
        return self.shapes[operand]

    def canonical(self, operand: Operand) -> Extent:
        """An integer operand by its simplest name: equal results mean equal numbers."""
        return self._named.get(operand, operand) if isinstance(operand, Value) else operand

    def runs_over(self, nest: Op, array: Value) -> bool:
        """Whether a nest of loops, one inside the other, has the extents of an array for its trip counts."""
        trips: list[Extent] = []
        while nest.primitive == "for":
            trips.append(self.canonical(nest.operands[0]))
            nest = nest.blocks[0].ops[0]
        return tuple(trips) == self.of(array)

    def _give(self, value: Value, shape: Shape | None) -> None:
        """Record a shape (None: nothing known), but for axes whose extent is 1 by type or was seen to vary."""
        if not isinstance(value.type, Array):
            return
        extents: list[Extent] = []
        for axis in range(value.type.rank):
            own = Dim(value, axis)
            if axis in value.type.ones:
                extents.append(index(1))
            else:
                extents.append(own if shape is None or own in self._opaque else shape[axis])
        self.shapes[value] = tuple(extents)

    def _meet(self, value: Value, shape: Shape) -> None:
        """Another shape that the value may have; an axis where it differs becomes opaque."""
        for axis, (old, new) in enumerate(zip(self.shapes[value], shape, strict=True)):
            if self._found_equal(old) != self._found_equal(new):
                self._opaque.add(Dim(value, axis))
        self._give(value, self.shapes[value])

    def _found_equal(self, extent: Extent) -> Extent:
        """What stands for all extents that are equal to this by the checks passed so far; a literal if there is one."""
        while extent in self._equal:
            extent = self._equal[extent]
        return extent

    def _passed(self, condition: Operand) -> None:
        if condition not in self._compared:
            return
        one, other = map(self._found_equal, self._compared[condition])
        if isinstance(one, Const):
            one, other = other, one
        if one != other and not isinstance(one, Const) and other not in (index(0), index(1)):
            self._equal[one] = other

    def _block(self, block: Block) -> None:
        before = dict(self._equal)
        for op in block.ops:
            self._op(op)
        self._equal = before

    def _op(self, op: Op) -> None:
        match op.primitive:
            case "dim":
                self._named[op.result] = self.of(op.operands[0])[op.integer("axis")]
            case "alloc":
                self._give(op.result, tuple(self.canonical(n) for n in op.operands))
            case "reshape":
                self._give(op.result, tuple(self.canonical(n) for n in op.operands[1:]))
            case "slice" | "transpose" | "expand" | "relax":
                self._give(op.result, self._viewed(op))
            case "eq":
                one, other = map(self.canonical, op.operands)
                self._compared[op.result] = one, other
            case "check":
                self._passed(op.operands[0])
            case "if":
                self._if(op)
            case "for" | "while":
                self._loop(op)
            case _:
                for result in op.results:
                    self._give(result, None)

    def _viewed(self, op: Op) -> Shape:
        source = self.of(op.operands[0])
        match op.primitive:
            case "transpose":
                permutation = op.attributes["permutation"]
                assert isinstance(permutation, tuple)
                return tuple(source[axis] for axis in permutation if isinstance(axis, int))
            case "expand":
                axes, kept = op.attributes["axes"], iter(source)
                assert isinstance(axes, tuple)
                return tuple(index(1) if k in axes else next(kept) for k in range(len(source) + len(axes)))
            case "slice":
                return self._sliced(op, source)
        return source

    def _sliced(self, op: Op, source: Shape) -> Shape:
        shape = []
        for extent, (letter, taken) in zip(source, slice_parts(op.text("axes"), op.operands[1:]), strict=True):
            if letter != "i":
                shape.append(self.canonical(taken[1]) if letter == "s" else extent)
        return tuple(shape)

    def _if(self, op: Op) -> None:
        then, otherwise = op.blocks
        self._block(then)
        self._block(otherwise)
        for result, left, right in zip(op.results, then.yields, otherwise.yields, strict=True):
            if isinstance(result.type, Array):
                self._give(result, self.of(left))
                self._meet(result, self.of(right))

    def _loop(self, op: Op) -> None:
        first = first_carried(op)
        body = op.blocks[-1]
        for block in op.blocks:
            for parameter, initial in zip(block.parameters[first:], op.operands[first:], strict=True):
                if isinstance(parameter.type, Array):
                    self._give(parameter, self._initial(initial))
            self._block(block)
        for k, result in enumerate(op.results):
            if not isinstance(result.type, Array):
                continue
            self._give(result, self._initial(op.operands[first + k]))
            for carried in (*(b.parameters[first + k] for b in op.blocks), result):
                self._meet(carried, self.of(body.yields[k]))

    def _initial(self, operand: Operand) -> Shape:
        """The shape that what is carried has in front of a loop."""
        return tuple(map(self._found_equal, self.of(operand)))


def pinned(function: Function) -> frozenset[Value]:
    """Values that give an array its extent, and so must not become the constant 1: that would change its type."""
    found: set[Value] = set()
    for op in walk(function.body):
        operands: tuple[Operand, ...] = ()
        if op.primitive == "alloc":
            operands = op.operands
        elif op.primitive == "reshape":
            operands = op.operands[1:]
        elif op.primitive == "slice":
            operands = op.operands[1:]  # starts and steps too: no harm is done by keeping a value
        found.update(x for x in operands if isinstance(x, Value))
    return frozenset(found)
