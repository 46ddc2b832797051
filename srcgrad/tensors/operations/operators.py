"""Python's operators on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tensors.operations import pointwise
from srcgrad.tensors.operations.products import matmul
from srcgrad.tensors.operations.registry import FUNCTIONS, take_on
from srcgrad.tensors.tensor import Tensor

Operator = Callable[[Any, Any], Any]
BINARY: dict[str, Operator] = {
    "add": pointwise.add,
    "sub": FUNCTIONS["sub"],
    "mul": FUNCTIONS["mul"],
    "truediv": FUNCTIONS["div"],
    "floordiv": FUNCTIONS["floor_divide"],
    "mod": FUNCTIONS["remainder"],
    "pow": FUNCTIONS["pow"],
    "matmul": matmul,
}
BITS: dict[str, Operator] = {name: FUNCTIONS[f"bitwise_{name}"] for name in ("and", "or", "xor")}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
OPERANDS = (Tensor, bool, int, float, np.ndarray, np.generic)


def _forward(made: Operator) -> Operator:
    def operator(self: Tensor, other: object) -> Any:
        return made(self, other) if isinstance(other, OPERANDS) else NotImplemented

    return operator


def _reflected(made: Operator) -> Operator:
    def operator(self: Tensor, other: object) -> Any:
        return made(other, self) if isinstance(other, OPERANDS) else NotImplemented

    return operator


def _in_place(made: Operator) -> Operator:
    def operator(self: Tensor, other: object) -> Any:
        return take_on(self, made(self, other)) if isinstance(other, OPERANDS) else NotImplemented

    return operator


for _name, _made in (*BINARY.items(), *BITS.items()):
    setattr(Tensor, f"__{_name}__", _forward(_made))
    setattr(Tensor, f"__r{_name}__", _reflected(_made))
    setattr(Tensor, f"__i{_name}__", _in_place(_made))
for _name in COMPARISONS:
    setattr(Tensor, f"__{_name}__", _forward(FUNCTIONS[_name]))


def _unary(name: str, made: Callable[[Any], Tensor]) -> None:
    setattr(Tensor, f"__{name}__", lambda self: made(self))


_unary("neg", FUNCTIONS["neg"])
_unary("pos", lambda self: self)
_unary("abs", FUNCTIONS["abs"])
_unary("invert", FUNCTIONS["bitwise_not"])
