"""Recursive functions that return arrays, or read some that change: each gets a rule, its pullback a function.

The pullback ``f_backward(*operands, *cotangents)`` gives the cotangents of the operands in fresh memory. It runs ``f``
again and reverses it, and calls itself where ``f`` does. What a rule is for must be fresh memory, too: a function that
may return an array it was given returns a copy of it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from srcgrad.analysis.effects import Effects, Touch
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import written_by_callees
from srcgrad.differentiate.activity import differentiable
from srcgrad.differentiate.callees import free_name
from srcgrad.differentiate.checkpoints.memory import copied, plain
from srcgrad.differentiate.rules import runs_itself
from srcgrad.ir.core import Function, Operand, Rules, Value, walk
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect, new_builder


def with_rules(function: Function) -> Function:
    """The function with rules for those it calls that return arrays or read what changes, have none, and only read.

    A callee that no op calls is part of another's rule.
    """
    written = written_by_callees(function.callees)
    called = _called(function)
    changing = _with_changing_operands(function)
    chosen = {
        name: callee
        for name, callee in function.callees.items()
        if name in called
        and callee.rules is None
        and not written[name]
        and (any(isinstance(r.type, Array) for r in callee.results) or name in changing)
        and not (returns_argument(callee) and _overwritten(name, function))
    }
    if not chosen:
        return function
    ruled = {name: _ruled(callee, backward_of(name, function.callees)) for name, callee in chosen.items()}
    return replace(function, callees={**function.callees, **ruled})


def _called(function: Function) -> set[str]:
    """The names that ops of the function or of its callees call."""
    ops = (op for user in (function, *function.callees.values()) for op in walk(user.body))
    return {op.text("callee") for op in ops if op.primitive == "call"}


def _with_changing_operands(function: Function) -> set[str]:
    """The callees that somewhere read an array which is written to later: a rule copies what it needs."""
    found = set()
    for user in (function, *function.callees.values()):
        calls = [op for op in walk(user.body) if op.primitive == "call" and op.text("callee") in function.callees]
        effects = Effects(replace(user, callees=function.callees)) if calls else None
        for op in calls:
            assert effects is not None
            arrays = [x for x in op.operands if isinstance(x, Value) and isinstance(x.type, Array)]
            touches = [Touch(op, x, None, effects.paths[op]) for x in arrays]
            if not all(effects.rereadable(touch, effects.function.body) for touch in touches):
                found.add(op.text("callee"))
    return found


def backward_of(callee: str, taken: Container[str]) -> str:
    return free_name(f"{callee}_backward", taken)


def without_rules(callees: Mapping[str, Function]) -> dict[str, Function]:
    """The callees again without the rules made here, which are for this reversal."""
    return {
        name: replace(callee, rules=None) if callee.rules is not None and runs_itself(callee.rules) else callee
        for name, callee in callees.items()
    }


def _ruled(callee: Function, backward: str) -> Function:
    wrt = tuple(k for k, p in enumerate(callee.parameters) if differentiable(p))
    return replace(_fresh_results(callee), rules=Rules(wrt, backward=backward, into=wrt))


def returns_argument(callee: Function) -> bool:
    """Whether an array result may be memory that the function was given."""
    sites = Sites(callee)
    return any(sites.sites(r) & sites.parameters for r in callee.results if isinstance(r.type, Array))


def _overwritten(name: str, function: Function) -> bool:
    """Whether anyone writes to what a callee returned: then it matters whether that is memory it was given."""
    for user in (function, *function.callees.values()):
        sites = Sites(user)
        ops = list(walk(user.body))
        returned = {r for op in ops if op.primitive == "call" and op.text("callee") == name for r in op.results}
        if any(effect(op.primitive) is Effect.WRITE and sites.sites(op.operands[0]) & returned for op in ops):
            return True
    return False


def _fresh_results(callee: Function) -> Function:
    if not returns_argument(callee):
        return callee
    builder = new_builder()
    builder.open(callee.parameters)
    builder.ops.extend(callee.body.ops)
    results: list[Operand] = [
        copied(builder, r, plain(r)) if isinstance(r, Value) and isinstance(r.type, Array) else r
        for r in callee.results
    ]
    return replace(callee, body=builder.close(results))
