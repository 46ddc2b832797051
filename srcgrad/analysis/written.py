"""Which memory is written to: through the parameters of a function, and inside an op that holds blocks."""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Function, Op, Operand, Value, walk
from srcgrad.primitives.routines import ROUTINES, written_by_routines
from srcgrad.primitives.table import Effect, effect

Written = Mapping[str, frozenset[int]]  # for each callee the positions of parameters


def written_parameters(function: Function) -> frozenset[int]:
    """The positions of the array parameters whose memory a function, or a function it calls, may write to."""
    return _written_through(function, Sites(function), written_by_callees(function.callees))


def written_by_callees(callees: Mapping[str, Function]) -> Written:
    """The same for each callee and routine: a least fixed point, since callees may be recursive."""
    sites = {name: Sites(callee) for name, callee in callees.items()}
    written: dict[str, frozenset[int]] = {**written_by_routines(), **dict.fromkeys(callees, frozenset())}
    changed = True
    while changed:
        changed = False
        for name, callee in callees.items():
            found = _written_through(callee, sites[name], written)
            changed |= found != written[name]
            written[name] = found
    return written


def silent_callees(callees: Mapping[str, Function]) -> frozenset[str]:
    """Callees that do nothing but give their results: they write to no parameter and raise nothing on purpose."""
    written = written_by_callees(callees)
    silent = {name for name in callees if not written[name]}
    while loud := {name for name in silent if not _is_silent(callees[name], silent)}:
        silent -= loud
    return frozenset(silent)


def filled_by(op: Op) -> tuple[Operand, ...]:
    """The references that a store, an accumulation or a routine writes to; other calls are the business of callees."""
    if effect(op.primitive) is Effect.WRITE:
        return op.operands[:1]
    routine = ROUTINES.get(op.text("callee")) if op.primitive == "call" else None
    return op.operands[routine.reads : routine.reads + routine.fills] if routine else ()


def written_sites(function: Function, sites: Sites) -> dict[Op, frozenset[Value]]:
    """For each op with blocks the sites written inside; for each write and call its own."""
    found: dict[Op, frozenset[Value]] = {}
    _collect(function.body, sites, written_by_callees(function.callees), found)
    return found


def _written_through(function: Function, sites: Sites, written: Written) -> frozenset[int]:
    touched = {site for op in walk(function.body) for site in _written_by(op, sites, written)}
    return frozenset(k for k, parameter in enumerate(function.parameters) if parameter in touched)


def _written_by(op: Op, sites: Sites, written: Written) -> frozenset[Value]:
    """The sites that an op without blocks may write to."""
    match effect(op.primitive):
        case Effect.WRITE:
            return sites.sites(op.operands[0])
        case Effect.CALL:
            return frozenset(s for k in written[op.text("callee")] for s in sites.sites(op.operands[k]))
    return frozenset()


def _is_silent(callee: Function, silent: set[str]) -> bool:
    ops = list(walk(callee.body))
    guarded = any(effect(op.primitive) is Effect.GUARD for op in ops)
    called = {op.text("callee") for op in ops if op.primitive == "call"}
    return not guarded and called <= {*silent, *ROUTINES}


def _collect(block: Block, sites: Sites, written: Written, found: dict[Op, frozenset[Value]]) -> frozenset[Value]:
    total: set[Value] = set()
    for op in block.ops:
        if op.blocks:
            found[op] = frozenset(s for inner in op.blocks for s in _collect(inner, sites, written, found))
            total |= found[op]
        elif own := _written_by(op, sites, written):
            found[op] = own
            total |= own
    return frozenset(total)
