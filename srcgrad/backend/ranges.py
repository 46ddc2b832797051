"""Counted loops as one writes them: ``for i in range(1, n)`` rather than a count and ``i = q + 1``.

Before and after, where the counter ``q`` has no other use::

    with for_(trips):                             with range_(1, n, 1):
        def _(q: i64):                                def _(i: i64):
            i: i64 = add(q, 1)                            ...
            ...

``range_`` stands for ``for i in range(start, stop, step)``. A loop that runs downwards, or by steps, becomes one
only in text for readers, and so does one that starts at a computed index where the count has other uses: Numba's loops
vectorise when they count up by one from a constant (measured with 0.68.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from srcgrad.analysis.affine import Affine, affine, as_ops
from srcgrad.backend.facts import facts_of
from srcgrad.backend.folding import same_base
from srcgrad.backend.identifiers import base_of
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, defined, index, used, walk
from srcgrad.ir.rewrite import Replacement, rewrite, substitute
from srcgrad.ir.types import INDEX
from srcgrad.primitives.table import Effect, effect, new_builder


def write_ranges(function: Function, readable: bool) -> Function:
    """The function with ``range_`` ops in the place of ``for`` where the user's own index can be the counter."""
    count = Counter(used(function.body))
    trips = Counter(op.operands[0] for op in walk(function.body) if op.primitive == "for")
    only_trips = frozenset(v for v, n in trips.items() if isinstance(v, Value) and n == count[v])
    writer = _Writer(facts_of(function).definitions, count, only_trips, readable)
    return remove_unused(replace(function, body=writer.block(function.body)))


def remove_unused(function: Function) -> Function:
    """Without the computations that only served a count."""
    while True:
        count = Counter(used(function.body))

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
    only_trips: frozenset[Value]  # values that are used as trip counts alone
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
        sums = self.indices(body)
        index_ = self.user_index(body, sums)
        step = sums[index_].terms[counter] if index_ is not None else 0
        span = self.span(op.operands[0], step) if step else None
        if index_ is None or span is None:
            trips = self.unclamped(op.operands[0]) if op.operands[0] in self.only_trips else op.operands[0]
            return [replace(op, operands=(trips, *op.operands[1:]), blocks=(self.apart(body, counter),))]
        first = sums[index_].without(counter)
        start = self.where_it_runs(first, op.operands[0])
        start_ops, begin = ops_for(start)
        stop_ops, end = ops_for(start + span)
        inner = self.counting(body, index_, sums, first)
        operands = (begin, end, index(step), *op.operands[1:])
        return [*start_ops, *stop_ops, replace(op, primitive="range", operands=operands, blocks=(inner,))]

    def indices(self, body: Block) -> dict[Value, Affine]:
        """The ops of a body that compute sums of its counter and of nothing else from inside the loop."""
        counter = body.parameters[0]
        inside = set(defined(body)) - {counter}
        found: dict[Value, Affine] = {}
        for op in body.ops:
            if op.primitive in ("add", "sub", "mul", "neg") and op.result.type == INDEX:
                sum_ = affine(op.result, self.definitions)
                if counter in sum_.terms and not inside.intersection(sum_.terms):
                    found[op.result] = sum_
        return found

    def user_index(self, body: Block, sums: Mapping[Value, Affine]) -> Value | None:
        """The index to count with: the one with a name, or the only one that anything else is done with."""
        counter = body.parameters[0]
        steps = {v: s.terms[counter] for v, s in sums.items()}
        final = self.final_uses(body, sums)
        distinct = {_key(sums.get(v, Affine({counter: 1}, 0))) for v in final}
        named = [v for v in sums if v.name]
        # A reversed loop first counts down, under the name of the index, and then computes the index.
        named = [v for v in reversed(named) if same_base(v, named[0])]
        for value in (*named, *(v for v in final if v is not counter)):
            alone = distinct == {_key(sums[value])}
            fast = steps[value] == 1 and (alone or sums[value].without(counter).is_constant)
            if (value in named or alone) and (abs(steps[value]) == 1 or alone) and (self.readable or fast):
                return value
        return None

    def final_uses(self, body: Block, sums: Mapping[Value, Affine]) -> list[Value]:
        """The counter and those sums that something other than a further sum uses."""
        pending = {body.parameters[0], *sums}
        used_: list[Value] = []
        for op in walk(body):
            if not (op.results and op.results[0] in sums):
                used_ += [x for x in op.operands if x in pending and isinstance(x, Value)]
            for inner in op.blocks:
                used_ += [x for x in inner.yields if x in pending and isinstance(x, Value)]
        used_ += [x for x in body.yields if x in pending and isinstance(x, Value)]
        return list(dict.fromkeys(used_))

    def counting(self, body: Block, index_: Value, sums: Mapping[Value, Affine], first: Affine) -> Block:
        """The body with the index for its counter, and what else was computed from the counter in terms of it."""
        counter = body.parameters[0]
        step = sums[index_].terms[counter]
        names = [v.name for v in (index_, counter) if v.name]
        same = len({base_of(n) for n in names}) == 1
        variable = Value(counter.type, min(names, key=len) if same else (names or [""])[0])
        environment: dict[Value, Operand] = {}
        ops: list[Op] = []

        def rewritten(old: Value, sum_: Affine) -> None:
            back = sum_.without(counter) + (Affine({variable: 1}, 0) - first) * (step * sum_.terms[counter])
            more, environment[old] = ops_for(back)
            if more and old.name and not same_base(old, index_):
                more[-1] = replace(more[-1], results=(Value(old.type, old.name),))
                environment[old] = more[-1].result
            ops.extend(more)

        if abs(step) == 1:
            rewritten(counter, Affine({counter: 1}, 0))
        for op in body.ops:
            if not (op.results and op.results[0] in sums):
                ops.append(op)
            elif sums[op.result] == sums[index_]:
                environment[op.result] = variable
            elif abs(step) == 1:  # else it only leads to the index
                rewritten(op.result, sums[op.result])
        inner = Block((variable, *body.parameters[1:]), tuple(ops), body.yields)
        return self.known(substitute(inner, environment))

    def known(self, block: Block) -> Block:
        self.definitions.update((v, o) for o in walk(block) for v in o.results)
        return block

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


def ops_for(form: Affine) -> tuple[list[Op], Operand]:
    """Ops that compute a sum, and their result."""
    builder = new_builder()
    builder.open()
    return builder.ops, as_ops(builder, form)


def _key(sum_: Affine) -> tuple[object, ...]:
    return (frozenset(sum_.terms.items()), sum_.constant)
