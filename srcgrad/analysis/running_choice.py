"""Does a loop carry a running choice: a value that each iteration hands on as it is, or replaces by one of its own?

The running minimum ``if d < best: best = d`` is one, whatever the comparison: what the loop ends with is what was
chosen last, or what it began with. The choice is *repeatable* if what was chosen can be computed again behind the
loop from the number of its iteration, and perhaps from integers of that iteration that are carried along.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from srcgrad.analysis.effects import Effects, Touch
from srcgrad.ir.core import Block, Op, Operand, Value, captured, defined, walk_ops
from srcgrad.ir.types import Scalar
from srcgrad.primitives.table import Effect, effect

REPEATABLE = (Effect.PURE, Effect.CHECK, Effect.VIEW, Effect.READ, Effect.WRITE, Effect.ALLOCATE, Effect.CONTROL)


def running_choices(loop: Op) -> Iterator[Choice]:
    """The choices among what a ``for`` carries that have a derivative and that nothing but comparisons looks at."""
    body = loop.blocks[0]
    for k, parameter in enumerate(body.parameters[1:]):
        if not isinstance(parameter.type, Scalar) or not parameter.type.dtype.differentiable:
            continue
        choice = _choice(loop, k, parameter)
        if choice is not None and _only_compared(body, k, parameter):
            yield choice


class Step(NamedTuple):
    """A selection or branch on the way to what is chosen: on which side that is."""

    update: Op
    side: int

    @property
    def key(self) -> object:
        """Equal for steps that are taken together."""
        return (self.update.operands[0] if self.update.primitive == "select" else self.update, self.side)


@dataclass
class Choice:
    """What is carried ``position``-th becomes ``value`` where each step goes to its side, and stays otherwise."""

    loop: Op
    position: int
    steps: tuple[Step, ...]
    value: Value
    before: Sequence[Op]  # the ops of the body, and of the branches on the way, in front of the last step
    ops: list[Op] = field(default_factory=list)  # those that give the value again; filled by ``repeatable``
    kept: list[Value] = field(default_factory=list)  # integers that they need besides the number of the iteration

    @property
    def body(self) -> Block:
        return self.loop.blocks[0]

    def repeatable(self, effects: Effects) -> bool:
        """Whether the value can be computed again behind the loop; finds how."""
        ops = self.before
        carried = _depending(self.body.ops, self.body.parameters[1:])
        made = {r: op for op in ops for r in op.results}
        local = set(self.body.parameters) | {r for op in ops for r in op.results}
        needed: set[Op] = set()
        kept: list[Value] = []
        pending: list[Operand] = [self.value]
        while pending:
            value = pending.pop()
            if value not in local or value is self.body.parameters[0] or value in kept:
                continue
            assert isinstance(value, Value)
            op = made.get(value)
            if value in carried and isinstance(value.type, Scalar) and not value.type.dtype.differentiable:
                kept.append(value)
            elif op is None:
                return False  # what is carried into the iteration
            elif op not in needed:
                needed.add(op)
                for user in (op, *self._writers(op, ops, effects)):
                    needed.add(user)
                    pending += (*user.operands, *captured(user))
        self.kept, self.ops = kept, [op for op in ops if op in needed]
        return bool(needed) and self._may_run_again(effects)

    def _writers(self, op: Op, ops: Sequence[Op], effects: Effects) -> list[Op]:
        """The ops that fill the memory which an op makes: they belong to it."""
        if effect(op.primitive) is not Effect.ALLOCATE:
            return []
        writes = {id(touch.op) for touch in effects.writes.get(op.result, ())}
        return [o for o in ops if any(id(inner) in writes for inner in walk_ops((o,)))]

    def _may_run_again(self, effects: Effects) -> bool:
        inner = list(walk_ops(self.ops))
        if not all(effect(op.primitive) in REPEATABLE and "inert" not in op.attributes for op in inner):
            return False
        born = {op.result for op in inner if effect(op.primitive) is Effect.ALLOCATE}
        for op in inner:
            kind = effect(op.primitive)
            if kind not in (Effect.READ, Effect.WRITE) or effects.sites.sites(op.operands[0]) <= born:
                continue
            if kind is Effect.WRITE or self._changed(effects.touch(op), effects):
                return False
        return True

    def _changed(self, read: Touch, effects: Effects) -> bool:
        """Whether the loop may write to what was read, before it ends."""
        home = next(block for k, (block, _) in enumerate(read.path) if read.path[k + 1][0] is self.body)
        inside = (w for w in effects.writes_to(read.array) if any(block is self.body for block, _ in w.path))
        return any(effects.changes(read, write, home) for write in inside)


def _choice(loop: Op, k: int, parameter: Value) -> Choice | None:
    """The choice between what is carried and a value of this iteration; None where there are several, or none."""
    body = loop.blocks[0]
    ops: Sequence[Op] = body.ops
    before: list[Op] = []
    steps: list[Step] = []
    value = body.yields[k]
    while (place := next((n for n, op in enumerate(ops) if value in op.results), None)) is not None:
        op = ops[place]
        sides = _sides(op, value)
        if [side is parameter for side in sides] not in ([True, False], [False, True]):
            break
        steps.append(Step(op, 0 if sides[1] is parameter else 1))
        value = sides[steps[-1].side]
        if op.primitive == "if":
            before += ops[:place]
            ops = op.blocks[steps[-1].side].ops
    if not steps or not isinstance(value, Value) or value not in set(defined(body)):
        return None
    return Choice(loop, k, tuple(steps), value, (*before, *ops))


def _sides(op: Op, value: Operand) -> Sequence[Operand]:
    """What a value may be, if it is chosen from two."""
    if op.primitive == "select":
        return op.operands[1:]
    if op.primitive == "if":
        position = next(n for n, result in enumerate(op.results) if result is value)
        return [block.yields[position] for block in op.blocks]
    return ()


def _only_compared(body: Block, position: int, parameter: Value) -> bool:
    """Whether what is carried has a part in nothing that could have a derivative, but for its own next value."""
    reached = _depending(body.ops, (parameter,), differentiable=True)
    others = (y for k, y in enumerate(body.yields) if k != position)
    leaving = (op for op in walk_ops(body.ops) if effect(op.primitive) in (Effect.WRITE, Effect.CALL, Effect.STACK))
    return not any(y in reached for y in others) and not any(x in reached for op in leaving for x in op.operands)


def _depending(ops: Sequence[Op], start: Sequence[Value], *, differentiable: bool = False) -> set[Operand]:
    """What depends on some values, by ops of any depth; on request only by way of values that carry derivatives."""
    reached: set[Operand] = set(start)
    known = -1
    while known != len(reached):
        known = len(reached)
        for op in walk_ops(ops):
            _follow(op, reached, differentiable)
    return reached


def _follow(op: Op, reached: set[Operand], differentiable: bool) -> None:
    """Add what an op gives, if it depends on what was reached."""
    targets: list[Value] = []
    if op.blocks:
        first = len(op.blocks[0].parameters) - len(op.results)
        steered = not differentiable and any(x in reached for x in op.operands[: len(op.operands) - len(op.results)])
        for k, result in enumerate(op.results):
            carried = [] if op.primitive == "if" else [b.parameters[first + k] for b in op.blocks]
            start = [] if op.primitive == "if" else [op.operands[len(op.operands) - len(op.results) + k]]
            yields = [b.yields[k] for b in (op.blocks if op.primitive == "if" else op.blocks[-1:])]
            if steered or any(x in reached for x in (*start, *yields)):
                targets += [*carried, result]
    elif any(x in reached for x in op.operands):
        targets += op.results
        if effect(op.primitive) is Effect.WRITE and isinstance(op.operands[0], Value):
            targets.append(op.operands[0])
    for value in targets:
        if not differentiable or not isinstance(value.type, Scalar) or value.type.dtype.differentiable:
            reached.add(value)
