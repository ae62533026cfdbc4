"""The runs of a window: which is shown, how they are listed, saved, branched, removed and closed."""
