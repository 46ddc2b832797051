"""What each scalar operation and library call means: one row each, grouped by topic."""

from srcgrad.primitives import arithmetic, complex_parts, control, elementary, memory, special

__all__ = ["arithmetic", "complex_parts", "control", "elementary", "memory", "special"]
