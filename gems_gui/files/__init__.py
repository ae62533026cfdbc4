"""Opening and saving files of runs and instances."""
