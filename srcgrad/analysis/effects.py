"""May memory that was read be changed before the reverse sweep reads it again?

The question is asked of a load and of its *home*: the block that holds both the forward sweep around the load
and the reverse sweep. Only what runs later matters: later ops of the load's block and of every block around it,
up to the home, and all ops of every loop in between (its next iterations).

Each predicate that can be wrong silently stands alone under its own name; ``tests/rules`` replaces them one by
one and shows the program that then goes wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srcgrad.analysis.accesses import Access, Definitions, scope_of
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.apart import counters_along, grows_apart, least, never_equal, unequal_along, with_counter
from srcgrad.analysis.distinct import Distinct
from srcgrad.analysis.sites import Sites, Token
from srcgrad.analysis.written import written_by_callees
from srcgrad.ir.core import LOOPS, Block, Function, Op, Operand, Value
from srcgrad.ir.types import Array
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import Effect, effect

Path = tuple[tuple[Block, int], ...]  # (block, index of the op in it), outermost first
IndexPairs = Sequence[tuple[Affine | None, Affine | None]]  # of two accesses, per axis


@dataclass(frozen=True)
class Touch:
    """An access to memory by an op: which reference, which element (None: any)."""

    op: Op
    array: Value
    indices: tuple[Operand, ...] | None
    path: Path


class Effects:
    """All writes of a function, and what they may touch."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.sites = Sites(function)
        self.written = written_by_callees(function.callees)
        self.definitions = Definitions(function)
        self.scopes = scope_of(function)
        self.distinct = Distinct(function, self.sites, self.scopes, self.definitions)
        self.paths: dict[Op, Path] = {}
        self.writes: dict[Value, list[Touch]] = {}  # by site
        self.reads: dict[Value, list[Touch]] = {}
        self.loops: set[Block] = set()  # the bodies of all loops
        self.counted: set[Block] = set()  # those of `for` loops
        self._visit(function.body, ())

    def _visit(self, block: Block, around: Path) -> None:
        for position, op in enumerate(block.ops):
            path = (*around, (block, position))
            self.paths[op] = path
            if op.primitive in LOOPS:
                self.loops.add(op.blocks[-1])
            if op.primitive == "for":
                self.counted.add(op.blocks[0])
            for inner in op.blocks:
                self._visit(inner, path)
            for touch, table in self._touches(op, path):
                for site in self.sites.sites(touch.array):
                    table.setdefault(site, []).append(touch)

    def _touches(self, op: Op, path: Path) -> Iterator[tuple[Touch, dict[Value, list[Touch]]]]:
        kind = effect(op.primitive)
        if kind is Effect.CALL:
            written = self.written[op.text("callee")]
            routine = ROUTINES.get(op.text("callee"))
            for position, operand in enumerate(op.operands):
                if isinstance(operand, Value) and isinstance(operand.type, Array):
                    touch = Touch(op, operand, None, path)
                    if routine is None or routine.takes(position):
                        yield touch, self.reads
                    if position in written:
                        yield touch, self.writes
        elif kind in (Effect.READ, Effect.WRITE):
            array = op.operands[0]
            assert isinstance(array, Value) and isinstance(array.type, Array)
            exact = op.primitive in ("load", "store", "accumulate")
            indices = tuple(op.operands[1 : 1 + array.type.rank]) if exact else None
            touch = Touch(op, array, indices, path)
            yield touch, self.reads if kind is Effect.READ else self.writes
            if op.primitive == "accumulate":
                yield touch, self.reads

    def touch(self, load: Op) -> Touch:
        array = load.operands[0]
        assert isinstance(array, Value)
        return Touch(load, array, tuple(load.operands[1:]), self.paths[load])

    def writes_to(self, array: Operand) -> Iterator[Touch]:
        """Every write that may touch the memory of a reference, each once."""
        seen: set[int] = set()
        for site in self.sites.sites(array):
            for write in self.writes.get(site, ()):
                if id(write) not in seen:
                    seen.add(id(write))
                    yield write

    def may_change(self, load: Op, home: Block) -> bool:
        """Whether what ``load`` read may be different when the reverse sweep in ``home`` reads it again."""
        return not self.rereadable(self.touch(load), home)

    def may_have_changed(self, load: Op, home: Block) -> bool:
        """Whether what ``load`` read may have been different at the start of ``home``."""
        read = self.touch(load)
        return any(self.changes(write, read, home) for write in self.writes_to(read.array))

    def rereadable(self, read: Touch, home: Block) -> bool:
        """Whether nothing that was read is changed before the end of ``home``."""
        return not any(self.changes(read, write, home) for write in self.writes_to(read.array))

    def changes(self, read: Touch, write: Touch, home: Block) -> bool:
        """Whether the write may run after the read, before the end of ``home``, and touch the same element."""
        blocks = [block for block, _ in read.path]
        if home not in blocks or home not in (block for block, _ in write.path):
            return False
        start = blocks.index(home)
        common = shared_depth(read.path, write.path)
        assert common > start
        around = frozenset(block for block, _ in read.path[:common])
        if runs_later(read.path, write.path, common) and self.may_meet(read, write, around):
            return True
        between = [block for block in blocks[start + 1 : common] if block in self.loops]
        return any(self.may_meet_later(read, write, loop) for loop in between)

    def may_meet(self, read: Touch, write: Touch, around: frozenset[Block]) -> bool:
        """Whether both may touch one element within one iteration of every block of ``around``."""
        pairs = token_pairs(self.sites, read, write)
        if all(distinct_instances(self.sites, a, b, around) for a, b in pairs):
            return False
        one, other = self._access(read), self._access(write)
        if not self._visible(one.root, around) or not self._visible(other.root, around):
            return True
        if one.root is not other.root:
            return not self.distinct(one.root, other.root)
        pairs_of_indices = [*zip(one.indices, other.indices, strict=True)]
        if any(self._differ(a, b, around) for a, b in pairs_of_indices):
            return False
        return not self._apart(read, write, pairs_of_indices)

    def may_meet_later(self, read: Touch, write: Touch, loop: Block) -> bool:
        """Whether the write may touch, in a later iteration of ``loop``, the element read in this one."""
        pairs = token_pairs(self.sites, read, write)
        if all(born_later(self.sites, b, loop) for a, b in pairs):
            return False
        one, other = self._access(read), self._access(write)
        if not defined_outside(self.scopes, one.root, loop) or not defined_outside(self.scopes, other.root, loop):
            return True
        if one.root is not other.root:
            return not self.distinct(one.root, other.root)
        pairs_of_indices = [*zip(one.indices, other.indices, strict=True)]
        if any(self._moved_on(a, b, loop) for a, b in (*pairs_of_indices, *self._counted_pairs(read, write, loop))):
            return False
        return not self._apart_later(read, write, pairs_of_indices, loop)

    def _access(self, touch: Touch) -> Access:
        return self.definitions.access(touch.array, touch.indices)

    def _visible(self, value: Value, around: frozenset[Block]) -> bool:
        return self.scopes[value][-1] in around

    def _differ(self, a: Affine | None, b: Affine | None, around: frozenset[Block]) -> bool:
        """Two index forms differ by a constant other than 0, all else being the same value in this iteration."""
        if a is None or b is None:
            return False
        if not all(self._visible(v, around) for v in (*a.terms, *b.terms)):
            return False
        difference = a - b
        return difference.is_constant and difference.constant != 0

    def _counted_pairs(self, read: Touch, write: Touch, loop: Block) -> IndexPairs:
        """The indices in terms of the loop's counter, where branches inside the loop say that they are equal to it."""
        if loop not in self.counted:
            return ()
        forms = []
        for touch in (read, write):
            inside = touch.path[[block for block, _ in touch.path].index(loop) :]
            counter = loop.parameters[0]
            forms.append(
                [
                    None if form is None else with_counter(form, counter, inside, self.definitions)
                    for form in self._access(touch).indices
                ]
            )
        return [*zip(*forms, strict=True)]

    def _moved_on(self, a: Affine | None, b: Affine | None, loop: Block) -> bool:
        """The index ``b`` of every later iteration of the loop differs from ``a`` of this one."""
        if a is None or b is None:
            return False
        counter = loop.parameters[0] if loop in self.counted else None
        step = a.terms.get(counter, 0) if counter is not None else 0
        if counter is not None and b.terms.get(counter, 0) != step:
            return False
        others = [v for v in (*a.terms, *b.terms) if v is not counter]
        if not all(defined_outside(self.scopes, v, loop) for v in others):
            return False
        difference = b - a
        return difference.is_constant and never_meets(step, difference.constant)

    def _apart(self, read: Touch, write: Touch, pairs: IndexPairs) -> bool:
        """By the bounds of loops, or by the branch that both are in: some index of one is never that of the other."""
        common = shared_depth(read.path, write.path)
        counters = [
            *counters_along(read.path, self.definitions.affine),
            *counters_along(write.path[common - 1 :], self.definitions.affine),
        ]
        unequal = unequal_along(read.path[:common], self.definitions)
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        return any(never_equal(a, b, counters) or a - b in unequal for a, b in known)

    def _apart_later(self, read: Touch, write: Touch, pairs: IndexPairs, loop: Block) -> bool:
        """By the bounds of loops: some index is larger, or smaller, in every later iteration than in this one."""
        depth = [block for block, _ in read.path].index(loop)
        around = counters_along(read.path[: depth + 1], self.definitions.affine)
        own = around.pop() if loop in self.counted else None
        of_read, of_write = (counters_along(t.path[depth:], self.definitions.affine) for t in (read, write))

        def grows(a: Affine, b: Affine) -> bool:
            highest, lowest = least(a * -1, of_read) * -1, least(b, of_write)
            return grows_apart(highest, lowest, own, around, lambda v: defined_outside(self.scopes, v, loop))

        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        return any(grows(a, b) or grows(a * -1, b * -1) for a, b in known)


