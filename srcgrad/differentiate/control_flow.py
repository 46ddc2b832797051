"""Reverse mode through loops and branches.

A loop is reversed by a *mirror* loop that runs its iterations from the last to the first; a branch by a mirror
branch on the same condition. Adjoints of what a block captures from outside are carried through a mirror loop and
merged after a mirror branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from srcgrad.differentiate.shadows import BAR, suffixed
from srcgrad.ir.core import Block, Op, Operand, Value, captured, first_carried, index, walk_ops, zero_like
from srcgrad.ir.rewrite import substitute
from srcgrad.ir.types import INDEX

if TYPE_CHECKING:
    from srcgrad.differentiate.reverse import Reverse


def reverse_control(walk: Reverse, op: Op) -> None:
    if not _is_active(walk, op):
        return
    match op.primitive:
        case "if":
            reverse_branch(walk, op)
        case "for":
            refusal = walk.in_place.refusal(op)
            if refusal is None:
                _reverse_in_place(walk, op)
            else:
                _mirror_loop(walk, op, op.operands[0], str(refusal))
        case "while":
            _mirror_loop(
                walk, op, op.results[op.integer("trips")], "the iterations of a `while` come one after the other"
            )
        case _:
            raise AssertionError(f"no reversal of {op.primitive}")


def _is_active(walk: Reverse, op: Op) -> bool:
    """Whether anything in the op carries a derivative that is asked for."""
    if any(r in walk.adjoints for r in op.results):
        return True
    return any(_touches_shadow(walk, block) for block in op.blocks)


def _touches_shadow(walk: Reverse, block: Block) -> bool:
    for op in block.ops:
        if "recycled" in op.attributes or any(x in walk.twins for x in op.operands):
            return True
        if any(_touches_shadow(walk, b) for b in op.blocks):
            return True
    return False


def _captured_scalars(walk: Reverse, op: Op) -> list[Value]:
    return [v for v in captured(op) if v in walk.active]


def _mirror_loop(walk: Reverse, op: Op, trips: Operand, because: str) -> None:
    """``because`` says why it is not reversed in place."""
    body, first = op.blocks[-1], first_carried(op)
    initial, parameters = op.operands[first:], body.parameters[first:]
    carried = [k for k, p in enumerate(parameters) if p in walk.active]
    outer = _captured_scalars(walk, op)
    cts = [walk.take(op.results[k]) or zero_like(op.results[k]) for k in carried]
    starts = [walk.adjoints.get(v, zero_like(v)) for v in outer]
    incoming = [Value(ct.type, suffixed(op.results[k], BAR)) for k, ct in zip(carried, cts, strict=True)]
    totals = [Value(v.type, suffixed(v, BAR)) for v in outer]
    saved, walk.adjoints = walk.adjoints, dict(zip(outer, totals, strict=True))

    walk.builder.open((Value(INDEX, "q"), *incoming, *totals))
    for k, total in zip(carried, incoming, strict=True):
        walk.add(body.yields[k], total)
    walk.ops(body.ops)
    finished = [walk.take(parameters[k]) or zero_like(parameters[k]) for k in carried]
    block = walk.builder.close((*finished, *(walk.adjoints[v] for v in outer)))

    walk.adjoints = saved
    results = _emit_loop(walk, trips, (*cts, *starts), block, mirror=op.integer("region"), because=because)
    walk.adjoints.update(zip(outer, results[len(carried) :], strict=True))
    for k, ct in zip(carried, results, strict=False):
        walk.add(initial[k], ct)


def _emit_loop(
    walk: Reverse, trips: Operand, initial: Sequence[Operand], block: Block, **marks: int | str
) -> list[Operand]:
    """The loop, without carrying what it does not change; one result per initial value."""
    unchanged = {p: start for p, start, y in zip(block.parameters[1:], initial, block.yields, strict=True) if y is p}
    kept = [k for k, p in enumerate(block.parameters[1:]) if p not in unchanged]
    block = Block(
        (block.parameters[0], *(block.parameters[1 + k] for k in kept)),
        block.ops,
        tuple(block.yields[k] for k in kept),
    )
    block = substitute(block, unchanged)
    names = [p.name for p in block.parameters[1:]]
    kept_initial = [initial[k] for k in kept]
    loop = walk.builder.emit("for", trips, *kept_initial, blocks=(block,), names=names, **marks)
    results = list(initial)
    for k, result in zip(kept, loop, strict=True):
        results[k] = result
    return results


def reverse_branch(walk: Reverse, op: Op) -> None:
    cts = [walk.take(r) if r in walk.active else None for r in op.results]
    before = dict(walk.adjoints)
    sides = []
    blocks = []
    for block in op.blocks:
        walk.adjoints = dict(before)
        walk.builder.open()
        for ct, yielded in zip(cts, block.yields, strict=True):
            if ct is not None:
                walk.add(yielded, ct)
        walk.ops(block.ops)
        inside = set(_defined_here(block))
        sides.append({v: ct for v, ct in walk.adjoints.items() if v not in inside})
        blocks.append(walk.builder.close())
    changed = [v for v in dict.fromkeys([*sides[0], *sides[1]]) if not _same_everywhere(v, before, sides)]
    closed = [
        replace(block, yields=tuple(side.get(v, zero_like(v)) for v in changed))
        for block, side in zip(blocks, sides, strict=True)
    ]
    merged = walk.builder.emit(
        "if", op.operands[0], blocks=closed, names=[suffixed(v, BAR) for v in changed], mirror=op.integer("region")
    )
    walk.adjoints = {**before, **dict(zip(changed, merged, strict=True))}
    # On the path that does not use a value nothing comes back to it: exactly 0, as from a selection.
    unused = [v for v in changed if v not in before and any(v not in side for side in sides)]
    walk.selected.update(walk.adjoints[v] for v in unused)


def _defined_here(block: Block) -> list[Value]:
    return [r for op in block.ops for r in op.results]


def _same_everywhere(value: Value, before: dict[Value, Operand], sides: Sequence[dict[Value, Operand]]) -> bool:
    return value in before and all(side.get(value) is before[value] for side in sides)


def _reverse_in_place(walk: Reverse, op: Op) -> None:
    """``for i: forward body; reverse body``: each iteration is run again and reversed at once."""
    copy = walk.in_place.copy_of(op, walk.twins, walk.active, walk.live.grounds.of)
    outer = _captured_scalars(walk, op)
    cts = {k: ct for k, r in enumerate(op.results) if r in walk.active and (ct := walk.take(r)) is not None}
    starts = [walk.adjoints.get(v, zero_like(v)) for v in outer]
    totals = [Value(v.type, suffixed(v, BAR)) for v in outer]
    saved, walk.adjoints = walk.adjoints, dict(zip(outer, totals, strict=True))

    passed = Value(INDEX, "q")
    walk.builder.open((passed if copy.backwards else copy.counter, *totals, *copy.sums))
    if copy.backwards:
        last = walk.builder("sub", op.operands[0], index(1))
        walk.builder.ops.append(Op("sub", (last, passed), (copy.counter,)))
    walk.builder.ops.extend(copy.ops)
    for inner in walk_ops(copy.ops):
        walk.builder.record(inner)
    for k, ct in cts.items():
        walk.add(copy.yields[k], ct)
    walk.ops(copy.reversed_ops)
    block = walk.builder.close([*(walk.adjoints[v] for v in outer), *copy.yields])

    walk.adjoints = saved
    initial = (*starts, *op.operands[1:])
    results = _emit_loop(walk, op.operands[0], initial, block, repeats=op.integer("region"))
    walk.adjoints.update(zip(outer, results, strict=False))
    for k, ct in cts.items():
        walk.add(op.operands[1 + k], ct)
