"""The board: views in docks, layouts, and the docks next to it."""
