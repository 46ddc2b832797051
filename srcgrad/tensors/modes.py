"""Whether operations are recorded for differentiation: ``no_grad`` and its kin."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from typing import Self


class _Modes(threading.local):
    """Per thread: gradients wanted, and whether each step is watched for NaN."""

    grad = True
    anomaly = False


modes = _Modes()


def is_grad_enabled() -> bool:
    """Whether operations are recorded."""
    return modes.grad


def is_anomaly_enabled() -> bool:
    """Whether each step is watched for NaN and infinity."""
    return modes.anomaly


class _GradMode(ContextDecorator):
    """Sets the mode between ``with`` and its end; as a decorator, for each call."""

    wanted = True

    def __init__(self) -> None:
        self._before: list[bool] = []

    def _recreate_cm(self) -> Self:
        return type(self)()

    def __enter__(self) -> None:
        self._before.append(modes.grad)
        modes.grad = self.wanted

    def __exit__(self, *error: object) -> None:
        modes.grad = self._before.pop()


class no_grad(_GradMode):  # noqa: N801  PyTorch's name
    """Nothing in it is recorded for differentiation.

    Examples
    --------
    >>> x = srcgrad.tensor([1.0], requires_grad=True)
    >>> with srcgrad.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    wanted = False


class inference_mode(_GradMode):  # noqa: N801
    """As `no_grad`; ``inference_mode(False)`` changes nothing."""

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.wanted = not mode and modes.grad
        self._mode = mode

    def _recreate_cm(self) -> Self:
        return type(self)(self._mode)


class enable_grad(_GradMode):  # noqa: N801
    """Everything in it is recorded, also inside `no_grad`."""

    wanted = True


class set_grad_enabled(ContextDecorator):  # noqa: N801
    """Sets the mode at once; as a context, until its end."""

    def __init__(self, mode: bool) -> None:
        self._before = modes.grad
        self._mode = modes.grad = bool(mode)

    def __enter__(self) -> None:
        modes.grad = self._mode

    def __exit__(self, *error: object) -> None:
        modes.grad = self._before


class detect_anomaly(ContextDecorator):  # noqa: N801
    """The first NaN or infinity raises RuntimeError with the line of the program that made it.

    Each step runs by itself, so use it to find a fault, not for training.

    Parameters
    ----------
    check_nan : bool
        False looks for nothing.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check = check_nan
        self._before: list[bool] = []

    def _recreate_cm(self) -> Self:
        return type(self)(self._check)

    def __enter__(self) -> None:
        self._before.append(modes.anomaly)
        modes.anomaly = self._check

    def __exit__(self, *error: object) -> None:
        modes.anomaly = self._before.pop()


class set_detect_anomaly(ContextDecorator):  # noqa: N801
    """The same at once; as a context, until its end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = modes.anomaly
        self._mode = modes.anomaly = mode and check_nan

    def __enter__(self) -> None:
        modes.anomaly = self._mode

    def __exit__(self, *error: object) -> None:
        modes.anomaly = self._before
