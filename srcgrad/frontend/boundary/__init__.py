"""Python objects that cross into a program and out of it: arguments, results, captured values."""
