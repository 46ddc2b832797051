"""IR to derivative IR."""
