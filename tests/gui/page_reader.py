"""Reads a page to share, independently of the program that the page contains."""

import base64
import json
import zlib
from html.parser import HTMLParser


class Page(HTMLParser):
    """The elements of a page, and its data.

    Attributes
    ----------
    elements
        The name and the attributes of each element, in order.
    content
        The text of elements by their name and id.
    """

    def __init__(self, file):
        super().__init__()
        self.text = file.read_text("utf-8")
        self.elements, self.content, self._in = [], {}, ("", None)
        self.feed(self.text)
        self.index = self._value("index")
        names = [name for kind, name in self.content if kind == "script" and (name or "").startswith("block-")]
        assert names == [f"block-{at}" for at in range(len(names))]
        blocks = [self._value(name) for name in names]
        shapes, lines, pictures, self.paragraphs, self.steps = (
            [each for block in blocks for each in block[name]]
            for name in ("shapes", "lines", "pictures", "texts", "steps")
        )
        self._shapes, self._lines, self._pictures = shapes, lines, pictures
        self.files = {
            name: base64.b64decode(self.content["script", f"file-{at}"]) for at, name in enumerate(self.index["files"])
        }

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._in = tag, dict(attrs).get("id")

    def handle_data(self, data):
        self.content[self._in] = self.content.get(self._in, "") + data

    def handle_endtag(self, tag):
        self._in = ("", None)

    def _value(self, name):
        return json.loads(zlib.decompress(base64.b64decode(self.content["script", name])))

    def svg(self, step, view):
        """The picture of a view at a step."""
        number = dict(map(tuple, self.steps[step]["pictures"]))[view]
        return "\n".join(self._line(self._lines[line]) for line in self._pictures[number])

    def _line(self, line):
        parts = [line] if isinstance(line, str) else line
        return "".join(self._shapes[part] if isinstance(part, int) else part for part in parts)

    def texts(self):
        """All texts that the page shows."""
        return json.dumps([self.index, self.paragraphs, self.steps], ensure_ascii=False)

    def why(self, step):
        """The explanation of a step as text."""
        said = self.steps[step]
        lines = [said["why"]]
        for heading, sentence, formulas in (self.paragraphs[number] for number in said["because"]):
            lines += ["", heading, sentence, *(f"    {each}" for each in formulas)]
        return "\n".join(lines) + "\n"
