"""Run two loops as one, the second some iterations behind, where it reads what the first has just stored.

What the second reads is at hand as a number, of this iteration or of one before. The sweep over a row so goes through
memory once: of a step of the heat equation and of its adjoint, each two loops, it saves a quarter.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(u: f64[:], n: i64):
...     w: f64[:] = alloc(n, dtype=f64, fill='empty')
...     with for_(n):
...         def _(i: i64):
...             j: i64 = add(i, 1)
...             a: f64 = load(u, j)
...             store(w, i, a)
...     with for_(n):
...         def _(i: i64):
...             b: f64 = load(w, i)
...             store(u, i, b)
... '''
>>> print(to_text(remove_dead(run_together(parse(before, infer)))))
def f(u: f64[:], n: i64):
    _1: i64 = min(n, n)
    with for_(_1):
        def _(i: i64):
            j: i64 = add(i, 1)
            a: f64 = load(u, j)
            store(u, i, a)
<BLANKLINE>

An array that nobody else reads is not stored to, but for its last elements where iterations of the second are left.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.affine import Affine, as_ops
from srcgrad.analysis.carried import depending
from srcgrad.analysis.effects import Effects
from srcgrad.analysis.encounters import Encounter, Iteration, encounters, stays_behind
from srcgrad.analysis.inequalities import not_above
from srcgrad.analysis.sums import sums
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, captured, index, is_zero, walk_ops, zero_like
from srcgrad.ir.rewrite import Environment, copy_op, fresh, renamed, with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect, new_builder

FURTHEST = 2  # iterations that the second loop may be behind, or that a number is handed on
LONGEST = 80  # ops of both
FEW = 32  # iterations, known while compiling, that LLVM unrolls by itself
KINDS = (Effect.PURE, Effect.READ, Effect.WRITE)


def run_together(function: Function) -> Function:
    if not any(map(_may_run, walk_ops(function.body.ops))):
        return function
    body = _joined(function.body, Effects(function))
    return function if body is function.body else replace(function, body=body)


def _joined(block: Block, effects: Effects) -> Block:
    ops: list[Op] = []
    rest = [with_blocks(op, [_joined(b, effects) for b in op.blocks]) for op in block.ops]
    while rest:
        op = rest.pop(0)
        pair = _pair(op, rest, effects) if _may_run(op) else None
        if pair is None:
            ops.append(op)
            continue
        ops += pair.ops()
        del rest[: len(pair.between) + 1]
    return with_ops(block, ops)


def _may_run(op: Op) -> bool:
    """An innermost loop that only computes, and that LLVM may vectorise: it carries sums, or what it just computed."""
    if op.primitive != "for" or "threads" in op.attributes or len(op.blocks[0].ops) > LONGEST:
        return False
    body, trips = op.blocks[0], op.operands[0]
    if isinstance(trips, Const) and trips.value.real < FEW:
        return False
    if any(o.blocks or effect(o.primitive) not in KINDS for o in body.ops):
        return False
    summed = set(sums(op))
    carried = body.parameters[1:]
    parts = [k for k in range(len(carried)) if k not in summed]
    hanging = depending(body, [carried[k] for k in parts])
    return all(body.yields[k] in carried or body.yields[k] not in hanging for k in parts)


def _pair(first: Op, behind: Sequence[Op], effects: Effects) -> _Pair | None:
    """The loop with the next one behind it, if they may run as one and it pays."""
    position = next((k for k, op in enumerate(behind) if op.primitive in ("for", "while")), len(behind))
    if position == len(behind) or not _may_run(behind[position]) or not _is_new(first, behind[position], effects):
        return None
    second = behind[position]
    one, other = Iteration(first, effects), Iteration(second, effects)
    if not (one.known and other.known and _is_parallel(one) and _is_parallel(other)):
        return None
    met = list(encounters(one, other))
    lag = max(0, *(d.iterations for d in met if d.iterations is not None), 0)
    flows = [d for d in met if d.one.primitive == "store" and d.other.primitive == "load" and d.always]
    written = [d for d in met if d.one.primitive != "load"]
    if lag > FURTHEST or not flows or any(d.iterations is None for d in met) or len(written) > len(flows):
        return None
    pair = _Pair(one, other, tuple(behind[:position]), lag, tuple(flows))
    fits = pair.ends_with_the_first() and pair.hands_on_numbers() and pair.may_swap() and pair.needs_no_memory()
    return pair if fits else None


def _is_new(first: Op, second: Op, effects: Effects) -> bool:
    """Both are loops of the program as it was: of one made here the effects are not known."""
    return first in effects.paths and second in effects.paths


def _is_parallel(loop: Iteration) -> bool:
    """Whether no iteration reads what an earlier one has written."""

    def fits(met: Encounter) -> bool:
        if met.iterations is None or met.iterations == 0:
            return met.iterations == 0
        earlier = met.one if met.iterations < 0 else met.other
        return earlier.primitive == "load"

    return all(map(fits, encounters(loop, loop)))


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two loops, what is between them, and what the second reads of the first."""

    first: Iteration
    second: Iteration
    between: tuple[Op, ...]
    lag: int  # iterations that the second is behind
    flows: tuple[Encounter, ...]

    def delay(self, flow: Encounter) -> int:
        """How many iterations of both ago a number was stored when it is read."""
        assert flow.iterations is not None
        return self.lag - flow.iterations

    def hands_on_numbers(self) -> bool:
        """Each store that is read is the only one to its array, and each load reads what one store has stored."""
        loads = [flow.other for flow in self.flows]
        one_each = len({id(op) for op in loads}) == len(loads)
        return one_each and all(0 <= self.delay(flow) <= FURTHEST for flow in self.flows)

    def ends_with_the_first(self) -> bool:
        """Whether the iterations of both are all of the first, and all but a few of the second."""
        return self._most_left is not None and self._at_most(self.first.loop.operands[0], self.second.loop, self.lag)

    @functools.cached_property
    def _most_left(self) -> int | None:
        """How many iterations of the second there are at most behind those of both; None for many."""
        others = self.second.loop.operands[0]
        bounds = range(FURTHEST + 2)
        return next((k for k in bounds if self._at_most(others, self.first.loop, k - self.lag)), None)

    def _at_most(self, count: Operand, loop: Op, more: int) -> bool:
        """Whether a number is not above the trip count of a loop plus some more."""
        return not_above(count, loop.operands[0], more, self.first.effects.definitions)

    def needs_no_memory(self) -> bool:
        """Whether what is handed on need not be stored: nobody else reads the arrays that it was stored to."""
        return all(self._is_private(store) for store in {flow.one for flow in self.flows})

    def _is_private(self, store: Op) -> bool:
        effects, place = self.first.effects, self.first.places[store]
        made = effects.definitions.op.get(place.root)
        if made is None or made.primitive != "alloc" or all(isinstance(n, Const) for n in made.operands):
            return False  # not its own; or of a literal size, the lanes of a block, which stay in cache
        # The same elements in all iterations around: none is left of an earlier one that stored to more of them.
        around = effects.scopes[place.root]
        named = {v for form in place.indices if form is not None for v in form.terms} - {self.first.counter}
        trips = [x for x in (self.first.loop.operands[0], self.second.loop.operands[0]) if isinstance(x, Value)]
        if not all(effects.scopes[v][-1] in around for v in (*named, *trips)):
            return False
        if place.root in effects.function.body.yields:
            return False
        readers = {store, *(flow.other for flow in self.flows if flow.one is store)}
        return all(op in readers or self._leaves_alone(op, store) for op in effects.paths)

    def _leaves_alone(self, op: Op, store: Op) -> bool:
        """Whether an op reads nothing that is handed on as a number, and makes no other reference to its array."""
        effects, root = self.first.effects, self.first.places[store].root
        if root in op.operands and op.primitive in ("store", "dim") and root not in op.operands[1:]:
            return True
        if op in set(walk_ops(self.between)) and op.primitive in ("load", "accumulate") and root is op.operands[0]:
            forms = [effects.definitions.affine(i) for i in indices(op)]
            trips = effects.definitions.affine(self.first.loop.operands[0])
            return stays_behind(tuple(forms), self.first.places[store], self.first.counter, trips)
        return root not in op.operands and not any(root in block.yields for block in op.blocks)

    def may_swap(self) -> bool:
        """Whether what is between the loops may come behind nearly all iterations of the second."""
        moved = set(self.needed())
        left = [op for op in self.between if op not in moved]
        made = {r for op in (self.first.loop, *left) for r in op.results}
        wanted = {*self.second.loop.operands, *captured(self.second.loop)}
        wanted |= {x for op in moved for x in op.operands}
        return made.isdisjoint(x for x in wanted if isinstance(x, Value)) and all(map(self._commutes, walk_ops(left)))

    def needed(self) -> list[Op]:
        """What is computed between the loops from what was there before."""
        made = set(self.first.loop.results)
        found = []
        for op in self.between:
            if effect(op.primitive) is Effect.PURE and not op.blocks and made.isdisjoint(op.operands):
                found.append(op)
            else:
                made.update(op.results)
        return found

    def _commutes(self, op: Op) -> bool:
        """Whether an op touches nothing that the second loop does in the iterations that come before it now."""
        if op.primitive == "if" or effect(op.primitive) is Effect.PURE:
            return True
        if op.primitive not in ("load", "store", "accumulate"):
            return False
        effects = self.first.effects
        array = op.operands[0]
        assert isinstance(array, Value)
        here = effects.definitions.access(array, indices(op))
        trips = effects.definitions.affine(self.first.loop.operands[0]) - self.lag
        forms = tuple(f for f in here.indices if f is not None)
        for other, there in self.second.places.items():
            if op.primitive == other.primitive == "load":
                continue
            if here.root is not there.root:
                if effects.sites.sites(here.root) & effects.sites.sites(there.root) and not effects.distinct(
                    here.root, there.root
                ):
                    return False
            elif len(forms) < len(here.indices) or not stays_behind(forms, there, self.second.counter, trips):
                return False
        return True

    def ops(self) -> list[Op]:
        """What takes the place of all of it."""
        builder = new_builder()
        builder.open()
        builder.location = self.first.loop.location
        builder.ops.extend(self.needed())
        first, second = self.first.loop, self.second.loop
        count, others = first.operands[0], second.operands[0]
        carried: Sequence[Operand] = first.operands[1:]
        left = count
        if self.lag:
            ahead = builder("min", index(self.lag), count)
            carried = _run(builder, first, ahead, index(0), carried, self.lag)
            left = builder("sub", count, ahead)
        trips = builder("min", left, others)
        results = self._both(builder, trips, carried)
        moved = set(self.needed())
        builder.ops.extend(op for op in self.between if op not in moved)
        if self._most_left:
            _run(builder, second, builder("sub", others, trips), trips, results, self._most_left)
            builder.ops[-1] = replace(builder.ops[-1], results=second.results)
        return list(builder.close().ops)

    def _both(self, builder: Builder, trips: Value, carried: Sequence[Operand]) -> list[Value]:
        """The iterations of both; what the second then has carried."""
        first, second = self.first.loop, self.second.loop
        depths = dict.fromkeys(dict.fromkeys(flow.one for flow in self.flows), 0)
        for flow in self.flows:
            depths[flow.one] = max(depths[flow.one], self.delay(flow))
        handed = self._in_memory(builder, trips, depths)

        def iteration(k: Value, *values: Value) -> list[Operand]:
            of_first, of_second = len(carried), len(carried) + len(second.results)
            windows = _cut(values[of_second:], depths)
            at = builder("add", k, index(self.lag)) if self.lag else k
            names: Environment = dict(zip(first.blocks[0].parameters, (at, *values[:of_first]), strict=True))
            builder.ops.extend(copy_op(op, names) for op in first.blocks[0].ops if op not in depths)
            known = {s: [renamed(s.operands[-1], names), *windows[s]] for s in depths}
            read: Environment = dict(zip(second.blocks[0].parameters, (k, *values[of_first:of_second]), strict=True))
            read.update({flow.other.result: known[flow.one][self.delay(flow)] for flow in self.flows})
            loads = {flow.other for flow in self.flows}
            builder.ops.extend(copy_op(op, read) for op in second.blocks[0].ops if op not in loads)
            ends = [renamed(y, names) for y in first.blocks[0].yields]
            ends += [renamed(y, read) for y in second.blocks[0].yields]
            return [*ends, *(x for s, depth in depths.items() for x in known[s][:depth])]

        initial = (*carried, *second.operands[1:], *handed)
        names = [x.name for x in (*first.results, *second.results)]
        names += [f"{self.first.places[s].root.name}_handed_on" for s, depth in depths.items() for _ in range(depth)]
        found = builder.for_(trips, initial, iteration, names, counter=self.second.counter.name)
        ends = list(map(fresh, second.results)) if self._most_left else list(second.results)
        windows = found[len(carried) + len(ends) :]
        builder.ops[-1] = replace(builder.ops[-1], results=(*first.results, *ends, *windows))
        self._to_memory(builder, trips, _cut(windows, depths))
        return ends

    def _in_memory(self, builder: Builder, trips: Operand, depths: Mapping[Op, int]) -> list[Operand]:
        """What the first iteration of both takes to have been stored before it."""
        zeros = [zero_like(s.operands[-1]) for s, depth in depths.items() for _ in range(depth)]

        def loaded() -> list[Operand]:
            places = [self._place(builder, s, Affine({}, -ago)) for s in depths for ago in range(1, depths[s] + 1)]
            return [builder("load", *place) for place in places]

        return list(builder.if_(builder("lt", index(0), trips), loaded, lambda: zeros)) if zeros else []

    def _to_memory(self, builder: Builder, trips: Value, windows: Mapping[Op, Sequence[Value]]) -> None:
        """What the iterations of the second that are left take to be stored."""

        def store() -> Sequence[Operand]:
            for s, values in windows.items():
                for k, value in enumerate(values):
                    builder.emit("store", *self._place(builder, s, Affine({trips: 1}, -1 - k)), value)
            return ()

        if any(windows.values()):
            builder.if_(builder("lt", index(0), trips), store)

    def _place(self, builder: Builder, store: Op, k: Affine) -> list[Operand]:
        """Where the first stores in an iteration of both, the array and its indices."""
        access, at = self.first.places[store], k + self.lag
        counter = self.first.counter
        forms = [f.without(counter) + at * f.terms.get(counter, 0) for f in access.indices if f is not None]
        return [access.root, *(as_ops(builder, form) for form in forms)]


