"""Experiments in the window: choosing and editing specifications, running many trials in the background, results."""
