"""Reverse mode: the adjoint of a function, by one walk over its ops from last to first.

The walk names values of the forward sweep freely, in scope or not; ``recall`` repairs that afterwards, in one
place. What is done to memory follows from Python's references: the reverse of a load adds into the shadow, the
reverse of a store takes the shadow's element and zeroes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from srcgrad.analysis.effects import Touch
from srcgrad.differentiate import control_flow
from srcgrad.differentiate.activity import carries_derivative, differentiable, find_active, link_parts
from srcgrad.differentiate.array_callees import with_rules, without_rules
from srcgrad.differentiate.callees import Callees, Pattern
from srcgrad.differentiate.in_place import InPlace
from srcgrad.differentiate.partials import (
    add_array,
    added,
    convert,
    fill_array,
    masked,
    partials,
    require_rules,
    scaled,
    zero_like,
    zeros_like,
)
from srcgrad.differentiate.recall import recall
from srcgrad.differentiate.regions import count_whiles, mark_repeated, number_regions
from srcgrad.differentiate.regular import SELECTING, mark_infinite, mark_regular
from srcgrad.differentiate.rules import drop_links, has_rules, is_ruled, link_rules, runs_itself, spliced
from srcgrad.differentiate.shadows import BAR, TwinPass, as_memory, suffixed
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.calls.inline import inline_rule
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Function, Op, Operand, Value, constant, defined
from srcgrad.ir.rewrite import fresh
from srcgrad.ir.types import Array, Scalar, Stack, Type
from srcgrad.primitives.routines import ROUTINES, Routine
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect, new_builder


class Reverse:
    """The state of the walk: where ops go, and the adjoint so far of each scalar."""

    def __init__(self, active: set[Value], twins: dict[Value, Value], in_place: InPlace, callees: Callees) -> None:
        self.builder: Builder = new_builder()
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
        for op in reversed(ops):
            self.builder.location = op.location
            self.op(op)
        self.builder.location = around

    def op(self, op: Op) -> None:
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
            case Effect.STACK if any(x in self.twins or x in self.active for x in (*op.operands, *op.results)):
                raise UnsupportedError(
                    "reverse mode over a reverse sweep that keeps values on a stack is not supported",
                    hint="Use forward mode over it: hvp, hessian or jvp of the gradient.",
                )
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
        term = scaled(self.builder, op, partial, ct)
        if ct in self.selected and op.attributes.get("infinite") and not isinstance(partial, Const):
            term = masked(self.builder, ct, term)
        if ct in self.selected or op.primitive in SELECTING:
            self.selected.add(term)
        return term

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
        callees = self.callees
        callees.backward(rule, lambda primal: _pullback(primal, _wrt(primal), callees))
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
        seeds = [given.get(r) or zero_like(r) for r in op.results if _is_float(r)]
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


def _is_float(operand: Operand) -> bool:
    return isinstance(operand.type, Scalar) and operand.type.dtype.differentiable


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


def gradient(function: Function, wrt: Sequence[int], with_value: bool) -> Function:
    """The function that gives ``(value?, *further results, *gradients)`` of the first result, a real scalar."""
    result = function.results[0]
    assert isinstance(result.type, Scalar)
    walk, function = prepared(function, wrt, {}, new_callees(function))
    walk.builder.open(function.parameters)
    sweep(walk, function, [constant(1, result.type.dtype)])
    gradients = [_gradient_of(walk, function.parameters[k]) for k in wrt]
    return closed(walk, function, (*function.results[0 if with_value else 1 :], *gradients))


def pullback(function: Function, wrt: Sequence[int]) -> Function:
    """The function of ``(*primals, *cotangents)`` that gives the gradients; one cotangent per floating result."""
    return _pullback(function, wrt, new_callees(function))


def _pullback(function: Function, wrt: Sequence[int], callees: Callees) -> Function:
    cotangents = _cotangents(function)
    walk, function = prepared(function, wrt, {}, callees)
    walk.builder.open((*function.parameters, *cotangents))
    sweep(walk, function, cotangents)
    return closed(walk, function, [_gradient_of(walk, function.parameters[k]) for k in wrt])


def transposed(callees: Callees, callee: str) -> str:
    """The ``backward`` of a callee that gives its ``jvp``: ``(*operands, *cotangents)`` to cotangents of operands.

    The rule is linear in the tangents, so that its adjoint is that with respect to them, taken at zero.
    """
    name = f"{callee}_transposed"
    if name not in callees.primals:
        primal = callees.primals[callee]
        assert primal.rules is not None
        jvp = callees.primals[primal.rules.jvp]
        tangents = replace(jvp.body, yields=jvp.results[len(primal.results) :])
        first = len(primal.parameters)
        wrt = range(first, first + len(primal.rules.wrt))
        whole = recall(_pullback(replace(jvp, body=tangents, callees=callees.primals), wrt, callees))
        callees.primals[name] = _at_zero(whole, name, first, primal.rules.wrt)
    return name


def _at_zero(function: Function, name: str, operands: int, wrt: Sequence[int]) -> Function:
    """The function of ``(*operands, *tangents of wrt, *cotangents)`` without the tangents, which are zero."""
    builder = new_builder()
    primals = [fresh(p) for p in function.parameters[:operands]]
    cotangents = [fresh(p) for p in function.parameters[operands + len(wrt) :]]
    builder.open((*primals, *cotangents))
    zeros = [zeros_like(builder, primals[k]) for k in wrt]
    body = spliced(function, (*primals, *zeros, *cotangents))
    builder.ops.extend(body.ops)
    return Function(name, builder.close(body.yields))


def value_and_pullback(function: Function, wrt: Sequence[int]) -> Function:
    """The same with the function's own results in front: ``(*results, *gradients)``."""
    cotangents = _cotangents(function)
    walk, function = prepared(function, wrt, {}, new_callees(function))
    walk.builder.open((*function.parameters, *cotangents))
    sweep(walk, function, cotangents)
    gradients = [_gradient_of(walk, function.parameters[k]) for k in wrt]
    return closed(walk, function, (*function.results, *gradients))


