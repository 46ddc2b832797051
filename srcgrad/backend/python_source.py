"""IR to the Python source of a module: what Numba compiles, what plain Python runs, and what users read."""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.backend.function_source import FunctionPrinter
from srcgrad.backend.identifiers import RESERVED
from srcgrad.backend.raised_text import import_lines, own_exceptions
from srcgrad.backend.routine_source import READY, compiled_routines, plain_routine
from srcgrad.backend.runtime import HELPERS, helper_source, with_those_they_call
from srcgrad.backend.scratch_text import SCRATCH_NAMES
from srcgrad.backend.threads_text import texts_around
from srcgrad.backend.vector_text import VECTOR_NAMES
from srcgrad.ir.core import Function, walk
from srcgrad.primitives.routines import ROUTINES

READABLE, COMPILED = "readable", "compiled"


@dataclass(frozen=True)
class Module:
    """The parts of a generated module; the first function is the entry."""

    helpers: tuple[str, ...]
    routines: tuple[str, ...]  # their names
    functions: tuple[str, ...]
    entry: str
    imported: tuple[str, ...]  # from srcgrad.vector_math and srcgrad.memory
    threads: tuple[str, ...] = ()  # functions that run chunks of iterations in threads
    raised: tuple[str, ...] = ()  # exceptions of the user's own

    def text(self, decorator: str = "", inner: str = "", threads: str = "", ready: bool = False) -> str:
        """The whole text, with ``decorator`` before the entry, ``inner`` and ``threads`` before what it calls.

        ``ready`` says that routines may be those of srcgrad.products, which are compiled already.
        """
        entry, *callees = self.functions
        parts = [inner + part for part in self.helpers] + [decorator + entry] + [inner + part for part in callees]
        parts += [threads + part for part in self.threads]
        head = "import math\n\n" if any("math." in part for part in parts) else ""
        head += "import numpy as np\n"
        numba = [name for name, needed in (("njit", decorator), ("prange", self.threads)) if needed]
        if numba:
            head += f"from numba import {', '.join(numba)}\n"
        memory = [name for name in self.imported if name in SCRATCH_NAMES]
        numbers = [name for name in self.imported if name not in SCRATCH_NAMES]
        products = [name for name in self.routines if ready and name in READY]
        packages = (("memory", memory), ("products", products), ("vector_math", numbers))
        ours = [(package, names) for package, names in packages if names]
        if ours:
            head += "\n" + "".join(f"from srcgrad.{package} import {', '.join(names)}\n" for package, names in ours)
        if self.raised:
            head += f"\n{import_lines(self.raised)}"
        pasted = [name for name in self.routines if name not in products]
        routines = compiled_routines(pasted, inner) if decorator else list(map(plain_routine, pasted))
        return "\n\n".join([head, *routines, *parts])


def emit(function: Function, level: str = READABLE, vector_math: bool = False) -> str:
    """The source of a function and of what it calls.

    ``level`` is ``"readable"``, or ``"compiled"`` for exactly the text that is compiled, where ``vector_math`` says
    whether its loops call `srcgrad.vector_math`.
    """
    return module_of(function, level, vector_math and level == COMPILED).text()


def module_of(function: Function, level: str = COMPILED, vector_math: bool = False) -> Module:
    if level not in (READABLE, COMPILED):
        raise ValueError(f"level is {READABLE!r} or {COMPILED!r}, not {level!r}")
    names = function_names(function, VECTOR_NAMES | SCRATCH_NAMES if vector_math else frozenset())
    callees = all_callees(function)
    used: set[str] = set()
    compiled = level == COMPILED
    printers: dict[str | None, FunctionPrinter] = {
        key: FunctionPrinter(f, names[key], key is None, names, compiled, vector_math, used)
        for key, f in ((None, function), *callees.items())
    }
    functions = [printer.text() for printer in printers.values()]
    threads = []
    for printer in printers.values():
        for key in printer.threaded:
            run, fails = texts_around(names[key], printers[key].parameter_names()[1:])
            functions.append(fails)
            threads.append(run)
    needed = with_those_they_call(used)
    helpers = tuple(helper_source(name) for name in HELPERS if name in needed)
    routines = tuple(name for name in ROUTINES if name in used)
    imported = sorted({name for printer in printers.values() for name in printer.expressions.imported})
    raised = {name for f in (function, *callees.values()) for name in own_exceptions(f)}
    return Module(
        helpers, routines, tuple(functions), names[None], tuple(imported), tuple(threads), tuple(sorted(raised))
    )


def all_callees(function: Function) -> dict[str, Function]:
    """Every function that can be reached by calls, by key."""
    found: dict[str, Function] = {}
    pending = [function]
    known = dict(function.callees)
    while pending:
        current = pending.pop()
        known |= current.callees
        for op in walk(current.body):
            if op.primitive == "call" and (key := op.text("callee")) not in found and key not in ROUTINES:
                found[key] = known[key]
                pending.append(known[key])
    return found


def function_names(function: Function, imported: frozenset[str]) -> dict[str | None, str]:
    """Identifiers of the functions of a module: of each callee by key, of the entry under None."""
    taken = {*RESERVED, *HELPERS, *ROUTINES, *imported}
    names: dict[str | None, str] = {}
    keys: list[str | None] = [None, *all_callees(function)]
    for key in keys:
        wanted = "".join(c if c.isalnum() else "_" for c in (key or function.name)).lstrip("0123456789") or "f"
        name, number = wanted, 0
        while name in taken:
            number += 1
            name = f"{wanted}_{number}"
        taken.add(name)
        names[key] = name
    return names
