"""Memory that compiled code asks for by other means than ``np.empty``: generated modules import these functions.

`empty` and `zeros` are NumPy's, quick to compile; `buffer` and `zeroed` are small arrays on the machine's stack,
`row_stack` the stacks of loops over lanes, with `pushed_row` and `popped_row`; `large_pages` is for what the reverse
sweep of a long loop keeps. All are Numba's intrinsics, for code under `numba.njit`; nothing is compiled when they are
imported.
"""

from srcgrad.memory.fresh import empty, zeros
from srcgrad.memory.pages import large_pages
from srcgrad.memory.row_stacks import popped_row, pushed_row, row_stack
from srcgrad.memory.scratch import buffer, zeroed

__all__ = ["buffer", "empty", "large_pages", "popped_row", "pushed_row", "row_stack", "zeroed", "zeros"]
