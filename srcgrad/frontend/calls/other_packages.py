"""Functions of other packages and of the standard library: their names as users write them, and what to do instead."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import FunctionType

import numpy as np

from srcgrad.primitives.library import LIBRARY

# Their sources are not written for a compiler: try, keywords by the dozen, dispatch on what is passed.
PACKAGES = frozenset({"numpy", "scipy", "numba", "pandas", "matplotlib", "torch", "jax", "sklearn", "sympy"})
STANDARD_LIBRARY = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))
INSTALLED = {"site-packages", "dist-packages"}

LISTED = "In srcgrad's repository, docs/arrays.md lists the functions of NumPy and SciPy, docs/language.md the rest."
# srcgrad's own functions of tensors, but for the formulas that they write down, and its checks.
OF_TENSORS = ("srcgrad.tensors.", "srcgrad.nn.", "srcgrad.optim.", "srcgrad.autograd.", "srcgrad.testing")
FORMULAS = "srcgrad.tensors.formulas."
# How a full name starts -> what to write instead of a call.
ADVICE = {
    (
        "np.random.",
        "random.",
        "Random.",
    ): "Draw outside the function and pass in what was drawn, or use np.random.normal, uniform and "
    "their kin, which are made of uniform and normal numbers.",
    ("time.", "datetime."): "Take the time outside the function and pass it in.",
    ("io.", "logging."): "Do it outside: a derivative may run code more or less often than once.",
    ("scipy.stats.norm", "scipy.stats.rv_continuous"): "Write the density or distribution with np.exp, np.log and the "
    "functions of scipy.special, such as ndtr.",
    ("srcgrad's check_grads",): "Call it outside.",
    ("srcgrad's ",): "Tensors may call compiled functions, but are not made or used inside them: write it with NumPy.",
}
# Functions of `math` that NumPy lacks.
ELEMENT_BY_ELEMENT = {name: f"scipy.special.{name}" for name in ("erf", "erfc", "gamma")}
ELEMENT_BY_ELEMENT["lgamma"] = "scipy.special.gammaln"


def is_of_other_package(function: FunctionType) -> bool:
    """Whether the source is not the user's to change, nor that of a package which is written in plain loops."""
    module = function.__module__ or ""
    if module.startswith(OF_TENSORS) and not module.startswith(FORMULAS):
        return True
    path = Path(function.__code__.co_filename)
    for here, below in zip(path.parts, path.parts[1:], strict=False):
        if here in INSTALLED:
            return below in PACKAGES
    return any(path.is_relative_to(root) for root in STANDARD_LIBRARY)


def advice(function: object) -> str:
    """What to do instead of calling a function that has no rule."""
    name = spelled(function)
    found = next((text for starts, text in ADVICE.items() if name.startswith(starts)), None)
    if name.startswith("scipy.linalg.") and getattr(np.linalg, name.rpartition(".")[2], None) in LIBRARY:
        return f"Call np.linalg.{name.rpartition('.')[2]}, whose arguments and conventions are NumPy's."
    return found or f"Write it as a Python function. {LISTED}"


def element_by_element(function: object) -> str:
    """The function that does for arrays what one of ``math`` does for numbers."""
    name = str(getattr(function, "__name__", ""))
    return ELEMENT_BY_ELEMENT.get(name, f"np.{name}")


def spelled(function: object) -> str:
    """A function's full name, as a user would write it."""
    module = _public(_module(function))
    if module.startswith(OF_TENSORS):
        return f"srcgrad's {getattr(function, '__name__', 'function')}"
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    name = name.removeprefix("RandomState.").removeprefix("Generator.") if module == "np.random" else name
    return f"{module}.{name}" if module not in ("", "builtins", "__main__") else name


def _module(function: object) -> str:
    if not isinstance(function, np.ufunc):
        return getattr(function, "__module__", None) or ""
    loaded = (m for m in ("numpy", "scipy.special") if m in sys.modules)
    return next((m for m in loaded if getattr(sys.modules[m], function.__name__, None) is function), "")


def _public(module: str) -> str:
    """Without the files that a package keeps to itself: ``scipy.integrate`` for ``scipy.integrate._quadpack_py``."""
    top, *inner = module.split(".")
    if top not in PACKAGES:
        return module.removeprefix("_")
    private = next((k for k, part in enumerate(inner) if part.startswith("_") or part == "mtrand"), len(inner))
    return ".".join(["np" if top == "numpy" else top, *inner[:private]])
