"""Talks: presenting a run or its story on the full screen, and the dock in which a story is edited."""
