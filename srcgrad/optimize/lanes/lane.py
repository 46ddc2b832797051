"""One lane of one loop over lanes: the values at hand, and what each op becomes there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from srcgrad.analysis.accesses import indices
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Op, Operand, Value, zero_like

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening


class Carry(NamedTuple):
    """A value to be kept in a buffer when a loop over lanes ends."""

    value: Operand
    buffer: Value
    merges: bool = False  # only lanes that are not masked out change what is in the buffer


@dataclass
class Lane:
    """The values that are known in a lane, and the sums so far."""

    widening: Widening
    lane: Value
    totals: dict[Op, Value]
    known: dict[Value, Operand] = field(default_factory=dict)

    @property
    def builder(self) -> Builder:
        return self.widening.builder

    def value(self, operand: Operand) -> Operand:
        facts = self.widening.facts
        if isinstance(operand, Const):
            return operand
        if operand not in self.known:
            if not facts.differs(operand):
                return self.widening.same.get(operand, operand)
            if operand is facts.counter:
                self.known[operand] = self.builder("add", self.widening.start, self.lane, name=operand.name)
            elif operand in self.widening.read_again:
                self.known[operand] = self._load(self.widening.read_again[operand])
            else:
                buffer = self.widening.buffers[operand]
                self.known[operand] = self.builder("load", buffer, self.lane, name=operand.name)
        return self.known[operand]

    def result_of(self, block: Block) -> Operand:
        """What a block that only computes yields."""
        for op in block.ops:
            self.op(op, None)
        return self.value(block.yields[0])

    def op(self, op: Op, mask: Operand | None) -> None:
        self.builder.location = op.location
        match op.primitive:
            case "if":
                self._branch(op, mask)
            case "load":
                self.known[op.result] = self._load(op)
            case "store" | "accumulate":
                self._write(op, mask)
            case "push":
                self.builder.emit("store", self.widening.rows[op], self.lane, self.value(op.operands[1]))
            case "pop":
                self.known[op.result] = self.builder("load", self.widening.rows[op], self.lane, name=op.result.name)
            case "add" | "sub" if op in self.totals:
                self._add(op, self.widening.sum_and_term(op)[1], mask)
            case "check" if mask is not None:
                holds = self.builder("or_", self.builder("not_", mask), self.value(op.operands[0]))
                values = [self.value(x) for x in op.operands[1:]]
                self.builder.emit("check", holds, *values, **op.attributes)  # type: ignore[arg-type]  # no attribute is called blocks
            case _:
                results = self.builder.emit(
                    op.primitive,
                    *[self.value(x) for x in op.operands],
                    names=names_of(op),
                    **op.attributes,  # type: ignore[arg-type]  # no attribute is called blocks
                )
                self.known.update(zip(op.results, results, strict=True))

    def _branch(self, op: Op, mask: Operand | None) -> None:
        """Both sides are computed; what they write and what they yield is chosen."""
        condition = self.value(op.operands[0])
        opposite = self.builder("not_", condition)
        for block, own in zip(op.blocks, (condition, opposite), strict=True):
            both = own if mask is None else self.builder("and_", mask, own)
            for inner in block.ops:
                if not self._is_computed(inner):
                    self.op(inner, both)
        then, otherwise = op.blocks
        for result, a, b in zip(op.results, then.yields, otherwise.yields, strict=True):
            if result in self.widening.same or result in self.widening.facts.sums:
                continue
            chosen = self.builder("select", condition, self.value(a), self.value(b), name=result.name)
            self.known[result] = chosen

    def _is_computed(self, op: Op) -> bool:
        """Whether it was in front of the loop over lanes, once for all."""
        return bool(op.results) and all(result in self.widening.same for result in op.results)

    def _at(self, op: Op) -> list[Operand]:
        """The array and the indices of an access."""
        packed = self.widening.packs.at(op)
        if packed is not None:
            return [packed[0], *(self.value(x) for x in packed[1]), self.lane]
        array = op.operands[0]
        where = [self.value(x) for x in (array, *indices(op))]
        return [*where, self.lane] if self.widening.facts.is_private(array) else where

    def _load(self, op: Op) -> Operand:
        return self.builder("load", *self._at(op), name=op.result.name)

    def _add(self, op: Op, term: Operand, mask: Operand | None) -> None:
        value = self.value(term)
        if mask is not None:
            value = self.builder("select", mask, value, zero_like(value))
        self.totals[op] = self.builder("add", self.totals[op], value)

    def _write(self, op: Op, mask: Operand | None) -> None:
        if op in self.totals:
            self._add(op, op.operands[-1], mask)
            return
        value = self.value(op.operands[-1])
        at = self._at(op)
        if mask is not None:
            other = zero_like(value) if op.primitive == "accumulate" else self.builder("load", *at)
            value = self.builder("select", mask, value, other)
        self.builder.emit(op.primitive, *at, value)


def names_of(op: Op) -> list[str]:
    return [r.name for r in op.results]
