"""Calls of functions that say themselves what their derivative is: ``custom_vjp``, ``custom_jvp``, ``stop_gradient``.

Such a function becomes a callee with ``rules``, and so do the functions that make up its rule: each is lowered once
for each combination of argument types. The array results of all are fresh memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, count
from types import FunctionType

from srcgrad.analysis.written import written_parameters
from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.delayed import copy, expression
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.boundary.pytree import count_leaves, leaves_of
from srcgrad.frontend.boundary.structure import Leaf, Static, Structure, Tree
from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.calls.functions import bind, python_defaults
from srcgrad.frontend.captures import from_python
from srcgrad.frontend.control.merge import (
    JoinError,
    describe,
    dynamic,
    flatten,
    join,
    rebuild,
    settle,
    spelled,
    types_of,
)
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.promotion import as_scalar, cast
from srcgrad.frontend.registry import Arguments, Keywords, call_object, function
from srcgrad.frontend.syntax import source
from srcgrad.frontend.values import ArrayValue, FrontValue, ScalarValue, TupleValue, is_array, is_number
from srcgrad.frontend.values import Static as Known
from srcgrad.ir.core import Block, Function, Op, Operand, Rules, Value, constant, defined, used
from srcgrad.ir.rewrite import substitute
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives.custom import Ruled, custom_jvp, custom_vjp, stop_gradient

NOTHING = Static(None, None)


@dataclass(eq=False)
class RuledCall:
    """A function with a rule, for arguments of these structures, as callee ``name``."""

    custom: Ruled
    arguments: tuple[Structure, ...]
    name: str
    result: Structure | None = None
    free: list[Value] = field(default_factory=list)  # arrays from outside: further operands of each call
    complete: bool = False
    entered: bool = False  # called from its own rule, before what is free in that was known

    @property
    def counts(self) -> list[int]:
        """The number of operands of each argument."""
        return [count_leaves(s) for s in self.arguments]

    @property
    def starts(self) -> list[int]:
        """The position of the first operand of each argument."""
        return [sum(self.counts[:k]) for k in range(len(self.arguments))]

    @property
    def fixed(self) -> list[int]:
        """The arguments that carry no derivative."""
        return [k for k in range(len(self.arguments)) if k in self.custom.nondiff_argnums]

    @property
    def varied(self) -> list[int]:
        """The arguments that the rule is about."""
        return [k for k in range(len(self.arguments)) if k not in self.custom.nondiff_argnums]

    def floating(self, k: int) -> list[int]:
        """The positions of the operands of an argument that may carry a derivative."""
        leaves = enumerate(leaves_of(self.arguments[k]))
        return [self.starts[k] + j for j, leaf in leaves if leaf.type.dtype.differentiable]


@call_object(custom_vjp)
@call_object(custom_jvp)
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


@function(stop_gradient, least=1, most=1)
def _stop_gradient(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _stopped(lowering, arguments[0])


def _stopped(lowering: Lowering, value: FrontValue) -> FrontValue:
    if isinstance(value, TupleValue):
        items = tuple(_stopped(lowering, item) for item in value.items)
        return TupleValue(items, value.cls, value.keys, lowering.builder.ops)
    if isinstance(value, ScalarValue):
        return scalars.apply(lowering.builder, "stop", [value], weak=value.weak)
    if is_array(value):
        return expression(lowering.builder, [value], lambda builder, x: scalars.apply(builder, "stop", [x]))
    return value


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
    given = {rule: getattr(custom, rule) for rule in (("fwd", "bwd") if reverse else ("jvp",))}
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
    else:
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
    parameters = _parameters(here.arguments)
    with _outlined(lowering, here, "", parameters) as ops:
        result = _fresh(lowering, call(lowering, fun, _values(lowering, here.arguments, parameters), {}), set())
        here.result = dynamic(describe(result))
        yields = flatten(lowering, result, here.result)
    return _Part("", parameters, ops, yields)


def _vjp_parts(lowering: Lowering, here: RuledCall, fwd: FrontValue, bwd: FrontValue) -> list[_Part]:
    assert here.result is not None
    parameters = _parameters(here.arguments)
    with _outlined(lowering, here, "fwd", parameters) as ops:
        pair = call(lowering, fwd, _values(lowering, here.arguments, parameters), {})
        out, kept = _pair(lowering, pair, "fwd", "the result and what bwd needs")
        seen: set[Value] = set()
        results = _as_result(lowering, here, _fresh(lowering, out, seen), "fwd")
        kept = _lasting(lowering, kept, seen)
        residuals = describe(kept)
        yields = [*results, *flatten(lowering, kept, residuals)]
    fixed = [p for k in here.fixed for p in parameters[here.starts[k] : here.starts[k] + here.counts[k]]]
    forward = _Part("_fwd", parameters, ops, [*yields, *fixed])
    first = [here.arguments[k] for k in here.fixed]
    cotangent = _cotangent(here.result)
    own = _parameters([residuals, *first])
    tail = _parameters([cotangent])
    with _outlined(lowering, here, "bwd", [*own, *tail]) as ops:
        kept, *others, ct = _values(lowering, [residuals, *first, cotangent], [*own, *tail])
        found = settle(lowering, call(lowering, bwd, [*others, kept, ct], {}))
        cts = _cotangents_of_arguments(lowering, here, found)
    given = [(k, ct) for k, ct in cts if ct is not None]
    backward = _Part("_bwd", own, ops, [ct for _, ct in given], tail, tuple(k for k, _ in given))
    return [forward, backward]


def _jvp_part(lowering: Lowering, here: RuledCall, jvp: FrontValue) -> _Part:
    assert here.result is not None
    parameters = _parameters(here.arguments)
    tangents = [_cotangent(here.arguments[k]) for k in here.varied]
    tail = _parameters(tangents)
    with _outlined(lowering, here, "jvp", [*parameters, *tail]) as ops:
        values = _values(lowering, here.arguments, parameters)
        primals = TupleValue(tuple(values[k] for k in here.varied))
        dots = TupleValue(tuple(_values(lowering, tangents, tail)))
        pair = call(lowering, jvp, [*(values[k] for k in here.fixed), primals, dots], {})
        out, dot = _pair(lowering, pair, "jvp", "the result and its tangent")
        seen: set[Value] = set()
        results = _as_result(lowering, here, _fresh(lowering, out, seen), "jvp")
        found = _matched(lowering, here, _fresh(lowering, dot, seen), here.result, "jvp")
        yields = [*results, *_tangents(lowering, here, results, found)]
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
            rule = f"the rule of {here.name}()" if part.suffix else f"{here.name}(), which has a derivative rule,"
            lowering.refuse(None, f"{rule} writes to its argument", "Write to a copy of it.")
        lowering.callees[name] = replace(made, callees={}, rules=None if part.suffix else _rules(here, parts))


def _rules(here: RuledCall, parts: Sequence[_Part]) -> Rules:
    wrt = tuple(position for k in here.varied for position in here.floating(k))
    if isinstance(here.custom, custom_vjp):
        return Rules(wrt, "", f"{here.name}_fwd", f"{here.name}_bwd", parts[-1].into)
    return Rules(wrt, f"{here.name}_jvp")


def _free(block: Block) -> Iterator[Value]:
    inside = set(defined(block))
    return (v for v in used(block) if v not in inside)


# Values in and out of a part


def _parameters(structures: Sequence[Structure]) -> list[Value]:
    return [Value(t) for s in structures for t in types_of(s)]


def _values(lowering: Lowering, structures: Sequence[Structure], parameters: Sequence[Value]) -> list[FrontValue]:
    leaves = iter(parameters)
    return [rebuild(lowering, s, leaves) for s in structures]


@contextmanager
def _outlined(lowering: Lowering, here: RuledCall, part: str, parameters: Sequence[Value]) -> Iterator[list[Op]]:
    """Lower into the body of a function of its own; the ops are complete when the context ends."""
    dead = lowering.dead
    with lowering.block(parameters=parameters) as ops, lowering.within(lowering.scope, here.name, part):
        try:
            yield ops
        finally:
            lowering.dead = dead


def _fresh(lowering: Lowering, value: FrontValue, seen: set[Value]) -> FrontValue:
    """The value with arrays that nobody else has a reference to."""
    return _replaced(lowering, settle(lowering, value), lambda array: _own(lowering, array, seen))


def _lasting(lowering: Lowering, value: FrontValue, seen: set[Value]) -> FrontValue:
    """The value with arrays that are arguments or that nobody else has a reference to."""

    def kept(array: ArrayValue) -> ArrayValue:
        argument = lowering.builder.definition(array.ref) is None
        return array if argument else _own(lowering, array, seen)

    return _replaced(lowering, settle(lowering, value), kept)


def _own(lowering: Lowering, array: ArrayValue, seen: set[Value]) -> ArrayValue:
    made = lowering.builder.definition(array.ref)
    if made is None or made.primitive != "alloc" or array.ref in seen:
        array = copy(lowering.builder, array)
    seen.add(array.ref)
    return array


def _replaced(lowering: Lowering, value: FrontValue, change: Callable[[ArrayValue], ArrayValue]) -> FrontValue:
    if isinstance(value, ArrayValue):
        return change(value)
    if isinstance(value, TupleValue):
        items = tuple(_replaced(lowering, item, change) for item in value.items)
        return TupleValue(items, value.cls, value.keys, lowering.builder.ops)
    return value


def _pair(lowering: Lowering, value: FrontValue, rule: str, what: str) -> tuple[FrontValue, FrontValue]:
    if not isinstance(value, TupleValue) or len(value.items) != 2 or value.keys:
        found = spelled(describe(settle(lowering, value)))
        lowering.refuse(None, f"the rule {rule} returns {found}", f"Return a pair: {what}.", ArgumentTypeError)
    return value.items[0], value.items[1]


def _as_result(lowering: Lowering, here: RuledCall, out: FrontValue, rule: str) -> list[Operand]:
    """The operands of a result, which must be such as the function itself gives."""
    assert here.result is not None
    found = dynamic(describe(out))
    try:
        agreed = join(found, here.result) == here.result
    except JoinError:
        agreed = False
    if not agreed:
        message = f"the rule {rule} gives {spelled(found)} where {here.name}() gives {spelled(here.result)}"
        lowering.refuse(None, message, "Both must return the same.", ArgumentTypeError)
    return flatten(lowering, out, here.result)


def _cotangent(s: Structure) -> Structure:
    """The structure of a cotangent or tangent: None for what is no float."""
    if isinstance(s, Tree):
        return replace(s, children=tuple(_cotangent(c) for c in s.children))
    return s if isinstance(s, Leaf) and s.type.dtype.differentiable else NOTHING


def _cotangents_of_arguments(
    lowering: Lowering, here: RuledCall, found: FrontValue
) -> list[tuple[int, Operand | None]]:
    """What ``bwd`` returned, by the positions of the operands."""
    if not isinstance(found, TupleValue) or len(found.items) != len(here.varied):
        given = spelled(describe(found))
        message = f"the rule bwd of {here.name}() returns {given}, and there are {len(here.varied)} arguments"
        hint = "Return a tuple with the cotangent of each argument that is not among nondiff_argnums."
        lowering.refuse(None, message, hint, ArgumentTypeError)
    cts: list[tuple[int, Operand | None]] = []
    for k, value in zip(here.varied, found.items, strict=True):
        operands = _matched(lowering, here, value, here.arguments[k], "bwd")
        cts += zip(here.floating(k), operands, strict=True)
    return cts


def _matched(lowering: Lowering, here: RuledCall, value: FrontValue, s: Structure, rule: str) -> list[Operand | None]:
    """An operand for each floating leaf of the structure; None for what has no derivative."""
    leaves = [leaf for leaf in leaves_of(s) if leaf.type.dtype.differentiable]
    if isinstance(value, Known) and value.value is None:
        return [None] * len(leaves)
    match s:
        case Tree(children=children) if isinstance(value, TupleValue) and len(value.items) == len(children):
            pairs = zip(value.items, children, strict=True)
            return [x for v, c in pairs for x in _matched(lowering, here, v, c, rule)]
        case Leaf() if not leaves:
            return []
        case Leaf(type=Scalar(dtype=dtype)) if is_number(value):
            return [cast(lowering.builder, as_scalar(value).operand, dtype)]  # type: ignore[arg-type]  # a number
        case Leaf(type=Array() as kind) if isinstance(value, ArrayValue) and value.rank == kind.rank:
            return [value.ref]
        case Static():
            return []
    message = f"the rule {rule} of {here.name}() gives {spelled(describe(value))} where {spelled(s)} is wanted"
    lowering.refuse(None, message, "Give it the shape and dtype of the value it belongs to.", ArgumentTypeError)


def _tangents(
    lowering: Lowering, here: RuledCall, results: Sequence[Operand], found: Sequence[Operand | None]
) -> list[Operand]:
    """The tangents of the floating results, each of the shape and dtype of its result."""
    builder = lowering.builder
    floating = [r for r in results if r.type.dtype.differentiable]  # type: ignore[union-attr]  # no stacks here
    tangents: list[Operand] = []
    for result, dot in zip(floating, found, strict=True):
        if isinstance(result.type, Scalar):
            tangents.append(constant(0, result.type.dtype) if dot is None else dot)
            continue
        assert isinstance(result, Value) and isinstance(result.type, Array)
        shape = extents.shape(builder, result)
        if isinstance(dot, Value) and dot.type == result.type:
            for n, m in zip(extents.shape(builder, dot), shape, strict=True):
                message = f"the tangent from the rule of {here.name}() has an extent of {{0}}, its result {{1}}"
                extents.require_equal(builder, n, m, message, "Give it the shape of the result.")
            tangents.append(dot)
        elif dot is None:
            tangents.append(builder("alloc", *shape, dtype=result.type.dtype, fill="zeros"))
        else:
            message = f"the tangent from the rule of {here.name}() is {dot.type!r}, its result {result.type!r}"
            lowering.refuse(None, message, "Give it the shape and dtype of the result.", ArgumentTypeError)
    return tangents
