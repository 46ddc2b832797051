"""Which memory may an array value point to?

A *site* is an allocation (the result of ``alloc``), an array parameter of the function, or the array result
of a call. A *token* is a site and the set of loops whose carry the reference passed through: an allocation
inside a loop is fresh memory in each iteration, and a token without the loop's mark is the instance born in the
current iteration, one with it an instance of an earlier iteration. Loops around which the site is not born leave no
mark: its instance is the same in all their iterations.

The tokens of all array values are the least fixed point over loop carries. A loop is named by its body block.
"""

from __future__ import annotations

from typing import NamedTuple

from srcgrad.ir.core import Block, Function, Op, Operand, Value, first_carried
from srcgrad.ir.types import Array, Stack
from srcgrad.primitives.table import Effect, effect


class Token(NamedTuple):
    site: Value
    carried: frozenset[Block]  # the loops around its birth whose carry it came through


Tokens = frozenset[Token]
NOWHERE: Tokens = frozenset()


class Sites:
    """The tokens of every array value of a function, and where each site is born."""

    def __init__(self, function: Function) -> None:
        self.tokens: dict[Value, Tokens] = {}
        self.birth: dict[Value, tuple[Block, ...]] = {}  # site -> the loop bodies around it, outermost first
        self.parameters = frozenset(p for p in function.parameters if isinstance(p.type, Array))
        self._flows: dict[Value, list[_Flow]] = {}
        # Callees that give fresh memory, never what they are given.
        self._fresh = frozenset(name for name, callee in function.callees.items() if callee.rules is not None)
        for parameter in self.parameters:
            self.birth[parameter] = ()
        self._block(function.body, ())
        self._propagate()

    def of(self, operand: Operand) -> Tokens:
        return self.tokens.get(operand, NOWHERE) if isinstance(operand, Value) else NOWHERE

    def sites(self, operand: Operand) -> frozenset[Value]:
        return frozenset(t.site for t in self.of(operand))

    def learn(self, op: Op) -> None:
        """Hear of memory that was made since, or of a view; what is made in a loop is not told by iterations."""
        if op.primitive == "alloc":
            self.tokens.setdefault(op.result, frozenset((Token(op.result, frozenset()),)))
        elif effect(op.primitive) is Effect.VIEW:
            self.tokens.setdefault(op.result, self.of(op.operands[0]))

    def _propagate(self) -> None:
        """Follow every site along the flows of references until nothing new arrives anywhere."""
        pending = [(site, Token(site, frozenset())) for site in self.birth]
        reached: dict[Value, set[Token]] = {}
        while pending:
            value, token = pending.pop()
            known = reached.setdefault(value, set())
            if token in known:
                continue
            known.add(token)
            for flow in self._flows.get(value, ()):
                pending.append((flow.target, flow.carry(token, self.birth)))
        self.tokens = {value: frozenset(tokens) for value, tokens in reached.items()}

    def _flow(self, source: Operand, target: Value, loop: Block | None = None, *, stacked: bool = False) -> None:
        if isinstance(source, Value) and isinstance(target.type, Array | Stack):
            self._flows.setdefault(source, []).append(_Flow(target, loop, stacked))

    def _block(self, block: Block, loops: tuple[Block, ...]) -> None:
        for op in block.ops:
            self._op(op, loops)

    def _op(self, op: Op, loops: tuple[Block, ...]) -> None:
        match effect(op.primitive):
            case Effect.ALLOCATE:
                self.birth[op.result] = loops
            case Effect.VIEW:
                self._flow(op.operands[0], op.result)
            case Effect.CONTROL:
                self._control(op, loops)
            case Effect.CALL:
                self._call(op, loops)
            case Effect.STACK:
                self._stack(op)
            case _:
                assert not any(isinstance(r.type, Array) for r in op.results), f"unknown memory: {op.primitive}"

    def _control(self, op: Op, loops: tuple[Block, ...]) -> None:
        body = op.blocks[-1]
        for inner in op.blocks:
            self._block(inner, loops if op.primitive == "if" else (*loops, body))
        if op.primitive == "if":
            for inner in op.blocks:
                for result, yielded in zip(op.results, inner.yields, strict=True):
                    self._flow(yielded, result)
            return
        first = first_carried(op)
        for k, result in enumerate(op.results):
            receivers = [inner.parameters[first + k] for inner in op.blocks]
            for receiver in (*receivers, result):
                self._flow(op.operands[first + k], receiver)
                self._flow(body.yields[k], receiver, body)

    def _call(self, op: Op, loops: tuple[Block, ...]) -> None:
        for result in op.results:
            if isinstance(result.type, Array):
                self.birth[result] = loops
                for operand in () if op.text("callee") in self._fresh else op.operands:
                    self._flow(operand, result)

    def _stack(self, op: Op) -> None:
        if op.primitive == "push" and isinstance(op.operands[0], Value):
            self._flow(op.operands[1], op.operands[0], stacked=True)
        elif op.primitive == "pop":
            self._flow(op.operands[0], op.result)


class _Flow(NamedTuple):
    """A reference goes to a value: as it is, through the carry of a loop, or through a stack."""

    target: Value
    loop: Block | None
    stacked: bool

    def carry(self, token: Token, birth: dict[Value, tuple[Block, ...]]) -> Token:
        """What is popped may be any instance of what was pushed: marked as carried through every loop around it."""
        if self.stacked:
            return Token(token.site, token.carried.union(birth[token.site]))
        if self.loop is None or self.loop not in birth[token.site]:
            return token
        return Token(token.site, token.carried | {self.loop})
