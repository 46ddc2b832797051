"""Which results become part of the one expression that uses them.

A result is folded when it is an unnamed scalar, used once, later in its own block, and nothing in between can
change it: a load does not move past a store or a call that may touch the same memory, and nothing moves past a
loop or a branch. Folding only ever moves an expression down, to where its value is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from srcgrad.backend.facts import HEADER, Facts
from srcgrad.backend.identifiers import base_of
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, used, walk
from srcgrad.ir.types import INDEX, Scalar
from srcgrad.primitives.table import Effect, effect

# Longer expressions are broken up: what is folded must still be read.
LONGEST = 80
FOLDABLE = (Effect.PURE, Effect.READ)


def fold(function: Function, facts: Facts, carried: frozenset[Value] = frozenset()) -> dict[Value, Op]:
    """The folded results and the ops that make them; mere aliases are among them.

    ``carried`` are results that may also be folded into the copy at the end of a loop or a branch; all others
    keep a name there, which then usually needs no copy at all.
    """
    folding = _Folding(facts, Counter(used(function.body)), carried, next_versions(function))
    folding.block(function.body, ends=True)
    return folding.folded


def next_versions(function: Function) -> dict[Value, tuple[Value, ...]]:
    """For each value that a loop carries on, the parameters of the body that take it over."""
    versions: dict[Value, tuple[Value, ...]] = {}
    for op in walk(function.body):
        if op.primitive not in HEADER:
            continue
        body = op.blocks[-1]
        carried = body.parameters[len(body.parameters) - len(body.yields) :]
        for target, source in zip(carried, body.yields, strict=True):
            if isinstance(source, Value):
                versions[source] = (*versions.get(source, ()), target)
    return versions


def carried_past_writes(function: Function) -> frozenset[Value]:
    """What counted loops hand on to the next iteration, and write to memory after it.

    LLVM vectorises a loop that uses what the iteration before has handed on only if that is computed before the uses,
    and it moves nothing over a write to see to it (measured with Numba 0.68.1, LLVM 22).
    """
    found: set[Value] = set()
    for loop in (op for op in walk(function.body) if op.primitive in HEADER):
        body = loop.blocks[-1]
        writes = [k for k, op in enumerate(body.ops) if op.primitive in ("store", "accumulate")]
        before = {result for op in body.ops[: writes[-1] if writes else 0] for result in op.results}
        found.update(before.intersection(body.yields))
    return frozenset(found)


def same_base(old: Value, new: Value) -> bool:
    return bool(old.name) and base_of(old.name) == base_of(new.name)


@dataclass
class _Folding:
    facts: Facts
    uses: Counter[Value]
    carried: frozenset[Value]
    versions: dict[Value, tuple[Value, ...]]
    folded: dict[Value, Op] = field(default_factory=dict)

    def block(self, block: Block, ends: bool) -> None:
        """``ends``: the yields are printed as they stand, as those of a function and of a loop's test are."""
        for op in block.ops:
            for position, inner in enumerate(op.blocks):
                self.block(inner, ends=op.primitive == "while" and position == 0)
        candidates = self.candidates(block, ends)
        lengths: dict[Value, int] = {}
        for op in block.ops:
            self.keep_short(op, candidates, lengths)
            inside = [self.facts.definitions[v] for v in candidates.intersection(op.operands)]
            if self.repeatable(op) and all(map(self.repeatable, inside)):
                candidates.add(op.result)
        for op in block.ops:
            if len(op.results) == 1 and (op.result in candidates or self.facts.alias(op) is not None):
                self.folded[op.result] = op

    def candidates(self, block: Block, ends: bool) -> set[Value]:
        """Walk backwards: an op is printed where it stands, or where its only user is printed."""
        printed: dict[Value, int] = {}  # the place where each operand is needed
        candidates: set[Value] = set()
        for x in block.yields:
            if isinstance(x, Value) and (ends or x in self.carried):
                printed[x] = len(block.ops)
        for index in range(len(block.ops) - 1, -1, -1):
            op = block.ops[index]
            place = index
            there = printed.get(op.results[0]) if self.foldable(op) else None
            if there is not None and not any(self.disturbs(other, op) for other in block.ops[index + 1 : there]):
                place = there
                candidates.add(op.result)
            for x in self.direct_operands(op):
                printed[x] = place
        return candidates

    def direct_operands(self, op: Op) -> Iterable[Value]:
        """Operands that an op prints in place; the initial values of a loop are copies, which rather keep a name."""
        if op.primitive == "check_index":  # prints its operands several times
            yield from (x for x in op.operands if isinstance(x, Value) and self.is_extent(x))
            return
        count = HEADER.get(op.primitive, len(op.operands))
        yield from (x for x in op.operands[:count] if isinstance(x, Value))
        yield from (x for x in op.operands[count:] if isinstance(x, Value) and x in self.carried)

    def is_extent(self, value: Value) -> bool:
        op = self.facts.definitions.get(value)
        return op is not None and op.primitive == "dim"

    def foldable(self, op: Op) -> bool:
        if op.blocks or effect(op.primitive) not in FOLDABLE or len(op.results) != 1:
            return False
        result = op.result
        return (
            isinstance(result.type, Scalar) and self.uses[result] == 1 and (not result.name or result in self.carried)
        )

    def repeatable(self, op: Op) -> bool:
        """``i - 1`` and ``x.shape[0]`` are written out at each use, unless a loop carries them on."""
        if op.primitive == "dim" and not op.result.name and self.uses[op.result] > 0:
            return op.operands[0] in self.facts.parameters and op.result not in self.versions
        if op.primitive not in ("add", "sub") or op.result.type != INDEX or op.result.name:
            return False
        variable, literal = op.operands
        plain = isinstance(variable, Value) and isinstance(literal, Const)
        return plain and op.result not in self.versions and self.uses[op.result] > 0

    def disturbs(self, between: Op, op: Op) -> bool:
        if between.blocks or self.renews(between, op):
            return True
        if effect(op.primitive) is Effect.PURE:
            return False
        match effect(between.primitive):
            case Effect.WRITE:
                return self.facts.may_alias(between.operands[0], op.operands[0])
            case Effect.CALL:
                return True
        return False

    def renews(self, between: Op, op: Op) -> bool:
        """Does ``between`` make the next version of a variable that ``op`` reads? The two would need two names."""
        for old in op.operands:
            for new in between.results:
                if isinstance(old, Value) and (old in self.versions.get(new, ()) or same_base(old, new)):
                    return True
        return False

    def keep_short(self, op: Op, candidates: set[Value], lengths: dict[Value, int]) -> None:
        """Give up folding the longest operands until the expression has a readable length."""
        together = op.operands[:1] if op.primitive == "check" else op.operands  # its values stand elsewhere
        inside = [x for x in together if isinstance(x, Value) and x in candidates]
        inside.sort(key=lambda x: lengths[x])
        named = [x for x in together if x not in inside]
        total = sum(map(_length, named)) + sum(lengths[x] for x in inside)
        while inside and total > LONGEST:
            longest = inside.pop()
            total -= lengths[longest]
            candidates.discard(longest)
        for result in op.results:
            lengths[result] = total + {"load": 2, "dim": 9, "cast": 12}.get(op.primitive, 3)


def _length(operand: Operand) -> int:
    if isinstance(operand, Const):
        return len(repr(operand.value))
    return len(operand.name) or 2


def leaves(operands: Sequence[Operand], folded: dict[Value, Op]) -> frozenset[Value]:
    """The named values that an expression reads once folded results are replaced by what they read."""
    found: set[Value] = set()
    pending = [x for x in operands if isinstance(x, Value)]
    while pending:
        value = pending.pop()
        if value in folded:
            pending += [x for x in folded[value].operands if isinstance(x, Value)]
        else:
            found.add(value)
    return frozenset(found)
