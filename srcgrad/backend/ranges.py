"""Counted loops as one writes them: ``for i in range(1, n)`` rather than a count and ``i = q + 1``.

Before and after, where the counter ``q`` has no other use::

    with for_(trips):                             with range_(1, n, 1):
        def _(q: i64):                                def _(i: i64):
            i: i64 = add(q, 1)                            ...
            ...

``range_`` stands for ``for i in range(start, stop, step)``. A loop that runs downwards, or by steps, becomes one
only in text for readers: Numba's loops vectorise when they count up by one (measured with 0.68.1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from srcgrad.backend.affine import Affine, affine, ops_for
from srcgrad.backend.facts import facts_of
from srcgrad.backend.folding import uses
from srcgrad.backend.identifiers import base_of
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, defined, index, walk
from srcgrad.ir.rewrite import Replacement, rewrite, substitute
from srcgrad.primitives.table import Effect, effect


def write_ranges(function: Function, readable: bool) -> Function:
    """The function with ``range_`` ops in the place of ``for`` where the user's own index can be the counter."""
    writer = _Writer(facts_of(function).definitions, uses(function), readable)
    return remove_unused(replace(function, body=writer.block(function.body)))


def remove_unused(function: Function) -> Function:
    """Without the computations that only served a count."""
    while True:
        count = uses(function)

        def unused(op: Op, count: Mapping[Value, int] = count) -> Replacement | None:
            idle = not op.blocks and effect(op.primitive) is Effect.PURE and not count[op.result]
            return ((), {}) if idle else None

        smaller = rewrite(function, unused)
        if len(list(walk(smaller.body))) == len(list(walk(function.body))):
            return function
        function = smaller


@dataclass
class _Writer:
    definitions: dict[Value, Op]
    uses: Mapping[Value, int]
    readable: bool

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            written = self.loop(op) if op.primitive == "for" else [op]
            ops += written[:-1]
            outer = written[-1]
            ops.append(replace(outer, blocks=tuple(map(self.block, outer.blocks))) if outer.blocks else outer)
        return replace(block, ops=tuple(ops))

    def loop(self, op: Op) -> list[Op]:
        """The loop, after ops that compute its bounds."""
        (body,) = op.blocks
        counter = body.parameters[0]
        indices = self.indices(body, counter)
        sums = [affine(i, self.definitions) for i in indices]
        step = self.common_step(sums, counter, body)
        span = self.span(op.operands[0], step) if step else None
        if span is None:
            trips = op.operands[0]
            if isinstance(trips, Value) and self.uses[trips] == 1:
                trips = self.unclamped(trips)
            return [replace(op, operands=(trips, *op.operands[1:]), blocks=(self.apart(body, counter),))]
        start = self.where_it_runs(sums[0].without(counter), op.operands[0])
        start_ops, begin = ops_for(start)
        stop_ops, end = ops_for(start + span)
        inner = self.counting(body, indices)
        operands = (begin, end, index(step), *op.operands[1:])
        return [*start_ops, *stop_ops, replace(op, primitive="range", operands=operands, blocks=(inner,))]

    def counting(self, body: Block, indices: Sequence[Value]) -> Block:
        """The body with the index for its counter, and without the ops that computed it."""
        counter = body.parameters[0]
        names = [v.name for v in (indices[0], counter) if v.name]
        same = len({base_of(n) for n in names}) == 1
        variable = Value(counter.type, min(names, key=len) if same else (names or [""])[0])
        renamed = substitute(body, dict.fromkeys(indices, variable))
        gone = {counter}
        for op in renamed.ops:
            if any(x in gone for x in op.operands):
                gone.update(op.results)
        ops = tuple(o for o in renamed.ops if not gone.intersection(o.results))
        return self.known(Block((variable, *renamed.parameters[1:]), ops, renamed.yields))

    def known(self, block: Block) -> Block:
        self.definitions.update((v, o) for o in walk(block) for v in o.results)
        return block

    def indices(self, body: Block, counter: Value) -> list[Value]:
        """The index values that all uses of the counter lead to; none if it is used in some other way."""
        users = [o for o in walk(body) if counter in o.operands]
        blocks = [body, *(b for o in walk(body) for b in o.blocks)]
        if any(counter in b.yields for b in blocks) or not all(o in body.ops for o in users):
            return []
        if not all(self.leads_on(o, counter) for o in users):
            return []
        return [self.end_of_chain(o.result, body, counter) for o in users]

    def leads_on(self, op: Op, counter: Value) -> bool:
        return op.primitive in ("add", "sub", "mul", "neg") and counter in affine(op.result, self.definitions).terms

    def end_of_chain(self, value: Value, body: Block, counter: Value) -> Value:
        """``t = n - q; i = t - 1`` is one index in two ops."""
        while not value.name and self.uses[value] == 1:
            after = [o for o in body.ops if value in o.operands and not o.blocks and self.leads_on(o, counter)]
            if not after:
                break
            value = after[0].result
        return value

    def common_step(self, sums: Sequence[Affine], counter: Value, body: Block) -> int:
        """The step of the one index that the counter is used for, or 0."""
        if not sums or any(s != sums[0] for s in sums):
            return 0
        inside = set(defined(body)) - {counter}
        step = sums[0].terms[counter]
        return step if not inside.intersection(sums[0].terms) and (self.readable or step == 1) else 0

    def span(self, trips: Operand, step: int) -> Affine | None:
        """How far the stop lies from the start: ``step * trips``, or less where the count was rounded up."""
        trips = self.unclamped(trips)
        if step in (1, -1):
            return affine(trips, self.definitions) * step
        op = self.definitions.get(trips) if isinstance(trips, Value) else None
        if op is None or op.primitive != "floordiv" or op.operands[1] != index(abs(step)):
            return None
        count = affine(op.operands[0], self.definitions) - (abs(step) - 1)
        return count if step > 0 else count * -1

    def where_it_runs(self, start: Affine, trips: Operand) -> Affine:
        """The same in the first iteration, where ``max(0, m)`` is ``m``."""
        if not isinstance(trips, Value) or trips not in start.terms:
            return start
        return start.without(trips) + affine(self.unclamped(trips), self.definitions) * start.terms[trips]

    def unclamped(self, trips: Operand) -> Operand:
        """``m`` of ``max(0, m)``: a range is empty by itself where its stop is below its start."""
        op = self.definitions.get(trips) if isinstance(trips, Value) else None
        if op is None or op.primitive != "max":
            return trips
        kept = [x for x in op.operands if not (isinstance(x, Const) and x.value == 0)]
        return kept[0] if len(kept) == 1 else trips

    def apart(self, body: Block, counter: Value) -> Block:
        """Call the counter ``q`` where the user's own index is computed from it."""
        derived = [o.result for o in body.ops if counter in o.operands and len(o.results) == 1]
        if not any(v.name and base_of(v.name) == base_of(counter.name) for v in derived):
            return body
        variable = Value(counter.type, "q")
        renamed = substitute(body, {counter: variable})
        return self.known(replace(renamed, parameters=(variable, *body.parameters[1:])))