def _cut(values: Sequence[Value], depths: Mapping[Op, int]) -> dict[Op, Sequence[Value]]:
    """Which of the values are of which store."""
    found: dict[Op, Sequence[Value]] = {}
    for store, depth in depths.items():
        found[store], values = values[:depth], values[depth:]
    return found


def _run(
    builder: Builder, loop: Op, count: Operand, start: Operand, carried: Sequence[Operand], most: int
) -> Sequence[Operand]:
    """Some iterations of a loop, from one on; how many there are at most is said in words that LLVM understands."""

    def iteration(k: Operand, *values: Operand) -> list[Operand]:
        at = next((x for x, other in ((k, start), (start, k)) if is_zero(other)), None) or builder("add", k, start)
        names: Environment = dict(zip(loop.blocks[0].parameters, (at, *values), strict=True))
        builder.ops.extend(copy_op(op, names) for op in loop.blocks[0].ops)
        return [renamed(y, names) for y in loop.blocks[0].yields]

    names = [r.name for r in loop.results]
    if most == 1:
        runs = builder("lt", index(0), count)
        return builder.if_(runs, lambda: iteration(index(0), *carried), lambda: carried, names)
    few = builder("min", index(most), count)
    return builder.for_(few, carried, iteration, names, counter=loop.blocks[0].parameters[0].name)
