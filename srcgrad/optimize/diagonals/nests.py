"""Two counted loops, one inside the other, that may run along antidiagonals: what they do, and what allows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from srcgrad.analysis.accesses import Access, Definitions, indices
from srcgrad.analysis.distances import Distance, Plane, keeps_order
from srcgrad.analysis.prices import is_dear
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.sums import sums
from srcgrad.ir.core import LOOPS, Op, Operand, Value, defined, is_zero, used, walk
from srcgrad.primitives.table import Effect, effect

MARKS = ("threads", "checkpoint")  # of loops that are left alone
ACCESSES = ("load", "store", "accumulate")


@dataclass(frozen=True)
class Memory:
    """What is known of the arrays of a whole function."""

    sites: Sites
    definitions: Definitions


@dataclass(frozen=True)
class Nest:
    """A loop over rows, with what each row does before and after the loop over its cells.

    ``merges`` says what stands for the numbers that the inner loop carries where every cell is an iteration of its
    own: what the outer loop carries, or 0 for a sum that the row adds to something.
    """

    outer: Op
    inner: Op
    merges: Mapping[Value, Operand]
    accesses: Mapping[Op, Access]

    @property
    def before(self) -> Sequence[Op]:
        ops = self.outer.blocks[0].ops
        return ops[: ops.index(self.inner)]

    @property
    def after(self) -> Sequence[Op]:
        ops = self.outer.blocks[0].ops
        return ops[ops.index(self.inner) + 1 :]

    @property
    def plane(self) -> Plane:
        body = self.outer.blocks[0]
        return Plane(body.parameters[0], self.inner.blocks[0].parameters[0], frozenset(defined(body)))

    @property
    def is_dear(self) -> bool:
        return any(map(is_dear, walk(self.inner.blocks[0])))

    @property
    def waits_in_rows(self) -> bool:
        """Whether a cell needs, or changes, what the one before it in its row has written."""
        return any(d is not None and d.outer in (0, None) and d.inner != 0 for d in self.distances())

    @property
    def waits_in_columns(self) -> bool:
        """The same of a cell in a row before."""
        return any(d is not None and d.outer != 0 for d in self.distances())

    def distances(self) -> Iterator[Distance | None]:
        """Between each write and all else that touches its array; what is only added to comes in any order."""
        for op, access in self.accesses.items():
            if effect(op.primitive) is not Effect.WRITE:
                continue
            for other, its in self.accesses.items():
                if its.root is access.root and not (op.primitive == other.primitive == "accumulate"):
                    yield self.plane.distance(access, its)


def nest_of(loop: Op, memory: Memory) -> Nest | None:
    """The nest that a loop begins, if it may run along antidiagonals."""
    inner = only_loop(loop)
    if inner is None or not _allowed(loop, inner):
        return None
    merges = _merges(loop, inner)
    accesses = _accesses(loop, memory)
    if merges is None or accesses is None:
        return None
    nest = Nest(loop, inner, merges, accesses)
    return nest if _rows_do_not_matter(nest) and all(map(keeps_order, nest.distances())) else None


def only_loop(loop: Op) -> Op | None:
    """The loop directly inside, if there is one, of the same length in each iteration, and none in it."""
    if loop.primitive != "for" or any(mark in loop.attributes for mark in MARKS):
        return None
    with_blocks = [op for op in loop.blocks[0].ops if op.blocks]
    if len(with_blocks) != 1 or with_blocks[0].primitive != "for":
        return None
    (inner,) = with_blocks
    if inner.operands[0] in set(defined(loop.blocks[0])) or any(mark in inner.attributes for mark in MARKS):
        return None
    return None if any(op.primitive in LOOPS for op in walk(inner.blocks[0])) else inner


def _allowed(loop: Op, inner: Op) -> bool:
    """Whether all is computing, reading and writing, and what a row does once may be done for each of its cells."""
    kinds = (Effect.PURE, Effect.CONTROL)
    if not all(effect(op.primitive) in kinds or op.primitive in ACCESSES for op in walk(loop.blocks[0])):
        return False
    ops = loop.blocks[0].ops
    position = ops.index(inner)
    before, after = ops[:position], ops[position + 1 :]
    return (
        not any(map(is_dear, (*before, *after)))
        and all(effect(op.primitive) is Effect.PURE or op.primitive == "load" for op in before)
        and all(effect(op.primitive) is Effect.PURE or op.primitive == "accumulate" for op in after)
    )


def _merges(loop: Op, inner: Op) -> Mapping[Value, Operand] | None:
    """What stands for each number that the inner loop carries; None where they are more than sums."""
    body = loop.blocks[0]
    if set(sums(inner)) != set(range(len(inner.results))):
        return None
    merges: dict[Value, Operand] = {}
    totals: set[Operand] = set()  # what a row has added up, which is 0 for no cells and else the sum over its cells
    passed: dict[Operand, Operand] = {}  # the result of the inner loop -> what the outer one carries
    carried = zip(inner.operands[1:], inner.blocks[0].parameters[1:], inner.results, strict=True)
    for initial, parameter, result in carried:
        if is_zero(initial):
            totals.add(result)
        elif initial in body.parameters[1:]:
            passed[result] = initial
        else:
            return None
        merges[parameter] = initial
    return merges if _adds_totals(loop, inner, totals, passed) else None


def _adds_totals(loop: Op, inner: Op, totals: set[Operand], passed: dict[Operand, Operand]) -> bool:
    """Whether sums over a row go to memory, or to what the outer loop carries, and nowhere else."""
    body = loop.blocks[0]
    uses = Counter(used(body))
    carried = set(body.parameters[1:])
    for op in body.ops[body.ops.index(inner) + 1 :]:
        added = [x for x in op.operands if x in totals]
        if op.primitive == "accumulate" and added != [op.operands[-1]]:
            return False
        if op.primitive == "accumulate" or not added:
            continue
        if op.primitive == "neg":
            totals.add(op.result)
        elif op.primitive in ("add", "sub") and len(added) == 1:
            total = op.operands[1] if op.operands[0] is added[0] else op.operands[0]
            if total not in carried or (op.primitive == "sub" and total is op.operands[1]):
                return False
            passed[op.result] = total
        else:
            return False
    once = all(uses[x] == 1 for x in (*passed, *carried) if isinstance(x, Value))
    return (
        once
        and not totals.intersection(body.yields)
        and all(passed.get(y) is p for p, y in zip(body.parameters[1:], body.yields, strict=True))
    )


def _accesses(loop: Op, memory: Memory) -> Mapping[Op, Access] | None:
    """All accesses, if what is written is known by one name each."""
    inside = set(defined(loop.blocks[0]))
    accesses: dict[Op, Access] = {}
    for op in walk(loop.blocks[0]):
        array = op.operands[0] if op.primitive in ACCESSES else None
        if isinstance(array, Value):
            accesses[op] = memory.definitions.access(array, indices(op))
    roots = {access.root for access in accesses.values()}
    if not roots.isdisjoint(inside):
        return None
    for root in {accesses[op].root for op in accesses if effect(op.primitive) is Effect.WRITE}:
        if any(root is not r and memory.sites.sites(root) & memory.sites.sites(r) for r in roots):
            return None
    return accesses


def _rows_do_not_matter(nest: Nest) -> bool:
    """What a row reads first the nest does not change, and what it adds to last the nest only adds to."""
    kinds: dict[Value, set[str]] = {}
    for op, access in nest.accesses.items():
        kinds.setdefault(access.root, set()).add(op.primitive)
    for op in (*nest.before, *nest.after):
        if op in nest.accesses and len(kinds[nest.accesses[op].root]) > 1:
            return False
    return True
