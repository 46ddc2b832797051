"""What is known of the integers of a program, and what follows from it.

A *fact* is an affine form that is not negative. A counter, an extent, a remainder, a minimum carry facts of their
own; others are assumed for a while.

To prove that a form is not negative, its innermost value is eliminated by a fact (``e - k * f``, k > 0, must then be
proved), a minimum, maximum or selection by its cases. The search is short and may fail; it never claims what is not
so, sizes being below 2**40. What was proved is remembered for as long as nothing else is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.conditions import decided, implied
from srcgrad.analysis.extents import Dim, Extents
from srcgrad.analysis.inequalities import fact, is_large, without
from srcgrad.ir.core import LOOPS, Const, Function, Op, Operand, Value, defined, first_carried, index
from srcgrad.ir.types import BOOL, INDEX, Scalar

STEPS = 400  # forms tried in one proof
DEPTH = 10


@dataclass
class _Search:
    steps: int = STEPS


@dataclass(frozen=True)
class _Case:
    """One of the values that a minimum, a selection or a merge may have, and what then holds."""

    form: Affine
    given: tuple[Affine, ...] = ()


@dataclass
class Proofs:
    """Facts about the integers of a function, and those that are assumed."""

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
    # Asked for again and again: what is in force has a number, by which what was proved is remembered.
    _state: int = field(init=False, default=0)
    _states: Iterator[int] = field(init=False, default_factory=partial(count, 1))
    _proved: dict[tuple[int, frozenset[tuple[Value, int]], int], bool] = field(init=False, default_factory=dict)
    _forms: dict[Value, Affine] = field(init=False, default_factory=dict)
    _known: dict[Value, list[Affine]] = field(init=False, default_factory=dict)
    _choices: dict[Value, list[_Case]] = field(init=False, default_factory=dict)

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
        if isinstance(operand, Const):
            return self.definitions.affine(operand)
        if operand not in self._forms:
            form = self.definitions.affine(operand)
            result = Affine({}, form.constant)
            for value, coefficient in form.terms.items():
                result = result + self._named(value) * coefficient
            self._forms[operand] = result
        return self._forms[operand]

    def extent(self, array: Operand, axis: int) -> Affine:
        return self._extent(self.extents.of(array)[axis])

    def is_outside(self, form: Affine, inside: AbstractSet[Value]) -> bool:
        """Whether a form can be computed where the values of ``inside`` are not in scope."""
        dims = (self._lengths.get(term) for term in form.terms)
        return inside.isdisjoint(form.terms) and inside.isdisjoint(dim.array for dim in dims if dim is not None)

    def proves(self, form: Affine) -> bool:
        """Whether the form is certainly not negative, by the facts in force."""
        if form.is_constant:
            return form.constant >= 0
        key = self._state, frozenset(form.terms.items()), form.constant
        if key not in self._proved:
            self._proved[key] = self._proves(form, _Search(), DEPTH)
        return self._proved[key]

    def in_range(self, i: Operand, extent: Affine) -> bool:
        form = self.affine(i)
        return self.proves(form) and self.proves(extent - form - 1)

    def equate(self, value: Value, operand: Operand) -> None:
        """From now on the value is known to be the operand."""
        self._same[value] = operand
        for remembered in (self._proved, self._forms, self._known, self._choices):
            remembered.clear()

    def implied(self, condition: Operand, holds: bool) -> list[Affine]:
        """The facts that follow from a condition, or from its opposite."""
        return implied(condition, holds, self.definitions.op, self.affine)

    def decides(self, condition: Operand) -> bool | None:
        """Whether a condition holds, by the facts in force; None if that is not known."""
        return decided(condition, self.definitions.op, self.affine, self.proves)

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
        search.steps -= 1
        if depth == 0 or search.steps < 0 or is_large(form):
            return False
        latest = max(form.terms, key=lambda v: self._order.get(v, -1))
        sign = form.terms[latest]
        for known in [*self._carried_along(latest), *self._given.get(latest, ())]:
            if known.terms.get(latest, 0) * sign > 0 and self._proves(without(latest, form, known), search, depth - 1):
                return True
        if latest not in self._choices:
            self._choices[latest] = self._cases(latest)
        cases = self._choices[latest]
        return bool(cases) and all(self._holds_in(case, latest, form, search, depth - 1) for case in cases)

    def _holds_in(self, case: _Case, value: Value, form: Affine, search: _Search, depth: int) -> bool:
        with self.assuming(case.given):
            return self._proves(form + (case.form - fact(value)) * form.terms[value], search, depth)

    @contextmanager
    def assuming(self, facts: Sequence[Affine]) -> Iterator[None]:
        before = self._assume(facts)
        yield
        self._drop(facts, before)

    def _assume(self, facts: Sequence[Affine]) -> int:
        """From now on the facts are in force, until they are dropped, the last first; the state is that before."""
        before = self._state
        for known in facts:
            for value in known.terms:
                self._given.setdefault(value, []).append(known)
        if facts:
            self._state = next(self._states)
        return before

    def _drop(self, facts: Sequence[Affine], before: int) -> None:
        for known in facts:
            for value in known.terms:
                self._given[value].pop()
        self._state = before

    # Facts that a value carries with it

    def _carried_along(self, value: Value) -> list[Affine]:
        if value in self._known:
            return self._known[value]
        known = self._facts(value)
        if value not in self._carries:  # of a carry, less may be known while it is asked how it grows
            self._known[value] = known
        return known

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
            (given, self._given), (state, self._state) = (self._given, {}), (self._state, next(self._states))
            first = first_carried(op)
            growth = self.affine(op.blocks[-1].yields[k]) - fact(op.blocks[-1].parameters[first + k])
            with self.assuming(self.counter_facts(op) if op.primitive == "for" else []):
                self._growing[key] = self.proves(growth)
            self._given, self._state = given, state
        return self._growing[key]

    def counter_facts(self, op: Op) -> list[Affine]:
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


def _merged(op: Op, value: Operand) -> list[Operand]:
    """What a selection or a merge may be: if the condition holds, and if not."""
    if op.primitive == "select":
        return list(op.operands[1:])
    position = next(k for k, result in enumerate(op.results) if result is value)
    return [block.yields[position] for block in op.blocks]
