"""The Python text of one expression, exact in type under Numba and under plain NumPy scalars.

Where the two disagree with NumPy's types (Numba widens small integers, and takes ``float32 ** int64`` for its
own) the text casts. Parentheses are the fewest that keep the tree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.analysis.affine import Affine, affine
from srcgrad.analysis.inequalities import MIRRORED, OPPOSITE
from srcgrad.backend.facts import Facts
from srcgrad.backend.folding import leaves
from srcgrad.backend.runtime import HELPER_OF
from srcgrad.backend.vector_text import vector_function
from srcgrad.ir.core import Const, Op, Operand, Value, constant, index, is_integer
from srcgrad.ir.types import C64, C128, F32, F64, I64, INDEX, DType, Scalar
from srcgrad.primitives.scalar import PRECEDENCE, SCALARS

ATOM = PRECEDENCE["atom"]
WIDENED = frozenset({"add", "sub", "mul", "floordiv", "mod", "neg", "abs", "pow", "ipow"})
WIDENED |= {"bit_and", "bit_or", "bit_xor", "invert", "lshift", "rshift"}
# Of bools, the arithmetic that NumPy defines is logic.
LOGIC = {"add": "or_", "mul": "and_", "max": "or_", "min": "and_", "bit_or": "or_", "bit_and": "and_"}
LOGIC |= {"bit_xor": "ne", "invert": "not_"}
# Where a division by zero or an overflow raises for Python's own numbers, but not for NumPy's.
RAISING = frozenset({"div", "floordiv", "mod", "pow", "ipow"})
NUMPY_NAMES = {
    "b": "np.bool_",
    "i": "np.int{bits}",
    "u": "np.uint{bits}",
    "f": "np.float{bits}",
    "c": "np.complex{bits}",
}

# Of integers: n - 1 < m is n <= m.
ONE_LESS = {"lt": "<=", "ge": ">"}


def numpy_name(dtype: DType) -> str:
    return NUMPY_NAMES[dtype.kind].format(bits=dtype.numpy.itemsize * 8)


def constant_text(const: Const) -> tuple[str, int]:
    """A literal and its precedence; the natural types need no cast."""
    value, kind = const.value, const.dtype.kind
    if kind == "b":
        return repr(bool(value)), ATOM
    if kind == "c":
        number = complex(value)
        text = f"complex({_float(number.real)}, {_float(number.imag)})"
        if repr(number.real) == "0.0" and 0.0 <= number.imag < math.inf and repr(number.imag) != "-0.0":
            text = repr(number)
        return (text, ATOM) if const.dtype.name == "c128" else (f"np.complex64({text})", ATOM)
    assert not isinstance(value, complex)
    text = _float(float(value)) if kind == "f" else repr(int(value))
    if const.dtype not in (F64, I64):
        return f"{numpy_name(const.dtype)}({text})", ATOM
    return text, PRECEDENCE["unary"] if text.startswith("-") else ATOM


def _float(value: float) -> str:
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(value)


@dataclass
class Expressions:
    """Prints operands: names where they have one, else the expression folded into this place."""

    names: Mapping[Value, str]
    folded: dict[Value, Op]
    facts: Facts
    python_numbers: frozenset[Value]
    helpers: set[str] = field(default_factory=set)  # those used
    loops: int = 0  # how many are around; not counted in text for readers
    vector: bool = False  # call srcgrad.vector_math
    imported: set[str] = field(default_factory=set)  # what is called there

    def leaves(self, operand: Operand) -> frozenset[Value]:
        return leaves((operand,), self.folded)

    def text(self, operand: Operand, least: int = 0) -> str:
        """The operand, in parentheses if it binds less than ``least``."""
        text, precedence = self.term(operand)
        return f"({text})" if precedence < least else text

    def term(self, operand: Operand) -> tuple[str, int]:
        if isinstance(operand, Const):
            return constant_text(operand)
        if operand in self.folded:
            op = self.folded[operand]
            alias = self.facts.alias(op)
            return self.op(op) if alias is None else self.term(alias)
        return self.names[operand], ATOM

    def op(self, op: Op) -> tuple[str, int]:
        """The text of an op with one result, and its precedence."""
        match op.primitive:
            case "load":
                return self.element(op.operands[0], op.operands[1:]), ATOM
            case "dim":
                return f"{self.text(op.operands[0], ATOM)}.shape[{op.integer('axis')}]", ATOM
            case "cast":
                return self.cast(op)
        if op.primitive in ("add", "sub") and op.result.type == INDEX:
            first, second = (affine(x, self.folded) for x in op.operands)
            total = first + second if op.primitive == "add" else first - second
            if len(total.terms) + bool(total.constant) > 1:
                return self.sum(total), PRECEDENCE["+"]
        return self.exact(op, *self.scalar(op))

    def negated(self, condition: Operand) -> str:
        """``not condition``."""
        return self.denial(condition)[0]

    def denial(self, condition: Operand) -> tuple[str, int]:
        """``not condition`` and its precedence; the opposite comparison where there is one (NaN has none for ``<``)."""
        op = self.folded.get(condition) if isinstance(condition, Value) else None
        if op is not None and op.primitive == "not_":
            return self.term(op.operands[0])
        if op is not None and op.primitive in ("and_", "or_"):
            word = "or" if op.primitive == "and_" else "and"
            least = PRECEDENCE[word]
            parts = (self.denial(x) for x in op.operands)
            return f" {word} ".join(f"({text})" if binds < least else text for text, binds in parts), least
        if op is not None and (op.primitive in ("eq", "ne") or is_integer(op.operands[0])):
            opposite = OPPOSITE.get(op.primitive)
            if opposite:
                return self.template(opposite, op)
        return f"not {self.text(condition, PRECEDENCE['not'])}", PRECEDENCE["not"]

    def element(self, array: Operand, indices: tuple[Operand, ...]) -> str:
        inside = ", ".join(map(self.index, indices)) or "()"
        return f"{self.text(array, ATOM)}[{inside}]"

    def index(self, operand: Operand) -> str:
        """An index, which is in range. Unsigned, it needs no test for Python's negative indices, and loops vectorise.

        It stays as it is in text for readers, where LLVM sees by itself that it is not negative, and where the test
        leaves the loop because the index does not change in it.
        """
        text = self.text(operand)
        tested = self.loops and not self.facts.plainly_nonnegative(operand)
        return f"np.uint64({text})" if tested and self.facts.changes_in(self.loops, operand) else text

    def sum(self, sum_: Affine) -> str:
        """A sum, what is added first."""
        text = ""
        for value, factor in sorted(sum_.terms.items(), key=lambda term: term[1] < 0):
            size = self.text(value, PRECEDENCE["*"] + (factor < 0 or abs(factor) != 1))
            size = size if abs(factor) == 1 else f"{abs(factor)} * {size}"
            sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
            text += sign + size
        if not text:
            return repr(sum_.constant)
        return text + (f" {'-' if sum_.constant < 0 else '+'} {abs(sum_.constant)}" if sum_.constant else "")

    def scalar(self, op: Op) -> tuple[str, int]:
        first = op.operands[0].type
        assert isinstance(first, Scalar)
        if first.dtype.kind == "b" and op.primitive in LOGIC:
            return self.template(LOGIC[op.primitive], op)
        if op.primitive in ("max", "min") and first.dtype.kind in "fc":
            # Python's max and min drop a NaN on one side.
            name = "np.maximum" if op.primitive == "max" else "np.minimum"
            return f"{name}({', '.join(map(self.text, op.operands))})", ATOM
        return self.template(op.primitive, op)

    def template(self, primitive: str, op: Op) -> tuple[str, int]:
        if primitive in MIRRORED and (apart := self.constant_apart(op)) is not None:
            return self.template(primitive, apart)
        if primitive in ONE_LESS and (more := self.one_more(op.operands[0])) is not None:
            compare = PRECEDENCE["compare"]
            left, right = self.text(more, compare + 1), self.text(op.operands[1], compare + 1)
            return f"{left} {ONE_LESS[primitive]} {right}", compare
        row = SCALARS[primitive]
        if primitive in MIRRORED and isinstance(op.operands[0], Const):
            op = replace(op, operands=op.operands[::-1])
            row = SCALARS[MIRRORED[primitive]]
        least = _least(row.precedence, len(op.operands))
        if row.precedence == PRECEDENCE["if"]:
            least = [2, 2, 1]
        texts = [self.text(x, k) for x, k in zip(op.operands, least, strict=True)]
        if primitive == "ipow":
            texts[1] = self.exponent(op)
        if self.may_raise(primitive, op.operands):
            dtype = op.operands[0].type
            assert isinstance(dtype, Scalar)
            texts[0] = f"{numpy_name(dtype.dtype)}({self.text(op.operands[0])})"
        if self.vector and (name := vector_function(op)) is not None:
            self.imported.add(name)
            arguments = [self.text(x) for x in op.operands]
            if primitive == "ipow":
                arguments[1] = self.exponent(op)
            return f"{name}({', '.join(arguments)})", ATOM
        if primitive in HELPER_OF:
            self.helpers.add(HELPER_OF[primitive])
            if op.result.type == Scalar(F32):  # in single precision a series would not end
                texts = [f"np.float64({text})" for text in texts]
            return f"{HELPER_OF[primitive]}({', '.join(texts)})", ATOM
        return row.template.format(*texts), row.precedence

    def exponent(self, op: Op) -> str:
        """An exponent of the base's own type, unless it is a literal.

        Numba raises ZeroDivisionError for a zero to a negative int, and NumPy takes ``uint64 ** int64`` for a float.
        """
        base, exponent = op.operands
        assert isinstance(base.type, Scalar)
        dtype = base.type.dtype
        negative = isinstance(exponent, Const) and isinstance(exponent.value, int) and exponent.value < 0
        if isinstance(exponent, Const) and (dtype.name == "u64" or (dtype.kind == "f" and negative)):
            return self.text(constant(exponent.value, dtype), PRECEDENCE["unary"])
        if dtype.name == "u64" or (dtype.kind == "f" and not isinstance(exponent, Const)):
            return f"{numpy_name(dtype)}({self.text(exponent)})"
        return self.text(exponent, PRECEDENCE["unary"])

    def constant_apart(self, op: Op) -> Op | None:
        """``n > 2`` for ``n - 2 > 0``: an integer compared with a literal, both without the same constant."""
        left, right = op.operands
        if not isinstance(right, Const) or left.type != INDEX or not isinstance(right.value, int):
            return None
        sum_ = affine(left, self.folded)
        if len(sum_.terms) != 1 or not sum_.constant or list(sum_.terms.values()) != [1]:
            return None
        return replace(op, operands=(next(iter(sum_.terms)), index(right.value - sum_.constant)))

    def one_more(self, operand: Operand) -> Operand | None:
        """``n`` of a folded ``n - 1``."""
        op = self.folded.get(operand) if isinstance(operand, Value) else None
        return op.operands[0] if op is not None and op.primitive == "sub" and op.operands[1] == index(1) else None

    def may_raise(self, primitive: str, operands: Sequence[Operand]) -> bool:
        """Would Python's own numbers raise here, and may both operands be such?"""
        if primitive not in RAISING or not all(map(self.is_python_number, operands)):
            return False
        divisor = operands[1]
        return primitive in ("pow", "ipow") or not (isinstance(divisor, Const) and divisor.value != 0)

    def is_python_number(self, operand: Operand) -> bool:
        return isinstance(operand, Const) or operand in self.python_numbers

    def exact(self, op: Op, text: str, precedence: int) -> tuple[str, int]:
        result = op.result.type
        assert isinstance(result, Scalar)
        dtype = result.dtype
        narrow = dtype.kind in "iu" and dtype.numpy.itemsize < 8 and op.primitive in WIDENED
        power = op.primitive == "ipow" and dtype not in (I64, F64, C128)
        pair = op.primitive == "complex" and dtype == C64
        python = dtype == F32 and (op.primitive in HELPER_OF or text.startswith("math."))
        if narrow or power or pair or python:
            return f"{numpy_name(dtype)}({text})", ATOM
        return text, precedence

    def cast(self, op: Op) -> tuple[str, int]:
        (operand,) = op.operands
        source, target = operand.type, op.result.type
        assert isinstance(source, Scalar) and isinstance(target, Scalar)
        if source == target:
            return self.term(operand)
        if target.dtype.kind == "b":
            return f"{self.text(operand, PRECEDENCE['compare'] + 1)} != 0", PRECEDENCE["compare"]
        text = self.text(operand)
        if source.dtype.kind == "c" and target.dtype.kind != "c":
            text = f"{self.text(operand, ATOM)}.real"
        if target.dtype.kind in "iu" and source.dtype in (I64, F64) and self.is_python_number(operand):
            text = f"{numpy_name(source.dtype)}({text})"  # wraps around, where a Python number would raise
        return f"{numpy_name(target.dtype)}({text})", ATOM


def _least(precedence: int, count: int) -> list[int]:
    """How tightly each operand has to bind: left to right, but for powers and comparisons."""
    if precedence == PRECEDENCE["postfix"]:
        return [ATOM]
    if precedence == ATOM:
        return [0] * count
    if precedence == PRECEDENCE["**"]:
        return [ATOM, PRECEDENCE["unary"]]
    if precedence == PRECEDENCE["compare"]:
        return [precedence + 1] * count
    if count == 1:
        return [precedence]
    return [precedence, precedence + 1]


def dtype_argument(dtype: DType) -> str:
    """The dtype argument of an allocation; float64 needs none."""
    return "" if dtype == F64 else f", {numpy_name(dtype)}"
