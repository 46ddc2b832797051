"""IR to running code."""