def shared_depth(one: Path, other: Path) -> int:
    """How many blocks, from the outermost, hold both ops."""
    depth = 0
    for (a, _), (b, _) in zip(one, other, strict=False):
        if a is not b:
            break
        depth += 1
    return depth


def runs_later(read: Path, write: Path, common: int) -> bool:
    """Within one iteration of the innermost shared block, whether the write comes after the read.

    Both may be inside one op of that block: the two sides of a branch exclude each other, the test of a
    ``while`` runs before its body.
    """
    block, position = read[common - 1]
    if position != write[common - 1][1]:
        return position < write[common - 1][1]
    return block.ops[position].primitive == "while"


def token_pairs(sites: Sites, read: Touch, write: Touch) -> list[tuple[Token, Token]]:
    """The tokens by which two references may mean the same site."""
    return [(a, b) for a in sites.of(read.array) for b in sites.of(write.array) if a.site is b.site]


def distinct_instances(sites: Sites, a: Token, b: Token, around: frozenset[Block]) -> bool:
    """Within one iteration, memory born in it and memory carried into it are different."""
    born = sites.birth[a.site]
    return bool(born) and born[-1] in around and (born[-1] in a.carried) != (born[-1] in b.carried)


def born_later(sites: Sites, write: Token, loop: Block) -> bool:
    """What a later iteration of the loop writes to was born in that iteration."""
    return loop in sites.birth[write.site] and loop not in write.carried


def defined_outside(scopes: dict[Value, tuple[Block, ...]], value: Value, loop: Block) -> bool:
    return loop not in scopes[value]


def never_meets(step: int, gap: int) -> bool:
    """``step * k + gap`` is not 0 for any number of iterations k >= 1."""
    if step == 0:
        return gap != 0
    return gap % step != 0 or -gap // step < 1
