"""What a window is about, without Qt: runs, their playback, layouts, and what is not saved yet."""
