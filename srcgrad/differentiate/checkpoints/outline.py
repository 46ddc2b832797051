"""Loops with checkpoints, made calls of a function with a rule, before a program is reversed.

The call gives the last state in fresh memory. Arrays from outside get what was written to them back::

    with for_(T, c, checkpoint=64000000) as (s,): ... u ...   ->   s, u_new = call(T, c, u, x, callee='f_loop', ...)
                                                                  u[...] = u_new

How the rule's two functions go about it is the matter of ``sweeps``. Loops through which no derivative goes stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from srcgrad.analysis.effects import Effects
from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sums import only_sums
from srcgrad.differentiate.activity import Activity, differentiable, find_active
from srcgrad.differentiate.callees import Callees, Pattern
from srcgrad.differentiate.checkpoints import schedule
from srcgrad.differentiate.checkpoints.backward_sweep import Active, backward_sweep
from srcgrad.differentiate.checkpoints.forward_sweep import forward_sweep
from srcgrad.differentiate.checkpoints.marks import MARK, OPTIONAL, without_mark
from srcgrad.differentiate.checkpoints.memory import copy, ordered
from srcgrad.differentiate.checkpoints.segment import Segment, segment_of
from srcgrad.differentiate.checkpoints.snapshots import as_callee
from srcgrad.differentiate.checkpoints.state import LoopState, state_of
from srcgrad.differentiate.nests import FEW
from srcgrad.differentiate.rules import with_forward_sweeps
from srcgrad.errors import UnsupportedError
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Rules, Value, walk
from srcgrad.ir.rewrite import Environment, renamed, rewrite_block, substitute_op
from srcgrad.ir.types import Array, Type
from srcgrad.primitives.table import new_builder

# The pullback of a segment with all that it keeps, from which the bytes per iteration are read.
Planned = Callable[[Function], Function]


def outline_checkpoints(function: Function, inputs: Sequence[Value], callees: Callees, planned: Planned) -> Function:
    """The function with its marked loops as calls; what they call is added to the callees."""
    if not any(MARK in op.attributes for op in walk(function.body)):
        return function
    body = _Outliner(function, inputs, callees, planned).block(function.body)
    return replace(function, body=rewrite_block(body, {}, without_mark))


class _Outliner:
    def __init__(self, function: Function, inputs: Sequence[Value], callees: Callees, planned: Planned) -> None:
        self.function = function
        self.callees = callees
        self.planned = planned
        self.effects = Effects(function)
        self.extents = Extents(function)
        self.activity = find_active(function, inputs, reverse=True)
        self.names: Environment = {}

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            loop = self._chosen(op)
            if loop is not None:
                ops += self._loop(loop)
                continue
            blocks = tuple(self.block(b) for b in op.blocks)
            ops.append(substitute_op(replace(op, blocks=blocks) if blocks else op, self.names))
        return Block(block.parameters, tuple(ops), tuple(renamed(y, self.names) for y in block.yields))

    def _chosen(self, op: Op) -> LoopState | None:
        """The parts of a loop that is to have checkpoints; None for anything else."""
        if MARK not in op.attributes or not self._is_active(op):
            return None
        if OPTIONAL not in op.attributes:
            return state_of(op, self.effects)
        try:
            loop = state_of(op, self.effects)
        except UnsupportedError:
            return None
        independent = not loop.arrays and only_sums(op)
        few = isinstance(op.operands[0], Const) and op.operands[0].value.real <= FEW
        return None if independent or few else loop

    def _is_active(self, op: Op) -> bool:
        inside = (x for inner in walk(op.blocks[0]) for x in (*inner.operands, *inner.results))
        return any(x in self.activity for x in (*op.results, *inside))

    def _loop(self, loop: LoopState) -> list[Op]:
        op = loop.op
        active = _active(loop, self.activity)
        name = self._free_name()
        segment = segment_of(loop, f"{name}_steps", self.extents, self.function)
        pullback = self._pullback(segment, active)
        operands = tuple(renamed(x, self.names) for x in loop.operands)
        wrt = tuple(k for k, x in enumerate(loop.operands) if differentiable(x))
        into = [x in self.activity and a for x, a in zip(loop.operands[1:], active.all, strict=True)]
        planned = self.planned(self.callees.primals[pullback])
        forward = forward_sweep(segment, f"{name}_forward", op.integer(MARK), planned)
        backward = backward_sweep(segment, f"{name}_backward", pullback, active, into)
        results = (*(op.results[k] for k in (*loop.scalars, *loop.references)), *loop.changed, *loop.filled)
        body = replace(forward.body, yields=forward.body.yields[: len(results)])
        rules = Rules(wrt, "", forward.name, backward.name, tuple(k + 1 for k, chosen in enumerate(into) if chosen))
        whole = Function(name, body, {}, op.location, rules)
        scheduling = (as_callee(schedule.first_advance), as_callee(schedule.unit_length))
        self.callees.primals.update({f.name: f for f in (whole, forward, backward, *scheduling)})
        given = tuple(Value(x.type, getattr(x, "name", "")) for x in body.yields)
        types: tuple[Type, ...] = tuple(v.type for v in given)
        call = Op("call", operands, given, (), {"callee": name, "types": types}, op.location)
        carried = len(loop.scalars) + len(loop.references)
        self.names.update(zip(results[:carried], given[:carried], strict=True))
        return [call, *self._written_back(list(zip(results[carried:], given[carried:], strict=True)), op)]

    def _free_name(self) -> str:
        taken = self.callees.primals
        base = f"{self.function.name}_loop"
        candidates = (base if k == 0 else f"{base}_{k}" for k in range(len(taken) + 1))
        return next(c for c in candidates if c not in taken)

    def _pullback(self, segment: Segment, active: Active) -> str:
        """The name of the pullback of a segment, built and added to the callees."""
        primals = self.callees.primals
        name = segment.function.name
        primals[name] = replace(segment.differentiated(), callees={})
        pullback = self.callees.derivative(name, _pattern(segment, active))
        primals.update(self.callees.derived)
        primals[name] = replace(with_forward_sweeps(replace(segment.function, callees=primals)), callees={})
        return pullback

    def _written_back(self, pairs: Sequence[tuple[Value, Value]], op: Op) -> list[Op]:
        """The arrays from outside as the loop left them."""
        builder = new_builder()
        builder.location = op.location
        builder.open()
        for array, new in pairs:
            target = renamed(array, self.names)
            assert isinstance(target, Value)
            copy(builder, new, target)
        return list(builder.close().ops)


def _active(loop: LoopState, activity: Activity) -> Active:
    def of(values: Sequence[Operand]) -> list[bool]:
        return [v in activity for v in values]

    return Active(
        of([loop.carried[k] for k in loop.scalars]),
        of(loop.arrays),
        of(loop.filled),
        of(loop.read),
        of(loop.constants),
    )


def _pattern(segment: Segment, active: Active) -> Pattern:
    """The active parameters of a segment, each with the type of its twin."""
    flags = [active.scalars, active.arrays, active.arrays, active.filled, active.read, active.constants]
    pattern: list[tuple[int, Type]] = []
    position = 2
    for part, chosen in zip(segment.parts(), flags, strict=True):
        for parameter, is_active in zip(part, chosen, strict=True):
            if is_active:
                kind = ordered(parameter) if isinstance(parameter.type, Array) else parameter.type
                pattern.append((position, kind))
            position += 1
    return tuple(pattern)
