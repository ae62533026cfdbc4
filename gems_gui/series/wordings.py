"""A line in several ways, from the whole of it to what matters most: a view shows the longest that has room."""

from __future__ import annotations

Phrasings = tuple[str, ...]
"""A text and shorter ways to say it, the longest first; none at all is nothing to say."""


def phrasings(*parts: str | Phrasings) -> Phrasings:
    """Parts with dots between them; where there is no room, the last one is the first to give way.

    A part is a text that may be left out, or the ways to say it, the shortest last: an empty one leaves it out. The
    first part stays.

    Examples
    --------
    >>> ways("ℓ2 i1", ("5 probes", "5 p."))
    ('ℓ2 i1 · 5 probes', 'ℓ2 i1 · 5 p.')
    """
    known = [part if isinstance(part, tuple) else (part, "") for part in parts if part and part[0]]
    if not known:
        return ()
    if known[0][-1] == "":
        known[0] = known[0][:-1]
    chosen = [part[0] for part in known]
    said = [_joined(chosen)]
    for at in reversed(range(len(known))):
        for shorter in known[at][1:]:
            chosen[at] = shorter
            said.append(_joined(chosen))
    return tuple(said)


def _joined(parts: list[str]) -> str:
    return " · ".join(filter(None, parts))
