"""Compute once what is computed twice; load once what is not written in between; take what was just stored.

Values are numbered in order, inner blocks seeing what is known outside. What is known of memory carries the *epoch*
of each of its sites: a write, a call or the entry of a loop that writes begins a new one. Branches and loops that only
compute are shared as a whole: each sweep of a Jacobian's rows has a copy of the function.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], y: f64[:], i: i64):
...     a: f64 = load(x, i)
...     b: f64 = mul(a, a)
...     store(y, i, b)
...     c: f64 = load(x, i)
...     d: f64 = mul(c, c)
...     e: f64 = load(y, i)
...     g: f64 = add(d, e)
...     return g
... '''
>>> print(to_text(share_common(parse(before, infer))))
def f(x: f64[:], y: f64[:], i: i64):
    a: f64 = load(x, i)
    b: f64 = mul(a, a)
    store(y, i, b)
    g: f64 = add(b, b)
    return g
<BLANKLINE>
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterable, MutableMapping, Sequence
from dataclasses import replace
from itertools import count

from srcgrad.analysis.extents import pinned
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import written_sites
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, index
from srcgrad.ir.rewrite import renamed
from srcgrad.primitives.table import Effect, effect

Known = MutableMapping[Hashable, tuple[Operand, ...]]
COMMUTATIVE = {"add", "mul", "and_", "or_", "eq", "ne", "bit_and", "bit_or", "bit_xor"}
SHARED = {Effect.PURE, Effect.VIEW, Effect.READ, Effect.CHECK, Effect.GUARD}


def share_common(function: Function) -> Function:
    return replace(function, body=_Sharing(function).block(function.body, {}))


class _Sharing:
    def __init__(self, function: Function) -> None:
        self.sites = Sites(function)
        self.pinned = pinned(function)
        self.names: dict[Value, Operand] = {}
        self.epochs: dict[Value, int] = {}
        self.fresh = count(1)
        self.written = written_sites(function, self.sites)

    def block(self, block: Block, known: Known) -> Block:
        ops = [current for op in block.ops if (current := self.op(op, known)) is not None]
        return Block(block.parameters, tuple(ops), tuple(renamed(x, self.names) for x in block.yields))

    def op(self, op: Op, known: Known) -> Op | None:
        """The op with its operands renamed, or None where its results are known already."""
        current = replace(op, operands=tuple(renamed(x, self.names) for x in op.operands))
        kind = effect(op.primitive)
        if kind is Effect.CONTROL:
            return self.control(op, current, known)
        if kind in SHARED:
            key = self.key(current, op)
            if key in known and not self.changes_type(op, known[key]):
                self.names.update(zip(op.results, known[key], strict=True))
                return None
            known[key] = current.results
        elif kind in (Effect.WRITE, Effect.CALL):
            self.begin_epoch(self.written.get(op, ()))
            if op.primitive == "store":
                known[self.memory_key("load", current.operands[:-1], op)] = current.operands[-1:]
        return current

    def changes_type(self, op: Op, values: tuple[Operand, ...]) -> bool:
        return values == (index(1),) and op.result in self.pinned

    def control(self, op: Op, current: Op, known: Known) -> Op | None:
        loops = op.primitive != "if"
        if loops:  # a later iteration sees what an earlier one wrote
            self.begin_epoch(self.written[op])
        before, blocks = dict(self.epochs), []
        for block in op.blocks:
            self.epochs = before if loops else dict(before)
            blocks.append(self.block(block, ChainMap({}, known)))
        self.epochs = before
        self.begin_epoch(self.written[op])
        current = replace(current, blocks=tuple(blocks))
        key = self.whole_key(current, {}) if current.results else None
        if key is not None and key in known:
            self.names.update(zip(op.results, known[key], strict=True))
            return None
        if key is not None:
            known[key] = current.results
        return current

    def whole_key(self, op: Op, inner: dict[Operand, int]) -> Hashable | None:
        """The same for branches and loops that compute the same; None where one does more than that.

        ``inner`` numbers the values that are made inside.
        """

        def name(x: Operand) -> Hashable:
            return inner[x] if x in inner else _name(x)

        def number(values: Sequence[Value]) -> None:
            for value in values:
                inner[value] = len(inner)

        parts: list[Hashable] = [op.primitive, tuple(op.attributes.items()), *map(name, op.operands)]
        for block in op.blocks:
            number(block.parameters)
            for each in block.ops:
                kind = effect(each.primitive)
                if kind not in SHARED and kind is not Effect.CONTROL:
                    return None
                part = self.whole_key(each, inner)
                if part is None:
                    return None
                number(each.results)
                parts.append(part)
            parts.append(tuple(map(name, block.yields)))
        if effect(op.primitive) is Effect.READ:
            parts.append(self.epochs_of(op.operands[0]))
        return tuple(parts)

    def key(self, current: Op, original: Op) -> Hashable:
        if effect(current.primitive) is Effect.READ:
            return self.memory_key(current.primitive, current.operands, original)
        operands = [_name(x) for x in current.operands]
        if current.primitive in COMMUTATIVE:
            operands.sort(key=hash)
        return (current.primitive, tuple(operands), tuple(current.attributes.items()))

    def memory_key(self, primitive: str, operands: tuple[Operand, ...], original: Op) -> Hashable:
        return (primitive, tuple(_name(x) for x in operands), self.epochs_of(original.operands[0]))

    def epochs_of(self, array: Operand) -> Hashable:
        return frozenset((site, self.epochs.get(site, 0)) for site in self.sites.sites(array))

    def begin_epoch(self, sites: Iterable[Value]) -> None:
        self.epochs.update((site, next(self.fresh)) for site in sites)


def _name(operand: Operand) -> Hashable:
    return operand.key() if isinstance(operand, Const) else operand
