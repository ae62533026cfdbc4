"""Stories for talks: moments of a run with views, captions with numbers from the run, and notes."""
