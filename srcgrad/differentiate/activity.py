"""Which values carry a derivative: those that depend on the inputs and that the outputs depend on.

Scalars are decided one by one. Memory is decided by site: a reference that is reached makes every site active that it
may point to, so an array that holds constants and may stand in the place of an active one has a shadow too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Function, Op, Operand, Value, first_carried, walk
from srcgrad.ir.types import Array, DType, Stack
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect


def differentiable(operand: Operand) -> bool:
    """Whether a value of this type can carry a derivative."""
    return element_type(operand).differentiable


def element_type(operand: Operand) -> DType:
    """The dtype of a scalar, of an array's elements, or of what a stack holds."""
    kind = operand.type.element if isinstance(operand.type, Stack) else operand.type
    return kind.dtype


class Activity:
    """``value in activity``: whether a scalar, an array reference or a stack carries a derivative."""

    def __init__(self, values: frozenset[Value], sites: Sites, active_sites: frozenset[Value]) -> None:
        self._values = values
        self.sites = sites
        self._active_sites = active_sites

    def __contains__(self, operand: Operand) -> bool:
        if not isinstance(operand, Value) or not differentiable(operand):
            return False
        if isinstance(operand.type, Array):
            return bool(self.sites.sites(operand) & self._active_sites)
        return operand in self._values


def find_active(function: Function, wrt: Iterable[Value], *, reverse: bool) -> Activity:
    """Activity with respect to the parameters ``wrt``.

    Forward mode follows dependence on the inputs alone; reverse mode also needs that a result depends on it.
    """
    sites = Sites(function)
    ruled = frozenset(name for name, callee in function.callees.items() if callee.rules is not None)
    links = [link for op in walk(function.body) for link in _links(op, ruled)]
    varied = _spread(sites, wrt, links)
    if not reverse:
        return Activity(varied, sites, varied)
    results = [x for x in function.results if isinstance(x, Value)]
    useful = _spread(sites, results, [(targets, sources) for sources, targets in links])
    both = varied & useful
    return Activity(both, sites, both)


Edge = tuple[Iterable[Operand], Iterable[Operand]]


def _spread(sites: Sites, start: Iterable[Value], edges: Sequence[Edge]) -> frozenset[Value]:
    """All values, and sites for memory, that are reached from the start along the edges."""

    def places(operand: Operand) -> Iterable[Value]:
        if not isinstance(operand, Value):
            return ()
        return sites.sites(operand) if isinstance(operand.type, Array) else (operand,)

    following: dict[Value, list[Iterable[Operand]]] = {}
    for sources, targets in edges:
        for place in {place for x in sources for place in places(x)}:
            following.setdefault(place, []).append(targets)
    reached: set[Value] = set()
    pending: list[Operand] = list(start)
    while pending:
        operand = pending.pop()
        if differentiable(operand):
            new = set(places(operand)) - reached
            reached |= new
            pending += (x for place in new for targets in following.get(place, ()) for x in targets)
    return frozenset(reached)


def _links(op: Op, ruled: frozenset[str]) -> list[Edge]:
    """Pairs of sources and targets of a derivative: what an op reads, and what it gives or changes."""
    if "inert" in op.attributes:
        return []
    match effect(op.primitive):
        case Effect.CONTROL:
            return _control_links(op)
        case Effect.READ:
            return [(op.operands[:1], op.results)]
        case Effect.WRITE:
            return [(op.operands[-1:], op.operands[:1])]
        case Effect.STACK if op.primitive == "push":
            return [(op.operands[1:], op.operands[:1])]
        case Effect.STACK if op.primitive == "pop":
            return [(op.operands[:1], op.results)]
        case Effect.CALL if (routine := ROUTINES.get(op.text("callee"))) is not None:
            return [(op.operands[: routine.reads], op.operands[routine.outs])]
        case Effect.CALL if op.text("callee") in ruled:  # it only reads, and its rule goes by its results
            return [(op.operands, op.results)]
        case Effect.CALL:
            arrays = [x for x in op.operands if isinstance(x.type, Array)]
            return [(op.operands, [*op.results, *arrays])]
        case Effect.PURE if op.primitive == "link":
            outs, ins, _ = link_parts(op)
            return [(ins, (*outs, *op.results))]
        case Effect.PURE if carries_derivative(op):
            return [(op.operands, op.results)]
    return []


def link_parts(op: Op) -> tuple[tuple[Operand, ...], tuple[Operand, ...], tuple[Operand, ...]]:
    """What is linked, to what it depends on, and what the rule needs of the forward sweep."""
    outs = op.integer("outs")
    end = outs + op.integer("ins")
    return op.operands[:outs], op.operands[outs:end], op.operands[end:]


def carries_derivative(op: Op) -> bool:
    """Whether a scalar op's result has a derivative with respect to its floating operands."""
    if op.primitive in ("select", "cast"):
        return differentiable(op.result)
    row = SCALARS.get(op.primitive)
    return row is not None and row.has_derivative and differentiable(op.result)


def _control_links(op: Op) -> list[Edge]:
    if op.primitive == "if":
        return [((y,), (r,)) for b in op.blocks for y, r in zip(b.yields, op.results, strict=True)]
    first = first_carried(op)
    links: list[Edge] = []
    for block in op.blocks:
        for initial, parameter in zip(op.operands[first:], block.parameters[first:], strict=True):
            links.append(((initial,), (parameter,)))
    body = op.blocks[-1]
    for initial, yielded, result, *parameters in zip(
        op.operands[first:], body.yields, op.results, *(b.parameters[first:] for b in op.blocks), strict=True
    ):
        links.append(((initial, yielded), (*parameters, result)))
        links.append((parameters, (result,)))
    return links
