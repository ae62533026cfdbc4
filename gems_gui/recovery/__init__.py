"""What a window keeps on disk while it lives, so that a crash or a kill loses at most the last second of work."""
