"""Numba's cache of machine code, made to survive full disks and damaged files.

Numba reads and writes its index and data files without a net: a truncated pickle or a failed write would
surface in the middle of a user's call. Machine code that cannot be read is compiled again, and what cannot be
written is not kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from numba.core.caching import FunctionCache


def guard_cache(dispatcher: Any, kind: Callable[[Any], Any] = FunctionCache) -> None:
    """Let a dispatcher keep its machine code beside its source file, or where another kind of cache does, if it can."""
    try:
        dispatcher._cache = _GuardedCache(kind(dispatcher.py_func))
    except RuntimeError:  # no directory for it can be written
        return


class _GuardedCache:
    """Numba's cache object, except that no fault of a file comes through."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        try:
            return self._inner.load_overload(signature, context)
        except Exception:  # a damaged pickle may raise anything
            self._forget()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        try:
            self._inner.save_overload(signature, result)
        except Exception:  # a damaged index is read before it is written; a disk may be full
            self._forget()
            with contextlib.suppress(Exception):
                self._inner.save_overload(signature, result)

    def _forget(self) -> None:
        """Start the index anew."""
        with contextlib.suppress(Exception):
            self._inner.flush()
