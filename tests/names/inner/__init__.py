"""A package in a package, which hands on a name of its module."""

from .deep import helper as helper_of_inner

__all__ = ["helper_of_inner"]
