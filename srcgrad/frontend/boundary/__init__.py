"""Python objects that cross into a program and out of it: their structure, their leaves, the places of captured ones."""
