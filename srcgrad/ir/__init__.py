"""What a program is: types, ops and blocks, with printing, parsing and checking."""
