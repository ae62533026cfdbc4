"""Why each step of a run happened: the paper's inequalities in words and numbers."""

from gems_engine.explanation.arm_story import story_of_arm
from gems_engine.explanation.step import explain
from gems_engine.explanation.text import Explanation, Paragraph, as_html, as_text

__all__ = ["Explanation", "Paragraph", "as_html", "as_text", "explain", "story_of_arm"]
