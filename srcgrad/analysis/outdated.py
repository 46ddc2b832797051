"""Is a copy read after what it was copied from was written to?

Where NumPy may have made a view or a copy, depending on strides, a copy stands for it. That is right unless the
original changes while the copy is still read: then it would tell one from the other.
"""

from __future__ import annotations

from srcgrad.analysis.effects import Effects, Path, Touch
from srcgrad.analysis.liveness import Liveness
from srcgrad.ir.core import Function, Value


class StandIns:
    """The copies of a function that stand for views."""

    def __init__(self, function: Function) -> None:
        self.effects = Effects(function)
        self.needed = Liveness(function).needed
        self.births = {result: path for op, path in self.effects.paths.items() for result in op.results}

    def writes_through(self, target: Value, original: Value) -> list[Touch]:
        """The writes to memory of ``original`` that ``target`` may be a reference to."""
        shared = self.effects.sites.sites(target) & self.effects.sites.sites(original)
        return [touch for site in shared for touch in self.effects.writes.get(site, ())]

    def alive_at(self, copy: Value, write: Touch) -> bool:
        """Whether the copy may have been made before the write, and be read after it.

        Each iteration of the block that makes it has a copy of its own, unless a reference to it leaves the block:
        then it counts as read for ever.
        """
        birth = self.births.get(copy)
        if birth is None:  # of an attempt to lower a loop, of which nothing is left
            return False
        read_at = [position_in(read.path, birth) for read in self.reads(copy)]
        if None in read_at or self.leaves(copy, birth):
            return True
        block, made_at = birth[-1]
        at = position_in(write.path, birth)
        if at is None or at < made_at:
            return False
        return any(k is not None and (k > at or (k == at and bool(block.ops[k].blocks))) for k in read_at)

    def reads(self, copy: Value) -> list[Touch]:
        """Those that anything depends on."""
        return [read for read in self.effects.reads.get(copy, ()) if read.op in self.needed]

    def leaves(self, copy: Value, birth: Path) -> bool:
        """Whether the block that makes the copy yields a reference to it."""
        return any(copy in self.effects.sites.sites(x) for x in birth[-1][0].yields)


def position_in(path: Path, birth: Path) -> int | None:
    """Where in the block of ``birth`` an op is, or the op that it is in; None if it is elsewhere."""
    return next((position for block, position in path if block is birth[-1][0]), None)
