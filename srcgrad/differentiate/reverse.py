"""Reverse mode: the adjoint of a function, by one walk over its ops from last to first.

The walk names values of the forward sweep freely, in scope or not; ``recall`` repairs that afterwards, in one
place. What is done to memory follows from Python's references: the reverse of a load adds into the shadow, the
reverse of a store takes the shadow's element and zeroes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.effects import Touch
from srcgrad.analysis.grounds import Grounds
from srcgrad.differentiate import control_flow
from srcgrad.differentiate.activity import carries_derivative, differentiable, link_parts
from srcgrad.differentiate.callees import Callees
from srcgrad.differentiate.cancelling import Cancelling
from srcgrad.differentiate.in_place import InPlace
from srcgrad.differentiate.live import Live
from srcgrad.differentiate.partials import (
    add_array,
    added,
    convert,
    fill_array,
    is_strong_zero,
    masked,
    partials,
    require_rules,
    scaled,
    zeros_like,
)
from srcgrad.differentiate.poles import SELECTING
from srcgrad.differentiate.rules import is_ruled, spliced
from srcgrad.differentiate.shadows import BAR, holds_numbers, suffixed
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.calls.inline import inline_rule
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, zero_like
from srcgrad.ir.types import Array, Scalar, Type
from srcgrad.primitives.routines import ROUTINES, Routine
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect, new_builder


class Reverse:
    """The state of the walk: where ops go, and the adjoint so far of each scalar."""

    def __init__(
        self,
        active: set[Value],
        twins: dict[Value, Value],
        in_place: InPlace,
        callees: Callees,
        grounds: Grounds,
    ) -> None:
        self.builder: Builder = new_builder()
        self.cancelling = Cancelling(self.builder)
        self.live = Live(self.builder, grounds)
        self.active = active  # scalars that carry a derivative
        self.twins = twins  # active array -> its shadow
        self.in_place = in_place
        self.callees = callees
        self.adjoints: dict[Value, Operand] = {}
        self.selected: set[Operand] = set()  # cotangents that are 0 where a selection did not take the value

    def add(self, target: Operand, ct: Operand) -> None:
        """Add a contribution to the adjoint of a scalar."""
        if not isinstance(target, Value) or target not in self.active:
            return
        if ct.type != target.type:
            ct = convert(self.builder, ct, target.type)
        old = self.adjoints.get(target)
        if old is None:
            self.adjoints[target] = ct
            return
        total = added(self.builder, old, ct, suffixed(target, BAR))
        if old in self.selected and ct in self.selected:
            self.selected.add(total)
        self.adjoints[target] = total

    def take(self, value: Value) -> Operand | None:
        """The finished adjoint of a value that is about to be reversed; None if it is zero."""
        return self.adjoints.pop(value, None)

    def ops(self, ops: Sequence[Op]) -> None:
        around = self.builder.location  # of the loop or branch whose block this is
        for op in ops:
            if op.primitive == "stack" and op.result in self.twins and holds_numbers(op.result):
                self.builder.ops.append(replace(op, results=(self.shadow(op.result),)))
        for op in reversed(ops):
            self.builder.location = op.location
            self.op(op)
        self.builder.location = around

    def op(self, op: Op) -> None:
        if "recycled" in op.attributes:  # its shadow was that of another array, and will be
            fill_array(self.builder, self.shadow(op.result), None)
        if "inert" in op.attributes:
            return
        match effect(op.primitive):
            case Effect.CONTROL:
                control_flow.reverse_control(self, op)
            case Effect.READ:
                self.load(op)
            case Effect.WRITE:
                self.write(op)
            case Effect.PURE if op.primitive == "link":
                self.link(op)
            case Effect.PURE | Effect.CHECK:
                self.scalar(op)
            case Effect.CALL:
                self.call(op)
            case Effect.STACK if op.operands and op.operands[0] in self.twins and holds_numbers(op.operands[0]):
                self.kept(op)
            case _:
                pass

    def load(self, op: Op) -> None:
        ct = self.take(op.result)
        array = op.operands[0]
        if ct is not None and array in self.twins:
            self.builder.emit("accumulate", self.shadow(array), *op.operands[1:], ct)

    def write(self, op: Op) -> None:
        array, *indices, value = op.operands
        if array not in self.twins:
            return
        shadow = self.shadow(array)
        if op.primitive == "store" or value in self.active:
            ct = self.builder("load", shadow, *indices, name=suffixed(value, BAR))
            if clears_shadow(op):
                self.builder.emit("store", shadow, *indices, zero_like(value))
            if op.attributes.get("selected"):
                self.selected.add(ct)
            self.add(value, ct)

    def kept(self, op: Op) -> None:
        """What was popped is pushed with its adjoint, on a stack of these, and what was pushed takes it from there."""
        stack = self.shadow(op.operands[0])
        if op.primitive == "pop":
            ct = self.take(op.result)
            self.builder.emit("push", stack, zero_like(op.result) if ct is None else ct)
            return
        value = op.operands[1]
        ct = self.builder("pop", stack, name=suffixed(value, BAR))
        self.selected.add(ct)
        if value in self.active:
            self.add(value, ct)

    def shadow(self, array: Operand) -> Value:
        assert isinstance(array, Value)
        return self.twins[array]

    def scalar(self, op: Op) -> None:
        if not op.results or op.result not in self.active:
            return
        ct = self.take(op.result)
        if ct is None:
            return
        if op.primitive == "cast":
            self.add(op.operands[0], ct)
        elif is_strong_zero(op):
            self.selected.add(ct)
            self.add(op.operands[1], ct)
        elif op.primitive == "select":
            condition, *sides = op.operands
            zero = zero_like(ct)
            for side, chosen in zip(sides, ((ct, zero), (zero, ct)), strict=True):
                if side in self.active:
                    taken = self.builder("select", condition, *chosen)
                    self.selected.add(taken)
                    self.add(side, taken)
        elif (transpose := SCALARS[op.primitive].transpose) is not None:
            for operand, part in zip(op.operands, transpose(self.builder, ct), strict=True):
                self.add(operand, part)
        elif carries_derivative(op):
            require_rules(op, self.active.__contains__)
            for operand, partial in zip(op.operands, partials(self.builder, op), strict=True):
                if operand in self.active:
                    self.add(operand, self.product(op, partial, ct))

    def product(self, op: Op, partial: Operand, ct: Operand) -> Operand:
        """The partial times the cotangent; a cotangent that a selection made 0 stays 0."""
        exact, rest = self.cancelling.split(op, ct)
        term = self._scaled(op, partial, rest) if rest is not None else None
        if exact is not None:
            term = exact if term is None else self.builder("add", exact, term)
        assert term is not None
        self.live.note(term, partial, ct)
        if ct in self.selected and op.attributes.get("infinite") and not isinstance(partial, Const):
            term = masked(self.builder, ct, term)
        if ct in self.selected or op.primitive in SELECTING:
            self.selected.add(term)
        return term

    def _scaled(self, op: Op, partial: Operand, ct: Operand) -> Operand:
        return scaled(self.builder, op, partial, ct, self.live.cotangent(op, ct))

    def link(self, op: Op) -> None:
        """By the rule that the link names: from the cotangents of what is linked those of what it depends on."""
        outs, ins, residuals = link_parts(op)
        results = iter(op.results)
        taken = [self._cotangent(x if isinstance(x.type, Array) else next(results)) for x in outs]
        if all(ct is None for ct in taken):
            return
        rule = op.text("rule")
        routine = ROUTINES.get(rule)
        if routine is not None:
            found: Sequence[Operand | None] = self._by_routine(routine, ins, residuals, taken)
        else:
            cts = [zeros_like(self.builder, x) if ct is None else ct for x, ct in zip(outs, taken, strict=True)]
            by_call = rule in self.callees.reversible
            found = self._called(rule, ins, (*residuals, *cts)) if by_call else self._spliced(rule, (*residuals, *cts))
        for target, ct in zip(ins, found, strict=True):
            if ct is not None and isinstance(target.type, Scalar):
                self.add(target, ct)
            elif ct is not None and target in self.twins:
                if routine is None and not by_call:
                    self._check_shape(target, ct)
                add_array(self.builder, self.shadow(target), ct)
        if routine is not None and not routine.adding:  # it overwrote; what a function with a rule gives is fresh
            for shadow in (ct for ct in taken if isinstance(ct, Value)):
                fill_array(self.builder, shadow, None)

    def _spliced(self, rule: str, operands: Sequence[Operand]) -> Sequence[Operand | None]:
        body = spliced(self.callees.primals[rule], operands)
        self.builder.ops.extend(body.ops)
        return list(body.yields)

    def _called(self, rule: str, ins: Sequence[Operand], operands: Sequence[Operand]) -> Sequence[Operand | None]:
        """The rule of a recursive function is called: it may call itself."""
        self.callees.backward(rule)
        return list(self.builder.emit("call", *operands, callee=rule, types=tuple(_gradient_type(x) for x in ins)))

    def _by_routine(
        self, routine: Routine, ins: Sequence[Operand], residuals: Sequence[Operand], cts: Sequence[Operand | None]
    ) -> Sequence[Operand | None]:
        """The cotangents of what a routine read; None for those that its rule has added to their shadows itself."""
        if routine.vjp_into is None:
            assert routine.vjp is not None
            by_rule = inline_rule(self.builder, routine.vjp, (*residuals, *cts))
            return [ct for x, ct in zip(residuals, by_rule, strict=False) if differentiable(x)]
        floating = iter(ins)  # what the routine read; the residuals may be copies of it
        targets = [next(floating) if differentiable(x) else None for x in residuals[: routine.reads]]
        shadows = [self.twins.get(x) if isinstance(x, Value) else None for x in targets]
        inline_rule(self.builder, routine.vjp_into, (*residuals, *cts, *shadows))
        return [None] * len(ins)

    def _cotangent(self, out: Operand) -> Operand | None:
        """The adjoint of a linked scalar, the shadow of a linked array."""
        assert isinstance(out, Value)
        return self.twins.get(out) if isinstance(out.type, Array) else self.take(out)

    def _check_shape(self, target: Operand, ct: Operand) -> None:
        assert isinstance(target.type, Array)
        for axis in range(target.type.rank):
            extents = [self.builder("dim", x, axis=axis) for x in (ct, self.shadow(target))]
            same = self.builder("eq", *extents)
            self.builder.emit("check", same, *extents, exception="ValueError", message=MISSHAPEN)

    def call(self, op: Op) -> None:
        """Run the callee again and reverse it; it must not have changed what it reads, nor anyone after it."""
        if is_ruled(op, self.callees.primals):  # an active one has become a link
            return
        results = [r for r in op.results if r in self.active]
        cts = [self.take(r) for r in results]
        chosen = [(k, x) for k, x in enumerate(op.operands) if x in self.active or x in self.twins]
        if not chosen or (all(ct is None for ct in cts) and not any(x in self.twins for _, x in chosen)):
            return
        self._check_repeatable(op)
        pattern = tuple((k, self.twins[x].type if x in self.twins else x.type) for k, x in chosen)
        name = self.callees.derivative(op.text("callee"), pattern)
        given = dict(zip(results, cts, strict=True))
        seeds = [given.get(r) or zero_like(r) for r in op.results if differentiable(r)]
        shadows = [self.shadow(x) for _, x in chosen if x in self.twins]
        scalars = [x for _, x in chosen if x not in self.twins]
        types = tuple(x.type for x in scalars)
        adjoints = self.builder.emit("call", *op.operands, *shadows, *seeds, callee=name, types=types)
        for operand, ct in zip(scalars, adjoints, strict=True):
            self.add(operand, ct)

    def _check_repeatable(self, op: Op) -> None:
        effects = self.in_place.effects
        arrays = [x for x in op.operands if isinstance(x, Value) and isinstance(x.type, Array)]
        if any(isinstance(r.type, Array) for r in op.results):
            raise _refused(op, "returns an array", "Let it return scalars, or write it with a loop.")
        if effects.written[op.text("callee")]:
            raise _refused(op, "writes to an array argument", "Let it return what it computes, or use a loop.")
        home = effects.function.body
        if op in effects.paths and not all(
            effects.rereadable(Touch(op, x, None, effects.paths[op]), home) for x in arrays
        ):
            raise _refused(op, "reads an array that is written to later", "Copy the array before it is changed.")


def _gradient_type(operand: Operand) -> Type:
    """The type of the gradient that a pullback gives for a parameter like this operand."""
    kind = operand.type
    if not isinstance(kind, Array):
        return kind
    return Array(kind.dtype, kind.rank, "F" if kind.layout == "F" else "C", kind.ones)


def _refused(op: Op, what: str, hint: str) -> UnsupportedError:
    where = op.location
    return UnsupportedError(
        f"reverse mode through the recursive function {op.text('callee')} is not supported: it {what}.",
        hint=hint,
        file=where.file if where else None,
        line=where.line if where else None,
        column=where.column if where else None,
        end_column=where.end_column if where else None,
    )


MISSHAPEN = "a derivative rule gives a cotangent of extent {0} for an axis of extent {1}"


def clears_shadow(op: Op) -> bool:
    """A store overwrites: the reverse zeroes the shadow's element, also when the stored value is constant."""
    return op.primitive == "store"
