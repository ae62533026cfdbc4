"""Comparing runs: other algorithms on the same random numbers, and differences event by event."""
