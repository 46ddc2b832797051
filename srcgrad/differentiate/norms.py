"""Which roots are norms? The root of a sum of squares has slope 0 where all of them are 0, as ``abs`` has.

::

    d: f64 = sub(a, b)                      d: f64 = sub(a, b)
    s: f64 = mul(d, d)              ->      s: f64 = mul(d, d)
    r: f64 = sqrt(s)                        r: f64 = sqrt(s, norm=True, regular=True)

Distances are written so, and where all of them are computed, those of points from themselves are among them. The
rules of calculus would make an infinite slope meet a 0 there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.flows import merged_values
from srcgrad.ir.core import Const, Function, Op, Operand, Value, definitions, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import Scalar

VIEWS = frozenset({"slice", "transpose", "reshape", "expand", "relax"})


def mark_norms(function: Function) -> Function:
    """Mark ``norm=True`` on each root of a sum of squares."""
    if not any(_is_root(op) for op in walk(function.body)):
        return function
    squares = _Squares(function)

    def visit(op: Op) -> Replacement | None:
        if not _is_root(op) or not squares.add_up_to(op.operands[0]):
            return None
        return [replace(op, attributes={**op.attributes, "norm": True, "regular": True})], {}

    return rewrite(function, visit)


def _is_root(op: Op) -> bool:
    if op.attributes.get("regular"):  # the sum is not 0
        return False
    match op.primitive, op.operands:
        case "sqrt", (x,):
            return isinstance(x, Value) and isinstance(x.type, Scalar) and x.type.dtype.kind == "f"
        case "pow", (Value(), Const(float(b))):
            return 0.5 <= b < 1.0
    return False


class _Squares:
    """Sums of squares: what is 0 only where each term is, and has slope 0 there."""

    def __init__(self, function: Function) -> None:
        self.makers = definitions(function.body)
        self.sources: dict[Value, tuple[Operand, ...]] = {}
        self.stored: dict[Value, list[Operand]] = {}
        self.shared: set[Value] = set()  # arrays that are written to by others than the stores found here
        for op in walk(function.body):
            self.sources.update(merged_values(op))
            self.note_uses(op)
        self.shared.update(self.root(x) for x in function.results if isinstance(x, Value))

    def note_uses(self, op: Op) -> None:
        match op.primitive:
            case "store" | "accumulate":
                assert isinstance(op.operands[0], Value)
                self.stored.setdefault(self.root(op.operands[0]), []).append(op.operands[-1])
            case "load" | "dim":
                return
            case name if name not in VIEWS:
                yielded = [x for block in op.blocks for x in block.yields]
                self.shared.update(self.root(x) for x in (*op.operands, *yielded) if isinstance(x, Value))

    def root(self, array: Value) -> Value:
        """The array that this is a view of."""
        while (op := self.makers.get(array)) is not None and op.primitive in VIEWS:
            assert isinstance(op.operands[0], Value)
            array = op.operands[0]
        return array

    def add_up_to(self, total: Operand) -> bool:
        pending, seen = [total], set[Operand]()
        while pending:
            operand = pending.pop()
            if operand in seen:
                continue
            seen.add(operand)
            terms = self.terms(operand)
            if terms is None:
                return False
            pending += terms
        return True

    def terms(self, operand: Operand) -> Sequence[Operand] | None:
        """What an operand is the sum of, or one of: nothing if it is a square, None if it is neither."""
        if isinstance(operand, Const):
            return () if not isinstance(operand.value, complex) and operand.value >= 0 else None
        op = self.makers.get(operand)
        if operand in self.sources:
            return self.sources[operand]
        match op.primitive if op is not None else None, op.operands if op is not None else ():
            case "mul", (a, b) if a is b and isinstance(a.type, Scalar) and a.type.dtype.kind == "f":
                return ()
            case "mul", (Const(float(factor)), x) | (x, Const(float(factor))):
                return (x,) if factor > 0 else None
            case (("ipow" | "pow"), (_, Const(n))) if not isinstance(n, complex) and n > 0 and n % 2 == 0:
                return ()
            case (("add" | "max" | "min" | "larger" | "smaller"), both):
                return both
            case "select", (_, *both):
                return both
            case ("div", (x, _)) | ("cast", (x,)):
                return (x,)
            case "load", (array, *_):
                return self.elements(array)
        return None

    def elements(self, array: Operand) -> Sequence[Operand] | None:
        """What the elements of an array may be, if nobody writes to it in ways not seen here."""
        assert isinstance(array, Value)
        root = self.root(array)
        op = self.makers.get(root)
        if op is None or op.primitive != "alloc" or root in self.shared:
            return None
        return self.stored.get(root)
