"""What each scalar operation and library call means: one row each, grouped by topic."""

from srcgrad.primitives import arithmetic, control, elementary, memory

__all__ = ["arithmetic", "control", "elementary", "memory"]
