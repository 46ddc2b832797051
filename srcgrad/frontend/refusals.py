"""Errors at a place in the user's source."""

from __future__ import annotations

from srcgrad.errors import ArgumentTypeError, Error, UnsupportedError
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Location


def refusal(location: Location | None, message: str, hint: str = "", error: type[Error] = UnsupportedError) -> Error:
    """The error that says, at the user's line, what was found and what to write instead."""
    if location is None:
        return error(message, hint=hint)
    end = location.end_column if location.end_line == location.line else None
    return error(message, hint=hint, file=location.file, line=location.line, column=location.column, end_column=end)


def raises(error: Error, exception: type[Exception]) -> Error:
    """The error for what is sure to raise this exception in Python, too, so that a handler there would catch it."""
    error.raised = exception
    return error


def refuse(builder: Builder, message: str, hint: str = "", error: type[Error] = ArgumentTypeError) -> Error:
    """An error at the expression being lowered, to be raised."""
    return refusal(builder.location, message, hint, error)
