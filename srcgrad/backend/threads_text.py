"""The text around a function that runs one chunk of iterations: all chunks on Numba's threads.

Nothing can be raised in a thread: a chunk that fails is noted, and run once more to raise what it raised.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.core import Op

SUFFIXES = ("_in_threads", "_fails")
OWN_NAMES = ("chunks", "chunk", "failed", "np", "prange")
TEXTS = (
    """\
def {name}_in_threads(chunks, {parameters}):
    if chunks < 2:
        for chunk in range(chunks):
            {name}(chunk, {parameters})
        return
    failed = np.zeros(chunks, np.bool_)
    for chunk in prange(chunks):
        failed[chunk] = {name}_fails(chunk, {parameters})
    for chunk in range(chunks):
        if failed[chunk]:
            {name}(chunk, {parameters})
            raise RuntimeError("iterations failed in a thread, but not when they were repeated")
""",
    """\
def {name}_fails(chunk, {parameters}):
    try:
        {name}(chunk, {parameters})
    except Exception:
        return True
    return False
""",
)


def is_threaded(op: Op) -> bool:
    """Whether a loop calls chunks that may run at once."""
    return "threads" in op.attributes


def names_around(name: str) -> list[str]:
    """What is defined beside the function for one chunk."""
    return [name + suffix for suffix in SUFFIXES]


def texts_around(name: str, parameters: Sequence[str]) -> tuple[str, str]:
    """The function with the threads, which is to be compiled for that, and the function that notes a failure."""
    own = [f"{p}_" if p in OWN_NAMES else p for p in parameters]
    threads, fails = (text.format(name=name, parameters=", ".join(own)) for text in TEXTS)
    return threads, fails
