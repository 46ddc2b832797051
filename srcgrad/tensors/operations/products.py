"""Products of matrices and vectors, and linear algebra."""

from __future__ import annotations

from typing import Any

from srcgrad.tensors.forms import form
from srcgrad.tensors.formulas import products as formulas
from srcgrad.tensors.graph import Node, record
from srcgrad.tensors.operations.operands import apply, as_tensor, broadcast, common, floating
from srcgrad.tensors.operations.registry import operation
from srcgrad.tensors.tensor import Tensor, wrap

MATMUL = form("Mm", "np.matmul({0}, {1})")


@operation("matmul")
def matmul(input: object, other: object) -> Tensor:
    """The product of matrices, of stacks of matrices, or with vectors."""
    nodes, _ = common(input, other)
    return _product(MATMUL, nodes)


def _product(of: Any, nodes: list[Node]) -> Tensor:
    a, b = nodes[0].shape, nodes[1].shape
    if not a or not b:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D")
    if a[-1] != b[-2 if len(b) > 1 else 0]:
        if len(a) == len(b) == 1:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
                f"elements, but got {a[0]} and {b[0]} elements respectively"
            )
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, a))} and {'x'.join(map(str, b))})"
        )
    return broadcast(of, nodes)


def _add_product(name: str, ranks: tuple[int, int]) -> None:
    def product(input: Tensor, mat2: Tensor) -> Tensor:
        for position, (tensor, rank) in enumerate(zip((input, mat2), ranks, strict=True)):
            if tensor.ndim != rank:
                raise RuntimeError(f"{name}: argument {position + 1} must be {rank}-D, got {tensor.ndim}-D")
        return matmul(input, mat2)

    product.__name__ = name
    operation(name)(product)


for _name, _ranks in {"mm": (2, 2), "mv": (2, 1), "bmm": (3, 3), "dot": (1, 1), "inner": (1, 1)}.items():
    _add_product(_name, _ranks)


@operation("outer", "ger")
def outer(input: object, vec2: object) -> Tensor:
    nodes, _ = common(input, vec2)
    return apply("Outer", "np.outer({0}, {1})", *nodes)


@operation("addmm")
def addmm(input: object, mat1: object, mat2: object, *, beta: float = 1, alpha: float = 1) -> Tensor:
    from srcgrad.tensors.operations.pointwise import add, mul

    return add(mul(input, beta) if beta != 1 else input, matmul(mat1, mat2), alpha=alpha)


@operation("einsum", method=False)
def einsum(equation: str, *operands: Any) -> Tensor:
    given = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], tuple | list) else list(operands)
    nodes, _ = common(*given)
    places = ", ".join(f"{{{k}}}" for k in range(len(nodes)))
    return apply("Einsum", f"np.einsum({equation.replace(' ', '')!r}, {places})", *nodes)


@operation("tensordot", method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    nodes, _ = common(a, b)
    axes = dims if isinstance(dims, int) else tuple(tuple(d) for d in dims)
    return apply("Tensordot", f"np.tensordot({{0}}, {{1}}, axes={axes})", *nodes)


@operation("trace")
def trace(input: Tensor) -> Tensor:
    return apply("Trace", "np.trace({0})", input.node, keeps=False)


@operation("cross", method=True)
def cross(input: object, other: object, dim: int = -1) -> Tensor:
    nodes, _ = common(input, other)
    if dim not in (-1, len(nodes[0].shape) - 1):
        raise RuntimeError("cross() works along the last axis here; move the others there with movedim")
    return apply("LinalgCross", "np.cross({0}, {1})", *nodes)


@operation("inverse")
def inverse(input: object) -> Tensor:
    return apply("LinalgInvEx", "np.linalg.inv({0})", floating(input))


@operation("det")
def det(input: object) -> Tensor:
    return apply("LinalgDet", "np.linalg.det({0})", floating(input))


@operation("logdet")
def logdet(input: object) -> Tensor:
    return apply("Logdet", "{f0}({0})", floating(input), functions=(formulas.logdet,))


@operation("cholesky")
def cholesky(input: object) -> Tensor:
    """The lower factor."""
    return apply("LinalgCholeskyEx", "np.linalg.cholesky({0})", floating(input))


def solve(a: object, b: object) -> Tensor:
    """The solution of linear equations."""
    nodes, _ = common(a, b)
    return wrap(record(form("LinalgSolveEx", "np.linalg.solve({0}, {1})"), *nodes))


def matrix_power(a: object, n: int) -> Tensor:
    return apply("MatrixPower", f"np.linalg.matrix_power({{0}}, {int(n)})", as_tensor(a).node)
