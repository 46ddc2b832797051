"""What a loop takes from one iteration to the next, and what else it touches: what a snapshot of it has to hold.

The *state* is what is carried, numbers and arrays, and every array from outside that iterations both read and write.
An array that they only fill, or only read, is no part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from srcgrad.analysis.effects import Effects, Path, Touch, shared_depth
from srcgrad.analysis.sites import Tokens
from srcgrad.errors import Error, UnsupportedError
from srcgrad.frontend.refusals import refusal
from srcgrad.ir.core import Block, Op, Operand, Value, captured
from srcgrad.ir.types import Array, Stack
from srcgrad.primitives.table import Effect, effect


@dataclass(frozen=True, eq=False)
class LoopState:
    """The parts of a counted loop; each array is there once, as the reference behind all views."""

    op: Op
    scalars: tuple[int, ...]  # which of what is carried are numbers
    references: tuple[int, ...]  # and which are arrays
    changed: tuple[Value, ...]  # arrays from outside that are read and written
    filled: tuple[Value, ...]  # ... that are only written
    read: tuple[Value, ...]  # ... that are only read
    constants: tuple[Value, ...]  # numbers from outside
    views: tuple[Op, ...]  # in front of the loop: how it sees the arrays from outside

    @property
    def carried(self) -> tuple[Value, ...]:
        """What an iteration starts with."""
        return self.op.blocks[0].parameters[1:]

    @property
    def arrays(self) -> tuple[Value, ...]:
        """The arrays of the state, as an iteration knows them."""
        return (*(self.carried[k] for k in self.references), *self.changed)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All that the loop depends on: how often, the state, and what is from outside."""
        initial = self.op.operands[1:]
        state = (*(initial[k] for k in self.scalars), *(initial[k] for k in self.references), *self.changed)
        return (self.op.operands[0], *state, *self.filled, *self.read, *self.constants)


def state_of(op: Op, effects: Effects) -> LoopState:
    """The parts of a loop; refused where a copy of an array could not stand for it."""
    carried = op.blocks[0].parameters[1:]
    roots, views = _roots(op, effects)
    if any(isinstance(v.type, Stack) for v in (*carried, *roots)):
        raise _refused(op, "it appends to a list", "Store into an array made in front of the loop.")
    arrays = [v for v in roots if isinstance(v.type, Array)]
    own = [v for v in carried if isinstance(v.type, Array)]
    look = Look(op, effects)
    for a, b in combinations((*own, *arrays), 2):
        if look.share_writes(a, b):
            names = " and ".join(sorted(v.name or "a temporary" for v in (a, b)))
            raise _refused(op, f"{names} may be the same memory, and are written to", "Let one be a copy.")
    for value, result in zip(carried, op.results, strict=True):
        if isinstance(value.type, Array):
            _check_carried(op, value, result, look)
    written = [v for v in arrays if look.is_written(v)]
    changed = tuple(v for v in written if look.is_read(v))
    return LoopState(
        op,
        tuple(k for k, v in enumerate(carried) if not isinstance(v.type, Array)),
        tuple(k for k, v in enumerate(carried) if isinstance(v.type, Array)),
        changed,
        tuple(v for v in written if v not in changed),
        tuple(v for v in arrays if v not in written),
        tuple(v for v in roots if not isinstance(v.type, Array)),
        views,
    )


def _roots(op: Op, effects: Effects) -> tuple[list[Value], tuple[Op, ...]]:
    """What the loop uses from outside, arrays without their views, and the ops that make these views."""
    roots: dict[Value, None] = {}
    views: dict[Op, None] = {}

    def visit(value: Operand) -> None:
        made = effects.definitions.op.get(value) if isinstance(value, Value) else None
        if made is not None and effect(made.primitive) is Effect.VIEW:
            for operand in made.operands:
                visit(operand)
            views[made] = None
        elif isinstance(value, Value):
            roots[value] = None

    for value in captured(op):
        visit(value)
    return list(roots), tuple(views)


