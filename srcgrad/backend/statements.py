"""What is printed, before it has names: statements over values, with the copies that SSA leaves implicit.

A loop's parameters take their initial values by a copy before it and the yielded ones by a copy at its end; its
results are copied out after it. Copies of one place happen at once, as in ``a, b = b, a``. Most of them
vanish when both sides get the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from srcgrad.backend.facts import HEADER
from srcgrad.ir.core import Block, Function, Op, Operand, Value, walk


@dataclass(frozen=True, eq=False)
class Plain:
    """One op without blocks."""

    op: Op


@dataclass(frozen=True, eq=False)
class Copies:
    """All sources are read before any target is written."""

    targets: tuple[Value, ...]
    sources: tuple[Operand, ...]


@dataclass(frozen=True, eq=False)
class For:
    op: Op
    counter: Value
    body: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class While:
    """``test``, then leave unless ``condition``, then ``body``, for ever."""

    op: Op
    test: tuple[Statement, ...]
    condition: Operand
    body: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Leave:
    """Leave the ``while`` around unless ``condition``; only made while printing."""

    condition: Operand


@dataclass(frozen=True, eq=False)
class If:
    op: Op
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Return:
    values: tuple[Operand, ...]


Statement = Plain | Copies | For | While | Leave | If | Return


def statements_of(function: Function, folded: dict[Value, Op], unread: frozenset[Value]) -> tuple[Statement, ...]:
    """The body of a function. ``folded`` values are printed where they are used, ``unread`` ones never."""
    return (*_Sequence(folded, unread).block(function.body), Return(function.results))


def unread(function: Function, uses: Mapping[Value, int]) -> frozenset[Value]:
    """Results, carried values and counters that nobody reads."""
    found = {v for op in walk(function.body) for b in op.blocks for v in b.parameters[:1] if not uses[v]}
    found -= {v for op in walk(function.body) if op.primitive == "while" for b in op.blocks for v in b.parameters}
    for op in walk(function.body):
        carriers = [b.parameters[len(b.parameters) - len(op.results) :] for b in op.blocks if b.parameters]
        for same in zip(op.results, *carriers, strict=True):
            if not any(uses[v] for v in same):
                found.update(same)
    found.update(r for op in walk(function.body) for r in op.results if not uses[r])
    return frozenset(found)


@dataclass(frozen=True)
class _Sequence:
    folded: dict[Value, Op]
    unread: frozenset[Value]

    def block(self, block: Block) -> tuple[Statement, ...]:
        return tuple(s for op in block.ops for s in self.op(op))

    def op(self, op: Op) -> tuple[Statement, ...]:
        match op.primitive:
            case "for" | "range":
                return self.for_(op)
            case "while":
                return self.while_(op)
            case "if":
                then, otherwise = ((*self.block(side), *self.copies(op.results, side.yields)) for side in op.blocks)
                return (If(op, then, otherwise),)
        if len(op.results) == 1 and op.result in self.folded and op.primitive != "check_index":
            return ()
        return (Plain(op),)

    def for_(self, op: Op) -> tuple[Statement, ...]:
        (body,) = op.blocks
        counter, *carried = body.parameters
        inner = (*self.block(body), *self.copies(carried, body.yields))
        initial = self.copies(carried, op.operands[HEADER[op.primitive] :])
        return (*initial, For(op, counter, inner), *self.copies(op.results, carried))

    def while_(self, op: Op) -> tuple[Statement, ...]:
        test, body = op.blocks
        inner = (
            *self.copies(body.parameters, test.parameters),
            *self.block(body),
            *self.copies(test.parameters, body.yields),
        )
        loop = While(op, self.block(test), test.yields[0], inner)
        initial = self.copies(test.parameters, op.operands)
        return (*initial, loop, *self.copies(op.results, test.parameters))

    def copies(self, targets: Sequence[Value], sources: Sequence[Operand]) -> tuple[Statement, ...]:
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t not in self.unread]
        return (Copies(tuple(t for t, _ in pairs), tuple(s for _, s in pairs)),) if pairs else ()


def copies_in(statements: Sequence[Statement]) -> Iterator[Copies]:
    """All copies, those of inner loops and branches first: what runs most often should cost least."""
    shallow: list[Copies] = []
    for statement in statements:
        match statement:
            case Copies():
                shallow.append(statement)
            case For(_, _, body):
                yield from copies_in(body)
            case While(_, test, _, body):
                yield from copies_in((*test, *body))
            case If(_, then, otherwise):
                yield from copies_in((*then, *otherwise))
    yield from shallow
