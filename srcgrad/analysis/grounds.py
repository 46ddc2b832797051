"""What do values depend on, and through which poles?

A *pole* is where a slope is infinite: of a root at 0, of a quotient whose divisor is 0, of a logarithm at 0. A factor
that is made of a root of ``x`` vanishes with it no faster than the slope of another root of ``x`` grows:
``np.sqrt(x) * np.sqrt(x)``. One that is made of ``x`` itself does, or of a root of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import reduce
from operator import or_

from srcgrad.analysis.flows import flows, merged_values
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Const, Function, Op, Operand, Value, walk
from srcgrad.ir.types import Scalar
from srcgrad.primitives.scalar import SCALARS


class Pole(IntEnum):
    """How a result behaves where its slope is infinite."""

    ROOT = 1  # it is finite
    QUOTIENT = 2  # it is infinite, as a power of the distance
    LOGARITHM = 3  # it is infinite, and slower than any power
    FRACTION = 4  # of a power such as 1.5: it is a later derivative that is infinite


ROOTS = frozenset({"sqrt", "cbrt", "arcsin", "arccos", "arccosh"})
QUOTIENTS = frozenset({"digamma", "gamma", "polygamma", "zeta", "y1", "k1", "yn", "yv", "kv", "k1e", "kve", "expn"})
LOGARITHMS = frozenset({"log", "log2", "log10", "log1p", "arctanh", "lgamma", "erfinv", "erfcinv", "ndtri", "exp1"})
LOGARITHMS |= {"expi", "y0", "k0", "k0e", "lambert"}
# What is so flat far out that no power of the distance makes up for it.
FLAT = frozenset({"exp", "exp2", "expm1", "erf", "erfc", "tanh", "expit", "ndtr", "log_ndtr"})


def poles(op: Op) -> dict[Pole, tuple[Operand, ...]]:
    """The kinds of pole that an op may have, and the operands by whose values it has them."""
    match op.primitive, op.operands:
        case "pow", (x, Const(float(b))) if b > 1 and b != int(b):
            return {Pole.FRACTION: (x,)}
        case _ if op.attributes.get("regular"):
            return {}
        case "div", (_, divisor):
            return {} if isinstance(divisor, Const) else {Pole.QUOTIENT: (divisor,)}
        case "ipow", (x, Const(n)):
            return {Pole.QUOTIENT: (x,)} if n.real < 0 else {}
        case "pow", (x, Const(float(b))):
            return {Pole.QUOTIENT: (x,)} if b < 0 else {Pole.ROOT: (x,)} if b < 1 else {}
        case (("pow" | "ipow"), (x, _)):
            return {Pole.QUOTIENT: (x,), Pole.ROOT: (x,), Pole.FRACTION: (x,)}
        case name, operands if name in ROOTS:
            return {Pole.ROOT: operands}
        case name, operands if name in QUOTIENTS:
            return {Pole.QUOTIENT: operands}
        case name, operands if name in LOGARITHMS:
            return {Pole.LOGARITHM: operands}
    return {}


class Grounds:
    """Of each value a number: which parameters it depends on, and which of them through a pole of each kind.

    ``of`` is the one of values of the function. There are a field for it and one for each kind, of a bit for each
    parameter.
    """

    def __init__(self, function: Function) -> None:
        self.width = len(function.parameters)
        self.of: dict[Operand, int] = {}
        ops = list(walk(function.body))
        if not any(poles(op) for op in ops):
            return
        following: dict[Operand, list[tuple[Operand, Op | None]]] = {}
        for op in ops:
            if op.primitive in SCALARS:
                for x in op.operands:
                    following.setdefault(x, []).extend((r, op) for r in op.results)
        for a, b in flows(ops, Sites(function)):
            following.setdefault(a, []).append((b, None))
        pending: list[Operand] = []
        for k, parameter in enumerate(function.parameters):
            self.of[parameter] = 1 << k
            pending.append(parameter)
        while pending:
            value = pending.pop()
            for target, by in following.get(value, ()):
                found = self.through(by, value) if by is not None else self.of[value]
                if found | self.of.get(target, 0) != self.of.get(target, 0):
                    self.of[target] = found | self.of.get(target, 0)
                    pending.append(target)

    def through(self, op: Op, operand: Operand) -> int:
        """What the result of an op has of an operand: nothing of one that carries no derivative."""
        if not _is_floating(operand):
            return 0
        found = self.of.get(operand, 0)
        if op.primitive in FLAT:
            found &= ~self.field(Pole.QUOTIENT)
        for kind, operands in poles(op).items():
            if operand in operands:
                found |= self.plain(found) << (self.width * kind)
        return found

    def field(self, kind: Pole) -> int:
        return ((1 << self.width) - 1) << (self.width * kind)

    def plain(self, grounds: int) -> int:
        return grounds & ((1 << self.width) - 1)

    def of_factor(self, factor: Operand, maker: Callable[[Operand], Op | None]) -> int:
        """The grounds of a value that was made of those of the function since."""
        pending = [factor]
        while pending:
            x = pending[-1]
            inputs = [] if x in self.of else list(filter(_is_floating, _inputs(x, maker(x))))
            unknown = [y for y in inputs if isinstance(y, Value) and y not in self.of]
            if isinstance(x, Value) and not unknown:
                self.of.setdefault(x, reduce(or_, (self.of.get(y, 0) for y in inputs), 0))
            if not unknown:
                pending.pop()
            pending += unknown
        return self.of.get(factor, 0)

    def keeps_up(self, op: Op, factor: Operand, maker: Callable[[Operand], Op | None]) -> bool:
        """Whether a factor may vanish as slowly as the slope of an op grows at its pole."""
        return self.meets(op, self.vanishing(factor, maker))

    def meets(self, op: Op, grounds: int) -> bool:
        """Whether some are behind poles of the kind of an op, and among what it depends on itself."""
        return any(
            self.behind(grounds, kind) & self.plain(self.of.get(x, 0))
            for kind, operands in poles(op).items()
            for x in operands
        )

    def vanishing(self, factor: Operand, maker: Callable[[Operand], Op | None]) -> int:
        """The grounds of what may make a factor 0. An exponential is 0 only far out."""
        pending, seen, found = [factor], set[Operand](), 0
        while pending:
            x = pending.pop()
            if x in seen:
                continue
            seen.add(x)
            op = maker(x)
            match op.primitive if op is not None else None, op.operands if op is not None else ():
                case "mul", both:
                    pending += both
                case "div", (x, divisor):
                    pending.append(x)
                    infinite = self.field(Pole.QUOTIENT) | self.field(Pole.LOGARITHM)
                    found |= self.of_factor(divisor, maker) & infinite
                case (("neg" | "cast"), (x,)):
                    pending.append(x)
                case (("exp" | "exp2"), (x,)):
                    found |= self.of_factor(x, maker) & self.field(Pole.LOGARITHM)
                case _ if not isinstance(x, Const):
                    found |= self.of_factor(x, maker)
        return found

    def behind(self, grounds: int, kind: Pole) -> int:
        """The parameters behind poles of a kind."""
        return self.plain(grounds >> (self.width * kind))

    def share_roots(self, value: Operand, factor: Operand, maker: Callable[[Operand], Op | None]) -> bool:
        """Whether a factor may vanish as slowly as the slope of a value that roots have made grows."""
        both = self.vanishing(factor, maker), self.of.get(value, 0)
        return bool(self.behind(both[0], Pole.ROOT) & self.behind(both[1], Pole.ROOT))

    def is_smooth(self, value: Operand) -> bool:
        """Whether neither roots nor broken powers have made a value: with its slope it vanishes as a square does."""
        found = self.of.get(value, 0)
        return not self.behind(found, Pole.ROOT) and not self.behind(found, Pole.FRACTION)


def _inputs(value: Operand, op: Op | None) -> Sequence[Operand]:
    """What a value is made of: the operands of its op, or what the blocks of that give."""
    if op is None or not op.blocks:
        return op.operands if op is not None else ()
    return [x for merged, both in merged_values(op) if merged is value for x in both]


def _is_floating(operand: Operand) -> bool:
    return isinstance(operand.type, Scalar) and operand.type.dtype.kind in "fc"
