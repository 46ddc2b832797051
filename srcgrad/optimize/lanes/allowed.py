"""Whether the iterations of a loop may run side by side: if not, what forbids it."""

from __future__ import annotations

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.ir.core import Block, Op, Value, used, walk
from srcgrad.ir.types import Array, Scalar
from srcgrad.optimize.lanes.calls import may_call
from srcgrad.optimize.lanes.facts import Facts
from srcgrad.primitives.table import Effect, effect

Masks = tuple[Op, ...]  # the branches and loops around an op that lanes take differently, outermost first

ADDRESSES = "an element whose place differs between iterations is read or written where only some iterations come"
CHECKED = "a check is made where only some iterations come"


def forbidding(facts: Facts) -> Refusal | None:
    """What forbids it, if anything does."""
    return _in_block(facts, facts.body, ()) or _exchanged(facts)


def _in_block(facts: Facts, block: Block, masks: Masks) -> Refusal | None:
    return next((found for op in block.ops if (found := _in_op(facts, op, masks)) is not None), None)


def _in_op(facts: Facts, op: Op, masks: Masks) -> Refusal | None:
    match effect(op.primitive):
        case Effect.PURE | Effect.GUARD:
            return None
        case Effect.CHECK:
            return refused(CHECKED, op) if masks else None
        case Effect.ALLOCATE:
            if masks or any(facts.differs(n) for n in op.operands):
                return refused("an array is made where only some iterations come, or of different size in each", op)
            return None
        case Effect.VIEW:
            return _in_view(facts, op, masks)
        case Effect.READ | Effect.WRITE:
            return _in_access(facts, op, masks)
        case Effect.STACK:
            return _in_stack(facts, op, masks)
        case Effect.CONTROL:
            return _in_control(facts, op, masks)
    if not masks and (facts.is_common(op) or may_call(facts, op)):
        return None
    return refused(f"it calls {op.attributes.get('callee', 'a function')}()", op)


def _in_view(facts: Facts, op: Op, masks: Masks) -> Refusal | None:
    same = not any(facts.differs(x) for x in op.operands[1:])
    whole = facts.is_whole(op.operands[0])
    return None if same and whole and not masks else refused("each iteration takes a slice of its own", op)


def _in_access(facts: Facts, op: Op, masks: Masks) -> Refusal | None:
    own = facts.program.sites.sites(op.operands[0]) <= facts.made
    if not facts.is_whole(op.operands[0]) or not (own or op.primitive == "load" or facts.is_outside(op.operands[0])):
        return refused("a name stands for an array of the iteration or for one from outside", op)
    if not masks:
        return None
    if all(mask.primitive != "if" for mask in masks):  # some lane is active, and does the same
        return refused(ADDRESSES, op) if any(facts.differs(x) for x in indices(op)) else None
    allowed = op in facts.program.safe and all(mask.primitive == "if" for mask in masks)
    return None if allowed else refused(ADDRESSES, op)


def _in_stack(facts: Facts, op: Op, masks: Masks) -> Refusal | None:
    """A stack that is the same in all lanes is one stack; any other has rows that all lanes push and pop together."""
    stack = op.result if op.primitive == "stack" else op.operands[0]
    assert isinstance(stack, Value)
    if not masks and stack in facts.made and not facts.differs(stack):
        return None
    use = facts.stacks.get(stack)
    if use is None or (op.primitive == "stack" and masks):
        return refused("what is kept for the reverse sweep is kept in several places, or is an array", op)
    if not facts.differs(stack) or use.corresponds(facts.parts):
        return None
    return refused("what is kept for the reverse sweep is read in other branches than it is kept in", op)


def _in_control(facts: Facts, op: Op, masks: Masks) -> Refusal | None:
    parting = facts.parts(op)
    inner = (*masks, op) if parting else masks
    references = [r for r in op.results if not isinstance(r.type, Scalar)]
    if op.primitive != "if" and any(map(facts.is_outside, references)):
        return refused("arrays from outside change places", op)
    if not all(map(facts.is_whole, references)) or (parting and references):
        return refused("a name stands for one of several arrays", op)
    if op.primitive == "for" and parting and not _may_part(facts, op):
        return refused("its length differs between iterations, and its counter is used in both directions", op)
    if op.primitive == "if" and masks:
        inner = (*masks, op)
    return next((found for b in op.blocks if (found := _in_block(facts, b, inner)) is not None), None)


def _may_part(facts: Facts, loop: Op) -> bool:
    """Whether lanes may run a ``for`` of different lengths: its counter is used as it is, or only mirrored."""
    counter = loop.blocks[0].parameters[0]
    as_it_is = sum(v is counter for v in used(loop.blocks[0])) - len(facts.mirrored(loop))
    if facts.ends_together(loop):
        return as_it_is == 0 and not facts.pushes(loop)
    return True


def _exchanged(facts: Facts) -> Refusal | None:
    """What one iteration writes and another reads or overwrites: shared memory takes sums, or own elements."""
    accesses: dict[Value, list[Op]] = {}
    for op in walk(facts.body):
        if effect(op.primitive) in (Effect.READ, Effect.WRITE):
            for site in facts.program.sites.sites(op.operands[0]) - facts.made:
                accesses.setdefault(site, []).append(op)
    for site, ops in accesses.items():
        kinds = {op.primitive for op in ops}
        if kinds in ({"load"}, {"accumulate"}) or _own_elements(facts, site, ops):
            continue
        write = next(op for op in ops if op.primitive != "load")
        return refused(f"iterations may write and read the same elements of {site.name or 'an array'}", write)
    return None


def _own_elements(facts: Facts, site: Value, ops: list[Op]) -> bool:
    """Whether all accesses have the counter itself for their index along one axis."""
    if any(op.operands[0] is not site for op in ops):
        return False
    assert isinstance(site.type, Array)
    return any(all(indices(op)[axis] is facts.counter for op in ops) for axis in range(site.type.rank))
