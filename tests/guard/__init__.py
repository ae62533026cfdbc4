"""Scripts that guard a restructuring: pictures, actions and metrics before and after it, to be compared."""
