"""The page that the window starts with: stories, presets, recent files, and where to read on."""
