"""Calls of functions that say themselves what their derivative is: ``custom_vjp`` and ``custom_jvp``.

Such a function becomes a callee with ``rules``, and so do the functions that make up its rule: each is lowered once
for each combination of argument types. The array results of all are fresh memory. A function under ``checkpoint``
becomes a callee without rules, which reverse mode runs again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, count
from types import FunctionType

from srcgrad.analysis.written import written_parameters
from srcgrad.annotations.checkpoint import Checkpointed
from srcgrad.annotations.custom import Ruled, custom_jvp, custom_vjp
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.boundary.structure import Structure
from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.calls.functions import bind, python_defaults
from srcgrad.frontend.calls.rule_values import (
    RuledCall,
    as_result,
    cotangent_of,
    cotangents_of_arguments,
    fresh,
    lasting,
    matched,
    pair_of,
    parameters_of,
    rebuilt,
    tangents_of,
)
from srcgrad.frontend.captures import from_python
from srcgrad.frontend.control.merge import (
    describe,
    dynamic,
    flatten,
    rebuild,
    settle,
    types_of,
)
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import Keywords, call_object
from srcgrad.frontend.syntax import source
from srcgrad.frontend.values import FrontValue, TupleValue
from srcgrad.ir.core import Block, Function, Op, Operand, Rules, Value, defined, used
from srcgrad.ir.rewrite import substitute


@call_object(custom_vjp)
@call_object(custom_jvp)
@call_object(Checkpointed)
def call_ruled(lowering: Lowering, custom: object, arguments: Sequence[FrontValue], keywords: Keywords) -> FrontValue:
    """A ``call`` op, of a callee that is made when it is first needed."""
    assert isinstance(custom, Ruled)
    values = [settle(lowering, v) for v in _positional(lowering, custom, arguments, keywords)]
    fixed = set(custom.nondiff_argnums)
    described = tuple(describe(v) if k in fixed else dynamic(describe(v)) for k, v in enumerate(values))
    here = next((r for r in lowering.ruled if r.custom is custom and r.arguments == described), None)
    if here is None:
        here = _made(lowering, custom, described)
    if here.result is None:
        hint = "Call the plain function inside, or write a loop."
        lowering.refuse(None, f"{here.name}(), which has a derivative rule, calls itself", hint)
    here.entered = here.entered or not here.complete
    operands = [x for v, s in zip(values, described, strict=True) for x in flatten(lowering, v, s)]
    types = tuple(types_of(here.result))
    results = lowering.builder.emit("call", *operands, *here.free, callee=here.name, types=types)
    return rebuild(lowering, here.result, iter(results))


def _positional(
    lowering: Lowering, custom: Ruled, arguments: Sequence[FrontValue], keywords: Keywords
) -> list[FrontValue]:
    """The arguments in the order of the function's parameters."""
    if not isinstance(custom.fun, FunctionType):
        hint = "Give custom_vjp or custom_jvp a function defined by def."
        lowering.refuse(None, f"the function with a derivative rule is {custom.fun!r}", hint)
    node = source.find(custom.fun).node
    bound = bind(lowering, node, arguments, keywords, python_defaults(lowering, custom.fun, node.args))
    parameters = node.args
    values = [bound[a.arg] for a in (*parameters.posonlyargs, *parameters.args)]
    if parameters.vararg is not None:
        rest = bound[parameters.vararg.arg]
        assert isinstance(rest, TupleValue)
        values += rest.items
    if parameters.kwonlyargs or parameters.kwarg is not None:
        hint = "Give it parameters that can be passed by position."
        lowering.refuse(
            None, f"{node.name if hasattr(node, 'name') else 'a lambda'}() has keyword-only parameters", hint
        )
    return values


def _made(lowering: Lowering, custom: Ruled, arguments: tuple[Structure, ...]) -> RuledCall:
    """The callee and those of its rule, added to the program."""
    reverse = isinstance(custom, custom_vjp)
    name = str(getattr(custom.fun, "__name__", "")).replace("<lambda>", "function")
    names = () if isinstance(custom, Checkpointed) else ("fwd", "bwd") if reverse else ("jvp",)
    given = {rule: getattr(custom, rule) for rule in names}
    if None in given.values():
        form = "defvjp(fwd, bwd)" if reverse else "defjvp(jvp)"
        lowering.refuse(None, f"{name}() has no derivative rule yet", f"Call {name}.{form} before it is used.")
    known = {rule: from_python(lowering, Capture(rule, custom, rule), value) for rule, value in given.items()}
    known["fun"] = from_python(lowering, Capture("fun", custom, "fun"), custom.fun)
    here = RuledCall(custom, arguments, _free_name(lowering, name))
    lowering.ruled.append(here)
    parts = [_primal(lowering, here, known["fun"])]
    if reverse:
        parts += _vjp_parts(lowering, here, known["fwd"], known["bwd"])
    elif "jvp" in known:
        parts.append(_jvp_part(lowering, here, known["jvp"]))
    _finish(lowering, here, parts)
    return here


def _free_name(lowering: Lowering, name: str) -> str:
    taken = {lowering.name_of_whole, *lowering.callees, *(r.name for r in lowering.ruled)}
    taken |= {a.callee for a in (*lowering.recursive, *lowering.active)}
    return next(c for c in chain((name,), (f"{name}_{k}" for k in count(1))) if c not in taken)


@dataclass
class _Part:
    """One of the functions: its parameters without those for what is free, its ops, and what it gives."""

    suffix: str
    parameters: list[Value]
    ops: list[Op]
    yields: list[Operand]
    tail: list[Value] = field(default_factory=list)  # parameters behind the free ones
    into: tuple[int, ...] = ()  # of a backward part: the operands whose cotangents it gives


