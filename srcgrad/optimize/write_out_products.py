"""A product of small matrices in place: loops, where the extents are literals and a call costs more than the product.

What follows then sees elements: sums of few terms are written out, the reverse sweep adds to shadows in place, and a
matrix that nobody else reads need not be in memory. The case is ``benchmarks/problems/kalman.py``.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64):
...     a: f64[:, :] = alloc(3, 2, dtype=f64, fill='zeros')
...     b: f64[:, :] = alloc(2, 5, dtype=f64, fill='zeros')
...     c: f64[:, :] = alloc(3, 5, dtype=f64, fill='empty')
...     call(a, b, c, callee='matrix_product', types=())
... '''
>>> text = to_text(write_out_products(parse(before, infer)))
>>> print(text[text.index("    with"):])
    with for_(3):
        def _(i: i64):
            with for_(5):
                def _(j: i64):
                    with for_(2, 0.0) as (_1,):
                        def _(k: i64, _2: f64):
                            _3: f64 = load(a, i, k)
                            _4: f64 = load(b, k, j)
                            _5: f64 = mul(_3, _4)
                            _6: f64 = add(_2, _5)
                            yield _6
                    store(c, i, j, _1)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from srcgrad.analysis.extents import Extents
from srcgrad.ir.core import Const, Function, Op, index, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.optimize.product_loops import is_product, product_loops
from srcgrad.primitives.table import new_builder

LARGEST = 216  # multiplications; from some hundred on a call costs less than what LLVM leaves of loops
THIN = 16  # of a row by a matrix


def write_out_products(function: Function) -> Function:
    return _written_out(function, lambda sizes: 0 < prod(sizes) <= LARGEST)


def write_out_thin_products(function: Function) -> Function:
    """Also of any number of rows with a small matrix: for many directions, each row is a matrix itself."""
    return _written_out(function, lambda sizes: 0 < prod(sizes[1:]) <= THIN)


def _written_out(function: Function, is_small: Callable[[list[int]], bool]) -> Function:
    if not any(is_product(op) for op in walk(function.body)):
        return function
    extents = Extents(function)

    def visit(op: Op) -> Replacement | None:
        if not is_product(op):
            return None
        sizes = _sizes(op, extents)
        return (_product(op, sizes), {}) if is_small(sizes) else None

    return rewrite(function, visit)


def _sizes(product: Op, extents: Extents) -> list[int]:
    """How many rows, columns and terms there are, as far as one of the operands has it for a literal; else 0."""
    a, b, c = (extents.of(x) for x in product.operands)
    known = [[int(x.value.real) for x in pair if isinstance(x, Const)] for pair in zip(c, (a[0], b[1]), strict=True)]
    terms = [int(x.value.real) for x in (a[1], b[0]) if isinstance(x, Const)]
    return [(*numbers, 0)[0] for numbers in (*known, terms)]


def _product(op: Op, sizes: list[int]) -> tuple[Op, ...]:
    """The loops of a product of these extents: rows, columns, and how long the sums are; 0 for any number of rows."""
    builder = new_builder()
    builder.location = op.location
    builder.open()
    count, columns, terms = map(index, sizes)
    rows = count if sizes[0] else builder("dim", op.operands[2], axis=0)
    return (*builder.close().ops, *product_loops(op, rows, columns, terms))
