"""A loop whose iterations each end with a loop over the same rows, as one loop over the rows that runs it inside.

What its iterations did before that is done for all of them first: an array made there is one for each iteration, a
number is kept in an array, unless it is as easily computed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.analysis.never_negative import never_negative
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Op, Operand, Value, captured, defined, index, same, walk
from srcgrad.ir.rewrite import Environment, copy_op, fresh, renamed, substitute, substitute_op
from srcgrad.ir.types import Array, Scalar
from srcgrad.optimize.rows.joining import has_loops, is_loop_over_rows
from srcgrad.optimize.rows.touches import Looking
from srcgrad.primitives.table import Effect, effect, new_builder

LARGEST = 200  # ops in front of the loop over the rows


@dataclass(frozen=True)
class Turned:
    """What comes first: memory, and what is left of the loop; then the loop over the rows."""

    first: tuple[Op, ...]
    rows: Op


def turned(loop: Op, trips: Operand, looking: Looking) -> Turned | None:
    """The loop with that over the rows outside, None where there is none or this is not allowed."""
    if loop.primitive != "for" or loop.attributes or same(loop.operands[0], trips):
        return None
    ops = loop.blocks[0].ops
    place = max((k for k, op in enumerate(ops) if _goes_over(op, trips)), default=None)
    if place is None or len(ops) > LARGEST or any(not looking.may_swap(ops[place], op) for op in ops[place + 1 :]):
        return None
    turning = _Turning(loop, ops[place], (*ops[:place], *ops[place + 1 :]), looking)
    return turning.done() if turning.is_allowed() else None


def _goes_over(op: Op, trips: Operand) -> bool:
    return is_loop_over_rows(op) and not op.results and same(op.operands[0], trips) and has_loops(op)


@dataclass
class _Turning:
    """A loop, the loop over the rows inside, and what else it does."""

    loop: Op
    rows: Op
    rest: tuple[Op, ...]
    looking: Looking
    expanded: list[Op] = field(default_factory=list)  # memory for what iterations hand on
    kept: dict[Value, Value] = field(default_factory=dict)  # arrays of numbers, by the number
    again: list[Op] = field(default_factory=list)  # what is computed again in front of the rows' body
    names: Environment = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.own = {result: op for op in self.rest for result in op.results}
        self.counter = self.loop.blocks[0].parameters[0]
        self.inside = set(defined(self.loop.blocks[0]))
        self.written = {t.site for op in self.rest for t in self.looking.at(op).touches if t.writes}

    def is_allowed(self) -> bool:
        """Whether neither order of the iterations, nor whether the rest comes first, matters to any memory."""
        rows, rest = self.looking.at(self.rows), [self.looking.at(op) for op in self.rest]
        if rows.raises or rows.unknown or any(r.unknown or (r.raises and self.looking.is_seen(rows)) for r in rest):
            return False
        born = set(defined(self.rows.blocks[0]))
        for site in rows.written - born:
            if site in self.inside or not rows.same_row(site, self.rows.blocks[0].parameters[0]):
                return False
        if any(r.sites & rows.written for r in rest):
            return False
        return all(self._is_made_anew(site) for site in rows.sites & self.written)

    def _is_made_anew(self, site: Value) -> bool:
        """Whether each iteration has memory of its own there, which can be part of one array."""
        made = self.own.get(site)
        if made is None or made.primitive != "alloc" or any(n in self.inside for n in made.operands):
            return False
        references = [v for v, tokens in self.looking.sites.tokens.items() if any(t.site is site for t in tokens)]
        return all(self.looking.definitions.root(v) is site for v in references)

    def done(self) -> Turned | None:
        handed_on = [v for v in captured(self.rows) if v in self.inside]
        inner_counter = fresh(self.counter)
        self.names[self.counter] = inner_counter
        if not all(self._bring(v, inner_counter) for v in handed_on):
            return None
        body, trips = self.rows.blocks[0], self.loop.operands[0]
        inner = substitute(Block((inner_counter,), (*self.again, *body.ops), ()), self.names)
        run = Op("for", (trips,), (), (inner,), location=self.loop.location)
        rows = replace(self.rows, blocks=(replace(body, ops=(run,), yields=()),))
        first = (*self.expanded, *self._first())
        self.looking.learn((*first, rows))
        return Turned(first, rows)

    def _bring(self, value: Value, counter: Value) -> bool:
        """Have a value of an iteration at hand in front of the rows' body."""
        if value in self.names:
            return True
        made = self.own.get(value)
        if made is not None and made.primitive == "alloc":
            return self._expand(made, counter)
        if made is not None and self._is_easy(made):
            known = all(self._bring(x, counter) for x in made.operands if isinstance(x, Value) and x in self.inside)
            if known:
                self.again.append(copy_op(made, self.names))
            return known
        if made is not None and made.primitive == "check_index" and made.operands[0] is self.counter:
            self.names[value] = counter  # it has been checked by then
            return True
        return isinstance(value.type, Scalar) and self._keep(value, counter)

    def _is_easy(self, op: Op) -> bool:
        match effect(op.primitive):
            case Effect.PURE | Effect.VIEW:
                return not op.blocks
            case Effect.READ:
                return not self.looking.at(op).sites & self.written
        return False

    def _expand(self, made: Op, counter: Value) -> bool:
        rows = self.looking.at(self.rows)
        if made.result not in self.written or any(n in self.inside for n in made.operands):
            return False
        if rows.same_row(made.result, self.rows.blocks[0].parameters[0]):
            return False  # it would be all rows of all iterations
        builder = _builder(made)
        extents = [self._room(builder, n) for n in made.operands]
        whole = builder("alloc", self.loop.operands[0], *extents, name=made.result.name, **made.attributes)
        self.expanded += builder.close().ops
        part = _part(whole, made, counter)
        self.again.append(part)
        self.names[made.result] = part.result
        self.kept[made.result] = whole
        return part.result.type == made.result.type

    def _room(self, builder: Builder, n: Operand) -> Operand:
        """An extent, in front of loops that may not run at all."""
        return n if never_negative(n, self.looking.definitions.op.get) else builder("max", n, index(0))

    def _keep(self, value: Value, counter: Value) -> bool:
        assert isinstance(value.type, Scalar)
        builder = _builder(self.loop)
        array = builder("alloc", self.loop.operands[0], dtype=value.type.dtype, fill="empty", name=value.name)
        self.expanded += builder.close().ops
        builder = _builder(self.loop)
        self.names[value] = builder("load", array, counter)
        self.again += builder.close().ops
        self.kept[value] = array
        return True

    def _first(self) -> Iterator[Op]:
        """What is left of the loop, where anything is."""
        body = self.loop.blocks[0]
        ops: list[Op] = list(self._stores(body.parameters))
        names: Environment = {}
        for op in self.rest:
            whole = self.kept.get(op.result) if op.primitive == "alloc" else None
            if whole is not None:
                part = _part(whole, op, self.counter)
                names[op.result] = part.result
                ops.append(part)
                continue
            ops.append(substitute_op(op, names))
            ops += self._stores(op.results)
        yields = tuple(renamed(y, names) for y in body.yields)
        if self.loop.results or any(_does_something(op) for op in ops):
            yield replace(self.loop, blocks=(replace(body, ops=tuple(ops), yields=yields),))

    def _stores(self, values: Sequence[Value]) -> Iterator[Op]:
        for value in values:
            if value in self.kept and isinstance(value.type, Scalar):
                yield Op("store", (self.kept[value], self.counter, value), location=self.loop.location)


def _part(whole: Value, made: Op, counter: Value) -> Op:
    """What of an expanded array belongs to an iteration."""
    builder = _builder(made)
    assert isinstance(whole.type, Array)
    builder("slice", whole, counter, axes="i" + ":" * (whole.type.rank - 1), name=made.result.name)
    (part,) = builder.close().ops
    return part


def _builder(near: Op) -> Builder:
    builder = new_builder()
    builder.location = near.location
    builder.open()
    return builder


def _does_something(op: Op) -> bool:
    kinds = {effect(inner.primitive) for inner in (op, *(o for b in op.blocks for o in walk(b)))}
    return bool(kinds & {Effect.WRITE, Effect.CALL, Effect.STACK, Effect.CHECK, Effect.GUARD})
