"""The transport: the cursor of a run, its controls, and the timeline."""
