"""What is printed, before it has names: statements over values, with the copies that SSA leaves implicit.

A loop's parameters take their initial values by a copy before it and the yielded ones by a copy at its end; its
results are copied out after it. Copies of one place happen at once, as in ``a, b = b, a``. Most of them
vanish when both sides get the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srcgrad.backend.facts import HEADER
from srcgrad.ir.core import Block, Function, Op, Operand, Value


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


def statements_of(function: Function, folded: dict[Value, Op]) -> tuple[Statement, ...]:
    return (*_block(function.body, folded), Return(function.results))


def _block(block: Block, folded: dict[Value, Op]) -> tuple[Statement, ...]:
    return tuple(s for op in block.ops for s in _op(op, folded))


def _op(op: Op, folded: dict[Value, Op]) -> tuple[Statement, ...]:
    match op.primitive:
        case "for" | "range":
            return _for(op, folded)
        case "while":
            return _while(op, folded)
        case "if":
            then, otherwise = ((*_block(side, folded), *_copies(op.results, side.yields)) for side in op.blocks)
            return (If(op, then, otherwise),)
    if len(op.results) == 1 and op.result in folded and op.primitive != "check_index":
        return ()
    return (Plain(op),)


def _for(op: Op, folded: dict[Value, Op]) -> tuple[Statement, ...]:
    (body,) = op.blocks
    counter, *carried = body.parameters
    inner = (*_block(body, folded), *_copies(carried, body.yields))
    return (
        *_copies(carried, op.operands[HEADER[op.primitive] :]),
        For(op, counter, inner),
        *_copies(op.results, carried),
    )


def _while(op: Op, folded: dict[Value, Op]) -> tuple[Statement, ...]:
    test, body = op.blocks
    inner = (
        *_copies(body.parameters, test.parameters),
        *_block(body, folded),
        *_copies(test.parameters, body.yields),
    )
    loop = While(op, _block(test, folded), test.yields[0], inner)
    return (*_copies(test.parameters, op.operands), loop, *_copies(op.results, test.parameters))


def _copies(targets: Sequence[Value], sources: Sequence[Operand]) -> tuple[Statement, ...]:
    return (Copies(tuple(targets), tuple(sources)),) if targets else ()


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
