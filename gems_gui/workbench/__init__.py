"""What a window is about, without Qt: runs, their playback, layouts and what can be said of a run."""
