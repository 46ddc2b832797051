"""Tensors made of data, numbers and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.operations.operands import as_tensor as as_tensor_operand
from srcgrad.tensors.tensor import Tensor, leaf


def tensor(data: object, *, dtype: object = None, requires_grad: bool = False, device: object = None) -> Tensor:
    """A tensor with a copy of data.

    Parameters
    ----------
    data : number, array, tensor, or nested sequences of these
        Python floats become the default type, float32; NumPy's keep theirs.
    dtype : DType or anything NumPy takes for one, optional
    requires_grad : bool
        Record what is computed from it, so that `Tensor.backward` can differentiate that.
    device : optional
        "cpu"; there is no other.

    Returns
    -------
    Tensor
        A leaf.

    Examples
    --------
    >>> x = srcgrad.tensor([2.0, 3.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([4., 6.])
    """
    return leaf(_array(data, dtype), requires_grad)


def _array(data: object, dtype: object) -> np.ndarray:
    if isinstance(data, Tensor):
        array = data.array()
    else:
        array = np.array(_with_numbers(data))
        if dtype is None and array.dtype == np.float64 and not _has_arrays(data):
            array = array.astype(dtypes.default_dtype())
    if array.dtype.kind not in "biuf":
        raise TypeError(f"not a tensor's data: {type(data).__name__} of dtype {array.dtype}")
    wanted = array.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    return np.array(array, dtypes.numpy_dtype(wanted))


def _with_numbers(data: Any) -> Any:
    """Nested sequences with tensors among them as numbers and arrays."""
    if isinstance(data, Tensor):
        return data.array()
    if isinstance(data, list | tuple):
        return [_with_numbers(item) for item in data]
    return data


def _has_arrays(data: Any) -> bool:
    """Whether nested sequences hold float64 of NumPy's, whose type is kept."""
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, np.ndarray | np.generic)


def as_tensor(data: object, dtype: object = None, device: object = None) -> Tensor:
    """The data as a tensor: a tensor itself, if its dtype is right."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor with a copy of the array; PyTorch's would share its memory."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return leaf(np.array(array))


def shape_of(size: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape that is given as extents, or as one sequence of them."""
    if len(size) == 1 and not isinstance(size[0], int | np.integer):
        size = tuple(size[0])
    return tuple(int(n) for n in size)


def _filled(shape: tuple[int, ...], value: Any, dtype: object, requires_grad: bool) -> Tensor:
    wanted = dtypes.default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)
    return leaf(np.full(shape, value, wanted), requires_grad)


def zeros(*size: Any, dtype: object = None, requires_grad: bool = False, device: object = None) -> Tensor:
    return _filled(shape_of(size), 0, dtype, requires_grad)


def ones(*size: Any, dtype: object = None, requires_grad: bool = False, device: object = None) -> Tensor:
    return _filled(shape_of(size), 1, dtype, requires_grad)


def empty(*size: Any, dtype: object = None, requires_grad: bool = False, device: object = None) -> Tensor:
    """Zeros: nothing is gained by leaving memory as it is."""
    return _filled(shape_of(size), 0, dtype, requires_grad)


def full(
    size: Any, fill_value: Any, *, dtype: object = None, requires_grad: bool = False, device: object = None
) -> Tensor:
    wanted = tensor(fill_value).dtype if dtype is None else dtype
    shape = (size,) if isinstance(size, int) else tuple(size)
    return _filled(shape, as_tensor_operand(fill_value).item(), wanted, requires_grad)


def zeros_like(input: Tensor, *, dtype: object = None, requires_grad: bool = False) -> Tensor:
    return _filled(input.shape, 0, dtype or input.dtype, requires_grad)


def ones_like(input: Tensor, *, dtype: object = None, requires_grad: bool = False) -> Tensor:
    return _filled(input.shape, 1, dtype or input.dtype, requires_grad)


def empty_like(input: Tensor, *, dtype: object = None, requires_grad: bool = False) -> Tensor:
    return zeros_like(input, dtype=dtype, requires_grad=requires_grad)


def full_like(input: Tensor, fill_value: Any, *, dtype: object = None, requires_grad: bool = False) -> Tensor:
    return _filled(input.shape, fill_value, dtype or input.dtype, requires_grad)


def arange(*bounds: Any, dtype: object = None, requires_grad: bool = False, device: object = None) -> Tensor:
    """Equidistant numbers, the end left out; integers if all bounds are."""
    array = np.arange(*[as_tensor_operand(b).item() for b in bounds])
    if dtype is None:
        dtype = dtypes.default_dtype() if array.dtype.kind == "f" else dtypes.int64
    return leaf(array.astype(dtypes.numpy_dtype(dtype)), requires_grad)


def linspace(start: float, end: float, steps: int, *, dtype: object = None, requires_grad: bool = False) -> Tensor:
    wanted = dtypes.default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)
    return leaf(np.linspace(start, end, steps).astype(wanted), requires_grad)


def logspace(
    start: float, end: float, steps: int, base: float = 10.0, *, dtype: object = None, requires_grad: bool = False
) -> Tensor:
    wanted = dtypes.default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)
    return leaf(np.logspace(start, end, steps, base=base).astype(wanted), requires_grad)


def eye(n: int, m: int | None = None, *, dtype: object = None, requires_grad: bool = False) -> Tensor:
    wanted = dtypes.default_dtype() if dtype is None else dtypes.numpy_dtype(dtype)
    return leaf(np.eye(n, m, dtype=wanted), requires_grad)


def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    return leaf(np.stack(np.tril_indices(row, offset, col)))


def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    return leaf(np.stack(np.triu_indices(row, offset, col)))


def _like(name: str, made: Any) -> None:
    """``x.new_zeros(...)`` and its kin: of the tensor's own dtype."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        kwargs.setdefault("dtype", self.dtype)
        return made(*args, **kwargs)

    setattr(Tensor, name, method)


for _name, _made in {"new_zeros": zeros, "new_ones": ones, "new_full": full, "new_tensor": tensor}.items():
    _like(_name, _made)
