"""Calls of the C library for the few elements of a vectorised loop that a polynomial does not cover.

LLVM turns a branch into a selection when it vectorises, and would make the call for every element. It keeps a call
under its condition, one element at a time, only where it knows a masked vector form of the function, but none of
the width that it vectorises by. Such a form is declared here, of a width that no processor has (seen with LLVM 22). It
is never called; a compiler that decides otherwise makes the call more often, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

DOUBLE = ir.DoubleType()
WIDTH = 64


def out_of_line(libm: str) -> Callable[[float], float]:
    """The function of the C library with this name, from float64 to float64, to be called under a condition."""

    @intrinsic
    def call(typing_context, x):  # type: ignore[no-untyped-def]  # as Numba asks for it
        def build(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.call(_wrapper(builder.module, libm), arguments)

        return types.float64(types.float64), build

    return call


def _wrapper(module: Any, libm: str) -> Any:
    """A function around it: LLVM knows the function itself, and has its own ideas of it."""
    name = f"srcgrad_{libm}_out_of_line"
    if name in module.globals:
        return module.globals[name]
    kind = ir.FunctionType(DOUBLE, [DOUBLE])
    wrapper = ir.Function(module, kind, name)
    wrapper.linkage = "linkonce_odr"
    vector = ir.VectorType(DOUBLE, WIDTH)
    masked = ir.Function(
        module, ir.FunctionType(vector, [vector, ir.VectorType(ir.IntType(1), WIDTH)]), f"{name}_masked"
    )
    form = f'"vector-function-abi-variant"="_ZGV_LLVM_M{WIDTH}v_{name}({masked.name})"'
    for attribute in ("cold", "noinline", "nounwind", "readnone", "willreturn", form):
        set.add(wrapper.attributes, attribute)  # llvmlite 0.50 does not know all of them
    block = ir.IRBuilder(wrapper.append_basic_block())
    block.ret(block.call(ir.Function(module, kind, libm), wrapper.args))
    _keep(module, masked)
    return wrapper


def _keep(module: Any, function: Any) -> None:
    """Nothing calls it: without this LLVM would forget the declaration."""
    pointers = ir.ArrayType(function.type, 1)
    kept = ir.GlobalVariable(module, pointers, "llvm.compiler.used")
    kept.linkage, kept.section = "appending", "llvm.metadata"
    kept.initializer = ir.Constant(pointers, [function])
