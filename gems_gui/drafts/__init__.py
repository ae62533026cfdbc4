"""The settings of the next run: the draft in the form, its history, its instance table, presets and requests."""
