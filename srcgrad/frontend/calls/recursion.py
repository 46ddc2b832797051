"""Functions that call themselves: they become functions of their own, and their calls `call` ops.

Every other call is lowered in place, unless it would be one of many copies (`copies`). When a call meets a function
that is already being lowered with arguments of the same structure, the outer lowering is given up and done again out
of line. The type of the result is that
of the paths without a recursive call; then the body is lowered again with it, until it agrees with itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FunctionType

from srcgrad.errors import Error, UnsupportedError
from srcgrad.frontend.boundary.pytree import function_key
from srcgrad.frontend.boundary.structure import Static, Structure, Tree
from srcgrad.frontend.calls import recursive_state
from srcgrad.frontend.calls.copies import copies_of
from srcgrad.frontend.control.merge import (
    JoinError,
    describe,
    dynamic,
    flatten,
    join,
    rebuild,
    refuse_join,
    settle,
    types_of,
)
from srcgrad.frontend.lowering import LowerAgainError, Lowering, UnresolvedError, Variable
from srcgrad.frontend.scope import Binding
from srcgrad.frontend.values import Bound as BoundCall
from srcgrad.frontend.values import (
    Closure,
    Counted,
    FrontValue,
    GrowingList,
    SliceValue,
    TupleValue,
)
from srcgrad.ir.core import Block, Function, Location, Op, Operand, Value, defined, used, walk, walk_ops
from srcgrad.ir.rewrite import Replacement, rewrite_block
from srcgrad.ir.types import Scalar

LIMIT = 200  # calls inside calls that are lowered in place
ATTEMPTS = 10

Bound = Mapping[str, FrontValue]
Body = Callable[[Bound], FrontValue]


@dataclass(eq=False)
class Activation:
    """A function being lowered; ``callee`` is its name once it is known to be recursive."""

    identity: object
    parameters: dict[str, Structure]  # numbers known at compile time count as numbers at run time
    name: str
    callee: str = ""
    result: Structure | None = None
    state: recursive_state.State = field(default_factory=dict)  # the variables around it that it changes
    free: list[Value] = field(default_factory=list)  # what it uses from around it: further operands of each call
    location: Location | None = None  # of the call
    origins: Mapping[str, object] = field(default_factory=dict)  # of lists and dicts given to it: where they were made

    def matches(self, identity: object, parameters: dict[str, Structure]) -> bool:
        return self.identity == identity and self.parameters == parameters


class RecursionFoundError(Exception):
    """A call of a function that is being lowered in place: that lowering has to be done again."""

    def __init__(self, activation: Activation) -> None:
        self.activation = activation


def activation(
    lowering: Lowering, function: FunctionType | Closure, node: ast.FunctionDef | ast.Lambda, bound: Bound, body: Body
) -> FrontValue:
    """Lower a call in place, or as a call of a recursive function."""
    identity = (id(node), id(function.scope)) if isinstance(function, Closure) else function_key(function)
    name = "function" if isinstance(node, ast.Lambda) else node.name
    parameters = {n: dynamic(describe(settle(lowering, v))) for n, v in bound.items()}
    known = next((a for a in lowering.recursive if a.matches(identity, parameters)), None)
    if known is not None:
        return call_recursive(lowering, known, bound)
    for running in lowering.active:
        if running.matches(identity, parameters):
            if running.callee:
                return call_recursive(lowering, running, bound)
            raise RecursionFoundError(running)
    if any(a.identity == identity for a in lowering.active):
        bound = generalised(lowering, parameters, bound)
    if len(lowering.active) > LIMIT:
        hint = "Write it as a loop, or let its arguments keep their types."
        lowering.refuse(None, f"{name}() leads to calls {LIMIT} deep", hint, UnsupportedError)
    origins = {n: v.origin for n, v in bound.items() if isinstance(v, TupleValue) and v.cls in (list, dict)}
    here = Activation(identity, parameters, name, location=lowering.builder.location, origins=origins)
    if isinstance(function, Closure):
        return in_place(lowering, here, bound, body)
    return copied(lowering, here, bound, body)


def copied(lowering: Lowering, here: Activation, bound: Bound, body: Body) -> FrontValue:
    """Lower a call in place, unless there are many copies already and the function can do without."""
    copies = copies_of(lowering.copies, here.identity, here.parameters)
    if copies.are_many() and not copies.stay:
        copies.stay = not on_its_own(lowering, here, body)
        if not copies.stay:
            return call_recursive(lowering, here, bound)
    ops = lowering.builder.ops
    length = len(ops)
    result = in_place(lowering, here, bound, body)
    way = (*(a.location for a in lowering.active), here.location)
    copies.sizes[way] = sum(1 for _ in walk_ops(ops[length:]))
    return result


def on_its_own(lowering: Lowering, here: Activation, body: Body) -> bool:
    """Lower the function out of line; not if it takes or returns arrays, or needs an argument at compile time."""
    if not all(isinstance(t, Scalar) for s in here.parameters.values() for t in types_of(s)):
        return False
    before, length, dead = lowering.variables(), len(lowering.builder.ops), lowering.dead
    try:
        out_of_line(lowering, here, body)
    except LowerAgainError:
        raise
    except Error:
        del lowering.builder.ops[length:]
        lowering.rebind(before)
        lowering.dead = dead
        return False
    assert here.result is not None
    if here in lowering.recursive and not here.state and all(isinstance(t, Scalar) for t in types_of(here.result)):
        return True
    lowering.recursive = [a for a in lowering.recursive if a is not here]
    return False


def generalised(lowering: Lowering, parameters: dict[str, Structure], bound: Bound) -> Bound:
    """The arguments with numbers as they are at run time: so that a recursion comes back to where it was."""
    return {n: rebuild_fixed(lowering, parameters[n], v) for n, v in bound.items()}


def rebuild_fixed(lowering: Lowering, structure: Structure, value: FrontValue) -> FrontValue:
    return rebuild(lowering, structure, iter(flatten(lowering, value, structure)))


def in_place(lowering: Lowering, here: Activation, bound: Bound, body: Body) -> FrontValue:
    """Lower the body where the call stands; out of line if it turns out to call itself."""
    before, length, dead = lowering.variables(), len(lowering.builder.ops), lowering.dead
    try:
        way = tuple((n, recurring(s)) for n, s in here.parameters.items())
        with running(lowering, here), lowering.within(lowering.scope, way):
            return body(bound)
    except RecursionFoundError as found:
        if found.activation is not here:
            raise
    del lowering.builder.ops[length:]
    lowering.rebind(before)
    lowering.dead = dead
    out_of_line(lowering, here, body)
    return call_recursive(lowering, here, bound)


def recurring(s: Structure) -> object:
    """What is the same of a structure when the whole function is lowered again, where values are others."""
    if isinstance(s, Tree):
        return (s.cls, s.keys, tuple(map(recurring, s.children)))
    if isinstance(s, Static) and isinstance(s.value, Closure):
        return (Closure, id(s.value.node))
    if isinstance(s, Static) and isinstance(s.value, BoundCall | Counted | GrowingList | SliceValue):
        return type(s.value)
    return s


@contextmanager
def running(lowering: Lowering, here: Activation) -> Iterator[None]:
    lowering.active.append(here)
    try:
        yield
    finally:
        lowering.active.remove(here)


def out_of_line(lowering: Lowering, here: Activation, body: Body) -> None:
    """Lower the body as a function of ``callees``, until the type of its result agrees with itself."""
    taken = {lowering.name_of_whole, *(a.callee for a in (*lowering.recursive, *lowering.active))}
    candidates = (here.name if k == 0 else f"{here.name}_{k}" for k in range(len(taken) + 1))
    here.callee = next(c for c in candidates if c not in taken)
    before = lowering.variables()
    for _ in range(ATTEMPTS):
        with running(lowering, here):
            block, structure, state = lower_body(lowering, here, body, before)
        lowering.rebind(before)  # what else there is belongs to functions inside
        if structure == here.result and state == here.state:
            finish(lowering, here, block)
            return
        here.result, here.state = structure, state
    raise AssertionError(f"the result of {here.name} does not settle")


def lower_body(
    lowering: Lowering, here: Activation, body: Body, before: Mapping[Variable, Binding]
) -> tuple[Block, Structure, recursive_state.State]:
    """The function's block, with the structure of its result and the variables that it changes, as found in it."""
    labels = [(n, t) for n, s in here.parameters.items() for t in types_of(s)]
    own = recursive_state.parameters_of(here.state)
    given = [Value(t, n) for n, t in labels]
    parameters = [*given, *(p for ps in own.values() for p in ps)]
    with lowering.block(parameters=parameters) as ops:
        recursive_state.enter(lowering, here.state, own)
        leaves = iter(given)
        values = {n: rebuild(lowering, s, leaves) for n, s in here.parameters.items()}
        for n, value in values.items():
            if isinstance(value, TupleValue) and n in here.origins:  # a change asks for one that can be changed here
                value.origin = here.origins[n]
        try:
            result = settle(lowering, body(values))
        except UnresolvedError:
            hint = "Give it a path that returns without a call of itself."
            lowering.refuse(None, f"{here.name}() calls itself on every path", hint)
        lowering.dead = False
        structure = dynamic(describe(result))
        if here.result is not None:
            try:
                structure = join(here.result, structure)
            except JoinError as fault:
                raise refuse_join(lowering, f"the result of {here.name}()", fault) from None
        yields = flatten(lowering, result, structure)
        state = recursive_state.changed_state(lowering, before, here.state)
        if state == here.state:  # else it is lowered again
            yields += recursive_state.operands(lowering, state)
    return Block(tuple(parameters), tuple(ops), tuple(yields)), structure, state


