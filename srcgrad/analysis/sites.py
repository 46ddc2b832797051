"""Which memory may an array value point to?

A *site* is an allocation (the result of ``alloc``), an array parameter of the function, or the array result
of a call. A *token* is a site and the set of loops whose carry the reference passed through: an allocation
inside a loop is fresh memory in each iteration, and a token without the loop's mark is the instance born in the
current iteration, one with it an instance of an earlier iteration.

The tokens of all array values are the least fixed point over loop carries. A loop is named by its body block.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from srcgrad.ir.core import Block, Function, Op, Operand, Value
from srcgrad.ir.types import Array, Stack
from srcgrad.primitives.table import Effect, effect


class Token(NamedTuple):
    site: Value
    carried: frozenset[Block]  # the loops whose carry it came through


Tokens = frozenset[Token]
NOWHERE: Tokens = frozenset()


class Sites:
    """The tokens of every array value of a function, and where each site is born."""

    def __init__(self, function: Function) -> None:
        self.tokens: dict[Value, Tokens] = {}
        self.birth: dict[Value, tuple[Block, ...]] = {}  # site -> the loop bodies around it, outermost first
        self.parameters = frozenset(p for p in function.parameters if isinstance(p.type, Array))
        for parameter in self.parameters:
            self._born(parameter, ())
        self._changed = True
        while self._changed:
            self._changed = False
            self._block(function.body, ())

    def of(self, operand: Operand) -> Tokens:
        return self.tokens.get(operand, NOWHERE) if isinstance(operand, Value) else NOWHERE

    def sites(self, operand: Operand) -> frozenset[Value]:
        return frozenset(t.site for t in self.of(operand))

    def _born(self, site: Value, loops: tuple[Block, ...]) -> None:
        self.birth[site] = loops
        self._add(site, [Token(site, frozenset())])

    def _add(self, value: Value, tokens: Iterable[Token]) -> None:
        old = self.tokens.get(value, NOWHERE)
        new = old | frozenset(tokens)
        if new != old:
            self.tokens[value] = new
            self._changed = True

    def _block(self, block: Block, loops: tuple[Block, ...]) -> None:
        for op in block.ops:
            self._op(op, loops)

    def _op(self, op: Op, loops: tuple[Block, ...]) -> None:
        match effect(op.primitive):
            case Effect.ALLOCATE:
                self._born(op.result, loops)
            case Effect.VIEW:
                self._add(op.result, self.of(op.operands[0]))
            case Effect.CONTROL:
                self._control(op, loops)
            case Effect.CALL:
                self._call(op, loops)
            case Effect.STACK:
                self._stack(op, loops)
            case _:
                assert not any(isinstance(r.type, Array) for r in op.results), f"unknown memory: {op.primitive}"

    def _control(self, op: Op, loops: tuple[Block, ...]) -> None:
        if op.primitive == "if":
            for inner in op.blocks:
                self._block(inner, loops)
                for result, operand in zip(op.results, inner.yields, strict=True):
                    self._add(result, self.of(operand))
            return
        body = op.blocks[-1]
        first = 1 if op.primitive == "for" else 0
        for inner in op.blocks:
            carried = inner.parameters[first:]
            for parameter, initial in zip(carried, op.operands[first:], strict=True):
                self._add(parameter, self.of(initial))
            self._block(inner, (*loops, body))
            for result, parameter in zip(op.results, carried, strict=True):
                self._add(result, self.of(parameter))
        for yielded, (*receivers,) in zip(
            body.yields, zip(op.results, *(b.parameters[first:] for b in op.blocks), strict=True), strict=True
        ):
            marked = [Token(t.site, t.carried | {body}) for t in self.of(yielded)]
            for receiver in receivers:
                self._add(receiver, marked)

    def _call(self, op: Op, loops: tuple[Block, ...]) -> None:
        arguments = [t for x in op.operands for t in self.of(x)]
        for result in op.results:
            if isinstance(result.type, Array):
                self._born(result, loops)
                self._add(result, arguments)

    def _stack(self, op: Op, loops: tuple[Block, ...]) -> None:
        """What is popped may be any instance of what was pushed: marked as carried through every loop around."""
        if op.primitive == "push":
            stack, value = op.operands
            assert isinstance(stack, Value)
            around = [frozenset(self.birth[t.site]) | t.carried for t in self.of(value)]
            self._add(stack, [Token(t.site, marks) for t, marks in zip(self.of(value), around, strict=True)])
        elif op.primitive == "pop" and isinstance(op.result.type, Array):
            self._add(op.result, self.of(op.operands[0]))
        elif op.primitive == "stack":
            assert isinstance(op.result.type, Stack)
