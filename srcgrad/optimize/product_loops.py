"""A call for a product of matrices as loops: rows, columns, and the terms of each sum."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Op, Operand, Value, constant
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder

WRITES: Mapping[str, str] = {"matrix_product": "store", "add_product": "accumulate"}  # what is done with an element


def is_product(op: Op) -> bool:
    return op.primitive == "call" and op.text("callee") in WRITES


def product_loops(
    product: Op, rows: Operand, columns: Operand, terms: Operand, for_lanes: bool = False
) -> tuple[Op, ...]:
    """The loops of a product of these extents; a loop of one iteration is left out. They may be marked for lanes."""
    builder = new_builder()
    builder.location = product.location
    builder.open()
    write, c = WRITES[product.text("callee")], product.operands[2]

    def element(at: tuple[Operand, ...]) -> None:
        builder.emit(write, c, *at, _sum(builder, product, (*at, terms), for_lanes))

    builder.nest((rows, columns), element)
    return builder.close().ops


def _sum(builder: Builder, op: Op, at: tuple[Operand, ...], for_lanes: bool) -> Operand:
    a, b, _ = op.operands
    assert isinstance(a.type, Array)
    i, j, terms = at

    multiply = partial(builder, product=True) if for_lanes else builder

    def term(k: Value, total: Operand) -> tuple[Operand]:
        return (builder("add", total, multiply("mul", builder("load", a, i, k), builder("load", b, k, j))),)

    (total,) = builder.for_(terms, (constant(0, a.type.dtype),), term, counter="k")
    return total
