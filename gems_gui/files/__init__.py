"""Opening and saving the files of runs and instances."""
