"""Memory that compiled code asks for by other means than ``np.empty``: generated modules import these functions.

`empty` and `zeros` are NumPy's, quick to compile; `buffer` and `zeroed` are small arrays on the machine's stack,
`row_stack` the stacks of loops over lanes, with `pushed_row` and `popped_row`; `large_pages` is for what the reverse
sweep of a long loop keeps. All are Numba's intrinsics, for code under `numba.njit`; nothing is compiled when they are
imported, and each only when it is first asked for.
"""

from importlib import import_module

MODULES = {
    "buffer": "scratch",
    "empty": "fresh",
    "large_pages": "pages",
    "popped_row": "row_stacks",
    "pushed_row": "row_stacks",
    "row_stack": "row_stacks",
    "zeroed": "scratch",
    "zeros": "fresh",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module 'srcgrad.memory' has no attribute {name!r}")
    return getattr(import_module(f"srcgrad.memory.{MODULES[name]}"), name)
