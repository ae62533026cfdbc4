"""Experiments in the window: specifications chosen and edited, many trials run behind it, and what they say."""
