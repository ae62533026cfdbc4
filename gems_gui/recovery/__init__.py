"""Recovery files of a window on disk, so that a crash or a kill loses at most the last second of work."""
