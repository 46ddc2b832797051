"""Do the iterations of a loop exchange anything through memory?

They do not if all that is written is memory of the iteration itself, an element that no other iteration touches, or a
sum that the loop does not read.

>>> from srcgrad.ir.core import walk
>>> from srcgrad.ir.text import parse
>>> from srcgrad.primitives.table import infer
>>> program = parse('''
... def f(x: f64[:], y: f64[:], z: f64[:], n: i64):
...     with for_(n):
...         def _(i: i64):
...             v: f64 = load(x, i)
...             store(y, i, v)
...             accumulate(z, 0, v)
... ''', infer)
>>> (loop,) = (op for op in walk(program.body) if op.primitive == "for")
>>> exchange = Exchange(program, loop)
>>> [site.name for site in exchange.sums], [site.name for site in exchange.own], exchange.free
(['z'], ['y'], True)
"""

from __future__ import annotations

from srcgrad.analysis.accesses import Definitions, indices
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import written_by_callees
from srcgrad.ir.core import Function, Op, Operand, Value, defined, walk
from srcgrad.ir.types import Array, Stack
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import Effect, effect


class Exchange:
    """What the iterations of a loop share.

    Attributes
    ----------
    sums : list of Value
        Memory from outside that is only added to, by more than one iteration.
    own : list of Value
        Memory from outside of which each iteration has elements of its own.
    refusal : Refusal or None
        What else there is, if anything.
    """

    def __init__(self, function: Function, loop: Op) -> None:
        self.loop = loop
        self.counter = loop.blocks[0].parameters[0]
        self.inside = frozenset(defined(loop.blocks[0]))
        self.sums: list[Value] = []
        self.own: list[Value] = []
        self._definitions = Definitions(function)
        self._sites = Sites(function)
        self._written = written_by_callees(function.callees)
        self._accesses: dict[Value, list[Op]] = {}
        self.refusal = self._collect() or self._sort()

    @property
    def free(self) -> bool:
        return self.refusal is None

    def is_sum(self, array: Operand) -> bool:
        """Whether a reference is to memory that is only added to."""
        return not self._sites.sites(array).isdisjoint(self.sums)

    def _collect(self) -> Refusal | None:
        """Gather the accesses to memory from outside, by site; refuse an effect that is not an access."""
        for op in walk(self.loop.blocks[0]):
            match effect(op.primitive):
                case Effect.READ | Effect.WRITE:
                    self._note(op, op.operands[0])
                case Effect.CALL:
                    if not self._only_reads(op):
                        return refused("it calls a function that writes to arrays from outside", op)
                    for operand in op.operands:
                        self._note(op, operand)
                case Effect.STACK:
                    if any(isinstance(x.type, Stack) and x not in self.inside for x in op.operands):
                        return refused("what is kept for the reverse sweep is kept in order", op)
        return None

    def _sort(self) -> Refusal | None:
        for site, ops in self._accesses.items():
            if not self._sorted_in(site, ops):
                write = next(op for op in ops if effect(op.primitive) is not Effect.READ)
                return refused(f"iterations may write and read the same elements of {site.name or 'an array'}", write)
        return None

    def _note(self, op: Op, array: Operand) -> None:
        for site in self._sites.sites(array) - self.inside:
            self._accesses.setdefault(site, []).append(op)

    def _only_reads(self, call: Op) -> bool:
        """Whether a call writes to memory of the iteration alone."""
        written = self._written[call.text("callee")]
        routine = ROUTINES.get(call.text("callee"))
        filled = {*written, *(range(routine.reads, len(call.operands)) if routine else ())}
        return all(self._sites.sites(call.operands[k]) <= self.inside for k in filled)

    def _sorted_in(self, site: Value, ops: list[Op]) -> bool:
        if all(effect(op.primitive) in (Effect.READ, Effect.CALL) for op in ops):
            return True
        if self._has_own_elements(site, ops):
            self.own.append(site)
            return True
        if all(op.primitive == "accumulate" and op.operands[0] not in self.inside for op in ops):
            self.sums.append(site)
            return True
        return False

    def _has_own_elements(self, site: Value, ops: list[Op]) -> bool:
        """Whether some axis is indexed by the counter and something constant, the same in all accesses."""
        if not all(op.primitive in ("load", "store", "accumulate") for op in ops):
            return False
        assert isinstance(site.type, Array)
        found: list[set[tuple[object, ...]]] = [set() for _ in range(site.type.rank)]
        for op in ops:
            array = op.operands[0]
            assert isinstance(array, Value)
            access = self._definitions.access(array, indices(op))
            if access.root is not site:
                return False
            for forms, form in zip(found, access.indices, strict=True):
                forms.add(self._key(form))
        return any(len(forms) == 1 and () not in forms for forms in found)

    def _key(self, form: Affine | None) -> tuple[object, ...]:
        """Equal for equal indices that differ from iteration to iteration; () for any other."""
        if form is None or self.counter not in form.terms:
            return ()
        others = form.without(self.counter)
        if any(value in self.inside for value in others.terms):
            return ()
        return (form.terms[self.counter], others.constant, frozenset(others.terms.items()))
