"""The welcome page: stories, presets, recent files and documentation."""
