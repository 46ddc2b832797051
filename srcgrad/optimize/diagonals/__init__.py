"""Tables of which an element is made of earlier ones: their loops along antidiagonals, and rows of these in memory."""
