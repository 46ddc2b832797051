"""Every name that ``import srcgrad as torch`` offers besides the compiler's own."""

from __future__ import annotations

import math
from contextlib import suppress
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from srcgrad.tensors import calls, creation, dtypes, modes, numpy_protocol, random
from srcgrad.tensors.attributes import Device, Size
from srcgrad.tensors.graph import given
from srcgrad.tensors.operations import FUNCTIONS, products
from srcgrad.tensors.tensor import Tensor, wrap

assert numpy_protocol and calls  # imported for what they put on the class


def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def set_num_threads(n: int) -> None:
    """Bound the threads of products of matrices, if ``threadpoolctl`` is installed; all else runs in one."""
    with suppress(ImportError):
        import_module("threadpoolctl").threadpool_limits(n)


def save(obj: object, f: Any) -> None:
    """Write a ``state_dict`` (or a tensor) to a ``.npz`` file."""
    arrays = obj if isinstance(obj, dict) else {"": obj}
    flat: dict[str, Any] = {
        key: value.detach().numpy() if isinstance(value, Tensor) else np.asarray(value) for key, value in arrays.items()
    }
    with open(f, "wb") if isinstance(f, str) or hasattr(f, "__fspath__") else f as file:
        np.savez(file, **flat)


def load(f: Any) -> Any:
    """What `save` has written."""
    with np.load(f) as arrays:
        found = {key: wrap(given(arrays[key])) for key in arrays.files}
    return found[""] if list(found) == [""] else found


def _module(name: str, **members: Any) -> ModuleType:
    """A module of the package that has no file; what it lacks is reported under its name."""
    module = ModuleType(f"srcgrad.{name}")
    vars(module).update(members)
    return module


LINALG = _module(
    "linalg",
    solve=products.solve,
    inv=FUNCTIONS["inverse"],
    det=FUNCTIONS["det"],
    cholesky=FUNCTIONS["cholesky"],
    matrix_power=products.matrix_power,
    norm=numpy_protocol.SPECIAL["norm"],
    vector_norm=lambda x, ord=2, dim=None, keepdim=False: FUNCTIONS["norm"](x, ord, dim, keepdim),
    multi_dot=lambda tensors: _chained(tensors),
)
SPECIAL = _module(
    "special",
    **{name: FUNCTIONS[name] for name in ("expit", "erf", "erfc", "logit", "xlogy", "logsumexp", "expm1", "log1p")},
    gammaln=FUNCTIONS["lgamma"],
    softmax=FUNCTIONS["softmax"],
    log_softmax=FUNCTIONS["log_softmax"],
)


def _chained(tensors: Any) -> Tensor:
    first, *rest = tensors
    for tensor in rest:
        first = FUNCTIONS["matmul"](first, tensor)
    return first  # type: ignore[no-any-return]  # a tensor


def names() -> dict[str, Any]:
    """The namespace."""
    found: dict[str, Any] = dict(FUNCTIONS)
    found |= {d.name: d for d in dtypes.ALL} | dtypes.ALIASES
    for module in (creation, random, modes):
        found |= {
            name: value
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        }
    found |= {
        "Tensor": Tensor,
        "Size": Size,
        "dtype": dtypes.DType,
        "device": Device,
        "get_default_dtype": dtypes.get_default_dtype,
        "set_default_dtype": dtypes.set_default_dtype,
        "is_tensor": is_tensor,
        "set_num_threads": set_num_threads,
        "save": save,
        "load": load,
        "linalg": LINALG,
        "special": SPECIAL,
        "cuda": SimpleNamespace(is_available=lambda: False, device_count=lambda: 0),
        "pi": math.pi,
        "inf": math.inf,
        "nan": math.nan,
        "e": math.e,
    }
    return found
