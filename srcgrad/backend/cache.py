"""Files of the cache: written whole or not at all, named by what they hold, and never trusted blindly.

Several processes may use the directory at once. Where it cannot be written (read-only, full) everything works
without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import tempfile
from functools import cache
from pathlib import Path

import llvmlite
import numba
import numpy as np

from srcgrad import settings

# Numba's index and Python's bytecode are stamped with a file's time and size. Equal names mean equal contents
# here, so one time for all keeps what another process has compiled valid when the same text is written again.
STAMP = 1_500_000_000


@cache
def versions() -> str:
    """Everything besides the text that machine code depends on."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("srcgrad")
    except PackageNotFoundError:
        own = "unpackaged"
    parts = (own, numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
    return " ".join((*parts, platform.python_implementation()))


def digest(*parts: str) -> str:
    """A name for these texts, under these versions."""
    hashed = hashlib.sha256()
    for part in (versions(), *parts):
        data = part.encode()
        hashed.update(b"%d:" % len(data) + data)
    return hashed.hexdigest()[:32]


def keep(name: str, text: str) -> Path | None:
    """The path of a file of the cache with this text, or None where it cannot be written."""
    path = settings.cache_directory() / name
    if recall(name) == text:
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, text)
    except OSError:
        return None
    return path


def recall(name: str) -> str | None:
    """The text of a file of the cache, or None."""
    try:
        return (settings.cache_directory() / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _write(path: Path, text: str) -> None:
    """Write to a temporary file beside, then rename: a reader sees the old text or the new, never a part."""
    handle, temporary = tempfile.mkstemp(prefix=path.stem, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.utime(temporary, (STAMP, STAMP))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
