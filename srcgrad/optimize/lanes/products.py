"""Products of matrices of which one has lanes: loops with the lanes innermost, or BLAS on the lanes as columns.

Where the left factor has lanes, each of its rows, with the lanes for columns, is a matrix; where the right one has
them, they are so many more columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from srcgrad.ir.core import Const, Op, Operand, Value, constant, index
from srcgrad.ir.types import Array
from srcgrad.optimize.lanes.facts import Facts
from srcgrad.primitives.routines import ROUTINES

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening

SHORT = 8  # terms of a sum that are added at once
TIMES = 4  # as many of a longer sum
LARGE = 512  # multiplications a lane, from which on BLAS is faster


def is_product(facts: Facts, op: Op) -> bool:
    """Whether a call is a product with one factor that has lanes, and a place for it that has them."""
    routine = ROUTINES.get(op.text("callee"))
    if routine is None or not routine.product:
        return False
    a, b, c = op.operands
    return facts.is_private(c) and facts.is_private(a) != facts.is_private(b) and all(map(facts.is_whole, (a, b, c)))


def product_with_lanes(widening: Widening, op: Op) -> None:
    product = _product(widening, op)
    if not product.may_be_large():
        product.by_loops()
        return
    m, k, n = product.sizes
    builder = widening.builder
    size = builder("mul", builder("mul", m, n), k)

    def by_blas() -> Sequence[Operand]:
        product.by_blas()
        return ()

    def by_loops() -> Sequence[Operand]:
        product.by_loops()
        return ()

    builder.if_(builder("ge", size, index(LARGE)), by_blas, by_loops)


class _Product(NamedTuple):
    """``c = a @ b`` or ``c += a @ b``, where ``a`` or ``b`` and ``c`` have lanes."""

    widening: Widening
    callee: str
    a: Value
    b: Value
    c: Value
    left: bool  # it is the left factor that has lanes
    sizes: tuple[Operand, Operand, Operand]  # rows, terms of a sum, columns

    @property
    def adding(self) -> bool:
        return ROUTINES[self.callee].adding

    def may_be_large(self) -> bool:
        if all(0 <= _known(size) <= SHORT for size in self.sizes[1:]):
            return False
        return self.left or all(isinstance(x.type, Array) and x.type.layout == "C" for x in (self.b, self.c))

    def by_blas(self) -> None:
        builder = self.widening.builder
        m, k, n = self.sizes
        if not self.left:
            columns = builder("mul", n, index(self.widening.pitch))
            flat = [builder("reshape", x, rows, columns) for x, rows in ((self.b, k), (self.c, m))]
            builder.emit("call", self.a, *flat, callee=self.callee, types=())
            return
        turned = builder("transpose", self.b, permutation=(1, 0))

        def row(i: Value) -> tuple[()]:
            own, out = (builder("slice", x, i, axes="i::") for x in (self.a, self.c))
            builder.emit("call", turned, own, out, callee=self.callee, types=())
            return ()

        builder.for_(m, (), row)

    def by_loops(self) -> None:
        m, k, n = self.sizes
        short = 0 <= _known(k) <= SHORT
        self.widening.builder.nest((m, n), lambda at: self._short(*at) if short else self._long(*at))

    def _short(self, i: Operand, j: Operand) -> None:
        self._add(i, j, [index(t) for t in range(_known(self.sizes[1]))], "accumulate" if self.adding else "store")

    def _long(self, i: Operand, j: Operand) -> None:
        builder, k = self.widening.builder, self.sizes[1]
        if not self.adding:
            self._add(i, j, [], "store")
        groups = builder("floordiv", k, index(TIMES))
        done = builder("mul", groups, index(TIMES))

        def group(q: Value) -> tuple[()]:
            first = builder("mul", q, index(TIMES))
            self._add(i, j, [builder("add", first, index(t)) for t in range(TIMES)], "accumulate")
            return ()

        def rest(q: Value) -> tuple[()]:
            self._add(i, j, [builder("add", done, q)], "accumulate")
            return ()

        builder.for_(groups, (), group, counter="q")
        builder.for_(builder("sub", k, done), (), rest, counter="q")

    def _add(self, i: Operand, j: Operand, terms: Sequence[Operand], access: str) -> None:
        """One loop over the lanes, for these terms of the sum of an element."""
        builder = self.widening.builder
        same = [self._factor(self.left, i, j, t) for t in terms]

        def one_lane(lane: Value) -> tuple[()]:
            assert isinstance(self.c.type, Array)
            total: Operand = constant(0, self.c.type.dtype)
            for n, (t, factor) in enumerate(zip(terms, same, strict=True)):
                term = builder("mul", self._factor(not self.left, i, j, t, lane), factor)
                total = builder("add", total, term) if n else term
            builder.emit(access, self.c, i, j, lane, total)
            return ()

        builder.for_(self.widening.padded, (), one_lane, counter="lane")

    def _factor(self, right: bool, i: Operand, j: Operand, t: Operand, *lane: Operand) -> Value:
        at = (self.b, t, j) if right else (self.a, i, t)
        return self.widening.builder("load", *at, *lane)


def _known(size: Operand) -> int:
    """The size, or -1 where it is known at run time only."""
    return size.value if isinstance(size, Const) and isinstance(size.value, int) else -1


def _product(widening: Widening, op: Op) -> _Product:
    a, b, c = (x for x in widening.alike(op.operands) if isinstance(x, Value))
    shapes = [widening.facts.program.extents.of(x) for x in op.operands]

    def extent(*places: tuple[int, int]) -> Operand:
        """A number where one of these axes, which are equally long, is known to be so long."""
        known = (shapes[which][axis] for which, axis in places)
        which, axis = places[0]
        return next((n for n in known if isinstance(n, Const)), None) or widening.builder(
            "dim", (a, b)[which], axis=axis
        )

    sizes = (extent((0, 0), (2, 0)), extent((0, 1), (1, 0)), extent((1, 1), (2, 1)))
    return _Product(widening, op.text("callee"), a, b, c, widening.facts.is_private(op.operands[0]), sizes)
