"""Which array parameters does a callee write to? A least fixed point, since callees may be recursive."""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Function, Value, walk
from srcgrad.primitives.table import Effect, effect

Written = Mapping[str, frozenset[int]]


def written_parameters(callees: Mapping[str, Function]) -> Written:
    """For each callee the positions of the parameters whose memory it may change."""
    sites = {name: Sites(callee) for name, callee in callees.items()}
    written: dict[str, frozenset[int]] = dict.fromkeys(callees, frozenset())
    changed = True
    while changed:
        changed = False
        for name, callee in callees.items():
            found = _written_by(callee, sites[name], written)
            changed |= found != written[name]
            written[name] = found
    return written


def silent_callees(callees: Mapping[str, Function]) -> frozenset[str]:
    """Callees that do nothing but give their results: they write to no parameter and raise nothing on purpose."""
    written = written_parameters(callees)
    silent = {name for name in callees if not written[name]}
    while loud := {name for name in silent if not _is_silent(callees[name], silent)}:
        silent -= loud
    return frozenset(silent)


def _is_silent(callee: Function, silent: set[str]) -> bool:
    ops = list(walk(callee.body))
    guarded = any(effect(op.primitive) is Effect.GUARD for op in ops)
    return not guarded and all(op.text("callee") in silent for op in ops if op.primitive == "call")


def _written_by(callee: Function, sites: Sites, written: Written) -> frozenset[int]:
    touched: set[Value] = set()
    for op in walk(callee.body):
        if effect(op.primitive) is Effect.WRITE:
            touched |= sites.sites(op.operands[0])
        elif op.primitive == "call":
            for position in written[op.text("callee")]:
                touched |= sites.sites(op.operands[position])
    return frozenset(k for k, p in enumerate(callee.parameters) if p in touched)
