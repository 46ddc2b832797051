"""A running choice keeps its place, and what was chosen last is computed again behind the loop.

``if d < best: best = d`` makes every iteration's ``d`` a part of the result's history, but the result is the last one
chosen, and only that one has a derivative to give. With its place carried along, the loop itself carries nothing that
is differentiated: reverse mode reverses one iteration instead of all (the nearest of k centroids, a running maximum,
the last element that passes a test). ``benchmarks/problems/kmeans.py`` is the case.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     with for_(n, f64("inf")) as (best,):
...         def _(k: i64, b: f64):
...             v: f64 = load(x, k)
...             d: f64 = mul(v, v)
...             c: bool = lt(d, b)
...             b_1: f64 = select(c, d, b)
...             yield b_1
...     return best
... '''
>>> print(to_text(choose_again(parse(before, infer))))
def f(x: f64[:], n: i64):
    with for_(n, f64("inf"), -1) as (best, chosen):
        def _(k: i64, b: f64, chosen_1: i64):
            v: f64 = load(x, k)
            d: f64 = mul(v, v)
            c: bool = lt(d, b)
            b_1: f64 = select(c, d, b)
            chosen_2: i64 = select(c, k, chosen_1)
            yield b_1, chosen_2
    _1: bool = ge(chosen, 0)
    with if_(_1) as (best_1,):
        def _():
            v_1: f64 = load(x, chosen)
            d_1: f64 = mul(v_1, v_1)
            yield d_1
        def _():
            yield f64("inf")
    return best_1
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from srcgrad.analysis.effects import Effects
from srcgrad.analysis.prices import is_dear
from srcgrad.analysis.running_choice import Choice, Step, running_choices
from srcgrad.ir.build import Builder
from srcgrad.ir.core import LOOPS, Block, Function, Op, Operand, Value, index, used, walk, walk_ops, zero_like
from srcgrad.ir.rewrite import copy_op, fresh, renamed, substitute_op, unchanged, with_blocks
from srcgrad.primitives.table import new_builder

DEPTH = 8  # of nested loops that one choice runs through


def choose_again(function: Function) -> Function:
    """Innermost loops first: what an inner loop has chosen is then a choice of the loop around it."""
    for _ in range(DEPTH):
        chosen = _round(function)
        if not chosen:
            break
        function = replace(function, body=_block(function.body, chosen))
    return function


def _round(function: Function) -> dict[Op, list[Choice]]:
    """The choices of each loop that has some and holds no other such loop."""
    loops = [op for op in walk(function.body) if op.primitive == "for"]
    if not any(True for loop in loops for _ in running_choices(loop)):
        return {}
    effects = Effects(function)
    uses = Counter(used(function.body))
    found: dict[Op, list[Choice]] = {}
    for loop in reversed(loops):  # inner ones come behind those around them
        if any(op in found for op in walk(loop.blocks[0])):
            continue
        wanted = (c for c in running_choices(loop) if uses[loop.results[c.position]])
        usable = [c for c in wanted if c.repeatable(effects) and _is_worth_it(c, loops)]
        if usable:
            found[loop] = usable
    return found


def _is_worth_it(choice: Choice, loops: Sequence[Op]) -> bool:
    """Whether what is chosen takes a loop, or no loop around computes exponentials and the like.

    Such a loop runs in lanes, where to choose among all costs less than to gather from places that differ by lane
    (``benchmarks/problems/gmm.py``: 0.9 against 2.5 ms).
    """
    if any(op.primitive in LOOPS for op in walk_ops(choice.ops)):
        return True
    around = (op for op in loops if op is not choice.loop and choice.loop in walk(op.blocks[0]))
    return not any(is_dear(op) for loop in around for op in walk(loop.blocks[0]))


def _block(block: Block, chosen: Mapping[Op, list[Choice]]) -> Block:
    ops: list[Op] = []
    names: dict[Value, Operand] = {}
    for op in block.ops:
        if op in chosen:
            new, results = _replaced(op, chosen[op])
        else:
            new, results = [with_blocks(op, [_block(b, chosen) for b in op.blocks])], {}
        ops.extend(substitute_op(o, names) for o in new)
        names.update(results)
    if unchanged(ops, block.ops):
        return block
    return Block(block.parameters, tuple(ops), tuple(renamed(y, names) for y in block.yields))


def _replaced(op: Op, choices: Sequence[Choice]) -> tuple[list[Op], dict[Value, Operand]]:
    """The loop with places, what computes again what was chosen, and what the loop's results are called then."""
    groups: dict[object, list[Choice]] = {}
    for choice in choices:
        groups.setdefault(tuple(step.key for step in choice.steps), []).append(choice)
    loop = op
    ops: list[Op] = []
    names: dict[Value, Operand] = {}
    for group in groups.values():
        loop, places = _with_places(loop, group)
        builder = new_builder()
        builder.open()
        builder.location = op.location
        results = _again(builder, op, group, places)
        ops += builder.close().ops
        names.update((op.results[c.position], r) for c, r in zip(group, results, strict=True))
    return [loop, *ops], names


