"""A pullback cut in two: what runs before the cotangent is known, and what runs after.

What is handed over is only read: memory that the forward part has merely allocated (shadows) is allocated in the
backward part instead, so that this may run many times. Where the backward part would write to what is handed over
(a shadow that the forward sweep swaps with another), there is no cut.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> both = '''
... def f(x: f64, ct: f64):
...     y: f64 = exp(x)
...     z: f64 = sin(y)
...     s: f64 = cos(y)
...     a: f64 = mul(s, ct)
...     x_bar: f64 = mul(y, a)
...     return z, x_bar
... '''
>>> halves = split(parse(both, infer), primals=1, results=1)
>>> print(to_text(halves.forward))
def f(x: f64):
    y: f64 = exp(x)
    z: f64 = sin(y)
    s: f64 = cos(y)
    return z, s, y
<BLANKLINE>
>>> print(to_text(halves.backward))
def f(x: f64, s: f64, y: f64, ct: f64):
    a: f64 = mul(s, ct)
    x_bar: f64 = mul(y, a)
    return x_bar
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.effects import Effects
from srcgrad.ir.core import Block, Function, Op, Operand, Value, captured, used, walk
from srcgrad.ir.rewrite import copy_block
from srcgrad.ir.types import Array, Stack, Type
from srcgrad.primitives.table import Effect, effect


@dataclass(frozen=True)
class Halves:
    """``forward`` of ``primals`` gives ``(*results, *kept)``; ``backward`` of ``(*primals, *kept, *cotangents)``."""

    forward: Function
    backward: Function
    kept: tuple[Type, ...]


def split(function: Function, primals: int, results: int) -> Halves | None:
    """Cut a function of ``(*primals, *cotangents)`` that gives ``(*results, *gradients)``; None if it cannot be."""
    given, cotangents = function.parameters[:primals], function.parameters[primals:]
    wanted, gradients = function.results[:results], function.results[results:]
    before, after = _parts(function.body.ops, cotangents)
    early = {*given, *(r for op in before for r in op.results)}
    if any(isinstance(x, Value) and x not in early for x in wanted):
        return None
    after = [*_made_again(before, after, wanted, gradients), *after]
    kept = _handed_over(after, gradients, function.parameters)
    body = copy_block(Block((*given, *kept, *cotangents), tuple(after), gradients), {})
    backward = replace(function, body=body)
    if not _only_reads(backward, body.parameters[: primals + len(kept)]):
        return None
    forward = replace(function, body=Block(given, tuple(before), (*wanted, *kept)))
    return Halves(forward, backward, tuple(v.type for v in kept))


def _parts(ops: Iterable[Op], cotangents: Iterable[Value]) -> tuple[list[Op], list[Op]]:
    """The ops up to the first that does something with a cotangent; arithmetic on cotangents can wait."""
    late: set[Operand] = set(cotangents)
    before: list[Op] = []
    after: list[Op] = []
    reached = False
    for op in ops:
        depends = any(x in late for x in (*op.operands, *captured(op)))
        reached = reached or (depends and effect(op.primitive) is not Effect.PURE)
        if depends or reached:
            after.append(op)
            late.update(op.results)
        else:
            before.append(op)
    return before, after


def _made_again(before: list[Op], after: list[Op], wanted: Iterable[Operand], gradients: Iterable[Operand]) -> list[Op]:
    """The ops of ``before`` that make memory which it does not use but ``after`` does, and views of that."""
    origin: dict[Operand, Operand] = {}  # a reference -> the allocation behind it
    for op in before:
        if effect(op.primitive) is Effect.ALLOCATE:
            origin[op.result] = op.result
        elif effect(op.primitive) is Effect.VIEW and op.operands[0] in origin:
            origin[op.result] = origin[op.operands[0]]
    idle = [op for op in before if effect(op.primitive) in (Effect.ALLOCATE, Effect.VIEW) or op.primitive == "dim"]
    busy = [op for op in before if op not in set(idle)]
    in_use = {origin.get(x) for op in busy for x in (*op.operands, *captured(op))} | {origin.get(x) for x in wanted}
    needed: set[Operand] = set(used(Block((), tuple(after), tuple(gradients))))
    again: list[Op] = []
    for op in reversed(idle):
        if op.result in needed and op.result in origin and origin[op.result] not in in_use:
            again.append(op)
            needed.update(op.operands)
    return again[::-1]


def _handed_over(after: Sequence[Op], gradients: Iterable[Operand], parameters: Iterable[Value]) -> list[Value]:
    """The values that the backward part uses and does not define, in order of first use."""
    own = {*parameters, *(r for op in after for r in op.results)}
    uses = [x for op in after for x in (*op.operands, *captured(op)) if isinstance(x, Value)]
    uses += [x for x in gradients if isinstance(x, Value)]
    return list(dict.fromkeys(x for x in uses if x not in own))


def _only_reads(backward: Function, given: Iterable[Value]) -> bool:
    """Whether nothing that is handed over is changed. A stack is read through a cursor, unless it is one of arrays."""
    writes = Effects(backward).writes
    pushed = {op.operands[0] for op in walk(backward.body) if op.primitive == "push"}
    return not any(writes.get(value) or value in pushed or _holds_references(value) for value in given)


def _holds_references(value: Value) -> bool:
    return isinstance(value.type, Stack) and isinstance(value.type.element, Array)
