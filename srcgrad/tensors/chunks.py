"""Long expressions in chunks, so that compiling stays quick, and a loop in Python compiles one pass of a few turns.

A chunk is a run of operations in an order in which they can be computed. It ends where the fewest values are handed on,
and if it can where the chunk before ended: after the same operation. The chunks of an unrolled loop are then alike,
and one structure serves all but the first and the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from srcgrad.tensors.graph import Node

LIMIT = 32  # the weight of an expression that is compiled as a whole; twice as much takes more than twice as long
# Operations that are many lines when they are written out.
HEAVY = {"Conv2D": 8, "MaxPool2D": 4, "LinalgSolveEx": 8, "LinalgInvEx": 8, "LinalgDet": 8, "LinalgCholeskyEx": 8}


def chunks(ops: Sequence[Node]) -> dict[Node, int]:
    """The number of the chunk of each operation; ``ops`` have operands first. Empty if one chunk will do."""
    weights = [HEAVY.get(node.form.name, 1) if node.form else 0 for node in ops]
    if sum(weights) <= LIMIT:
        return {}
    ends = _ends(ops, weights)
    found: dict[Node, int] = {}
    number = 0
    for k, node in enumerate(ops):
        # The parts of an operation with several results belong to it: what is handed on are arrays.
        found[node] = found.get(node.inputs[0], number) if node.form and node.form.name == "Item" else number
        if k in ends:
            number += 1
    return found


def _ends(ops: Sequence[Node], weights: Sequence[int]) -> set[int]:
    """The positions of the last operation of each chunk."""
    handed_on = _handed_on(ops)
    upto = [0, *accumulate(weights)]
    ends: set[int] = set()
    start, kind = 0, None
    while upto[-1] - upto[start] > LIMIT:
        window = [k for k in range(start, len(ops)) if LIMIT // 2 <= upto[k + 1] - upto[start] <= LIMIT]
        window = window or [start]  # one operation that is heavier than all allowed
        fewest = min(handed_on[k] for k in window)
        best = [k for k in window if handed_on[k] == fewest]
        end = max([k for k in best if ops[k].form is kind] or best)
        kind = ops[end].form
        ends.add(end)
        start = end + 1
    return ends


def _handed_on(ops: Sequence[Node]) -> list[int]:
    """At each position, how many values made up to there are used later."""
    place = {node: k for k, node in enumerate(ops)}
    last = list(range(len(ops)))
    for k, node in enumerate(ops):
        for source in node.inputs:
            if source in place and source.form is not None:
                last[place[source]] = k
    changes = [0] * (len(ops) + 1)
    for k, end in enumerate(last):
        changes[k] += 1
        changes[end] -= 1
    return list(accumulate(changes[:-1]))
