"""Editing the draft in the window, and automatic runs after edits."""
