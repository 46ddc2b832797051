"""Facts about IR that several stages ask for."""
