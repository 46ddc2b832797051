"""Numba's own passes, without those that have nothing to do in generated code, and with calls that are typed once.

Generated functions hold no closures, comprehensions, generators, `with` or array expressions, but Numba (0.68.1) looks
for them, and goes through all variables again behind each such pass. It types each call two or three times, until
nothing changes any more; most are ``a * b`` of the same two types.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from numba import types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import NopythonTypeInference

IDLE = frozenset(
    {
        "FindLiterallyCalls",
        "InlineClosureLikes",
        "InlineInlinables",
        "InlineOverloads",
        "LiteralPropagationSubPipelinePass",
        "LiteralUnroll",
        "MakeFunctionToJitFunction",
        "NopythonRewrites",
        "WithLifting",
    }
)

VERSIONS = frozenset({"ReconstructSSA", "PreLowerStripPhis"})


class _Remembering:
    """A typing context that resolves each call once, by function and types of the arguments.

    But for calls of compiled functions: while a recursion is typed, more and more is known of what they return.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._found: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        if kws or isinstance(func, types.Dispatcher):
            return self._context.resolve_function_type(func, args, kws)
        key = func, tuple(args)
        if key not in self._found:
            self._found[key] = self._context.resolve_function_type(func, args, kws)
        return self._found[key]


@register_pass(mutates_CFG=True, analysis_only=False)
class TypeInference(NopythonTypeInference):  # type: ignore[misc]  # Numba has no annotations
    """Numba's, with such a context."""

    _name = "srcgrad_type_inference"

    def run_pass(self, state: Any) -> Any:
        context = state.typingctx
        state.typingctx = _Remembering(context)
        try:
            return super().run_pass(state)
        finally:
            state.typingctx = context


class _Compiler(CompilerBase):  # type: ignore[misc]  # as above
    def define_pipelines(self) -> list[PassManager]:
        manager, idle = DefaultPassBuilder.define_nopython_pipeline(self.state), self.idle()
        manager.passes = [
            (TypeInference, why) if kind is NopythonTypeInference else (kind, why)
            for kind, why in manager.passes
            if kind.__name__ not in idle
        ]
        manager.finalize()
        return [manager]

    def idle(self) -> frozenset[str]:
        return IDLE


class _CompilerOfEntry(_Compiler):
    """In printed text a name has one type: its versions need not be told apart, and LLVM does that anyway.
    Without versions, nothing has been put where they meet that would have to be taken out again.

    But for arrays that Numba tells from others: it would take all that share a name with one for such.
    """

    def idle(self) -> frozenset[str]:
        arrays = [kind for kind in self.state.args if isinstance(kind, types.Array)]
        return IDLE | VERSIONS if all(a.mutable and a.aligned for a in arrays) else IDLE


def leave_out_passes(module: ModuleType, entry: str | None) -> None:
    """Let the functions of a generated module be compiled so, but for those that Numba parallelises.

    ``entry`` is a function whose arrays all are in C's order.
    """
    for name, value in vars(module).items():
        if not isinstance(value, Dispatcher) or value.py_func.__module__ != module.__name__:
            continue
        compiler: Any = getattr(value, "_compiler", None)  # not promised: without it, all of Numba's passes run
        if compiler is not None and not value.targetoptions.get("parallel"):
            compiler.pipeline_class = _CompilerOfEntry if name == entry else _Compiler
