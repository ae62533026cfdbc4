"""A moment of a story as one line, for the list of moments. Does not import Qt."""

from __future__ import annotations

from collections.abc import Iterable

from gems_engine.errors import InputError
from gems_engine.talk.annotation import Annotation, Bracket
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.numbers import Lookup
from gems_engine.talk.story import ViewOption
from gems_engine.terminal import number
from gems_engine.wording import place_text


def where_text(bound_story: BoundStory, at: int) -> str:
    """The position of a moment, the kind of event, and the run if there are several."""
    moment = bound_story[at]
    where, (cursor, exact) = moment.where, bound_story.find(at)
    trace = bound_story.trace_of(at)
    if where.end:
        words = "the end"
    elif where.kind is None:
        words = "the start"
    else:
        place = place_text(where.place, trace.started.algorithm if trace.started else "")
        words = " · ".join(filter(None, (place, where.kind.kind)))
    if not exact:
        words = f"near {words}"
    run = bound_story.story.run_names[moment.run] if bound_story.story.companions else ""
    return " · ".join(filter(None, (run, words, f"event {number(cursor)}")))


def caption_text(bound_story: BoundStory, at: int, truth: bool, lookup: Lookup) -> tuple[str, bool]:
    """The caption with its numbers and True, or a sentence on what is wrong with it or an annotation, and False."""
    try:
        bound_story.marks(at, truth, lookup)
        return bound_story.caption(at, truth, lookup), True
    except InputError as error:
        return str(error), False


def annotation_text(annotation: Annotation) -> str:
    """An arrow or a bracket in one line."""
    where = f"{annotation.view}, second run" if annotation.second else annotation.view
    if isinstance(annotation, Bracket):
        words = f"bracket in {where}, {annotation.axis} from {annotation.start} to {annotation.end}"
    else:
        words = f"arrow in {where} at {annotation.x}, {annotation.y}"
    return f"{words}: {annotation.text}" if annotation.text else words


def second_text(bound_story: BoundStory, at: int) -> str:
    """The second run of a moment with its position; empty if there is none."""
    second = bound_story[at].second
    if second is None:
        return ""
    return f"{bound_story.story.run_names[second.run]}, event {number(bound_story.second_cursor(at))}"


def view_options(options: Iterable[ViewOption]) -> dict[str, dict[str, str]]:
    """The options of views, by view."""
    found: dict[str, dict[str, str]] = {}
    for view, option, value in options:
        found.setdefault(view, {})[option] = value
    return found
