"""Stories as JSON in the file of their run: readable, and untrusted.

Version 1 has no version number. Version 2 adds second runs, locked axes and annotations; a story without them is still
written as version 1, so that older programs can read it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gems_engine.bookmark import Bookmark
from gems_engine.errors import InputError
from gems_engine.events import EVENTS, Place
from gems_engine.formats.content import require_version
from gems_engine.formats.json_format import parse_json
from gems_engine.parameters import shown, unknown_name
from gems_engine.talk.annotation import MOST_ANNOTATIONS, from_record, to_record
from gems_engine.talk.story import MOST_MOMENTS, Companion, SecondRun, Story, StoryMoment
from gems_engine.trace import Trace

VERSION = 2
_MOMENT = ("where", "views", "options", "caption", "notes", "arm", "target", "dimension", "run", "seconds")
_LISTS = ("views", "options")
_NEW = ("second", "lock", "annotations")  # in version 2
_STORY = ("version", "title", "about", "runs", "moments")
_COUNTERS = ("ell", "i", "k", "ordinal")
_LARGEST = 2**63


def to_json(story: Story) -> bytes:
    """The bytes of the record; default values are omitted."""
    said: dict[str, Any] = {"title": story.title, "about": story.about, "runs": list(story.run_names)}
    said["moments"] = moments = [_moment(each) for each in story.moments]
    if any(name in each for each in moments for name in _NEW):
        said = {"version": VERSION, **said}
    return json.dumps(said, ensure_ascii=False, indent=1, allow_nan=False).encode()


def _moment(moment: StoryMoment) -> dict[str, Any]:
    default = StoryMoment(moment.where)
    said: dict[str, Any] = {"where": _where(moment.where)}
    for name in _MOMENT[1:]:
        value = getattr(moment, name)
        if value != getattr(default, name):
            said[name] = (
                [list(each) if isinstance(each, tuple) else each for each in value] if name in _LISTS else value
            )
    if moment.second is not None:
        said["second"] = {"run": moment.second.run, "where": _where(moment.second.where)}
    if moment.lock:
        said["lock"] = moment.lock
    if moment.annotations:
        said["annotations"] = [to_record(each) for each in moment.annotations]
    return said


def _where(where: Bookmark) -> dict[str, Any]:
    if where.end:
        return {"end": True}
    if where.kind is None:
        return {}
    counters = zip(_COUNTERS, (where.place.ell, where.place.i, where.place.k, where.ordinal), strict=True)
    return {"kind": where.kind.kind, **{name: value for name, value in counters if value}}


def from_json(data: bytes, companions: Sequence[Trace]) -> Story:
    """The story in a record, with the other runs of its file."""
    said = _object(parse_json(data, "The story"), "The story", _STORY)
    require_version(said.get("version", 1), VERSION)
    names = said.get("runs", [])
    if not isinstance(names, list) or len(names) != len(companions) + 1:
        raise InputError(f"The story names the runs {shown(names)}, but the file has {len(companions) + 1}.")
    moments = said.get("moments", [])
    if not isinstance(moments, list) or len(moments) > MOST_MOMENTS:
        raise InputError(f"The story's moments are {shown(moments)}: they must be a list of at most {MOST_MOMENTS}.")
    return Story(
        said.get("title", ""),
        tuple(_read_moment(each, number) for number, each in enumerate(moments, start=1)),
        said.get("about", ""),
        names[0],
        tuple(Companion(name, trace) for name, trace in zip(names[1:], companions, strict=True)),
    )


def _read_moment(value: Any, number: int) -> StoryMoment:
    said = _object(value, f"Moment {number}", (*_MOMENT, *_NEW))
    views = said.get("views", [])
    if not isinstance(views, list) or not all(isinstance(view, str) for view in views):
        raise InputError(f"The views of moment {number} must be a list of names.")
    options = said.get("options", [])
    if not isinstance(options, list) or not all(isinstance(each, list) and len(each) == 3 for each in options):
        raise InputError(f"The options of moment {number} must be a list, each with a view, an option and a value.")
    annotations = said.get("annotations", [])
    if not isinstance(annotations, list):
        raise InputError(f"The annotations of moment {number} must be a list.")
    given = {name: said[name] for name in (*_MOMENT[3:], "lock") if name in said}
    try:
        return StoryMoment(
            _read_where(said.get("where", {})),
            tuple(views),
            options=tuple(map(tuple, options)),
            second=_read_second(said["second"]) if "second" in said else None,
            annotations=tuple(map(from_record, annotations[: MOST_ANNOTATIONS + 1])),
            **given,
        )
    except InputError as error:
        raise InputError(f"In moment {number}: {error}") from error


def _read_second(value: Any) -> SecondRun:
    said = _object(value, "second", ("run", "where"))
    return SecondRun(said.get("run", -1), _read_where(said.get("where", {})))


def _read_where(value: Any) -> Bookmark:
    said = _object(value, "where", ("kind", "end", *_COUNTERS))
    if "end" in said:
        if said != {"end": True}:
            raise InputError("where has the end together with other fields: remove one of them.")
        return Bookmark(end=True)
    if "kind" not in said:
        if said:
            raise InputError('where needs the kind of an event, such as "eliminated".')
        return Bookmark()
    kind = said["kind"]
    if not isinstance(kind, str) or kind not in EVENTS:
        raise unknown_name("kind of event", str(kind)[:60], EVENTS)
    ell, i, k, ordinal = (_counter(said.get(name, 0), name) for name in _COUNTERS)
    return Bookmark(Place(ell, i, k), EVENTS[kind], ordinal)


def _counter(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
        raise InputError(f"{name} is {shown(value)}: it must be a whole number of at least 0.")
    return value


def _object(value: Any, what: str, known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} is {shown(value)}: it must be an object.")
    for key in value:
        if key not in known:
            raise unknown_name(f"field of {what.lower()}", key, known)
    return value
