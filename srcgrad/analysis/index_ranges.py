"""What is known of the integers of a program: enough to prove that an index is in range.

A *fact* is an affine form that is not negative. A counter, an extent, a remainder, a minimum carry facts of their
own; branches, checks and loops add those that hold on the way to an op. A check that passes for one of several reasons
(in range, or the loop does not run) is a *clause*: where all but one are refuted, the last one holds.

To prove that a form is not negative, its innermost value is eliminated by a fact (``e - k * f``, k > 0, must then be
proved), a minimum, maximum or selection by its cases. The search is short and may fail; it never claims what is not
so, sizes being below 2**40.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.conditions import alternatives, implied, proved
from srcgrad.analysis.extents import Dim, Extents
from srcgrad.analysis.inequalities import fact, is_large, without
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Operand, Value, defined, first_carried, index
from srcgrad.ir.types import BOOL, INDEX, Array, Scalar

STEPS = 400  # forms tried in one proof
DEPTH = 10


@dataclass
class _Search:
    """What is left of a proof's steps, and how deep the search for each form that could not be proved was."""

    steps: int = STEPS
    failed: dict[tuple[frozenset[tuple[Value, int]], int], int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Case:
    """One of the values that a minimum, a selection or a merge may have, and what then holds."""

    form: Affine
    given: tuple[Affine, ...] = ()


@dataclass
class IndexRanges:
    """Facts about the integers of a function, and those in force at the op that ``walk`` has reached."""

    function: Function
    definitions: Definitions = field(init=False)
    extents: Extents = field(init=False)
    _order: dict[Value, int] = field(init=False)
    _carries: dict[Value, tuple[Op, int]] = field(init=False, default_factory=dict)  # parameter or result of a loop
    _same: dict[Value, Operand] = field(init=False, default_factory=dict)
    _dims: dict[Dim, Value] = field(init=False, default_factory=dict)
    _lengths: dict[Value, Dim] = field(init=False, default_factory=dict)  # _dims the other way round
    _growing: dict[tuple[Op, int], bool] = field(init=False, default_factory=dict)
    _given: dict[Value, list[Affine]] = field(init=False, default_factory=dict)
    _clauses: list[list[Operand]] = field(init=False, default_factory=list)  # of each, one condition holds
    _learned: dict[Op, list[Affine]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.definitions = Definitions(self.function)
        self.extents = Extents(self.function)
        self._order = {v: k for k, v in enumerate(defined(self.function.body))}
        for op in self.definitions.op.values():
            if op.primitive in LOOPS:
                self._add_carries(op)

    def _add_carries(self, op: Op) -> None:
        first = first_carried(op)
        for k, result in enumerate(op.results):
            for value in (result, op.blocks[-1].parameters[first + k]):
                self._carries[value] = (op, k)

    # Asking

    def affine(self, operand: Operand) -> Affine:
        """The affine form of an integer, extents under one name each."""
        form = self.definitions.affine(operand)
        result = Affine({}, form.constant)
        for value, coefficient in form.terms.items():
            result = result + self._named(value) * coefficient
        return result

    def extent(self, array: Operand, axis: int) -> Affine:
        return self._extent(self.extents.of(array)[axis])

    def is_outside(self, form: Affine, inside: AbstractSet[Value]) -> bool:
        """Whether a form can be computed where the values of ``inside`` are not in scope."""
        dims = (self._lengths.get(term) for term in form.terms)
        return inside.isdisjoint(form.terms) and inside.isdisjoint(dim.array for dim in dims if dim is not None)

    def proves(self, form: Affine) -> bool:
        """Whether the form is certainly not negative at the op that ``walk`` has reached."""
        return self._proves(form, _Search(), DEPTH)

    def in_range(self, i: Operand, extent: Affine) -> bool:
        form = self.affine(i)
        return self.proves(form) and self.proves(extent - form - 1)

    def equate(self, value: Value, operand: Operand) -> None:
        """From now on the value is known to be the operand."""
        self._same[value] = operand

    def learn(self, op: Op, known: Affine) -> None:
        """From this op on the fact is in force, where the op is."""
        self._learned.setdefault(op, []).append(known)

    def implied(self, condition: Operand, holds: bool) -> list[Affine]:
        """The facts that follow from a condition, or from its opposite."""
        return implied(condition, holds, self.definitions.op, self.affine)

    def holds(self, condition: Operand, wanted: bool = True) -> bool:
        """Whether it is known at the op that ``walk`` has reached that a condition holds, or that it does not."""
        return proved(condition, wanted, self.definitions.op, self.affine, self.proves)

    def always_passes(self, check: Op) -> bool:
        """Whether a check holds by what is in force before it: one of its conditions does if the others do not."""
        conditions = alternatives(check.operands[0], self.definitions.op)
        for condition in conditions:
            opposite = [f for x in conditions if x is not condition for f in self.implied(x, False)]
            with self.assuming(opposite), self._settling_clauses():
                if self.holds(condition):
                    return True
        return False

    @contextmanager
    def _settling_clauses(self) -> Iterator[None]:
        """With the facts of clauses of which all conditions but one are refuted by now."""
        clauses, known = self._clauses, []
        self._clauses = []
        for clause in clauses:
            left = [x for x in clause if not self.holds(x, False)]
            if len(left) == 1:
                known += self.implied(left[0], True)
            else:
                self._clauses.append(left)
        with self.assuming(known):
            yield
        self._clauses = clauses

    def _named(self, value: Value) -> Affine:
        if value in self._same:
            return self.affine(self._same[value])
        op = self.definitions.op.get(value)
        if op is None or op.primitive != "dim":
            return fact(value)
        return self._extent(self.extents.canonical(value))

    def _extent(self, extent: Const | Value | Dim) -> Affine:
        if not isinstance(extent, Dim):
            return self.affine(extent)
        if extent not in self._dims:
            self._dims[extent] = Value(INDEX, "extent")
            self._lengths[self._dims[extent]] = extent
        return fact(self._dims[extent])

    def dim_of(self, term: Value) -> Dim | None:
        """The extent that a term of a form stands for, if it is not a value of the program."""
        return self._lengths.get(term)

    # Proving

    def _proves(self, form: Affine, search: _Search, depth: int) -> bool:
        if form.is_constant:
            return form.constant >= 0
        key = frozenset(form.terms.items()), form.constant
        if depth <= search.failed.get(key, 0) or search.steps == 0 or is_large(form):
            return False
        search.steps -= 1
        search.failed[key] = depth  # also while it is being looked into: no proof rests on itself
        if not self._follows(form, search, depth - 1):
            return False
        del search.failed[key]
        return True

    def _follows(self, form: Affine, search: _Search, depth: int) -> bool:
        latest = max(form.terms, key=lambda v: self._order.get(v, -1))
        sign = form.terms[latest]
        for known in [*self._facts(latest), *self._given.get(latest, ())]:
            if known.terms.get(latest, 0) * sign > 0 and self._proves(without(latest, form, known), search, depth):
                return True
        cases = self._cases(latest)
        return bool(cases) and all(self._holds_in(case, latest, form, search, depth) for case in cases)

    def _holds_in(self, case: _Case, value: Value, form: Affine, search: _Search, depth: int) -> bool:
        inner = form + (case.form - fact(value)) * form.terms[value]
        if not case.given:
            return self._proves(inner, search, depth)
        outside, search.failed = search.failed, {}  # more can be proved by what holds in this case
        with self.assuming(case.given):
            holds = self._proves(inner, search, depth)
        search.failed = outside
        return holds

    @contextmanager
    def assuming(self, facts: tuple[Affine, ...] | list[Affine]) -> Iterator[None]:
        added = [value for known in facts for value in known.terms if self._adds(value, known)]
        yield
        for value in added:
            self._given[value].pop()

    def _adds(self, value: Value, known: Affine) -> bool:
        given = self._given.setdefault(value, [])
        if known in given:
            return False
        given.append(known)
        return True

    # Facts that a value carries with it

    def _facts(self, value: Value) -> list[Affine]:
        if value in self._lengths:
            return [fact(value)]
        if value in self._carries:
            return self._carry_facts(value)
        op = self.definitions.op.get(value)
        if op is None:
            return []
        match op.primitive:
            case "max":
                return [fact(value) - self.affine(x) for x in op.operands]
            case "min":
                return [self.affine(x) - fact(value) for x in op.operands]
            case "check_index":
                return [fact(value), self.affine(op.operands[1]) - fact(value, constant=1)]
            case "mod" | "floordiv":
                return self._division_facts(op)
            case "cast" if op.operands[0].type == Scalar(BOOL):
                return [fact(value), fact(value, -1, 1)]
        return []

    def _division_facts(self, op: Op) -> list[Affine]:
        """``0 <= a % k < k`` and ``k * (a // k) <= a < k * (a // k) + k`` for a constant k > 0."""
        dividend, divisor = op.operands
        if not isinstance(divisor, Const) or not isinstance(divisor.value, int) or divisor.value <= 0:
            return []
        k = divisor.value
        if op.primitive == "mod":
            return [fact(op.result), fact(op.result, -1, k - 1)]
        rest = self.affine(dividend) - fact(op.result) * k
        return [rest, rest * -1 + (k - 1)]

    def _carry_facts(self, value: Value) -> list[Affine]:
        """A carry that grows by between ``low`` and ``high`` in each iteration lies between two lines."""
        op, k = self._carries[value]
        first = first_carried(op)
        body = op.blocks[-1]
        above = fact(value) - self.affine(op.operands[first + k])
        growth = self._growth(body.yields[k], body.parameters[first + k], 4)
        if growth is None:
            return [above] if self._never_shrinks(op, k) else []
        low, high = growth
        if op.primitive == "while":
            return ([above] if low >= 0 else []) + ([above * -1] if high <= 0 else [])
        count = self.affine(op.operands[0]) if value in op.results else fact(body.parameters[0])
        return [above - count * low, count * high - above]

    def _growth(self, yielded: Operand, parameter: Value, depth: int) -> tuple[int, int] | None:
        difference = self.affine(yielded) - fact(parameter)
        if difference.is_constant:
            return difference.constant, difference.constant
        op = self.definitions.op.get(yielded) if isinstance(yielded, Value) else None
        if op is None or depth == 0 or op.primitive not in ("if", "select"):
            return None
        bounds = [self._growth(x, parameter, depth - 1) for x in _merged(op, yielded)]
        known = [b for b in bounds if b is not None]
        if len(known) != len(bounds):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def _never_shrinks(self, op: Op, k: int) -> bool:
        """Whether a carry grows or stays in each iteration, by what holds in all of them."""
        key = op, k
        if key not in self._growing:
            self._growing[key] = False  # what is being proved must not be used
            given, self._given = self._given, {}
            first = first_carried(op)
            growth = self.affine(op.blocks[-1].yields[k]) - fact(op.blocks[-1].parameters[first + k])
            with self.assuming(self._counter_facts(op) if op.primitive == "for" else []):
                self._growing[key] = self.proves(growth)
            self._given = given
        return self._growing[key]

    def _cases(self, value: Value) -> list[_Case]:
        op = self.definitions.op.get(value)
        if op is None:
            return []
        if op.primitive in ("max", "min"):
            return [_Case(self.affine(x)) for x in op.operands]
        if op.primitive in ("select", "if"):
            sides = zip(_merged(op, value), (True, False), strict=True)
            return [_Case(self.affine(x), tuple(self.implied(op.operands[0], holds))) for x, holds in sides]
        return []

    # Facts on the way to an op

    def walk(self, reached: Callable[[Op], None]) -> None:
        """Call back at every op, before its blocks, with the facts in force there."""
        self._walk(self.function.body, reached)

    def _walk(self, block: Block, reached: Callable[[Op], None]) -> None:
        clauses = len(self._clauses)
        with ExitStack() as facts:
            for op in block.ops:
                reached(op)
                for inner, known in zip(op.blocks, self._inside(op), strict=True):
                    with self.assuming(known), self._settling_clauses():
                        self._walk(inner, reached)
                facts.enter_context(self.assuming(self._after(op)))
        del self._clauses[clauses:]

    def _inside(self, op: Op) -> list[list[Affine]]:
        match op.primitive:
            case "if":
                return [self.implied(op.operands[0], holds) for holds in (True, False)]
            case "for":
                return [self._counter_facts(op)]
            case "while":
                return [[], self._test_facts(op)]
        return [[] for _ in op.blocks]

    def _counter_facts(self, op: Op) -> list[Affine]:
        """``0 <= i < trips``."""
        counter = op.blocks[0].parameters[0]
        return [fact(counter), self.trips(op) - fact(counter, constant=1)]

    def trips(self, loop: Op) -> Affine:
        """The trip count of a ``for`` that runs at all: n for ``max(0, n)``. Not positive where it does not run."""
        count = loop.operands[0]
        made = self.definitions.op.get(count) if isinstance(count, Value) else None
        if made is not None and made.primitive == "max" and index(0) in made.operands:
            return self.affine(next((x for x in made.operands if x != index(0)), count))
        return self.affine(count)

    def _test_facts(self, op: Op) -> list[Affine]:
        """What the test of a ``while`` says of the body's parameters."""
        test, body = op.blocks
        if test.yields[0] in test.parameters:
            return self._carried_test_facts(op, test.parameters.index(test.yields[0]))
        names = dict(zip(test.parameters, body.parameters, strict=True))
        inside = set(defined(test))
        known = []
        for form in self.implied(test.yields[0], True):
            if all(v in names or v not in inside for v in form.terms):
                known.append(Affine({names.get(v, v): c for v, c in form.terms.items()}, form.constant))
        return known

    def _carried_test_facts(self, op: Op, position: int) -> list[Affine]:
        """The same where the condition is carried: computed before the loop, and at the end of each iteration."""
        body = op.blocks[-1]
        inside = set(defined(body))
        steps = {p: self.affine(y) - fact(p) for p, y in zip(body.parameters, body.yields, strict=True) if _counts(p)}
        starts = {p: self.affine(x) for p, x in zip(body.parameters, op.operands, strict=True) if _counts(p)}
        at_start = self.implied(op.operands[position], True)
        known = []
        for form in self.implied(body.yields[position], True):
            moving = [v for v in form.terms if v in inside]
            if not all(v in steps and steps[v].is_constant for v in moving):
                continue
            # In terms of what the next iteration starts with, and of what the first one does.
            shift = sum(form.terms[v] * steps[v].constant for v in moving)
            form = form - shift
            first = form
            for v in moving:
                first = first + (starts[v] - fact(v)) * form.terms[v]
            with self.assuming(at_start):
                if self.proves(first):
                    known.append(form)
        return known

    def _after(self, op: Op) -> list[Affine]:
        """What holds once an op has run: a check was passed, an extent is not negative."""
        if op.primitive == "check":
            conditions = alternatives(op.operands[0], self.definitions.op)
            if len(conditions) > 1:
                self._clauses.append(conditions)
            return self.implied(op.operands[0], True)
        if op in self._learned:
            return self._learned[op]
        if op.primitive in ("alloc", "reshape", "slice") and "in_front" not in op.attributes:
            assert isinstance(op.result.type, Array)
            shape = [self.extent(op.result, axis) for axis in range(op.result.type.rank)]
            return [n for n in shape if not n.is_constant]
        return []


def _counts(value: Value) -> bool:
    return value.type == INDEX


def _merged(op: Op, value: Operand) -> list[Operand]:
    """What a selection or a merge may be: if the condition holds, and if not."""
    if op.primitive == "select":
        return list(op.operands[1:])
    position = next(k for k, result in enumerate(op.results) if result is value)
    return [block.yields[position] for block in op.blocks]