def callee_pullback(callees: Callees, function: Function, pattern: Pattern) -> Function:
    """The function of ``(*operands, *shadows, *cotangents)`` that gives the adjoints of the active scalar operands."""
    wrt = [k for k, _ in pattern]
    inputs = {function.parameters[k]: kind for k, kind in pattern}
    shadows = {p: Value(kind, f"{p.name}{BAR}") for p, kind in inputs.items() if isinstance(kind, Array)}
    cotangents = _cotangents(function)
    walk, function = prepared(function, wrt, shadows, callees)
    walk.builder.open((*function.parameters, *cotangents))
    sweep(walk, function, cotangents)
    adjoints = [_gradient_of(walk, p) for p, kind in inputs.items() if isinstance(kind, Scalar)]
    return closed(walk, function, adjoints)


def new_callees(function: Function) -> Callees:
    primals = with_rules(function).callees
    rules = {name: callee.rules for name, callee in primals.items() if callee.rules is not None}
    reversible = {rule.backward: name for name, rule in rules.items() if runs_itself(rule)}
    return Callees(dict(primals), "_pullback", callee_pullback, reversible=reversible)


def _wrt(callee: Function) -> Sequence[int]:
    assert callee.rules is not None
    return callee.rules.wrt


def _gradient_type(operand: Operand) -> Type:
    """The type of what ``_gradient_of`` gives for a parameter like this operand."""
    kind = operand.type
    return (
        Array(kind.dtype, kind.rank, "F" if kind.layout == "F" else "C", kind.ones) if isinstance(kind, Array) else kind
    )


def _cotangents(function: Function) -> list[Value]:
    return [Value(x.type, "ct") for x in function.results if differentiable(x)]


def prepared(
    function: Function, wrt: Sequence[int], shadows: dict[Value, Value], callees: Callees
) -> tuple[Reverse, Function]:
    """The walk, and the primal with shadows beside its arrays; shadows that are given are parameters of it."""
    inputs = [function.parameters[k] for k in wrt]
    function = as_memory(replace(function, callees=callees.primals))
    if has_rules(function):
        activity = find_active(function, inputs, reverse=True)
        function = link_rules(function, activity, partial(transposed, callees))
    function = number_regions(count_whiles(mark_infinite(mark_regular(function))))
    activity = find_active(function, inputs, reverse=True)
    twin_pass = TwinPass(activity, BAR, shadow=True)
    function = twin_pass.function(function, shadows)
    active = {v for v in defined(function.body) if isinstance(v.type, Scalar) and v in activity}
    return Reverse(active, twin_pass.twins, InPlace(function), callees), function


def sweep(walk: Reverse, function: Function, seeds: Sequence[Operand]) -> None:
    """The forward sweep, then the reverse sweep, in one block."""
    walk.builder.ops.extend(function.body.ops)
    _seed(walk, function, seeds)
    walk.ops(function.body.ops)
    walk.builder.location = None


def closed(walk: Reverse, function: Function, results: Sequence[Operand]) -> Function:
    body = walk.builder.close(results)
    result = drop_links(Function(function.name, body, without_rules(walk.callees.all), function.location))
    return mark_repeated(result, walk.in_place.repeated)


def _seed(walk: Reverse, function: Function, seeds: Sequence[Operand]) -> None:
    """Start from the results; those beyond the seeds have no cotangent."""
    results = [x for x in function.results if differentiable(x)]
    for result, seed in zip(results, seeds, strict=False):
        if isinstance(result.type, Array):
            if result in walk.twins:
                add_array(walk.builder, walk.shadow(result), seed)
        else:
            walk.add(result, seed)


def _gradient_of(walk: Reverse, value: Value) -> Operand:
    if isinstance(value.type, Array):
        if value in walk.twins:
            return walk.twins[value]
        return zeros_like(walk.builder, value, f"{value.name}{BAR}")
    assert not isinstance(value.type, Stack)
    return walk.adjoints.get(value, zero_like(value))
