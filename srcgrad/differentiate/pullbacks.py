"""Gradients and pullbacks: the functions that the reverse walk is run for, and what they take and give.

A function is prepared (rules linked, regions numbered, shadows beside its arrays), its ops run forward, the walk
reverses them from the cotangents of the results, and the adjoints of the parameters are the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from srcgrad.analysis.grounds import Grounds
from srcgrad.differentiate.activity import differentiable, find_active
from srcgrad.differentiate.array_callees import with_rules, without_rules
from srcgrad.differentiate.callees import Callees, Pattern
from srcgrad.differentiate.checkpoints.outline import outline_checkpoints
from srcgrad.differentiate.in_place import InPlace
from srcgrad.differentiate.norms import mark_norms
from srcgrad.differentiate.partials import add_array, zeros_like
from srcgrad.differentiate.recall import recall
from srcgrad.differentiate.regions import count_whiles, mark_repeated, number_regions
from srcgrad.differentiate.regular import mark_infinite, mark_regular
from srcgrad.differentiate.returned_writes import return_writes
from srcgrad.differentiate.reverse import Reverse
from srcgrad.differentiate.rules import drop_links, has_rules, link_rules, runs_itself, spliced
from srcgrad.differentiate.shadows import BAR, TwinPass, as_memory, suffixed
from srcgrad.differentiate.turns import start_with_copies
from srcgrad.ir.core import Function, Operand, Value, constant, defined, walk_ops, zero_like
from srcgrad.ir.rewrite import fresh
from srcgrad.ir.types import Array, Scalar, Stack
from srcgrad.primitives.table import new_builder


def gradient(function: Function, wrt: Sequence[int], with_value: bool) -> Function:
    """The function that gives ``(value?, *further results, *gradients)`` of the first result, a real scalar."""
    function = return_writes(function)
    result = function.results[0]
    assert isinstance(result.type, Scalar)
    walk, function = prepared(function, wrt, {}, new_callees(function))
    walk.builder.open(function.parameters)
    sweep(walk, function, [constant(1, result.type.dtype)])
    gradients = [_gradient_of(walk, function.parameters[k]) for k in wrt]
    return closed(walk, function, (*function.results[0 if with_value else 1 :], *gradients))


def pullback(function: Function, wrt: Sequence[int]) -> Function:
    """The function of ``(*primals, *cotangents)`` that gives the gradients; one cotangent per floating result."""
    function = return_writes(function)
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
    function = return_writes(function)
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
    shadows = {p: Value(kind, suffixed(p, BAR)) for p, kind in inputs.items() if isinstance(kind, Array)}
    # What arrays among the results depend on goes by the shadows given, which have their cotangents already.
    cotangents = [ct for ct in _cotangents(function) if isinstance(ct.type, Scalar)]
    walk, function = prepared(function, wrt, shadows, callees)
    walk.builder.open((*function.parameters, *cotangents))
    sweep(walk, function, cotangents)
    adjoints = [_gradient_of(walk, p) for p, kind in inputs.items() if isinstance(kind, Scalar)]
    return closed(walk, function, adjoints)


def new_callees(function: Function) -> Callees:
    primals = with_rules(function).callees
    rules = {name: callee.rules for name, callee in primals.items() if callee.rules is not None}
    reversible = {rule.backward: name for name, rule in rules.items() if runs_itself(rule)}
    return Callees(dict(primals), "_pullback", callee_pullback, reversible=reversible, rule=_rule_of)


def _rule_of(callees: Callees, callee: Function) -> Function:
    """The pullback of a recursive callee that returns arrays, with respect to what its rule names."""
    assert callee.rules is not None
    return _pullback(callee, callee.rules.wrt, callees)


def _cotangents(function: Function) -> list[Value]:
    return [Value(x.type, "ct") for x in function.results if differentiable(x)]


def prepared(
    function: Function, wrt: Sequence[int], shadows: dict[Value, Value], callees: Callees
) -> tuple[Reverse, Function]:
    """The walk, and the primal with shadows beside its arrays; shadows that are given are parameters of it."""
    inputs = [function.parameters[k] for k in wrt]
    function = as_memory(replace(function, callees=callees.primals))
    function = outline_checkpoints(function, inputs, callees, partial(_planned, callees))
    if has_rules(function):
        activity = find_active(function, inputs, reverse=True)
        function = link_rules(function, activity, partial(transposed, callees))
    function = start_with_copies(function, inputs)
    function = number_regions(count_whiles(mark_infinite(mark_norms(mark_regular(function)))))
    grounds = Grounds(function)
    activity = find_active(function, inputs, reverse=True)
    twin_pass = TwinPass(activity, BAR, shadow=True)
    function = twin_pass.function(function, shadows)
    active = {v for v in defined(function.body) if isinstance(v.type, Scalar) and v in activity}
    return Reverse(active, twin_pass.twins, InPlace(function), callees, grounds), function


def _planned(callees: Callees, pullback: Function) -> Function:
    """What a pullback of a segment keeps, to be looked at."""
    return recall(replace(pullback, callees=callees.all))


def sweep(walk: Reverse, function: Function, seeds: Sequence[Operand]) -> None:
    """The forward sweep, then the reverse sweep, in one block."""
    walk.builder.ops.extend(function.body.ops)
    for op in walk_ops(function.body.ops):
        walk.builder.record(op)
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
