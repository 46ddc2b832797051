"""The partial derivatives of a scalar op, by its row in the table, and their products with a cotangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.calls.inline import inline
from srcgrad.frontend.refusals import refusal
from srcgrad.ir.build import Builder
from srcgrad.ir.core import (
    Const,
    Function,
    Op,
    Operand,
    Value,
    constant,
    definitions,
    is_zero,
    walk,
    zero_like,
)
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives.scalar import SCALARS

STEEP = frozenset({"sqrt", "cbrt", "pow", "arcsin", "arccos", "arccosh"})

OVERFLOWING = frozenset({"exp", "exp2", "expm1", "sinh", "cosh"})


def partials(builder: Builder, op: Op) -> Sequence[Operand]:
    """The derivative of the op's result with respect to each operand, emitted at the cursor."""
    found = _by_row(builder, op)
    if not op.attributes.get("norm"):
        return found
    slope, *others = found
    away = builder("ne", op.result, zero_like(op.result))
    return [builder("select", away, slope, zero_like(slope)), *others]


def _by_row(builder: Builder, op: Op) -> Sequence[Operand]:
    match op.primitive, op.operands:
        case "pow", (x, Const(float(b)) as exponent) if b != 0.0:
            power = x if b == 2.0 else builder("pow", x, constant(b - 1.0, exponent.dtype))
            return [builder("mul", exponent, power), zero_like(exponent)]
    row = SCALARS[op.primitive]
    assert row.partials is not None, f"{op.primitive} has no rule"
    return inline(builder, row.partials, (*op.operands, op.result))


def require_rules(op: Op, is_active: Callable[[Operand], bool]) -> None:
    """Refuse a derivative with respect to an operand for which the row has none."""
    for k in SCALARS[op.primitive].passive:
        if is_active(op.operands[k]):
            message = f"{op.primitive} has no derivative with respect to its argument {k + 1} here"
            hint = "Use stop_gradient() on that argument if it is not to be differentiated."
            raise refusal(op.location, message, hint, UnsupportedError)


def scaled(builder: Builder, op: Op, partial: Operand, factor: Operand, live: Operand | None = None) -> Operand:
    """``partial * factor``, and 0 where the factor is 0 if the partial may be infinite (strong zero).

    ``live`` says where it is not 0, if that is to be asked in another way.
    """
    if _is_choice(builder, partial):
        return _chosen(builder, partial, factor)
    if partial.type != factor.type:
        partial = convert(builder, partial, factor.type)
    product = builder("mul", partial, factor)
    if not SCALARS[op.primitive].singular or op.attributes.get("regular"):
        return product
    if live is None:
        return masked(builder, factor, product)
    return product if isinstance(live, Const) and live.value else only_if(builder, live, product)


def is_steep(op: Op) -> bool:
    """Whether the result may be finite, and its tangent not: ``sqrt`` at 0."""
    return op.primitive in STEEP and not op.attributes.get("regular")


def towers(op: Op) -> bool:
    """Whether the result may overflow where its operand does not: a quotient by it is flat there."""
    return op.primitive in OVERFLOWING and not op.attributes.get("regular")


def absorbed(builder: Builder, partial: Operand, product: Operand) -> Operand:
    """The product with a tangent that may be infinite, but 0 where the partial is: ``x * sqrt(x)`` at 0."""
    if _is_choice(builder, partial):
        return product
    return _nought_with(builder, partial, product)


def _is_choice(builder: Builder, partial: Operand) -> bool:
    """Whether a partial is a constant, or a selection among constants as those of ``max`` and ``abs`` are."""
    if isinstance(partial, Const):
        return True
    op = _maker(builder, partial)
    return op is not None and op.primitive == "select" and all(_is_choice(builder, side) for side in op.operands[1:])


def _maker(builder: Builder, value: Operand) -> Op | None:
    """The op of the open block that made a value."""
    return next((op for op in reversed(builder.ops) if value in op.results), None)


def _chosen(builder: Builder, partial: Operand, factor: Operand) -> Operand:
    """The product with the constant that is selected: 0 for a side not taken, though the factor be infinite."""
    if isinstance(partial, Const):
        return _times(builder, partial, factor)
    op = _maker(builder, partial)
    assert op is not None
    sides = [_chosen(builder, side, factor) for side in op.operands[1:]]
    return builder("select", op.operands[0], *sides)


def _times(builder: Builder, partial: Const, factor: Operand) -> Operand:
    if partial.value in (1, -1):
        return factor if partial.value == 1 else builder("neg", factor)
    if partial.value == 0:
        return zero_like(factor)
    return builder("mul", convert(builder, partial, factor.type), factor)


