"""Scalars: promotion, operators, conversions and functions, as Python and NumPy have them."""
