"""What is known of the integers of a program at each op: enough to prove that an index is in range.

Besides what holds anyway (`proofs`), branches, checks and loops add facts that hold on the way to an op. A check that
passes for one of several reasons (in range, or the loop does not run) is a *clause*: where all but one are refuted,
the last one holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from srcgrad.analysis.affine import Affine
from srcgrad.analysis.conditions import alternatives
from srcgrad.analysis.inequalities import fact
from srcgrad.analysis.proofs import Proofs
from srcgrad.ir.core import Block, Op, Operand, Value, defined
from srcgrad.ir.types import INDEX, Array


@dataclass
class IndexRanges(Proofs):
    """Facts about the integers of a function, and those in force at the op that ``walk`` has reached."""

    _clauses: list[list[Operand]] = field(init=False, default_factory=list)  # of each, one condition holds
    _learned: dict[Op, list[Affine]] = field(init=False, default_factory=dict)

    def learn(self, op: Op, known: Affine) -> None:
        """From this op on the fact is in force, where the op is."""
        self._learned.setdefault(op, []).append(known)

    def always_passes(self, check: Op) -> bool:
        """Whether a check holds by what is in force before it: one of its conditions does if the others do not."""
        conditions = alternatives(check.operands[0], self.definitions.op)
        for condition in conditions:
            opposite = [f for x in conditions if x is not condition for f in self.implied(x, False)]
            with self.assuming(opposite), self._resolving():
                if self.decides(condition):
                    return True
        return False

    @contextmanager
    def _resolving(self) -> Iterator[None]:
        """Inside, the last condition holds of clauses of which all others are refuted by now."""
        outside = self._clauses
        left = [[x for x in clause if self.decides(x) is not False] for clause in outside]
        self._clauses = [clause for clause in left if len(clause) > 1]
        with self.assuming([f for clause in left if len(clause) == 1 for f in self.implied(clause[0], True)]):
            yield
        self._clauses = outside

    def walk(self, reached: Callable[[Op], None]) -> None:
        """Call back at every op, before its blocks, with the facts in force there."""
        self._walk(self.function.body, reached)

    def _walk(self, block: Block, reached: Callable[[Op], None]) -> None:
        facts: list[Affine] = []
        clauses, before = len(self._clauses), self._state
        for op in block.ops:
            reached(op)
            for inner, known in zip(op.blocks, self._inside(op), strict=True):
                with self.assuming(known), self._resolving():
                    self._walk(inner, reached)
            after = self._after(op)
            self._assume(after)
            facts += after
        self._drop(facts, before)
        del self._clauses[clauses:]

    def _inside(self, op: Op) -> list[list[Affine]]:
        match op.primitive:
            case "if":
                return [self.implied(op.operands[0], holds) for holds in (True, False)]
            case "for":
                return [self.counter_facts(op)]
            case "while":
                return [[], self._test_facts(op)]
        return [[] for _ in op.blocks]

    def _test_facts(self, op: Op) -> list[Affine]:
        """What the test of a ``while`` says of the body's parameters."""
        test, body = op.blocks
        if test.yields[0] in test.parameters:
            return self._carried_test_facts(op, test.parameters.index(test.yields[0]))
        names = dict(zip(test.parameters, body.parameters, strict=True))
        inside = set(defined(test))
        known = []
        for form in self.implied(test.yields[0], True):
            if all(v in names or v not in inside for v in form.terms):
                known.append(Affine({names.get(v, v): c for v, c in form.terms.items()}, form.constant))
        return known

    def _carried_test_facts(self, op: Op, position: int) -> list[Affine]:
        """The same where the condition is carried: computed before the loop, and at the end of each iteration."""
        body = op.blocks[-1]
        inside = set(defined(body))
        steps = {p: self.affine(y) - fact(p) for p, y in zip(body.parameters, body.yields, strict=True) if _counts(p)}
        starts = {p: self.affine(x) for p, x in zip(body.parameters, op.operands, strict=True) if _counts(p)}
        at_start = self.implied(op.operands[position], True)
        known = []
        for form in self.implied(body.yields[position], True):
            moving = [v for v in form.terms if v in inside]
            if not all(v in steps and steps[v].is_constant for v in moving):
                continue
            # In terms of what the next iteration starts with, and of what the first one does.
            shift = sum(form.terms[v] * steps[v].constant for v in moving)
            form = form - shift
            first = form
            for v in moving:
                first = first + (starts[v] - fact(v)) * form.terms[v]
            with self.assuming(at_start):
                if self.proves(first):
                    known.append(form)
        return known

    def _after(self, op: Op) -> list[Affine]:
        """What holds once an op has run: a check was passed, an extent is not negative."""
        if op.primitive == "check":
            conditions = alternatives(op.operands[0], self.definitions.op)
            if len(conditions) > 1:
                self._clauses.append(conditions)
            return self.implied(op.operands[0], True)
        if op in self._learned:
            return self._learned[op]
        if op.primitive in ("alloc", "reshape", "slice"):
            assert isinstance(op.result.type, Array)
            shape = [self.extent(op.result, axis) for axis in range(op.result.type.rank)]
            return [n for n in shape if not n.is_constant]
        return []


def _counts(value: Value) -> bool:
    return value.type == INDEX