def added(builder: Builder, a: Operand, b: Operand, name: str) -> Operand:
    """The sum of two contributions to an adjoint; of a real and an imaginary one the number with these parts."""
    is_complex = isinstance(a.type, Scalar) and a.type.dtype.kind == "c"
    for x, y in ((a, b), (b, a)) if is_complex else ():
        real, imaginary = _maker(builder, x), _maker(builder, y)
        if real is None or imaginary is None or not real.primitive == imaginary.primitive == "complex":
            continue
        if is_zero(real.operands[1]) and is_zero(imaginary.operands[0]):
            return builder("complex", real.operands[0], imaginary.operands[1], name=name)
    return builder("add", a, b, name=name)


def masked(builder: Builder, factor: Operand, product: Operand) -> Operand:
    """The product, but 0 where the factor is."""
    return _nought_with(builder, factor, product)


def _nought_with(builder: Builder, factor: Operand, product: Operand) -> Operand:
    """A strong zero. Its derivative is that of the product, not of the side that is selected.

    At ``factor == 0`` the product with a finite partial goes through 0 with the slope of the partial: to take the
    selection at its word would lose the second derivative of ``(exp(x) - 1) ** 2`` at 0.
    """
    return only_if(builder, builder("ne", factor, zero_like(factor)), product)


def only_if(builder: Builder, live: Operand, product: Operand) -> Operand:
    return builder("select", live, product, zero_like(product), strong=True)


def is_strong_zero(op: Op) -> bool:
    """Whether this is a product that is 0 where a factor of it is."""
    return op.primitive == "select" and bool(op.attributes.get("strong"))


def guarded_products(function: Function) -> frozenset[Operand]:
    """What strong zeros stand in front of, back to the product: a factor of it may be infinite where the other is 0."""
    makers = definitions(function.body)
    found: set[Operand] = set()
    for op in walk(function.body):
        value = op.operands[1] if is_strong_zero(op) else None
        while isinstance(value, Value) and value not in found:
            found.add(value)
            maker = makers.get(value)
            value = maker.operands[0] if maker is not None and maker.primitive in ("neg", "cast") else None
    return frozenset(found)


def convert(builder: Builder, operand: Operand, kind: object) -> Operand:
    """The operand as a scalar of another type; of a complex one its real part, if the type is real.

    That is the transpose of the conversion the other way.
    """
    assert isinstance(kind, Scalar) and isinstance(operand.type, Scalar)
    if operand.type.dtype.kind == "c" and kind.dtype.kind != "c":
        return convert(builder, _real(builder, operand), kind)
    if isinstance(operand, Const):
        return constant(operand.value, kind.dtype)
    if operand.type == kind:
        return operand
    return builder("cast", operand, dtype=kind.dtype)


def _real(builder: Builder, operand: Operand) -> Operand:
    if isinstance(operand, Const):
        return constant(operand.value.real, operand.dtype.real)
    return builder("real", operand)


def zeros_like(builder: Builder, operand: Operand, name: str = "") -> Operand:
    """0 of the type of a scalar, or zeros of the shape of an array."""
    if not isinstance(operand.type, Array):
        return zero_like(operand)
    extents = [builder("dim", operand, axis=k) for k in range(operand.type.rank)]
    return builder("alloc", *extents, dtype=operand.type.dtype, fill="zeros", name=name)


def fill_array(builder: Builder, array: Value, source: Operand | None) -> None:
    """Store the elements of ``source``, or zeros, in the array."""
    assert isinstance(array.type, Array)
    kind = Scalar(array.type.dtype)
    extents = [builder("dim", array, axis=k) for k in range(array.type.rank)]

    def store(at: tuple[Operand, ...]) -> None:
        element = constant(0, kind.dtype) if source is None else builder("load", source, *at)
        builder.emit("store", array, *at, element if element.type == kind else convert(builder, element, kind))

    builder.nest(extents, store)


def add_array(builder: Builder, shadow: Value, seed: Operand) -> None:
    """``shadow += seed``, element by element."""
    assert isinstance(shadow.type, Array)
    kind = Scalar(shadow.type.dtype)
    extents = [builder("dim", shadow, axis=k) for k in range(shadow.type.rank)]

    def add(at: tuple[Operand, ...]) -> None:
        element = builder("load", seed, *at)
        builder.emit("accumulate", shadow, *at, element if element.type == kind else convert(builder, element, kind))

    builder.nest(extents, add)
