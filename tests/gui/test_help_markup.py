"""Pages of help as rich text: the part of Markdown that they use, and indices."""

import re
from itertools import pairwise

import pytest
from PySide6.QtGui import QTextDocument

from gems_engine.terminal import THIN
from gems_gui.help.pages import pages
from gems_gui.markup import as_html, inline, title_of, unbroken_formulas
from gems_gui.theme import LIGHT


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("g_k(d) ≤ B", "g<sub>k</sub>(d) ≤ B"),
        ("2^{2k}·ι", "2<sup>2k</sup>·ι"),
        ("Δ_min", "Δ<sub>min</sub>"),
        ("R^{d_k}", "R<sup>dₖ</sup>"),
        ("‖y‖_{A^{−1}}", "‖y‖<sub>A⁻¹</sub>"),
        ("ρ⋆_{d⋆}", "ρ⋆<sub>d★</sub>"),
        ("⟨θ̂_k, y⟩", "⟨<i>θ̂</i><sub>k</sub>, y⟩"),
        ("**not** a *guess*", "<b>not</b> a <i>guess</i>"),
        ("0 < ζ & 1", "0 &lt; ζ &amp; 1"),
        ("41 986 of 2 000 000", f"41{THIN}986 of 2{THIN}000{THIN}000"),
        ("`max_samples`, `a*b*c`", "<code>max_samples</code>, <code>a*b*c</code>"),
        ("see [r_d](x/y_z.md)", 'see <a href="x/y_z.md">r<sub>d</sub></a>'),
    ],
)
def test_a_line(text, html):
    assert inline(text) == html


def test_blocks():
    html = as_html(
        "# T\n\nOne\ntwo.\n\n## S\n> a = b,   c_k = d\n> e\n\n- x\n  y\n- z\n\n| p | q |\n|---|---|\n| 1 | [2](u) |\n"
    )
    text = re.sub(r' style="[^"]*"', "", html)
    assert text == (
        '<p class="h1">T</p><p>One two.</p><p class="h2">S</p>'
        "<p>a\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}b,   c<sub>k</sub>\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}d</p><p>e</p>"
        "<ul><li>x y</li><li>z</li></ul>"
        '<table cellspacing="0" cellpadding="4"><tr><th align="left">p</th><th align="left">q</th></tr>'
        '<tr><td align="left">1</td><td align="left"><a href="u">2</a></td></tr></table>'
    )


def test_a_list_ends_where_a_heading_begins():
    assert "<li" not in as_html("- x\n## S\ny").partition("S</p>")[2]


def test_the_title_of_a_page():
    assert title_of("# T\n\n## A\n") == "T"
    with pytest.raises(ValueError, match="# title"):
        title_of("A page\n")


def broken_lines(html, width):
    """The lines of a text at a width."""
    document = QTextDocument()
    document.setDefaultFont(LIGHT.font())
    document.setHtml(html)
    document.setTextWidth(width)
    document.size()  # lays it out
    block = document.begin()
    while block.isValid():
        layout = block.layout()
        for at in range(layout.lineCount()):
            line = layout.lineAt(at)
            yield block.text()[line.textStart() : line.textStart() + line.textLength()]
        block = block.next()


@pytest.mark.parametrize("width", [430, 500])
def test_formulas_break_before_relations_and_between_words_only(qapp, width):
    formulas = [line for page in pages().values() for line in page.text.splitlines() if line.startswith("> ")]
    assert len(formulas) > 40
    for formula in formulas:
        lines = list(broken_lines(as_html(formula), width))
        for line, following in pairwise(lines):
            assert line.endswith((" ", "\u2028")) or following.startswith(" "), (line, following)
            assert not following.startswith(("′", "/", "^", ")", ","))


def test_other_texts_do_not_break_within_formulas():
    text = "RAGE on a file · ε (instance) = 1e−4 · with probability ≥ 1 − δ of it · 10 arms (of 20)"
    kept = unbroken_formulas(text)
    assert kept.replace("\N{NO-BREAK SPACE}", " ") == text
    words = kept.split(" ")
    assert {"ε\N{NO-BREAK SPACE}(instance)\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}1e−4", "arms", "(of"} <= set(words)
    assert "probability\N{NO-BREAK SPACE}≥\N{NO-BREAK SPACE}1\N{NO-BREAK SPACE}−\N{NO-BREAK SPACE}δ" in words
