"""Talks: presenting a run or its story in full screen, and the dock in which a story is edited."""
