"""Store or recompute: a minimum cut over the dataflow of the forward sweep.

Every value that the reverse sweep needs is recomputed there from its operands or stored in the forward sweep.
Storing costs its bytes, recomputing the price of the op; both count as often as their loop runs. As a graph:
each value is an edge of its storing cost from its *in* to its *out*; its operands' *outs* lead to its *in*; the source
leads to each *in* with the price of recomputing, and each needed *out* to the sink. What the cut separates is paid for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from srcgrad.ir.core import Value

NEVER = 10**8  # a cost that no finite plan reaches


@dataclass(frozen=True)
class Choice:
    """What the two ways to have a value again cost, and what recomputing it needs."""

    store: int
    recompute: int  # NEVER where the op cannot be repeated
    operands: tuple[Value, ...]


def cheapest(choices: Mapping[Value, Choice], wanted: Iterable[Value]) -> tuple[set[Value], set[Value]]:
    """The values to store and those to recompute, so that every wanted one can be had."""
    wanted = list(wanted)
    order = {value: k for k, value in enumerate(choices)}
    source, sink = 2 * len(order), 2 * len(order) + 1
    edges: dict[tuple[int, int], int] = {}
    for value, choice in choices.items():
        inlet, outlet = 2 * order[value], 2 * order[value] + 1
        edges[inlet, outlet] = min(choice.store, NEVER)
        edges[source, inlet] = min(choice.recompute, NEVER)
        for operand in choice.operands:
            edges[2 * order[operand] + 1, inlet] = NEVER
    for value in wanted:
        edges[2 * order[value] + 1, sink] = NEVER
    reached = _source_side(edges, source, sink)
    return _plan(choices, wanted, order, reached)


def _plan(
    choices: Mapping[Value, Choice], wanted: list[Value], order: Mapping[Value, int], reached: set[int]
) -> tuple[set[Value], set[Value]]:
    stored: set[Value] = set()
    recomputed: set[Value] = set()
    pending = list(wanted)
    while pending:
        value = pending.pop()
        if value in stored or value in recomputed:
            continue
        if 2 * order[value] in reached:
            assert choices[value].store < NEVER, f"{value!r} can be neither stored nor recomputed"
            stored.add(value)
        else:
            assert choices[value].recompute < NEVER, f"{value!r} can be neither stored nor recomputed"
            recomputed.add(value)
            pending.extend(choices[value].operands)
    return stored, recomputed


def _source_side(edges: Mapping[tuple[int, int], int], source: int, sink: int) -> set[int]:
    """The nodes that the residual network of a maximum flow still reaches from the source."""
    # Imported here, since it takes 0.15 s and many programs have nothing to cut.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    rows, columns = (np.array(side, dtype=np.int32) for side in zip(*edges, strict=True))
    capacities = np.array(list(edges.values()), dtype=np.int32)
    graph = coo_array((capacities, (rows, columns)), shape=(sink + 1, sink + 1)).tocsr()
    flow = maximum_flow(graph, source, sink).flow
    residual: dict[int, list[int]] = {}
    used = flow.tocoo()
    flows = {(int(a), int(b)): int(f) for a, b, f in zip(used.row, used.col, used.data, strict=True)}
    for (a, b), capacity in edges.items():
        f = flows.get((a, b), 0)
        if capacity - f > 0:
            residual.setdefault(a, []).append(b)
        if f > 0:
            residual.setdefault(b, []).append(a)
    reached, queue = {source}, deque((source,))
    while queue:
        for node in residual.get(queue.popleft(), ()):
            if node not in reached:
                reached.add(node)
                queue.append(node)
    return reached
