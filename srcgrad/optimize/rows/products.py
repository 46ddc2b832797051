"""Products of matrices as loops over their rows, where these may be part of a loop that does more."""

from __future__ import annotations

from collections.abc import Collection

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, index, same, walk
from srcgrad.ir.messages import TOO_LARGE
from srcgrad.optimize.product_loops import is_product, product_loops
from srcgrad.optimize.rows.touches import Looking
from srcgrad.primitives.table import new_builder

# Of a matrix that rows are multiplied with in lanes; BLAS is as fast from twice as many elements on, and with long sums
# even where there are few of them (AVX-512, OpenBLAS).
MOST_ROWS, MOST_ELEMENTS = 32, 1024


class Products:
    """Which calls may become loops, and by the sums of those that have: the calls."""

    def __init__(self, calls: Collection[Op]) -> None:
        self.calls = calls  # those that stay
        self.sums: dict[Value, Op] = {}
        self._loops: dict[Op, tuple[Op, ...]] = {}

    def is_one(self, op: Op) -> bool:
        return is_product(op) and op not in self.calls and bool(op.attributes.get("small"))

    def loop(self, product: Op, trips: Operand, looking: Looking) -> tuple[Op, ...] | None:
        """The loop over these rows that a product is, if it is one, behind what it needs to know."""
        rows = looking.extents.of(product.operands[2])[0]
        if looking.extents.canonical(trips) != rows or same(trips, index(1)) or _is_large(product, looking):
            return None
        if product not in self._loops:
            builder = new_builder()
            builder.location = product.location
            builder.open()
            columns, terms = (_extent(builder, product.operands[k], looking) for k in (2, 0))
            elements = builder("mul", terms, builder("max", columns, index(MOST_ELEMENTS // MOST_ROWS)))
            fits = builder("le", elements, index(MOST_ELEMENTS))
            builder.emit("check", fits, terms, columns, exception="ValueError", message=TOO_LARGE)
            loops = product_loops(product, trips, columns, terms, for_lanes=True)
            self._loops[product] = (*builder.close().ops, *loops)
            looking.learn(self._loops[product])
        found = self._loops[product]
        return found if same(found[-1].operands[0], trips) else None

    def take(self, *ops: Op) -> None:
        """Note that these calls, if they are any, have become loops."""
        for op in ops:
            if op in self._loops:
                self.sums |= {r: op for inner in walk(self._loops[op][-1].blocks[0]) for r in inner.results}


def _is_large(product: Op, looking: Looking) -> bool:
    """Whether it is known to be too large already, by its literal extents."""
    terms, columns = (looking.extents.of(product.operands[k])[1] for k in (0, 2))
    known = [int(n.value.real) if isinstance(n, Const) else 0 for n in (terms, columns)]
    return known[0] > MOST_ROWS or known[0] * known[1] > MOST_ELEMENTS


def _extent(builder: Builder, matrix: Operand, looking: Looking) -> Operand:
    """How many columns a matrix has; not asked of itself, where it was made here, since it may yet go."""
    assert isinstance(matrix, Value)
    made = looking.definitions.op.get(matrix)
    return made.operands[1] if made is not None and made.primitive == "alloc" else builder("dim", matrix, axis=1)
