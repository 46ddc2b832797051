"""C functions that are called by their address: those of ``scipy.special``, under whatever name.

Numba knows nothing of ``scipy.special``. Packages take the C functions behind it from ``cython_special``, as function
pointers of ctypes or as objects with a ``__wrapper_address__``, which Numba calls. The address says which is meant.
"""

from __future__ import annotations

import ctypes
import re
from functools import lru_cache

import numba
import numpy as np
from numba.extending import get_cython_function_address

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.conversions import converted_to
from srcgrad.frontend.registry import Arguments, Keywords, call_object
from srcgrad.frontend.values import FrontValue, Static, is_number
from srcgrad.ir.types import F64

FUNCTION_POINTER = ctypes.CFUNCTYPE(None).__mro__[1]  # the base of every type of function pointers
SPECIALISED = re.compile(r"__pyx_fuse_\d+")


@lru_cache(maxsize=1)
def special_functions() -> dict[int, np.ufunc]:
    """The functions of ``scipy.special`` by the addresses of what ``cython_special`` exports."""
    import scipy.special
    from scipy.special import cython_special

    found = {}
    for name in cython_special.__pyx_capi__:
        function = getattr(scipy.special, SPECIALISED.sub("", name), None)
        if isinstance(function, np.ufunc):
            found[get_cython_function_address("scipy.special.cython_special", name)] = function
    return found


@call_object(numba.types.WrapperAddressProtocol)
def _wrapper(lowering: Lowering, target: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    assert isinstance(target, numba.types.WrapperAddressProtocol)
    return call_address(lowering, type(target).__name__, target.__wrapper_address__(), arguments)


@call_object(FUNCTION_POINTER)
def _pointer(lowering: Lowering, target: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    address = ctypes.cast(target, ctypes.c_void_p).value  # type: ignore[arg-type]  # a function pointer, by its row
    return call_address(lowering, "a function pointer", address or 0, arguments)


def call_address(lowering: Lowering, name: str, address: int, arguments: Arguments) -> FrontValue:
    """A call of the C function at an address, which takes and returns doubles."""
    function = special_functions().get(address)
    if function is None or not all(map(is_number, arguments)):
        what = f"{name} is a C function that is not of scipy.special"
        lowering.refuse(None, what, "Write it as a Python function.", UnsupportedError)
    doubles = [converted_to(lowering, a, F64, weak=False) for a in arguments[: function.nin]]
    return call(lowering, Static(function), doubles, {})
