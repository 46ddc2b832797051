"""The text of arrays, fresh or views, and of checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from srcgrad.analysis.affine import Affine, affine
from srcgrad.backend.expressions import ATOM, Expressions, dtype_argument, numpy_name
from srcgrad.backend.raised_text import exception_text
from srcgrad.backend.scratch_text import LARGE_PAGES
from srcgrad.ir.core import Const, Op, Operand, Value
from srcgrad.ir.messages import OUT_OF_RANGE
from srcgrad.ir.types import Array
from srcgrad.primitives.memory import slice_parts
from srcgrad.primitives.scalar import PRECEDENCE

LONGEST = 100
SUM = PRECEDENCE["+"]


def array_text(op: Op, expressions: Expressions, placed: Mapping[Value, str]) -> str:
    """A fresh array, or a view; ``placed`` has the function of srcgrad.memory that makes it."""
    text = expressions.text
    result = op.result.type
    assert isinstance(result, Array)
    match op.primitive:
        case "alloc":
            return _fresh(op, result, expressions, placed.get(op.result))
        case "slice":
            return _slice(op, expressions)
        case "transpose":
            order = op.attributes["permutation"]
            source = text(op.operands[0], ATOM)
            if order == tuple(reversed(range(result.rank))):
                return f"{source}.T"
            return f"np.transpose({source}, {order!r})"
        case "reshape":
            return f"{text(op.operands[0], ATOM)}.reshape({', '.join(map(text, op.operands[1:])) or '()'})"
        case "expand":
            return _expanded(op, expressions, result.rank)
        case "select":
            return expressions.template("select", op)[0]
    raise AssertionError(f"no text for {op.primitive}")


def _fresh(op: Op, result: Array, expressions: Expressions, place: str | None) -> str:
    extents = [expressions.text(x) for x in op.operands]
    shape = extents[0] if len(extents) == 1 else f"({', '.join(extents)})"
    fill = op.text("fill")
    if place is None:
        return f"np.{fill}({shape}{dtype_argument(result.dtype)})"
    expressions.imported.add(place)
    arguments = f"{shape}, {numpy_name(result.dtype)}"
    if place != LARGE_PAGES:
        return f"{place}({arguments})"
    expressions.imported.add(fill)
    return f"{place}({fill}({arguments}))"


def _expanded(op: Op, expressions: Expressions, rank: int) -> str:
    axes = op.attributes["axes"]
    assert isinstance(axes, tuple)
    inside = ["None" if k in axes else ":" for k in range(rank)]
    return f"{expressions.text(op.operands[0], ATOM)}[{', '.join(inside)}]"


def _slice(op: Op, expressions: Expressions) -> str:
    """``a[i, lo:hi]``; axes with a negative step are taken upwards and then reversed."""
    source = op.operands[0]
    inside: list[str] = []
    turned: list[str] = []  # for each axis of the result
    for axis, (letter, taken) in enumerate(slice_parts(op.text("axes"), op.operands[1:])):
        if letter == "i":
            inside.append(expressions.index(taken[0]))
            continue
        downwards = letter == "s" and isinstance(taken[2], Const) and int(taken[2].value.real) < 0
        inside.append(":" if letter == ":" else _bounds(source, axis, taken, expressions))
        turned.append("::-1" if downwards else ":")
    while len(inside) > 1 and inside[-1] == ":":
        inside.pop()
    text = f"{expressions.text(source, ATOM)}[{', '.join(inside)}]"
    return f"{text}[{', '.join(turned)}]" if "::-1" in turned else text


def _bounds(source: Operand, axis: int, taken: Sequence[Operand], expressions: Expressions) -> str:
    """``start:stop:step`` for a start, a count and a step. A stop may lie beyond the end, which NumPy clips."""
    start, count, step = taken
    if not isinstance(step, Const):
        expressions.helpers.add("slice_stop")
        first, number, stride = map(expressions.text, taken)
        extent = f"{expressions.text(source, ATOM)}.shape[{axis}]"
        return f"{first}:slice_stop({first}, {number}, {stride}, {extent}):{stride}"
    by = int(step.value.real)
    low = affine(start, expressions.folded)
    high = low + affine(count, expressions.folded) * by
    if by < 0:  # the same elements upwards
        low, high, by = high - by, low + 1, -by
    first, last = expressions.sum(low), expressions.sum(high)
    whole = by == 1 and _is_extent(high, source, axis, expressions)
    return ("" if first == "0" else first) + ":" + ("" if whole else last) + (f":{by}" if by != 1 else "")


def _is_extent(sum_: Affine, source: Operand, axis: int, expressions: Expressions) -> bool:
    """Is it the extent of that axis, so that the stop goes without saying?"""
    if sum_.constant or list(sum_.terms.values()) != [1]:
        return False
    op = expressions.facts.definitions.get(next(iter(sum_.terms)))
    return op is not None and op.primitive == "dim" and op.operands[0] is source and op.integer("axis") == axis


def check_text(op: Op, expressions: Expressions) -> Iterator[str]:
    condition, *values = op.operands
    yield f"if {expressions.negated(condition)}:"
    exception = exception_text(op.text("exception"))
    yield from _raise(op, exception, op.text("message"), [expressions.text(v) for v in values])


def index_check(op: Op, expressions: Expressions, read: bool) -> Iterator[str]:
    """The check and, if it is ``read``, the index after Python's wrap-around where it can be negative."""
    index, extent = op.operands
    i, n = expressions.text(index, SUM + 1), expressions.text(extent, PRECEDENCE["unary"])
    wraps = not expressions.facts.nonnegative(index)
    literal = isinstance(index, Const)
    if literal:
        yield f"if {n} < {i[1:]}:" if wraps else f"if {n} <= {i}:"
    else:
        yield f"if not -{n} <= {i} < {n}:" if wraps else f"if {i} >= {n}:"
    yield from _raise(op, "IndexError", OUT_OF_RANGE, [expressions.text(index), expressions.text(extent)])
    if read and wraps:
        name = expressions.names[op.result]
        yield f"{name} = {n} - {i[1:]}" if literal else f"{name} = {i} if {i} >= 0 else {i} + {n}"


def _raise(op: Op, exception: str, message: str, values: list[str]) -> Iterator[str]:
    """The values are put into the message by whoever catches it: formatting is slow to compile."""
    if op.location is not None:
        place = f"{op.location.file}:{op.location.line}"
        message += f" ({place.replace('{', '{{').replace('}', '}}')})"
    if not values:
        message = message.format()
    arguments = [json.dumps(message, ensure_ascii=False), *values]
    together = f"    raise {exception}({', '.join(arguments)})"
    if len(together) <= LONGEST:
        yield together
        return
    yield f"    raise {exception}("
    yield from (f"        {argument}," for argument in arguments)
    yield "    )"
