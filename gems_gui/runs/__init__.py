"""The runs of a window: the list of runs, branches, removal and undo."""