def _primal(lowering: Lowering, here: RuledCall, fun: FrontValue) -> _Part:
    parameters = parameters_of(here.arguments)
    with _outlined(lowering, here, "", parameters) as ops:
        result = fresh(lowering, call(lowering, fun, rebuilt(lowering, here.arguments, parameters), {}), set())
        here.result = dynamic(describe(result))
        yields = flatten(lowering, result, here.result)
    return _Part("", parameters, ops, yields)


def _vjp_parts(lowering: Lowering, here: RuledCall, fwd: FrontValue, bwd: FrontValue) -> list[_Part]:
    assert here.result is not None
    parameters = parameters_of(here.arguments)
    with _outlined(lowering, here, "fwd", parameters) as ops:
        pair = call(lowering, fwd, rebuilt(lowering, here.arguments, parameters), {})
        out, kept = pair_of(lowering, pair, "fwd", "the result and what bwd needs")
        seen: set[Value] = set()
        results = as_result(lowering, here, fresh(lowering, out, seen), "fwd")
        kept = lasting(lowering, kept, seen)
        residuals = describe(kept)
        yields = [*results, *flatten(lowering, kept, residuals)]
    fixed = [p for k in here.fixed for p in parameters[here.starts[k] : here.starts[k] + here.counts[k]]]
    forward = _Part("_fwd", parameters, ops, [*yields, *fixed])
    first = [here.arguments[k] for k in here.fixed]
    ct_structure = cotangent_of(here.result)
    own = parameters_of([residuals, *first])
    tail = parameters_of([ct_structure])
    with _outlined(lowering, here, "bwd", [*own, *tail]) as ops:
        kept, *others, ct = rebuilt(lowering, [residuals, *first, ct_structure], [*own, *tail])
        found = settle(lowering, call(lowering, bwd, [*others, kept, ct], {}))
        cts = cotangents_of_arguments(lowering, here, found)
    given = [(k, ct) for k, ct in cts if ct is not None]
    backward = _Part("_bwd", own, ops, [ct for _, ct in given], tail, tuple(k for k, _ in given))
    return [forward, backward]


def _jvp_part(lowering: Lowering, here: RuledCall, jvp: FrontValue) -> _Part:
    assert here.result is not None
    parameters = parameters_of(here.arguments)
    dotted = [cotangent_of(here.arguments[k]) for k in here.varied]
    tail = parameters_of(dotted)
    with _outlined(lowering, here, "jvp", [*parameters, *tail]) as ops:
        values = rebuilt(lowering, here.arguments, parameters)
        primals = TupleValue(tuple(values[k] for k in here.varied))
        dots = TupleValue(tuple(rebuilt(lowering, dotted, tail)))
        pair = call(lowering, jvp, [*(values[k] for k in here.fixed), primals, dots], {})
        out, dot = pair_of(lowering, pair, "jvp", "the result and its tangent")
        seen: set[Value] = set()
        results = as_result(lowering, here, fresh(lowering, out, seen), "jvp")
        found = matched(lowering, here, fresh(lowering, dot, seen), here.result, "jvp")
        yields = [*results, *tangents_of(lowering, here, results, found)]
    return _Part("_jvp", parameters, ops, yields, tail)


def _finish(lowering: Lowering, here: RuledCall, parts: Sequence[_Part]) -> None:
    """Make the parts functions, all of which take what any of them uses from outside."""
    bodies = [Block((*p.parameters, *p.tail), tuple(p.ops), tuple(p.yields)) for p in parts]
    here.free = list(dict.fromkeys(v for b in bodies for v in _free(b)))
    here.complete = True
    if here.free and here.entered:
        hint = "Pass the array as an argument, or among what fwd keeps."
        lowering.refuse(None, f"the rule of {here.name}() calls {here.name}() and reads an array from outside", hint)
    for part, body in zip(parts, bodies, strict=True):
        inner = {v: Value(v.type, v.name) for v in here.free}
        extra = tuple(inner[v] for v in here.free) if part.suffix == "_fwd" else ()
        copied = substitute(body, inner)
        block = Block((*part.parameters, *inner.values(), *part.tail), copied.ops, (*copied.yields, *extra))
        name = f"{here.name}{part.suffix}"
        made = Function(name, block, dict(lowering.callees), lowering.builder.location)
        if written_parameters(made):
            kind = "is checkpointed" if isinstance(here.custom, Checkpointed) else "has a derivative rule"
            rule = f"the rule of {here.name}()" if part.suffix else f"{here.name}(), which {kind},"
            lowering.refuse(None, f"{rule} writes to its argument", "Write to a copy of it.")
        lowering.callees[name] = replace(made, callees={}, rules=None if part.suffix else _rules(here, parts))


def _rules(here: RuledCall, parts: Sequence[_Part]) -> Rules | None:
    if isinstance(here.custom, Checkpointed):
        return None
    wrt = tuple(position for k in here.varied for position in here.floating(k))
    if isinstance(here.custom, custom_vjp):
        return Rules(wrt, "", f"{here.name}_fwd", f"{here.name}_bwd", parts[-1].into)
    return Rules(wrt, f"{here.name}_jvp")


def _free(block: Block) -> Iterator[Value]:
    inside = set(defined(block))
    return (v for v in used(block) if v not in inside)


@contextmanager
def _outlined(lowering: Lowering, here: RuledCall, part: str, parameters: Sequence[Value]) -> Iterator[list[Op]]:
    """Lower into the body of a function of its own; the ops are complete when the context ends."""
    dead = lowering.dead
    with lowering.block(parameters=parameters) as ops, lowering.within(lowering.scope, here.name, part):
        try:
            yield ops
        finally:
            lowering.dead = dead
