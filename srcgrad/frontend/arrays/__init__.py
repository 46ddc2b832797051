"""Arrays: delayed expressions, views, subscripts, stores, and NumPy's functions that need the compiler's help."""
