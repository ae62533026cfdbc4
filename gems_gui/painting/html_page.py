"""A page of HTML with its program, its style and its data, under a policy that allows nothing else; without Qt."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from string import Template
from typing import Any

from gems_gui.assets import asset


@dataclass(frozen=True)
class Block:
    """A part of the data: JSON, compressed."""

    data: bytes

    @classmethod
    def of(cls, content: Any) -> Block:
        """Compress a value."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return cls(zlib.compress(text.encode(), 9))


def page(title: str, theme: str, index: Block, blocks: Sequence[Block], files: Sequence[bytes]) -> bytes:
    """The whole page.

    Parameters
    ----------
    theme
        The theme of its pictures.
    index
        What is known of all steps: see :mod:`gems_gui.painting.html`.
    blocks
        The steps with their pictures and texts, in order.
    files
        Run files to download.
    """
    style, program = (asset(f"page/page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    data = [("index", index.data), *((f"block-{at}", each.data) for at, each in enumerate(blocks))]
    data += [(f"file-{at}", each) for at, each in enumerate(files)]
    text = Template(asset("page/page.html").read_text("utf-8")).substitute(
        policy=policy(style, program),
        title=escape(title),
        theme=escape(theme),
        style=style,
        program=program,
        blocks=len(blocks),
        data="\n".join(f'<script type="text/plain" id="{name}">{_base64(each)}</script>' for name, each in data),
    )
    return text.encode()


def policy(style: str, program: str) -> str:
    """A Content-Security-Policy: this style, this program, pictures that it makes, and no network."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'sha256-{_hash(program)}'",
            f"style-src 'sha256-{_hash(style)}'",
            "img-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return _base64(sha256(text.encode()).digest())


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")
