"""Every option and environment variable, in one table."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypedDict

DEFAULT_FASTMATH = frozenset({"contract", "reassoc", "arcp"})
BY_OPTION = -1  # the budget of a loop that takes that of its derivative
UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


@dataclass(frozen=True)
class Options:
    """Options of ``grad`` and its kin; they are part of the cache key.

    Parameters
    ----------
    jit : bool
        Compile the generated source with Numba; False runs it as plain Python.
    fastmath : bool or frozenset of str
        As in `numba.njit`. The default keeps NaN, infinities and compensated sums right.
    vector_math : bool
        Take exp, log, sin ... in loops from `srcgrad.vector_math`, which vectorises; False: the C library's, always.
    boundscheck : bool
        Raise IndexError for an index out of range. False trusts the program.
    parallel : bool
        Run iterations on all cores (`numba.set_num_threads`) where they are found to be independent, be it in a loop
        over `range` or `numba.prange`. The result does not depend on the number of threads. Compiled code only.
    cache : bool
        Keep generated modules and machine code on disk, so that another process need not compile. The machine code of
        `srcgrad.vector_math` is kept in any case.
    mutates : bool
        The function's writes to its array arguments reach the caller's arrays. False copies those first.
    check_nan : bool
        Raise FloatingPointError, naming the line, where a NaN or infinity first appears.
    lanes : bool
        Run independent iterations that have loops inside in blocks of 64, the loop over a block innermost; in loops
        over pairs of points, look at copies of their coordinates; hand elements of arrays on from one iteration to the
        next as numbers. Compiled code only, and only where `fastmath` lets sums be reordered.
    checkpoint : int or str
        How much memory a loop may use, in bytes or as "64MB": loops that carry a state then keep it now and then only.
        "marked" does so for those marked by `srcgrad.checkpoint` alone, with a quarter of the machine's memory; "auto",
        too, and for the others in calls of `grad` that would keep more than that; "off" for none.
    """

    jit: bool = True
    fastmath: bool | frozenset[str] = DEFAULT_FASTMATH
    vector_math: bool = True
    boundscheck: bool = True
    parallel: bool = False
    cache: bool = True
    mutates: bool = False
    check_nan: bool = False
    lanes: bool = True
    checkpoint: int | str = "auto"

    def described(self) -> tuple[tuple[str, object], ...]:
        """Every option by name, the same in each process: sets are sorted."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return tuple((name, sorted(v) if isinstance(v, frozenset) else v) for name, v in values.items())

    @property
    def threads(self) -> bool:
        """Whether iterations may run at once."""
        return self.parallel and self.jit

    @property
    def budget(self) -> int | None:
        """The bytes that a loop with checkpoints may use; None: there are no checkpoints."""
        if self.checkpoint == "off":
            return None
        return quarter_of_memory() if self.checkpoint in ("auto", "marked") else in_bytes(self.checkpoint)

    @property
    def checkpoints_everywhere(self) -> bool:
        """Whether loops without a mark have checkpoints, too."""
        return self.checkpoint not in ("auto", "marked", "off")

    @property
    def storage_limit(self) -> int | None:
        """The bytes that loops without checkpoints may keep, None for any number.

        With ``mutates`` it is too late for another form once it is known how many: arguments may be written to by then.
        """
        return self.budget if self.checkpoint == "auto" and not self.mutates else None

    @property
    def reorders(self) -> bool:
        """Whether iterations may be run in another order, and sums added up in it."""
        allowed = self.fastmath if isinstance(self.fastmath, bool) else "reassoc" in self.fastmath
        return self.lanes and self.jit and allowed


class OptionValues(TypedDict, total=False):
    """The same by name, for the signatures of ``grad`` and its kin."""

    jit: bool
    fastmath: bool | frozenset[str]
    vector_math: bool
    boundscheck: bool
    parallel: bool
    cache: bool
    mutates: bool
    check_nan: bool
    lanes: bool
    checkpoint: int | str


def quarter_of_memory() -> int:
    """Of the machine, or of what this process may use of it."""
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = Path("/sys/fs/cgroup/memory.max")
    allowed = limit.read_text().strip() if limit.is_file() else ""
    return min(most, int(allowed)) // 4 if allowed.isdecimal() else most // 4


def in_bytes(size: int | str) -> int:
    """A size of memory, given in bytes or as "64MB", "1.5 GB" or "512KiB".

    >>> in_bytes("64MB")
    64000000
    """
    text = str(size).strip().lower()
    number = text.rstrip("bikmg").strip()
    unit = text[len(number) :].strip() or "b"
    try:
        found = int(float(number) * UNITS[unit])
    except (KeyError, ValueError):
        found = 0
    if found <= 0:
        raise ValueError(f"{size!r} is no size of memory; write for example '64MB'")
    return found


def cache_directory() -> Path:
    """``SRCGRAD_CACHE_DIR``: the folder of compiled code; by default ``srcgrad`` in the user's cache folder."""
    chosen = os.environ.get("SRCGRAD_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "srcgrad"


def steps_to_print() -> str:
    """``SRCGRAD_PRINT``: prints the IR after these steps, comma separated; ``diff`` prints what each step changes."""
    return os.environ.get("SRCGRAD_PRINT", "")


def time_steps() -> bool:
    """``SRCGRAD_TIME``: ``1`` prints what each step of the compiler costs, and Numba."""
    return os.environ.get("SRCGRAD_TIME", "") not in ("", "0")
