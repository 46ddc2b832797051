"""Rosenbrock's function of two numbers."""

from benchmarks.peers.forms.rosenbrock import FORMS

__all__ = ["FORMS"]