class Look:
    """What the ops of a loop, and those behind it, do to memory."""

    def __init__(self, op: Op, effects: Effects) -> None:
        self.op = op
        self.body = op.blocks[0]
        self.effects = effects
        self.written = list(self._inside(effects.writes))
        self.reads = [t for t in self._inside(effects.reads) if t.op.primitive != "accumulate"]

    def _inside(self, table: dict[Value, list[Touch]]) -> Iterator[Touch]:
        touches = {id(t): t for listed in table.values() for t in listed}
        return (t for t in touches.values() if self.is_inside(t))

    def is_inside(self, touch: Touch) -> bool:
        return any(block is self.body for block, _ in touch.path)

    def is_written(self, value: Value) -> bool:
        return any(self._meets(value, t.array) for t in self.written)

    def is_read(self, value: Value) -> bool:
        return any(self._meets(value, t.array) for t in self.reads)

    def share_writes(self, a: Value, b: Value) -> bool:
        """Whether a write through one reference may be seen through the other."""
        if not self._meets(a, b) or self.effects.distinct(a, b):
            return False
        return self.is_written(a) or self.is_written(b)

    def _meets(self, a: Value, b: Value) -> bool:
        of = self.effects.sites.of
        return same_memory(of(a), of(b), self.body, self.effects.sites.birth)

    def seen_elsewhere(self, site: Value) -> bool:
        """Whether anyone but the results of the loop refers to the site when it has run."""
        effects = self.effects
        if site in effects.sites.parameters or any(self._refers(y, site) for y in effects.function.body.yields):
            return True
        touches = [t for table in (effects.reads, effects.writes) for t in table.get(site, ())]
        if any(self._refers(t.array, site) and self._is_later(t.path, site) for t in touches):
            return True
        passing = (op for op in effects.paths if op.blocks or op.primitive in ("call", "push"))
        return any(
            self._refers(x, site)
            for op in passing
            if op is not self.op and self._is_later(effects.paths[op], site)
            for x in (*op.operands, *(y for block in op.blocks for y in block.yields))
        )

    def written_later(self, site: Value) -> bool:
        return any(self._is_later(t.path, site) for t in self.effects.writes.get(site, ()))

    def _refers(self, operand: Operand, site: Value) -> bool:
        """Whether an operand refers to the site, and is no result of the loop."""
        if not isinstance(operand, Value) or site not in self.effects.sites.sites(operand):
            return False
        return self.effects.definitions.root(operand) not in self.op.results

    def _is_later(self, path: Path, site: Value) -> bool:
        """Whether what stands there may run behind the loop, while the same instance of the site is in use."""
        own = self.effects.paths[self.op]
        if any(block is self.body for block, _ in path):
            return False
        common = shared_depth(own, path)
        if path[common - 1][1] > own[common - 1][1] or (len(path) == common < len(own)):
            return True
        birth = self.effects.sites.birth[site]
        return any(block in self.effects.loops and block not in birth for block, _ in own[:common])


def same_memory(one: Tokens, other: Tokens, body: Block, birth: dict[Value, tuple[Block, ...]]) -> bool:
    """Whether two references may mean the same memory within an iteration of the loop."""
    return any(
        a.site is b.site and not (body in birth[a.site] and (body in a.carried) != (body in b.carried))
        for a in one
        for b in other
    )


def _check_carried(op: Op, value: Value, result: Value, look: Look) -> None:
    """A copy can stand for a carried array: nobody sees the memory it was in."""
    name = value.name or "an array"
    sites = look.effects.sites
    for site in sites.sites(result):
        if look.body in sites.birth[site]:
            continue
        if look.is_written(site) and look.seen_elsewhere(site):
            hint = f"Start the loop with a copy: {name} = {name}.copy()."
            raise _refused(op, f"the memory of {name} is swapped, written to, and seen from outside", hint)
        if not look.is_written(site) and look.written_later(site):
            raise _refused(op, f"the memory of {name} is written to later", f"Start with a copy of {name}.")


def _refused(op: Op, what: str, hint: str) -> Error:
    return refusal(op.location, f"this loop cannot be checkpointed: {what}", hint, UnsupportedError)