def finish(lowering: Lowering, here: Activation, block: Block) -> None:
    """Make the block a function; what it uses from outside becomes further parameters."""
    inside = set(defined(block))
    here.free = list(dict.fromkeys(v for v in used(block) if v not in inside))
    inner = {v: Value(v.type, v.name) for v in here.free}
    if here.free and any(_calls(callee.body, here.callee) for callee in lowering.callees.values()):
        hint = "Pass what the functions share as arguments."
        lowering.refuse(None, f"functions that call each other read variables around {here.name}()", hint)

    def with_free(op: Op) -> Replacement | None:
        if op.primitive != "call" or op.attributes["callee"] != here.callee:
            return None
        return [replace(op, operands=(*op.operands, *inner.values()))], {}

    body = rewrite_block(block, dict(inner), with_free)
    whole = Block((*body.parameters, *inner.values()), body.ops, body.yields)
    lowering.callees[here.callee] = Function(here.callee, whole, {}, lowering.builder.location)
    hidden = {ref for _, ref in lowering.hidden}
    # Else the variables around it may change before the next call, or what it calls is not known in full.
    complete = all(a.result is not None for a in lowering.active if a.callee)
    if complete and hidden.issuperset(here.free):
        lowering.recursive.append(here)


def _calls(block: Block, callee: str) -> bool:
    return any(op.primitive == "call" and op.attributes["callee"] == callee for op in walk(block))


def call_recursive(lowering: Lowering, callee: Activation, bound: Bound) -> FrontValue:
    """A `call` op."""
    if callee.result is None:
        raise UnresolvedError
    operands: list[Operand] = []
    for name, structure in callee.parameters.items():
        operands += flatten(lowering, settle(lowering, bound[name]), structure)
    operands += recursive_state.operands(lowering, callee.state)
    types = (*types_of(callee.result), *(t for slot in callee.state.values() for t in slot.types))
    results = iter(lowering.builder.emit("call", *operands, *callee.free, callee=callee.callee, types=types))
    made = rebuild(lowering, callee.result, results)
    recursive_state.leave(lowering, callee.state, results)
    return made
