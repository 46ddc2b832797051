"""What an op touches, with all that is inside it: which memory, where, and whether two ops may change places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Function, Op, Operand, Value, captured, walk_ops
from srcgrad.ir.types import Array
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import Effect, effect

RAISES = (Effect.CHECK, Effect.GUARD)
ACCESSES = (Effect.READ, Effect.WRITE)


@dataclass(frozen=True)
class Touch:
    """An access to a site: by which reference behind all views, at which indices (None: not known)."""

    site: Value
    root: Value
    indices: tuple[Affine | None, ...]
    writes: bool
    adds: bool


@dataclass(frozen=True, eq=False)
class Touched:
    """All that an op does besides giving its results."""

    op: Op
    touches: tuple[Touch, ...]
    raises: bool
    unknown: bool  # it calls a function, or keeps something on a stack

    @cached_property
    def sites(self) -> frozenset[Value]:
        return frozenset(t.site for t in self.touches)

    @cached_property
    def written(self) -> frozenset[Value]:
        return frozenset(t.site for t in self.touches if t.writes)

    @cached_property
    def uses(self) -> frozenset[Operand]:
        return frozenset((*self.op.operands, *captured(self.op)))

    def at(self, site: Value) -> list[Touch]:
        return [t for t in self.touches if t.site is site]

    def same_row(self, site: Value, counter: Value) -> frozenset[int]:
        """The axes of a site along which every access in a loop is at the loop's counter."""
        assert isinstance(site.type, Array)
        own = Affine({counter: 1}, 0)
        axes = frozenset(range(site.type.rank))
        for touch in self.at(site):
            if touch.root is not site:
                return frozenset()
            axes &= {axis for axis, form in enumerate(touch.indices) if form == own}
        return axes


class Looking:
    """A function, and what its ops touch."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.sites = Sites(function)
        self.definitions = Definitions(function)
        self._found: dict[Op, Touched] = {}

    @cached_property
    def extents(self) -> Extents:
        return Extents(self.function)

    def at(self, op: Op) -> Touched:
        if op not in self._found:
            inside = list(walk_ops((op,)))
            touches = tuple(touch for inner in inside for touch in self._touches(inner))
            raises = any(effect(inner.primitive) in RAISES for inner in inside)
            unknown = any(_is_unknown(inner) or any(map(self._is_stray, inner.operands)) for inner in inside)
            self._found[op] = Touched(op, touches, raises, unknown)
        return self._found[op]

    def _is_stray(self, operand: Operand) -> bool:
        """Whether it is a reference to memory that is not known."""
        return isinstance(operand.type, Array) and not self.sites.of(operand)

    def learn(self, ops: Iterable[Op]) -> None:
        """Hear of ops that were made since: memory and views of it; in loops they give no other references."""
        for op in walk_ops(ops):
            self.definitions.op.update(dict.fromkeys(op.results, op))
            self.sites.learn(op)

    def _touches(self, op: Op) -> list[Touch]:
        kind = effect(op.primitive)
        if kind in ACCESSES:
            array = op.operands[0]
            assert isinstance(array, Value) and isinstance(array.type, Array)
            exact = op.primitive in ("load", "store", "accumulate")
            indices = op.operands[1 : 1 + array.type.rank] if exact else None
            return self._of(array, indices, kind is Effect.WRITE, op.primitive == "accumulate")
        routine = ROUTINES.get(op.text("callee")) if kind is Effect.CALL else None
        if routine is None:
            return []
        found = []
        for position, operand in enumerate(op.operands):
            if isinstance(operand, Value) and isinstance(operand.type, Array):
                found += self._of(operand, None, position in routine.written, False)
        return found

    def _of(self, array: Value, indices: Sequence[Operand] | None, writes: bool, adds: bool) -> list[Touch]:
        access = self.definitions.access(array, None if indices is None else tuple(indices))
        sites = self.sites.sites(array)
        return [Touch(site, access.root, access.indices, writes, adds) for site in sites]

    def may_swap(self, one: Op, other: Op) -> bool:
        """Whether of two ops in a row the second may as well come first."""
        first, second = self.at(one), self.at(other)
        if first.unknown or second.unknown:
            return False
        if second.uses.intersection(one.results) or first.uses.intersection(other.results):
            return False
        if (first.raises and (second.raises or second.touches)) or (second.raises and self.is_seen(first)):
            return False  # what a check stands in front of may be allowed by it alone
        met = first.sites & second.sites
        return not met & (first.written | second.written) or all(self._both_add(first, second, s) for s in met)

    def is_seen(self, touched: Touched) -> bool:
        """Whether who catches an exception finds it done: another is raised, or the caller's memory changed."""
        return touched.raises or bool(touched.written & self.sites.parameters)

    def _both_add(self, one: Touched, other: Touched, site: Value) -> bool:
        touches = [*one.at(site), *other.at(site)]
        return all(t.adds for t in touches) or not any(t.writes for t in touches)


def _is_unknown(op: Op) -> bool:
    kind = effect(op.primitive)
    lasting = kind is Effect.CALL and (op.text("callee") not in ROUTINES or ROUTINES[op.text("callee")].lasting)
    return kind is Effect.STACK or lasting
