"""Recursive functions that write to arrays they are given: they are made to return them instead.

What such a function overwrites is gone when its pullback runs it again. So it takes a copy of each array it writes to,
works on that, and gives it back among its results; the caller puts the elements where they belong::

    call(a, n, callee="f")         ->         b = call(a, n, callee="f")
                                              a[...] = b

From then on it is a function that returns arrays (`array_callees`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import written_by_callees
from srcgrad.differentiate.activity import differentiable
from srcgrad.differentiate.checkpoints.memory import copied, plain
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Function, Op, Operand, Value, walk
from srcgrad.ir.rewrite import Replacement, copy_block, fresh, rewrite
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder

Positions = Mapping[str, tuple[int, ...]]  # of the parameters that a callee writes to


def return_writes(function: Function) -> Function:
    """The same program, in which callees give what they write to arrays of floats; it is not known of all of them."""
    written = written_by_callees(function.callees)
    chosen = {
        name: tuple(sorted(written[name]))
        for name, callee in function.callees.items()
        if callee.rules is None
        and any(differentiable(callee.parameters[k]) for k in written[name])
        and not any(_is_special(callee.parameters[k]) for k in written[name])
    }
    while overlapping := {name for name in chosen if _overlaps(name, function, chosen)}:
        chosen = {name: positions for name, positions in chosen.items() if name not in overlapping}
    if not chosen:
        return function
    callees = {
        name: _giving(callee, chosen[name]) if name in chosen else callee for name, callee in function.callees.items()
    }
    types = {name: tuple(r.type for r in callees[name].results) for name in chosen}

    def visit(op: Op) -> Replacement | None:
        if op.primitive != "call" or op.text("callee") not in chosen:
            return None
        name = op.text("callee")
        results = (*map(fresh, op.results), *(Value(t) for t in types[name][len(op.results) :]))
        call = replace(op, results=results, attributes={**op.attributes, "types": types[name]})
        builder = new_builder()
        builder.open()
        builder.location = op.location
        for position, result in zip(chosen[name], results[len(op.results) :], strict=True):
            _put_back(builder, op.operands[position], result)
        return [call, *builder.close().ops], dict(zip(op.results, results, strict=False))

    rewritten = {name: rewrite(callee, visit) for name, callee in callees.items()}
    return replace(rewrite(replace(function, callees={}), visit), callees=rewritten)


def _is_special(parameter: Value) -> bool:
    """Whether a copy would be of another type: rows, and with `relax` any strides, are all there is."""
    assert isinstance(parameter.type, Array)
    return parameter.type.layout == "F" or (parameter.type.layout == "A" and bool(parameter.type.ones))


def _overlaps(name: str, function: Function, chosen: Positions) -> bool:
    """Whether an array that a callee writes to may share memory with another that it is given, or with a result."""
    callee = function.callees[name]
    sites = Sites(callee)
    parameters = {callee.parameters[k] for k in chosen[name]}
    if any(isinstance(r.type, Array) and sites.sites(r) & parameters for r in callee.results):
        return True
    for user in (function, *function.callees.values()):
        calls = [op for op in walk(user.body) if op.primitive == "call" and op.text("callee") == name]
        sites = Sites(user) if calls else sites
        for op in calls:
            arrays = [(k, x) for k, x in enumerate(op.operands) if isinstance(x.type, Array)]
            for k, x in arrays:
                if k in chosen[name] and any(j != k and sites.sites(x) & sites.sites(y) for j, y in arrays):
                    return True
    return False


def _giving(callee: Function, positions: tuple[int, ...]) -> Function:
    """The function on copies of these parameters, which it returns behind its results."""
    parameters = tuple(map(fresh, callee.parameters))
    builder = new_builder()
    builder.open(parameters)
    names: dict[Value, Operand] = dict(zip(callee.parameters, parameters, strict=True))
    kept = [copied(builder, parameters[k], plain(parameters[k])) for k in positions]
    for k, copy in zip(positions, kept, strict=True):
        names[callee.parameters[k]] = copy if copy.type == parameters[k].type else builder("relax", copy)
    body = copy_block(replace(callee.body, parameters=()), names)
    builder.ops.extend(body.ops)
    return replace(callee, body=builder.close((*body.yields, *kept)))


def _put_back(builder: Builder, array: Operand, result: Value) -> None:
    assert isinstance(array.type, Array)
    extents = [builder("dim", array, axis=k) for k in range(array.type.rank)]
    builder.nest(extents, lambda at: builder.emit("store", array, *at, builder("load", result, *at)))
