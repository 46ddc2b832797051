"""Which ops and values does a result, a caller or a raised error depend on? A demand-driven search from these.

A write is needed where its memory is: a parameter's, a result's, what a call takes, what a needed load reads.
An op inside blocks needs the ops around it to run; a carried value needs its start and what each iteration yields.
"""

from __future__ import annotations

from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import filled_by, silent_callees
from srcgrad.ir.core import Block, Function, Op, Operand, Value, first_carried
from srcgrad.ir.types import Array, Stack
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import Effect, effect


class Liveness:
    """``live`` holds the values and ``needed`` the ops that have a use."""

    def __init__(self, function: Function) -> None:
        self.live: set[Value] = set()
        self.needed: set[Op] = set()
        self._sites = Sites(function)
        self._around: dict[Op, Op | None] = {}
        self._origin: dict[Value, tuple[Op, int | None]] = {}  # by which op, as which carried value or result
        self._writes: dict[Value, list[Op]] = {}  # site -> stores into it
        self._read: set[Value] = set()  # sites whose content is needed
        self._stacks: dict[Value, list[Op]] = {}
        self._queue: list[Value] = []
        self._index(function.body, None)
        always = {Effect.GUARD, Effect.CALL} | ({Effect.STACK} if self._handed_on(function) else set())
        silent = silent_callees(function.callees)
        for op in self._around:
            callee = op.attributes.get("callee")
            passing = callee in silent or (callee in ROUTINES and not ROUTINES[str(callee)].lasting)
            if effect(op.primitive) in always and not passing:
                self._need(op)
        for site in self._sites.parameters:
            self._need_memory(site)
        for operand in function.results:
            self._demand(operand)
            self._need_content(operand)
        while self._queue:
            self._propagate(self._queue.pop())

    def _index(self, block: Block, around: Op | None) -> None:
        for op in block.ops:
            self._around[op] = around
            for k, result in enumerate(op.results):
                self._origin[result] = (op, k)
            for inner in op.blocks:
                first = first_carried(op)
                for k, parameter in enumerate(inner.parameters):
                    self._origin[parameter] = (op, k - first if k >= first else None)
                self._index(inner, op)
            for operand in filled_by(op):
                for site in self._sites.sites(operand):
                    self._writes.setdefault(site, []).append(op)
            if op.primitive in ("push", "pop") and isinstance(op.operands[0], Value):
                self._stacks.setdefault(op.operands[0], []).append(op)

    def _handed_on(self, function: Function) -> bool:
        """Whether a stack is a parameter, a result, a carry or the operand of a call: its pops are not all seen."""
        other = [op for op in self._around if op.primitive not in ("push", "pop")]
        used = [x for op in other for x in (*op.operands, *(y for block in op.blocks for y in block.yields))]
        return any(isinstance(x.type, Stack) for x in (*used, *function.parameters, *function.results))

    def _demand(self, operand: Operand) -> None:
        if isinstance(operand, Value) and operand not in self.live:
            self.live.add(operand)
            self._queue.append(operand)

    def _propagate(self, value: Value) -> None:
        if value not in self._origin:
            return  # a parameter of the function
        op, position = self._origin[value]
        self._need(op)
        if position is None or not op.blocks:
            return
        if op.primitive == "if":
            for block in op.blocks:
                self._demand(block.yields[position])
            return
        first = first_carried(op)
        self._demand(op.operands[first + position])
        self._demand(op.blocks[-1].yields[position])
        for block in op.blocks:  # one name for the carried value: all of them stay or none
            self._demand(block.parameters[first + position])
        self._demand(op.results[position])

    def _need(self, op: Op) -> None:
        """The op must run: with its operands, and everything around it."""
        if op in self.needed:
            return
        self.needed.add(op)
        around = self._around[op]
        if around is not None:
            self._need(around)
        match op.primitive:
            case "for" | "if":
                self._demand(op.operands[0])
            case "while":
                self._demand(op.blocks[0].yields[0])
            case _:
                for operand in op.operands:
                    self._demand(operand)
        match effect(op.primitive):
            case Effect.READ:
                self._need_content(op.operands[0])
            case Effect.CALL:
                routine = ROUTINES.get(op.text("callee"))
                for position, operand in enumerate(op.operands):
                    if routine is None or routine.takes(position):
                        self._need_content(operand)
            case Effect.STACK:
                self._need_stack(op)

    def _need_content(self, operand: Operand) -> None:
        if isinstance(operand.type, Array | Stack):
            for site in self._sites.sites(operand):
                self._need_memory(site)

    def _need_memory(self, site: Value) -> None:
        if site not in self._read:
            self._read.add(site)
            for op in self._writes.get(site, ()):
                self._need(op)

    def _need_stack(self, op: Op) -> None:
        """A pop that is needed takes what every push and pop before it left."""
        if op.primitive == "pop" and isinstance(op.operands[0], Value):
            for other in self._stacks[op.operands[0]]:
                self._need(other)
