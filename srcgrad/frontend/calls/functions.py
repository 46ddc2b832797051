"""Functions with source: parameters bound to arguments, the body lowered in place of the call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import FunctionType

from srcgrad.errors import ArgumentTypeError, SourceError
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.calls.recursion import activation
from srcgrad.frontend.captures import from_python
from srcgrad.frontend.control.merge import held
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.names import as_binding
from srcgrad.frontend.scope import Scope, outermost
from srcgrad.frontend.syntax import source, subset
from srcgrad.frontend.syntax.bindings import declared, is_generator, rebound_inside, returns_early
from srcgrad.frontend.syntax.desugar import desugar
from srcgrad.frontend.syntax.live_variables import live_variables
from srcgrad.frontend.syntax.normalize import normalize
from srcgrad.frontend.syntax.single_use import single_uses
from srcgrad.frontend.values import Closure, FrontValue, Static, TupleValue, Yielding
from srcgrad.primitives.library import STREAMED

Arguments = Sequence[FrontValue]
Keywords = Mapping[str, FrontValue]


def call_python(lowering: Lowering, function: FunctionType, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """A call of a function of the running program, through its source."""
    try:
        found = source.find(function)
    except SourceError as fault:
        raise lowering.error(None, fault.message, fault.hint, SourceError) from None
    scope = outermost(function, found.file)
    defaults = python_defaults(lowering, function, found.node.args)
    bound = bind(lowering, found.node, arguments, keywords, defaults)
    streamed = STREAMED.get(function, ())
    bound = {name: value if name in streamed else held(lowering, value) for name, value in bound.items()}
    return run(lowering, found.node, scope, bound, function)


def python_defaults(lowering: Lowering, function: FunctionType, parameters: ast.arguments) -> dict[str, FrontValue]:
    positional = [a.arg for a in (*parameters.posonlyargs, *parameters.args)]
    values = function.__defaults__ or ()
    named = zip(positional[len(positional) - len(values) :], range(len(values)), strict=True)
    defaults = {n: from_python(lowering, Capture(n, values, k), values[k]) for n, k in named}
    for name, value in (function.__kwdefaults__ or {}).items():
        defaults[name] = from_python(lowering, Capture(name, function.__kwdefaults__, name), value)
    return defaults


def call_closure(lowering: Lowering, closure: Closure, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """A call of a function defined inside the function being lowered."""
    around = closure.scope
    assert isinstance(around, Scope)
    scope = Scope(around.file, closure.name, around.module, around.cells, around)
    arguments = [held(lowering, a) for a in arguments]
    keywords = {k: held(lowering, v) for k, v in keywords.items()}
    return run(
        lowering, closure.node, scope, bind(lowering, closure.node, arguments, keywords, closure.defaults), closure
    )


def run(
    lowering: Lowering,
    node: source.FunctionNode,
    scope: Scope,
    bound: dict[str, FrontValue],
    function: FunctionType | Closure,
) -> FrontValue:
    """Lower the body with its parameters bound; a recursive call goes out of line."""
    enter(lowering, node, scope)
    if is_generator(node):
        return generator(lowering, node, scope, bound)
    if function in STREAMED:  # describing its arguments would give them memory; these do not call themselves
        return run_body(lowering, node, scope, bound)
    return activation(lowering, function, node, bound, lambda values: run_body(lowering, node, scope, values))


def generator(
    lowering: Lowering, node: source.FunctionNode, scope: Scope, bound: Mapping[str, FrontValue]
) -> FrontValue:
    """What a call of a generator function gives: its body runs when the items are asked for."""

    def body(consume: Callable[[FrontValue], None]) -> None:
        scope.consume = consume
        run_body(lowering, node, scope, bound)

    return Yielding(body)


def enter(lowering: Lowering, node: source.FunctionNode, scope: Scope) -> None:
    """Check the source, and decide which names are the function's own."""
    subset.check(node, scope.file)
    body = prepared(node)
    scope.local_names, _, scope.global_names = declared(body)
    scope.made_names = scope.local_names - declared(node)[0]
    scope.returns_early = returns_early(node)
    if isinstance(body, ast.FunctionDef):
        scope.live, scope.single_uses = live_variables(body), single_uses(body)
    for name in rebound_inside(node) & scope.local_names:
        lowering.share(scope, name)


@lru_cache(maxsize=4096)
def prepared(node: source.FunctionNode) -> source.FunctionNode:
    """The function with one exit per block."""
    return node if isinstance(node, ast.Lambda) else normalize(desugar(node))


def run_body(
    lowering: Lowering, node: source.FunctionNode, scope: Scope, bound: Mapping[str, FrontValue]
) -> FrontValue:
    """The result of the body."""
    scope.names, scope.home = {name: as_binding(v) for name, v in bound.items()}, lowering.builder.ops
    body = prepared(node)
    with lowering.within(scope, lowering.builder.location):
        if isinstance(body, ast.Lambda):
            return lowering.evaluate(body.body)
        *statements, last = body.body
        assert isinstance(last, ast.Return)
        lowering.execute(statements)
        if lowering.dead or last.value is None:
            return Static(None)
        return lowering.evaluate_any(last.value)


def bind(
    lowering: Lowering,
    node: source.FunctionNode,
    arguments: Arguments,
    keywords: Keywords,
    defaults: Mapping[str, FrontValue],
) -> dict[str, FrontValue]:
    """Parameters bound to arguments, as Python does it."""
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    parameters = node.args
    positional = [a.arg for a in (*parameters.posonlyargs, *parameters.args)]
    bound = dict(zip(positional, arguments, strict=False))
    extra = tuple(arguments[len(positional) :])
    if parameters.vararg is not None:
        bound[parameters.vararg.arg] = TupleValue(extra, tuple)
    elif extra:
        message = f"{name}() takes {len(positional)} positional arguments but {len(arguments)} were given"
        lowering.refuse(None, message, error=ArgumentTypeError)
    by_name = {a.arg for a in (*parameters.args, *parameters.kwonlyargs)}
    others: dict[str, FrontValue] = {}
    for key, value in keywords.items():
        if key in bound and key in by_name:
            lowering.refuse(None, f"{name}() got two values for {key!r}", error=ArgumentTypeError)
        if key in by_name:
            bound[key] = value
        elif parameters.kwarg is not None:
            others[key] = value
        else:
            lowering.refuse(None, f"{name}() has no parameter {key!r}", error=ArgumentTypeError)
    if parameters.kwarg is not None:
        bound[parameters.kwarg.arg] = TupleValue(tuple(others.values()), dict, tuple(others), lowering.builder.ops)
    for wanted in (*positional, *(a.arg for a in parameters.kwonlyargs)):
        if wanted in bound:
            continue
        if wanted not in defaults:
            lowering.refuse(None, f"{name}() misses the argument {wanted!r}", error=ArgumentTypeError)
        bound[wanted] = defaults[wanted]
    return bound
