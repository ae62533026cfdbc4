"""Stories to tell with a run in a talk: moments with views, captions whose numbers come from the run, and notes."""