def _kept(group: Sequence[Choice], counter: Value) -> list[Value]:
    """What has to be known of the chosen iteration: its number, and integers that only the loop itself gives."""
    return list(dict.fromkeys((counter, *(v for choice in group for v in choice.kept))))


def _with_places(op: Op, group: Sequence[Choice]) -> tuple[Op, dict[Value, Value]]:
    """The loop that also carries what is kept of the iteration chosen last; and its value behind the loop."""
    body = op.blocks[0]
    kept = _kept(group, body.parameters[0])
    carried = [Value(v.type, "chosen" if v is body.parameters[0] else v.name) for v in kept]
    ops, yields = _routed(body.ops, group[0].steps, kept, carried)
    block = Block((*body.parameters, *carried), ops, (*body.yields, *yields))
    initial = [index(-1) if v is body.parameters[0] else zero_like(v) for v in kept]
    results = [Value(v.type, v.name) for v in carried]
    loop = replace(op, operands=(*op.operands, *initial), results=(*op.results, *results), blocks=(block,))
    return loop, dict(zip(kept, results, strict=True))


def _routed(
    ops: tuple[Op, ...], steps: Sequence[Step], kept: Sequence[Value], carried: Sequence[Value]
) -> tuple[tuple[Op, ...], Sequence[Value]]:
    """The ops of a block that choose what is kept along with the value, and what they have chosen."""
    if not steps:
        return ops, kept
    (update, side), *inner = steps
    if update.primitive == "select":
        ops, values = _routed(ops, inner, kept, carried)
        pairs = [(v, old) if side == 0 else (old, v) for v, old in zip(values, carried, strict=True)]
        results = [fresh(old) for old in carried]
        made = (Op("select", (update.operands[0], *pair), (r,)) for pair, r in zip(pairs, results, strict=True))
        return (*ops, *made), results
    # Another choice may have given it further results.
    branch = next(op for op in ops if op.results[:1] == update.results[:1])
    chosen, values = _routed(branch.blocks[side].ops, inner, kept, carried)
    blocks = list(branch.blocks)
    blocks[side] = Block((), chosen, (*branch.blocks[side].yields, *values))
    blocks[1 - side] = replace(branch.blocks[1 - side], yields=(*branch.blocks[1 - side].yields, *carried))
    results = [fresh(old) for old in carried]
    new = replace(branch, blocks=tuple(blocks), results=(*branch.results, *results))
    return tuple(new if op is branch else op for op in ops), results


def _again(builder: Builder, op: Op, group: Sequence[Choice], places: dict[Value, Value]) -> tuple[Value, ...]:
    """What was chosen, from its place; what the loop started with, if nothing was."""
    body = op.blocks[0]
    again = {o for choice in group for o in choice.ops}

    def chosen() -> Sequence[Operand]:
        names: dict[Value, Operand] = dict(places)
        before = max((choice.before for choice in group), key=len)
        builder.ops.extend(_anywhere(copy_op(o, names)) for o in before if o in again)
        return [renamed(choice.value, names) for choice in group]

    def initial() -> Sequence[Operand]:
        return [op.operands[1 + choice.position] for choice in group]

    some = builder("ge", places[body.parameters[0]], index(0))
    return builder.if_(some, chosen, initial, names=[op.results[choice.position].name for choice in group])


def _anywhere(op: Op) -> Op:
    """Without the mark that an access is in range whatever branches are taken: this one is so only in its branch."""
    attributes = {k: v for k, v in op.attributes.items() if k != "in_range"}
    blocks = tuple(replace(b, ops=tuple(map(_anywhere, b.ops))) for b in op.blocks)
    return replace(op, attributes=attributes, blocks=blocks)
