"""A package whose modules find each other's names in every way that Python has."""

from . import constants as const
from .core import *  # noqa: F403
from .core import Kind, kernel

__all__ = ["Kind", "const", "kernel"]
