"""``np.multiply.outer`` and its kin: a function of two numbers, of every element of one array with each of another."""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import shape_of
from srcgrad.frontend.arrays.joining import with_axis
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import Arguments, Handler, Keywords, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, is_number


def _outer(ufunc: np.ufunc) -> Handler:
    def handler(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        builder = lowering.builder
        first, second = (v if is_number(v) else as_array(builder, v) for v in arguments)
        if isinstance(first, ArrayValue | Delayed):
            for _ in shape_of(builder, second):
                first = with_axis(builder, first, first.rank)
        return call_object(lowering, ufunc, [first, second], keywords)

    return handler


for _ufunc in dict.fromkeys(f for f in vars(np).values() if isinstance(f, np.ufunc) and f.nin == 2 and f.nout == 1):
    if _ufunc.signature is None:
        function(_ufunc.outer, least=2, most=2)(_outer(_ufunc))
