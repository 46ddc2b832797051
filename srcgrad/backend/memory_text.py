"""The text of views and checks."""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.backend.expressions import ATOM, Expressions
from srcgrad.ir.core import Const, Op, Operand
from srcgrad.primitives.scalar import PRECEDENCE

SUM = PRECEDENCE["+"]


def slice_text(op: Op, expressions: Expressions) -> str:
    """``a[i, lo:hi]``; axes with a negative step are taken upwards and then reversed."""
    source, *rest = op.operands
    inside: list[str] = []
    reversed_axes: list[bool] = []
    for axis, letter in enumerate(op.text("axes")):
        if letter == "i":
            inside.append(expressions.index(rest.pop(0)))
            continue
        backwards = False
        if letter == ":":
            inside.append(":")
        else:
            start, count, step = rest[:3]
            del rest[:3]
            backwards = isinstance(step, Const) and int(step.value.real) < 0
            if isinstance(step, Const):
                inside.append(_range(start, count, int(step.value.real), expressions))
            else:
                expressions.helpers.add("slice_stop")
                texts = [expressions.text(x) for x in (start, count, step)]
                extent = f"{expressions.text(source, ATOM)}.shape[{axis}]"
                inside.append(f"{texts[0]}:slice_stop({', '.join(texts)}, {extent}):{texts[2]}")
        reversed_axes.append(backwards)
    while len(inside) > 1 and inside[-1] == ":":
        inside.pop()
    text = f"{expressions.text(source, ATOM)}[{', '.join(inside)}]"
    if any(reversed_axes):
        text += f"[{', '.join('::-1' if r else ':' for r in reversed_axes)}]"
    return text


def _range(start: Operand, count: Operand, step: int, expressions: Expressions) -> str:
    """``start:stop:step`` of ``count`` elements. The stop may lie beyond the end, which NumPy clips."""
    first, number = expressions.text(start, SUM), expressions.text(count, PRECEDENCE["*"])
    if step == 1:
        return f"{first}:{first} + {number}" if first != "0" else f":{expressions.text(count)}"
    if step > 0:
        return f"{first}:{first} + {number} * {step}:{step}"
    lowest = f"{first} - ({number} - 1) * {-step}"
    return f"{lowest}:{first} + 1" + (f":{-step}" if step != -1 else "")


def check_text(op: Op, expressions: Expressions) -> Iterator[str]:
    condition, *values = op.operands
    yield f"if not {expressions.text(condition, PRECEDENCE['not'])}:"
    yield "    " + _raise(op, op.text("exception"), op.text("message"), [expressions.text(v) for v in values])


def index_check(op: Op, expressions: Expressions) -> Iterator[str]:
    """The check, and the index after Python's wrap-around where it can be negative."""
    index, extent = op.operands
    i, n = expressions.text(index, SUM), expressions.text(extent, PRECEDENCE["unary"])
    yield f"if {i} >= {n}:" if expressions.facts.nonnegative(index) else f"if not -{n} <= {i} < {n}:"
    message = "index {0} is out of range for an axis of extent {1}"
    yield "    " + _raise(op, "IndexError", message, [expressions.text(index), expressions.text(extent)])
    if op.result in expressions.folded or op.result not in expressions.names:
        return
    yield f"{expressions.names[op.result]} = {i} if {i} >= 0 else {i} + {n}"


def _raise(op: Op, exception: str, message: str, values: list[str]) -> str:
    """The values are put into the message by whoever catches it: formatting is slow to compile."""
    if op.location is not None:
        place = f"{op.location.file}:{op.location.line}"
        message += f" ({place.replace('{', '{{').replace('}', '}}')})"
    if not values:
        message = message.format()
    return f"raise {exception}({', '.join([repr(message), *values])})"
