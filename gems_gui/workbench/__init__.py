"""The state of a window, independent of Qt: runs, playback, layouts, messages and unsaved work."""
