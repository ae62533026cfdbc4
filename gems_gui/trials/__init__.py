"""Many trials in the background of a window: more seeds of its run, and one parameter over a range."""
