"""What a gradient costs: what its reverse sweep keeps from the forward sweep, what it copies, what becomes of loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

from srcgrad.ir.core import Const, Function, Location, Operand, Value, definitions, walk
from srcgrad.ir.types import Array, Stack

# The spelling and Python precedence of what may stand in an extent.
OPERATORS = {"add": (" + ", 1), "sub": (" - ", 1), "mul": (" * ", 2), "floordiv": (" // ", 2)}


@dataclass(frozen=True)
class Kept:
    """One row: a store, its shape and how many bytes."""

    name: str
    dtype: str
    shape: str
    size: str
    origin: str


def explain(title: str, before: Function, after: Function, copied: Iterable[str], loops: Iterable[str]) -> str:
    """The table for a program ``after`` recall, ``before`` is the same before it, and what becomes of ``loops``."""
    rows = list(kept_by(before, after))
    for name in _called(after):
        rows += kept_by(before.callees[name], after.callees[name])
    lines = [title, ""]
    if rows:
        head = Kept("kept for the reverse sweep", "dtype", "shape", "bytes", "computed in")
        table = [astuple(row) for row in (head, *rows)]
        widths = [max(len(cells[k]) for cells in table) for k in range(len(table[0]))]
        lines += ["  ".join(map(str.ljust, cells, widths)).rstrip() for cells in table]
    else:
        lines.append("Nothing is kept for the reverse sweep: what it needs is at hand, read again or computed again.")
    lines += list(dict.fromkeys(_of_checkpoints(after)))
    lines += [f"The argument {name} is copied, because the function writes to it." for name in copied]
    told = list(loops)
    return "\n".join([*lines, *([""] if told else []), *told]) + "\n"


def _called(function: Function) -> list[str]:
    """The callees that a function leads to."""
    found: dict[str, None] = {}
    pending = [function]
    while pending:
        calls = (op.text("callee") for op in walk(pending.pop().body) if op.primitive == "call")
        new = [name for name in calls if name in function.callees and name not in found]
        found.update(dict.fromkeys(new))
        pending += [function.callees[name] for name in new]
    return list(found)


def _of_checkpoints(after: Function) -> Iterator[str]:
    """Where loops keep snapshots, and how much they may use."""
    for op in walk(after.body):
        if "snapshots" in op.attributes:
            where = f" at {_place(op.location)}" if op.location else ""
            budget = f"{op.integer('snapshots'):,}"
            yield f"The loop{where} keeps its state in slots, and for `count` iterations at a time all that they need:"
            yield f"at most {budget} bytes in all. What is between two slots is computed again."


def _place(location: Location) -> str:
    return f"{Path(location.file).name}:{location.line}"


def kept_by(before: Function, after: Function) -> Iterable[Kept]:
    """The allocations and stacks that recall added, and snapshots."""
    known = {
        op.result for op in walk(before.body) if op.primitive in ("alloc", "stack") and "snapshots" not in op.attributes
    }
    spelling, origins = _Spelling(after), _origins(after)
    for op in walk(after.body):
        if op.primitive not in ("alloc", "stack") or op.result in known:
            continue
        name, type_ = op.result.name.removesuffix("kept").removesuffix("_") or "(a temporary)", op.result.type
        origin = origins.get(op.result, "")
        if "snapshots" in op.attributes and op.location is not None:
            name, origin = f"{op.result.name}", _place(op.location)
        if isinstance(type_, Stack):
            element = type_.element
            what = f"references to {element!r}" if isinstance(element, Array) else str(element.dtype.numpy)
            width = 8 if isinstance(element, Array) else element.dtype.numpy.itemsize
            yield Kept(name, what, "one per execution", f"{width} per execution", origin)
        else:
            assert isinstance(type_, Array)
            extents = [spelling.of(x) for x in op.operands]
            size = " * ".join([str(type_.dtype.numpy.itemsize), *(spelling.factor(x) for x in op.operands)])
            shape = f"({', '.join(extents)}{',' * (len(extents) == 1)})"
            yield Kept(name, str(type_.dtype.numpy), shape, size, origin)


def _origins(function: Function) -> dict[Operand, str]:
    """Where the user's code computes what is first written to an array or a stack, as ``model.py:12``."""
    makers = definitions(function.body)
    found: dict[Operand, str] = {}
    for op in walk(function.body):
        if op.primitive not in ("store", "push", "slice"):
            continue
        source = op.operands[-1]
        maker = op if op.primitive == "slice" else makers.get(source) if isinstance(source, Value) else None
        if maker is not None and maker.location is not None:
            found.setdefault(op.operands[0], _place(maker.location))
    return found


class _Spelling:
    """Extents in the user's words: ``x.shape[0] - 1``."""

    def __init__(self, function: Function) -> None:
        self.makers = definitions(function.body)

    def of(self, operand: Operand) -> str:
        return self._spelled(operand)[0]

    def factor(self, operand: Operand) -> str:
        text, level = self._spelled(operand)
        return text if level >= 2 else f"({text})"

    def _spelled(self, operand: Operand) -> tuple[str, int]:
        """The text, and how tightly it binds (1: a sum, 2: a product, 3: an atom)."""
        if isinstance(operand, Const):
            return str(operand.value), 3
        op = self.makers.get(operand)
        if op is None:
            return operand.name or "n", 3
        if op.primitive == "dim" and isinstance(op.operands[0], Value):
            return f"{op.operands[0].name or 'array'}.shape[{op.integer('axis')}]", 3
        if op.primitive == "max" and any(isinstance(x, Const) and x.value == 0 for x in op.operands):
            return self._spelled(next(x for x in op.operands if isinstance(x, Value)))  # a clamped trip count
        if op.primitive not in OPERATORS:
            return operand.name or "n", 3
        sign, level = OPERATORS[op.primitive]
        (left, before), (right, after) = (self._spelled(x) for x in op.operands)
        return f"{left if before >= level else f'({left})'}{sign}{right if after > level else f'({right})'}", level
