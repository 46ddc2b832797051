"""The marks of loops that are to have checkpoints: attributes of `for`."""

from __future__ import annotations

from dataclasses import replace

from srcgrad.ir.core import Op
from srcgrad.ir.rewrite import Replacement

MARK = "checkpoint"  # a budget in bytes
OPTIONAL = "optional"  # the mark is not the loop's own, but that of all loops


def without_mark(op: Op) -> Replacement | None:
    """For ``rewrite``: no marks."""
    if MARK not in op.attributes:
        return None
    return [replace(op, attributes={k: v for k, v in op.attributes.items() if k not in (MARK, OPTIONAL)})], {}


def without_optional(op: Op) -> Replacement | None:
    """For ``rewrite``: no optional marks."""
    return without_mark(op) if OPTIONAL in op.attributes else None
