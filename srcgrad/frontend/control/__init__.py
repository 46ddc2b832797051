"""Control flow: branches, loops, what they merge and carry, and what one loops over."""
