"""Loops whose states are kept now and then, and computed again in between."""
