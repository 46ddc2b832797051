"""References that never mean the same memory at the same time, though they may point to the same sites.

``u, v = v, u`` in a loop makes both point to both allocations; still they differ in every iteration, since they
start different and are only permuted. Pairs of references carried by one loop are assumed different, and a pair is
dropped when its initial values or what it yields cannot be told apart under the pairs that remain: the
greatest fixed point.
"""

from __future__ import annotations

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import LOOPS, Block, Function, Op, Operand, Value, first_carried, walk
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect

Pair = frozenset[Value]


class Distinct:
    """``distinct(a, b)``: within one iteration of the scopes of both, a and b are different memory."""

    def __init__(
        self,
        function: Function,
        sites: Sites,
        scopes: dict[Value, tuple[Block, ...]],
        definitions: Definitions,
    ) -> None:
        self.sites = sites
        self.scopes = scopes
        self.definitions = definitions
        self.order = {value: k for k, value in enumerate(_in_order(function.body))}
        self.carries: dict[Pair, tuple[tuple[Operand, Operand], tuple[Operand, Operand]]] = {}
        self.results: dict[Value, Value] = {}  # the result of a loop -> its parameter
        for op in walk(function.body):
            if op.primitive in LOOPS:
                self._add_loop(op)
        self.assumed = set(self.carries)
        while refuted := {pair for pair in self.assumed if not self._holds(pair)}:
            self.assumed -= refuted

    def __call__(self, a: Operand, b: Operand) -> bool:
        if not isinstance(a, Value) or not isinstance(b, Value) or a is b:
            return False
        a, b = self.definitions.root(a), self.definitions.root(b)
        if a is b:
            return False
        if not self.sites.sites(a) & self.sites.sites(b):
            return True
        if self._made_after(a, b) or self._made_after(b, a):
            return True
        pair = frozenset((self.results.get(a, a), self.results.get(b, b)))
        if pair in self.carries:
            return pair in self.assumed
        return self._branches_differ(a, b) or self._branches_differ(b, a)

    def _add_loop(self, op: Op) -> None:
        body = op.blocks[-1]
        first = first_carried(op)
        rows = list(zip(body.parameters[first:], op.operands[first:], body.yields, op.results, strict=True))
        references = [row for row in rows if isinstance(row[0].type, Array)]
        for k, (p, initial, yielded, result) in enumerate(references):
            self.results[result] = p
            for q, other_initial, other_yielded, _ in references[:k]:
                self.carries[frozenset((p, q))] = ((initial, other_initial), (yielded, other_yielded))

    def _holds(self, pair: Pair) -> bool:
        initial, yielded = self.carries[pair]
        return self(*initial) and self(*yielded)

    def _made_after(self, fresh: Value, other: Value) -> bool:
        """``fresh`` is an allocation made after ``other`` was bound."""
        op = self.definitions.op.get(fresh)
        if op is None or effect(op.primitive) is not Effect.ALLOCATE:
            return False
        return self.order[other] < self.order[fresh] and self.scopes[other][-1] in self.scopes[fresh]

    def _branches_differ(self, merged: Value, other: Value) -> bool:
        op = self.definitions.op.get(merged)
        if op is None or op.primitive != "if":
            return False
        position = op.results.index(merged)
        if other in op.results:
            partner = op.results.index(other)
            return all(self(block.yields[position], block.yields[partner]) for block in op.blocks)
        return all(self(block.yields[position], other) for block in op.blocks)


def _in_order(block: Block) -> list[Value]:
    """Values in the order in which they are bound; the results of an op with blocks after what is inside."""
    order = list(block.parameters)
    for op in block.ops:
        for inner in op.blocks:
            order.extend(_in_order(inner))
        order.extend(op.results)
    return order
