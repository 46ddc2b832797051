"""Drop the check of an index that is proved in range; else check the extreme index once, in front of the loops.

An index that may be negative but cannot fail is only wrapped. A check moves in front of a loop when each iteration
makes it, the index is affine in counters and not negative, and nothing that the caller sees is written in the loop:
the IndexError then comes earlier, but nobody can tell.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], y: f64[:]):
...     n: i64 = dim(x, axis=0)
...     m: i64 = dim(y, axis=0)
...     with for_(n, 0.0) as (total,):
...         def _(i: i64, s: f64):
...             j: i64 = check_index(i, n)
...             v: f64 = load(x, j)
...             k: i64 = check_index(i, m)
...             w: f64 = load(y, k)
...             p: i64 = sub(i, 1)
...             q: i64 = check_index(p, n)
...             u: f64 = load(x, q)
...             a: f64 = mul(v, w)
...             b: f64 = mul(a, u)
...             t: f64 = add(s, b)
...             yield t
...     return total
... '''
>>> print(to_text(prove_indices(parse(before, infer))))
def f(x: f64[:], y: f64[:]):
    n: i64 = dim(x, axis=0)
    m: i64 = dim(y, axis=0)
    _1: i64 = dim(x, axis=0)
    _2: i64 = sub(_1, 1)
    _3: i64 = dim(y, axis=0)
    _4: bool = lt(_2, _3)
    check(_4, _3, _3, exception='IndexError', message='index {0} is out of range for an axis of extent {1}')
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            v: f64 = load(x, i)
            w: f64 = load(y, i)
            p: i64 = sub(i, 1)
            _5: bool = lt(p, 0)
            _6: i64 = add(p, n)
            q: i64 = select(_5, _6, p)
            u: f64 = load(x, q)
            a: f64 = mul(v, w)
            b: f64 = mul(a, u)
            t: f64 = add(s, b)
            yield t
    return total
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from srcgrad.analysis.affine import Affine, as_ops
from srcgrad.analysis.extents import pinned
from srcgrad.analysis.index_ranges import IndexRanges
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import written_sites
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Location, Op, Operand, Value, constant, defined, index, walk
from srcgrad.ir.messages import OUT_OF_RANGE
from srcgrad.ir.rewrite import renamed
from srcgrad.ir.types import BOOL
from srcgrad.primitives.table import Effect, effect, new_builder


def prove_indices(function: Function) -> Function:
    if not any(op.primitive == "check_index" for op in walk(function.body)):
        return function
    proofs = _Proofs(function)
    proofs.ranges.walk(proofs.reached)
    return replace(function, body=_Rewriting(proofs, pinned(function)).block(function.body))


@dataclass(frozen=True)
class _Hoisted:
    """A check in front of a loop: the largest index that the loops make is below the extent."""

    largest: Affine
    first: Affine | None  # the index at the start, if it then goes up by 1: Python fails at the extent or there
    extent: Affine
    trips: tuple[Affine, ...]  # of the loops that must run at all for the check to be made
    location: Location | None


@dataclass
class _Loop:
    """A ``for`` loop that the walk is in, with the values defined inside."""

    op: Op
    inside: frozenset[Value]
    quiet: bool  # nothing in it can be told apart from outside if it ends early


class _Proofs:
    """What becomes of each check: collected while the facts in force at it are known."""

    def __init__(self, function: Function) -> None:
        self.ranges = IndexRanges(function)
        self.in_range: set[Op] = set()
        self.negative: set[Op] = set()  # always wraps around
        self.wrapped: set[Op] = set()  # may wrap around, cannot fail
        self.in_front: dict[Op, list[_Hoisted]] = {}  # by loop
        self._loops = _loops_around(function)

    def reached(self, op: Op) -> None:
        if op.primitive == "check_index":
            self._check(op)

    def _check(self, op: Op) -> None:
        i, n = (self.ranges.affine(x) for x in op.operands)
        starts, ends = self.ranges.proves(i), self.ranges.proves(n - i - 1)
        if starts and (ends or self._moves_in_front(op, i, n)):
            if not ends:  # a check in front is there to stay, one in its place goes with the last use of the index
                self.ranges.learn(op, n - i - 1)
            self.in_range.add(op)
            self.ranges.equate(op.result, op.operands[0])
        elif not starts and ends and self.ranges.proves(i + n):
            always = self.ranges.proves(i * -1 - 1)
            (self.negative if always else self.wrapped).add(op)

    def _moves_in_front(self, op: Op, i: Affine, n: Affine) -> bool:
        """Find the outermost loop in front of which the largest index is known, and put a check there."""
        found: tuple[Op, _Hoisted] | None = None
        largest, trips, moving = i, list[Affine](), list[Value]()
        for loop in self._loops.get(op, ()):
            if not loop.quiet:
                break
            count = self.ranges.trips(loop.op)
            counter = loop.op.blocks[0].parameters[0]
            if not _peak_together(largest, trips, counter):
                break
            largest, trips = _at_last(largest, counter, count), [_at_last(n, counter, count) for n in (*trips, count)]
            moving += [counter] if counter in i.terms else []
            if not all(self.ranges.is_outside(form, loop.inside) for form in (largest, n, *trips)):
                continue
            start = i - Affine(dict.fromkeys(moving, 1), 0)
            ascends = len(moving) == 1 and self.ranges.is_outside(start, loop.inside)
            found = loop.op, _Hoisted(largest, start if ascends else None, n, tuple(trips), op.location)
        if found is None:
            return False
        loop_op, check = found
        self.in_front.setdefault(loop_op, []).append(check)
        return True


def _peak_together(form: Affine, trips: list[Affine], counter: Value) -> bool:
    """Whether an index and the trip counts inside are largest at the same end of a counter's range.

    Otherwise the largest index may belong to an iteration in which an inner loop does not run.
    """
    directions = {(n.terms[counter] > 0) for n in (form, *trips) if counter in n.terms}
    return len(directions) < 2


def _at_last(form: Affine, counter: Value, count: Affine) -> Affine:
    """The largest that a form gets as a counter goes from 0 to ``count - 1``."""
    coefficient = form.terms.get(counter, 0)
    rest = form.without(counter)
    return rest + (count - 1) * coefficient if coefficient > 0 else rest


def _is_at_most_0(form: Affine) -> bool:
    return form.is_constant and form.constant <= 0


def _loops_around(function: Function) -> dict[Op, tuple[_Loop, ...]]:
    """For each check the loops that make it in every iteration, innermost first."""
    sites = Sites(function)
    written = written_sites(function, sites)
    found: dict[Op, tuple[_Loop, ...]] = {}

    def visit(block: Block, loops: tuple[_Loop, ...]) -> None:
        for op in block.ops:
            if op.primitive == "check_index":
                found[op] = loops
            elif op.primitive == "for":
                quiet = written[op].isdisjoint(sites.parameters) and not _interrupts(op)
                visit(op.blocks[0], (_Loop(op, frozenset(defined(op.blocks[0])), quiet), *loops))
            elif op.primitive == "while" and _begins(op):
                visit(op.blocks[1], loops)
            else:
                for inner in op.blocks:
                    visit(inner, ())

    visit(function.body, ())
    return found


def _begins(loop: Op) -> bool:
    """Whether a ``while`` runs at least once, as by a test that is True in the beginning."""
    test = loop.blocks[0]
    tested = test.yields[0]
    return tested in test.parameters and loop.operands[test.parameters.index(tested)] == constant(True, BOOL)


def _interrupts(loop: Op) -> bool:
    """Whether a call or a check of another kind is made in the loop: it might come before the IndexError."""
    return any(effect(op.primitive) in (Effect.CALL, Effect.GUARD) for block in loop.blocks for op in walk(block))


@dataclass
class _Rewriting:
    proofs: _Proofs
    pinned: frozenset[Value]
    names: dict[Value, Operand] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            for check in self.proofs.in_front.get(op, ()):
                ops += self.check(check)
            operands = tuple(renamed(x, self.names) for x in op.operands)
            current = replace(op, operands=operands, blocks=tuple(self.block(b) for b in op.blocks))
            ops += self.replaced(op, current)
        return replace(block, ops=tuple(ops), yields=tuple(renamed(x, self.names) for x in block.yields))

    def replaced(self, op: Op, current: Op) -> list[Op]:
        if op in self.proofs.in_range:
            if current.operands[0] == index(1) and op.result in self.pinned:
                return [replace(current, primitive="add", operands=(index(1), index(0)))]
            self.names[op.result] = current.operands[0]
            return []
        if op in self.proofs.negative:
            return [replace(current, primitive="add")]
        if op in self.proofs.wrapped:
            return self.wrap(current)
        return [current]

    def wrap(self, op: Op) -> list[Op]:
        """Python's wrap-around of an index that cannot fail."""
        i, n = op.operands
        builder = new_builder()
        builder.location = op.location
        builder.open()
        is_negative = builder("lt", i, index(0))
        moved = builder("add", i, n)
        return [*builder.ops, replace(op, primitive="select", operands=(is_negative, moved, i))]

    def check(self, check: _Hoisted) -> list[Op]:
        """Raise unless the largest index is below the extent, or one of the loops does not run."""
        builder = new_builder()
        builder.location = check.location
        builder.open()
        value = partial(as_ops, builder, operand_of=partial(self.operand, builder))
        largest, extent = value(check.largest), value(check.extent)
        passed = builder("lt", largest, extent)
        for count in check.trips:
            if not self.holds_without(check, count):
                passed = builder("or_", passed, builder("le", value(count), index(0)))
        shown = largest
        if check.first is not None:
            shown = extent if _is_at_most_0(check.first) else builder("max", value(check.first), extent)
        builder.emit("check", passed, shown, extent, exception="IndexError", message=OUT_OF_RANGE)
        return builder.ops

    def operand(self, builder: Builder, term: Value) -> Operand:
        """The value itself, or the extent that a term without a value of its own stands for."""
        dim = self.proofs.ranges.dim_of(term)
        if dim is None:
            return renamed(term, self.names)
        return builder("dim", renamed(dim.array, self.names), axis=dim.axis)

    def holds_without(self, check: _Hoisted, count: Affine) -> bool:
        """Whether the check passes anyhow if this loop runs zero times."""
        ranges = self.proofs.ranges
        with ranges.assuming([count * -1]):
            return ranges.proves(check.extent - check.largest - 1)
