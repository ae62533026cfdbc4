"""Stories to tell with a run in a talk: moments with views, captions whose numbers come from the run, and notes.

(The story of one arm, which the explanations tell, is another thing: :mod:`gems_engine.explanation.story`.)
"""
