"""Talks: a run, or the story that is told with it, on the whole screen, and the list in which a story is made."""
