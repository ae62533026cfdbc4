"""Many trials behind a window: more seeds of its run, and one parameter over a range."""
