"""Analyses of a run, computed on request: designs, dimensions, problems, theory."""
