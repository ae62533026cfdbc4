"""Edits of the draft in the window, and runs that follow them."""
