"""Reads a mixture-of-Gaussians problem in ADBench's text format.

The numbers are separated by white space: ``d K n``, K alphas, K x d means, K x (d + d(d-1)/2) ``icf``
(log-diagonal, then the strictly lower triangle by columns), n x d points, and ``gamma m``.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from srcgrad.demo.gmm import Array
from srcgrad.errors import Error

DATA = Path(__file__).parent / "data" / "gmm_d10_K25.txt"
LAYOUT = "d K n; K alphas; K*d means; K*d*(d+1)/2 icf; n*d points; gamma m"


class DataFileError(Error, ValueError):
    """A problem file that is missing or not in the format."""


class Problem(NamedTuple):
    """The arguments of ``log_likelihood``, in its order."""

    alphas: Array
    means: Array
    icf: Array
    points: Array
    gamma: float
    m: int

    @property
    def size(self) -> str:
        return f"d={self.means.shape[1]} K={self.means.shape[0]} n={self.points.shape[0]}"


def read_problem(path: Path) -> Problem:
    """The problem in a file.

    Raises
    ------
    DataFileError
        If the file cannot be read, holds something that is not a finite number, or has too few or too many.
    """
    words = _words(path)
    if not words:
        raise DataFileError(f"{path} is empty", hint=f"The layout is: {LAYOUT}.")
    d, components, n = _header(path, words)
    sizes = (components, components * d, components * (d * (d + 1) // 2), n * d, 2)
    found, expected = len(words) - 3, sum(sizes)
    if found != expected:
        raise DataFileError(
            f"{path} holds {found} numbers after 'd K n', but {d} {components} {n} asks for {expected}",
            hint=f"The layout is: {LAYOUT}.",
        )
    numbers = _numbers(path, words[3:])
    alphas, means, icf, points, prior = np.split(numbers, np.cumsum(sizes)[:-1])
    gamma, m = float(prior[0]), int(prior[1])
    if gamma <= 0.0 or m != prior[1] or m < 0:
        raise DataFileError(
            f"{path} ends with gamma={prior[0]:g} m={prior[1]:g}",
            hint="gamma must be positive and m an integer that is not negative.",
        )
    shaped = (alphas, means.reshape(components, d), icf.reshape(components, -1), points.reshape(n, d))
    return Problem(*shaped, gamma, m)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split()
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise DataFileError(f"cannot read {path}: {reason}", hint="Give a file with --data FILE.") from None
    except UnicodeDecodeError:
        raise DataFileError(f"{path} is not a text file", hint=f"The layout is: {LAYOUT}.") from None


def _header(path: Path, words: list[str]) -> tuple[int, int, int]:
    try:
        d, components, n = (int(word) for word in words[:3])
    except ValueError:
        d = components = n = 0
    if min(d, components, n) < 1:
        raise DataFileError(
            f"{path} starts with {' '.join(words[:3])!r}",
            hint="A problem starts with three positive integers: d K n.",
        )
    return d, components, n


def _numbers(path: Path, words: list[str]) -> Array:
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError:
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        line, word = _first_bad_word(path)
        raise DataFileError(f"{word!r} is not a finite number", file=str(path), line=line)
    return numbers


def _first_bad_word(path: Path) -> tuple[int, str]:
    for line, text in enumerate(path.read_text(encoding="ascii").splitlines(), 1):
        for word in text.split():
            try:
                good = bool(np.isfinite(float(word)))
            except ValueError:
                good = False
            if not good:
                return line, word
    raise AssertionError("every word is a number")
