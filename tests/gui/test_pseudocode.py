"""The view of the pseudo-code: what is typeset, marked and said, and on the real window what a click or a key does."""

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from gems_engine.algorithms import BUILT_IN
from gems_engine.algorithms.frames import frames
from gems_engine.algorithms.symbols import SYMBOLS, Numbers
from gems_engine.cli import main
from gems_engine.events import RunStarted
from gems_engine.files import write_run
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.terminal import THIN, number
from gems_engine.trace import Trace
from gems_engine.wording import describe
from gems_gui.appearance import Appearance
from gems_gui.markup import inline
from gems_gui.painting.render import paint
from gems_gui.series.pseudocode import (
    CALLING,
    CURRENT,
    KEYWORD,
    PASSED,
    as_text,
    listing_of,
    pieces,
    pseudocode,
    value_text,
)
from gems_gui.snapshot import Snapshot
from gems_gui.theme import DARK, LIGHT, THEMES
from gems_gui.transport.run_until import RunUntil
from gems_gui.views import pseudocode_sheet
from gems_gui.views.pseudocode import Pseudocode
from gems_gui.views.pseudocode_sheet import fitting_text
from gems_gui.views.typesetting import Setter, plain_letters
from tests.gui.window_driver import LEFT, MIDDLE, SMALL, driven, visible_box

SHIFT = Qt.KeyboardModifier.ShiftModifier
ONE_CALL = SMALL.with_algorithm("gems-c").with_text("algorithm.selection_budget", "200")


@cache
def run(algorithm="gems-c", **parameters):
    given = {"selection_budget": 200.0} if algorithm in ("gems-c", "gems-b") else {"max_samples": 20_000}
    return Run(make("paper-hard"), algorithm, 1, **{**given, **parameters}).finish()


def series_at(trace, cursor, truth=True):
    snapshot = replace(Snapshot.of(trace, cursor), truth=truth)
    return pseudocode(snapshot, listing_of(snapshot))


def listings():
    whole = [each.listing for each in BUILT_IN.values() if each.listing is not None]
    return {id(each): each for listing in whole for each in listing.all_called()}.values()


# -- type ------------------------------------------------------------------------------------------------------------


def test_every_letter_of_every_line_is_a_symbol_with_a_definition():
    """What is neither a word nor a keyword is looked up: a letter without a definition is a mistake."""
    for each in listings():
        for line in each.lines:
            for piece in pieces(line.text, each):
                if piece.symbol:
                    assert each.symbol(piece.symbol).means
                elif piece.style != KEYWORD:
                    loose = re.sub(r"\ba (random|z)\b|GEMS-[bcm]|[A-Za-z]{2,}", "", piece.text)
                    assert not re.search(r"[A-Za-zα-ωΔℓŜẑ𝒜-𝒵]", loose), (each.name, line.id, piece.text)


def test_pieces_are_the_text_again():
    for each in listings():
        for line in each.lines:
            written = "".join(piece.text for piece in pieces(line.text, each))
            assert written.replace(" ", "") == re.sub(r"\*\*|(?<=[_^])\{|(?<!\\)[_^]", "", _without_groups(line.text))


def _without_groups(text):
    """A text without the braces of its indices, and without spaces."""
    text, before = text.replace(" ", ""), None
    while text != before:
        before, text = text, re.sub(r"([_^])\{([^{}]*)\}", r"\1\2", text)
    return text


def test_indices_are_smaller_and_lower_and_exponents_higher(qapp):
    runs, width = Setter(20.0).line(pieces("ψ_{d_k} 2^{2k}", BUILT_IN["gems-c"].listing))
    psi, d, k = runs[:3]
    two, power = [each for each in runs if each.text.strip() == "2"]
    assert psi.font.pixelSize() > d.font.pixelSize() > k.font.pixelSize()
    assert psi.at.y() < d.at.y() < k.at.y()
    assert power.at.y() < two.at.y() == psi.at.y()
    assert width == pytest.approx(sum(QFontMetricsF(each.font).horizontalAdvance(each.text) for each in runs))


def test_long_lines_break_between_words_and_lose_nothing(qapp):
    listing = BUILT_IN["gems-c"].listing
    parts = pieces(listing["eliminate"].text, listing)
    whole = Setter(14.0).line(parts)[1]
    runs, rows, last = Setter(14.0).paragraph(parts, whole / 2)
    assert rows >= 2
    assert last <= whole / 2
    assert all(each.box.right() <= whole / 2 + 1 for each in runs)
    assert "".join(each.text for each in runs).replace(" ", "") == "".join(
        each.text for each in Setter(14.0).line(parts)[0]
    ).replace(" ", "")


# -- what is marked ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["gems-c", "gems-b", "fixed-confidence"])
def test_exactly_one_line_is_current(algorithm):
    trace = run(algorithm)
    end = Snapshot.of(trace)
    for cursor in range(len(trace) + 1):
        series = pseudocode(replace(end, state=trace.state_at(cursor)), listing_of(end))
        parts = [series.part_of(depth, line.id) for depth, line in series.rows()]
        assert parts.count(CURRENT) == (cursor > 0)
        assert parts.count(CALLING) == max(0, sum(bool(frame.line) for frame in series.stack) - 1)
        assert set(parts) <= {CURRENT, CALLING, PASSED, ""}


def test_an_estimate_shows_both_ends():
    """The first features of the hard instance do not tell the last survivors apart."""
    trace = run("rage")
    cursor = int(trace.positions("estimated")[-1]) + 1
    theta = trace[cursor - 1].theta
    first, last = number(theta[0], 3), number(theta[-1], 3)
    shown = [
        value for frame in series_at(trace, cursor).stack for (_, name), value in frame.values.items() if name == "θ̂_k"
    ]
    assert len(theta) > 6
    assert shown == [f"({first}, …, {last})"]
    said = describe(trace[cursor - 1], trace.instance)
    assert f"θ̂ = ({first}, " in said
    assert said.endswith(f", {last})")


def test_the_table_and_the_text_say_what_is_shown():
    trace = run()
    cursor = int(trace.positions("design solved")[0]) + 1
    series = series_at(trace, cursor)
    table = series.table(Snapshot.of(trace, cursor))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    said = trace[cursor - 1]
    assert {row["symbol"]: row["value"] for row in rows if row["line"] == "choose"} == {
        "d_k": said.d,
        "g_k(d_k)": said.cost,
    }
    assert {row["line"] for row in rows if row["state"] == CURRENT} == {"design"}
    text = as_text(series)
    assert [line for line in text.splitlines() if "=>" in line] == [
        next(line for line in text.splitlines() if "λ_k ←" in line)
    ]
    assert f"d_k = {said.d}" in text


@pytest.fixture
def view(qapp):
    made = Pseudocode(Appearance(LIGHT))
    made.body.resize(640, 700)
    made.body.show()
    yield made
    for part in (made.head, made.body):
        part.hide()
        part.deleteLater()


def pixel(image, at):
    return image.pixelColor(QPoint(round(at.x()), round(at.y()))).name()


def test_the_current_line_has_the_colour_of_its_role(view):
    trace = run()
    for kind in ("subroutine started", "dimension probed", "design solved", "pulled", "eliminated", "run finished"):
        view.show(Snapshot.of(trace, int(trace.positions(kind)[0]) + 1))
        page = view.page
        image = page.viewport().grab().toImage()
        depth, line = view.series.current
        bars = {}
        for row in page.layout_now.rows:
            box = visible_box(page, row)
            bars[row.depth, row.line.id] = pixel(image, QPointF(box.left() + 1.5, box.center().y()))
        marked = [at for at, colour in bars.items() if colour == LIGHT.surviving.lower()]
        assert marked == [(depth, line.id)], kind


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
@pytest.mark.parametrize("size", [(260, 146), (420, 520), (900, 640), (1900, 1040)])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_nothing_lies_over_anything_else_at_any_size(qapp, theme, size, scale):
    made = Pseudocode(Appearance(theme.scaled(scale)), exporting=True)
    try:
        made.body.resize(*size)
        made.body.show()
        for trace in (run(), run("fixed-confidence")):
            made.show(Snapshot.of(trace, int(trace.positions("eliminated")[-1]) + 1))
            page = made.page
            assert page.layout_now.size >= max(12, 10 * scale)
            width = page.viewport().width()
            boxes = [row.box for row in page.layout_now.rows]
            assert all(a.bottom() <= b.top() + 0.5 for a, b in pairwise(boxes))
            for row in page.layout_now.rows:
                if width > 30 * page.layout_now.size:
                    assert all(each.box.right() <= width for each in row.runs), row.line.id
                for slot in row.slots:
                    text = max(
                        (each.box.right() for each in row.runs if abs(each.at.y() - slot.baseline) < 8), default=0
                    )
                    assert slot.x >= text - 1, (row.line.id, slot.symbol)
            current = page.row_of(made.series.current[0], made.series.current[1].id)
            shown = visible_box(page, current)
            assert shown.bottom() > 0
            assert shown.top() < page.viewport().height(), "the current line is in sight"
    finally:
        for part in (made.head, made.body):
            part.hide()
            part.deleteLater()


def values_shown(page):
    """Every value on a page, and the text that is painted for it with the room that it has."""
    font = LIGHT.font()
    font.setPixelSize(round(page.layout_now.size))
    font.setBold(True)
    for row in page.layout_now.rows:
        for slot in row.slots:
            value = page.series.stack[row.depth].values.get((row.line.id, slot.symbol))
            if value is not None:
                room = page.room_of(row, slot)
                text = fitting_text(value, QFontMetricsF(font), room)
                assert QFontMetricsF(font).horizontalAdvance(text) <= room, (row.line.id, slot.symbol, text)
                yield slot.symbol, value, text


@pytest.mark.parametrize("size", [(400, 480), (640, 700)])
def test_numbers_are_shown_whole_or_rounded_and_never_cut(view, size):
    view.body.resize(*size)
    long = Run(make("paper-hard", epsilon=0.0005), "rage", 1, max_samples=10**12).finish()
    many = Run(make("sphere", D=20, n=1500), "gems-c", 1, selection_budget=1e7).finish()
    shortened = set()
    for trace in (long, many, run("fixed-confidence")):
        for cursor in range(1, min(len(trace), 150) + 1, 2):
            view.show(Snapshot.of(trace, cursor))
            for symbol, value, text in values_shown(view.page):
                if not isinstance(value, str):
                    assert float(plain(text)) == pytest.approx(value, rel=5e-4), (symbol, text)
                shortened |= {symbol} if text != value_text(value) else set()
    assert "N_k" in shortened


def plain(text):
    return text.replace(THIN, "").replace("−", "-")


def test_intervals_lose_digits_and_texts_are_not_cut_inside_numbers(qapp):
    metrics = QFontMetricsF(LIGHT.font())
    bounds = Numbers("[{}, {}]", 1234.5678, 98765432.1)
    widths = [metrics.horizontalAdvance(each) + 1 for each in (bounds, "[1 235, 9.877e7]", "[1e3, 1e8]", "arm 12…")]
    assert [fitting_text(bounds, metrics, room) for room in widths[:3]] == [
        bounds,
        "[1\u202f235, 9.877e7]",
        "[1e3, 1e8]",
    ]
    for names, shown in ((False, "arm …"), (True, "ar…1234")):
        assert fitting_text("arm 1234, carried over", metrics, widths[3], names) == shown
    for end in ("", "…", ", …"):
        room = metrics.horizontalAdvance(f"arm 1234{end}") + 1
        assert fitting_text("arm 1234, carried over", metrics, room, names=True).startswith("arm 1234"), (
            "the name stays"
        )
    room = metrics.horizontalAdvance("a rath…ame 6") + 1
    for rest in ("", ", carried over"):
        assert fitting_text(f"a rather long item name 6{rest}", metrics, room, names=True) == "a rath…ame 6", (
            "both ends"
        )


def test_letters_are_larger_where_there_is_room_and_do_not_change_during_a_run(qapp):
    made = Pseudocode(Appearance(LIGHT))
    try:
        sizes = []
        for size in ((420, 400), (1000, 900)):
            made.body.resize(*size)
            made.body.show()
            seen = set()
            for cursor in (1, 5, 10, 60, len(run("fixed-confidence"))):
                made.show(Snapshot.of(run("fixed-confidence"), cursor))
                seen.add(made.page.layout_now.size)
            assert len(seen) == 1
            sizes += seen
        assert sizes[0] < sizes[1]
    finally:
        for part in (made.head, made.body):
            part.hide()
            part.deleteLater()


def test_a_strategy_is_folded_where_there_is_no_room_for_it(view):
    trace = run("fixed-confidence")
    inside, outside = (Snapshot.of(trace, int(trace.positions(kind)[-1]) + 1) for kind in ("pulled", "run finished"))
    view.body.resize(420, 420)
    shown = {}
    for option in ("fold", "all"):
        view.set_option("outer", option)
        for snapshot in (inside, outside):
            view.show(snapshot)
            shown[option, snapshot] = [row.line.id for row in view.page.layout_now.rows if row.depth == 0]
    everything = [line.id for line in BUILT_IN["fixed-confidence"].listing.lines]
    assert shown["fold", inside] == ["call"]
    assert shown["fold", outside] == shown["all", inside] == shown["all", outside] == everything
    view.set_option("outer", "fold")
    view.body.resize(900, 1200)
    view.show(inside)
    assert [row.line.id for row in view.page.layout_now.rows if row.depth == 0] == everything


def test_opt_is_one_line_once_it_has_returned(view):
    trace = run()
    for cursor in range(1, len(trace) + 1):
        view.show(Snapshot.of(trace, cursor))
        probing = trace[cursor - 1].kind == "dimension probed"
        assert [frame.listing.name for frame in view.series.stack] == ["GEMS-c", "OPT"][: 1 + probing]
        if trace[cursor - 1].kind == "design solved":
            assert view.series.stack[0].values["choose", "d_k"] == trace[cursor - 1].d


@pytest.mark.parametrize("algorithm", ["gems-c", "gems-b"])
def test_lines_of_a_wider_page_do_not_break_earlier_and_values_follow_them(view, algorithm):
    trace = run(algorithm)
    snapshot, broken = Snapshot.of(trace, int(trace.positions("eliminated")[0]) + 1), {}
    for width, height in ((400, 480), (600, 600), (900, 900)):
        view.body.resize(width, height)
        view.show(snapshot)
        page = view.page
        broken[width] = {
            row.line.id
            for row in page.layout_now.rows
            if len({round(run.box.center().y() / 9) for run in row.runs}) > 4
        }
        for row in page.layout_now.rows:
            first = row.slots[0] if row.slots else None
            texts = [each.box.right() for each in row.runs if first is not None and each.at.y() > first.baseline - 8]
            if first is not None and texts:
                assert first.x <= max(texts) + 2 * page.layout_now.size, "right behind the text"
        assert page.layout_now.height <= page.viewport().height() or width == 400
    assert broken[900] <= broken[600] <= broken[400]


def test_without_a_run_the_lines_of_the_chosen_algorithm_are_there(qtbot):
    with driven(qtbot, ONE_CALL, size=(1440, 900)) as driver:
        view = open_page(driver)
        for algorithm in ("gems-c", "gems-b"):
            driver.drafts.set_draft(SMALL.with_algorithm(algorithm))
            driver.wait(lambda: driver.board.settled)
            listing = BUILT_IN[algorithm].listing
            assert [row.line.id for row in view.page.layout_now.rows] == [line.id for line in listing.lines]
            assert [frame.values for frame in view.page.series.stack] == [{}]
            assert view.page.series.current is None
            assert view.head.subtitle.text() == "Press Run to follow it"
        row = view.page.row_of(0, "begin")
        at, offered = visible_box(view.page, row).topLeft() + QPointF(2, 3), ["Copy as text"]
        assert "Press Run. Then click to go" in view.page.explained(at)
        assert [each.text() for each in view.page.menu(row).actions() if each.isEnabled()] == offered
        driver.start()
        driver.wait(lambda: driver.board.settled)
        row = view.page.row_of(0, "begin")
        assert "Click to go to the next event" in view.page.explained(
            visible_box(view.page, row).topLeft() + QPointF(2, 3)
        )
        assert all(each.isEnabled() for each in view.page.menu(row).actions())
        driver.drafts.set_draft(ONE_CALL.with_algorithm("rage"))
        driver.wait(lambda: driver.board.settled)
        assert view.series.stack[0].listing is BUILT_IN["gems-b"].listing, "views show the run, not the form"


def test_a_step_lays_nothing_out_again(view):
    trace = run()
    first = int(trace.positions("allocated")[1]) + 1
    view.show(Snapshot.of(trace, first))
    before = view.page.layout_now
    for cursor in range(first, first + 4):
        view.show(Snapshot.of(trace, cursor))
        assert view.page.layout_now is before


def test_sizes_while_docks_are_moved_are_laid_out_once_before_painting(view, monkeypatch):
    view.show(Snapshot.of(run()))
    page, widths, make_layout = view.page, [], pseudocode_sheet.Maker

    def counted(chain, width, *args):
        widths.append(round(width))
        return make_layout(chain, width, *args)

    monkeypatch.setattr(pseudocode_sheet, "Maker", counted)
    page.setUpdatesEnabled(False)
    for width in (431, 523, 617):
        page.resize(width, 400)
    assert not widths
    page.setUpdatesEnabled(True)
    QApplication.sendPostedEvents(page, QEvent.Type.LayoutRequest)
    final = {page.maximumViewportSize().width(), page.viewport().width()}
    assert widths
    assert set(widths) <= final
    assert page.layout_now.rows[0].box.right() <= max(final)
    made = len(widths)
    page.grab()
    assert len(widths) == made


def test_names_from_a_file_are_never_markup(view):
    loud = Instance.linear([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], arm_names=["<b>one</b>", "<img src=x>"])
    trace = Run(loud, "fixed-confidence", 1, max_samples=100).finish()
    view.show(Snapshot.of(trace, 2))
    row = view.page.row_of(0, "guess")
    slot = row.slots[0]
    at = visible_box(view.page, row).topLeft() + QPointF(slot.x - row.box.left() + 3, slot.baseline - row.box.top() - 3)
    told = view.page.explained(at)
    assert "&lt;" in told
    assert "<b>one" not in told
    assert "<img" not in told


def test_an_algorithm_without_lines_says_so(view):
    instance = make("soare")
    trace = Trace(instance)
    trace.append(replace(run()[0], instance=instance.digest, algorithm="somewhere-else"))
    assert isinstance(trace[0], RunStarted)
    view.show(Snapshot.of(trace, 1))
    assert view.sentence.isVisible()
    assert "somewhere-else has no pseudo-code" in view.sentence.text()
    view.show(Snapshot.of(run(), 3))
    assert not view.sentence.isVisible()
    assert view.page.layout_now.rows


def test_hidden_truth_hides_what_an_oracle_is_told(qapp):
    trace = run("rage-oracle")
    shown = paint(Snapshot.of(trace, len(trace)), "pseudocode", (640, 600), DARK)
    hidden = paint(replace(Snapshot.of(trace, len(trace)), truth=False), "pseudocode", (640, 600), DARK)
    assert shown != hidden
    symbols = {name for frame in series_at(trace, len(trace), truth=False).stack for _, name in frame.values}
    assert "d_⋆" not in symbols


# -- the window --------------------------------------------------------------------------------------------------------


def open_page(driver):
    driver.board.show_view("pseudocode")
    driver.wait(lambda: "pseudocode" in driver.views and driver.board.docks["pseudocode"].exposed)
    driver.wait(lambda: driver.board.settled)
    return driver.views["pseudocode"]


def rows_point(page, listing, line):
    """A point on a line, scrolled into sight."""
    depth = next(at for at, frame in enumerate(page.series.stack) if frame.listing.name == listing)
    row = page.row_of(depth, line)
    bar = page.verticalScrollBar()
    if not (visible_box(page, row).top() >= 0 and visible_box(page, row).bottom() <= page.viewport().height()):
        bar.setValue(round(row.box.top()) - 5)
    box = visible_box(page, row)
    return QPoint(round(box.left() + 4), round(box.center().y()))


def click(driver, listing, line, back=False):
    page = driver.views["pseudocode"].page
    QTest.mouseClick(
        page.viewport(), LEFT, SHIFT if back else Qt.KeyboardModifier.NoModifier, rows_point(page, listing, line)
    )
    driver.wait(lambda: driver.playback.search is None)
    driver.wait(lambda: driver.board.settled)
    return driver.cursor


def reached(trace, algorithm, listing, line):
    """Every cursor at which a line is current or passed, by walking."""
    found = []
    for cursor in range(1, min(len(trace), 70) + 1):
        stack = frames(BUILT_IN[algorithm].listing, trace, trace.state_at(cursor))
        for depth, frame in enumerate(stack):
            inner = depth + 1 < len(stack) and stack[depth + 1].line and stack[depth + 1].caller == line
            if frame.listing.name == listing and ((frame.line == line and not inner) or line in frame.passed):
                found.append(cursor)
    return found


def test_a_click_goes_to_the_next_event_of_a_line_and_with_shift_back(qtbot):
    with driven(qtbot, MIDDLE, layout="talk") as driver:
        driver.finished()
        driver.press("Right", 12)
        open_page(driver).set_option("outer", "all")
        for listing, line in (("GEMS-c", "eliminate"), ("GEMS-c", "round"), ("Adaptive strategy", "calls")):
            expected = reached(driver.trace, "fixed-confidence", listing, line)
            assert len(expected) > 3
            start = driver.cursor
            later = [at for at in expected if at > start]
            assert [click(driver, listing, line) for _ in later[:3]] == later[:3]
            earlier = [at for at in expected if at < driver.cursor][::-1]
            assert [click(driver, listing, line, back=True) for _ in earlier[:2]] == earlier[:2]
        driver.press("Home")
        driver.wait(lambda: driver.board.settled)
        assert driver.views["pseudocode"].series.current is None


def test_a_click_runs_the_engine_as_far_as_it_takes(qtbot):
    with driven(qtbot, ONE_CALL, layout="talk") as driver:
        driver.choose("Run/Look-ahead", "None: compute only what is shown")
        driver.start("Ctrl+R", "Space")
        driver.press("Right", 3)
        view = open_page(driver)
        driver.wait(lambda: view.series is not None and view.series.stack)
        recorded = len(driver.trace)
        assert recorded < 12, "nothing is computed that was not asked for"
        cursor = click(driver, "GEMS-c", "eliminate")
        assert driver.trace[cursor - 1].kind == "eliminated"
        assert driver.trace[cursor - 1].place.k == 1
        assert cursor > recorded
        cursor = click(driver, "GEMS-c", "estimate")
        assert (driver.trace[cursor - 1].kind, driver.trace[cursor - 1].place.k) == ("estimated", 2)
        assert click(driver, "GEMS-c", "begin", back=True) == int(driver.trace.subroutine_starts[0]) + 1
        driver.press("U")
        assert driver.window.run_until.dialog is not None, "it opens although it cannot ask for a line"
        driver.window.run_until.dialog.close()


def test_a_line_that_is_not_reached_any_more_says_so(qtbot):
    with driven(qtbot, ONE_CALL, layout="talk") as driver:
        driver.finished()
        driver.press("End")
        open_page(driver)
        listing, other = BUILT_IN["gems-c"].listing, "is not reached after the cursor: the run has ended. Shift+click"
        ours = next(line.id for line in listing.lines if line.ours)
        for line, words in (("begin", "Line 1"), (ours, "This line")):
            click(driver, "GEMS-c", line)
            assert f"{words} of GEMS-c {other} the line to search before the cursor." in driver.said()
        driver.press("Home")
        driver.press("Right")
        click(driver, "GEMS-c", "eliminate", back=True)
        assert f"Line {listing.number_of('eliminate')} of GEMS-c is not reached before the cursor." in driver.said()
        driver.press("Esc")
        dialog = driver.opened("U", RunUntil)
        driver.click(dialog.back)
        driver.wait(lambda: dialog.sentence.text())
        driver.window.activateWindow()
        click(driver, "GEMS-c", "eliminate", back=True)
        assert f"Line {listing.number_of('eliminate')} of GEMS-c" in driver.said()
        assert not dialog.sentence.text(), "the dialog shows only what came of its own condition"


def test_a_line_that_does_not_come_leaves_the_cursor_although_the_engine_went_on(qtbot):
    with driven(qtbot, ONE_CALL, layout="talk") as driver:
        driver.choose("Run/Look-ahead", "None: compute only what is shown")
        driver.start("Ctrl+R", "Space")
        for steps in (1, 2, 3):  # a key that comes before the engine has answered the one before asks for the same
            driver.press("Right")
            driver.wait(lambda steps=steps: driver.cursor == steps)
        open_page(driver)
        assert not driver.playback.ended
        click(driver, "GEMS-c", "begin")
        assert "is not reached after the cursor: the run has ended." in driver.said()
        assert driver.playback.ended
        assert driver.cursor == 3


def test_keys_move_over_lines_go_to_events_and_ask_why(qtbot):
    with driven(qtbot, ONE_CALL, layout="talk") as driver:
        driver.finished()
        driver.press("Right", 2)
        view = open_page(driver)
        view.page.setFocus()
        driver.wait(view.page.hasFocus)
        assert view.series.current[1].id == "begin"
        driver.press("Down", 2)
        assert view.page.picked == (0, "confidence")
        driver.press("Up")
        assert view.page.picked == (0, "round")
        driver.press("Return")
        driver.wait(lambda: driver.playback.search is None)
        assert driver.cursor == int(driver.trace.round_starts[0]) + 1
        driver.press("Return")
        driver.wait(lambda: driver.playback.search is None)
        assert driver.cursor == int(driver.trace.round_starts[1]) + 1
        driver.press("Shift+Return")
        driver.wait(lambda: driver.playback.search is None)
        assert driver.cursor == int(driver.trace.round_starts[0]) + 1
        driver.press("Ctrl+C")
        assert "d_k ← OPT(B, D, g_k)" in QGuiApplication.clipboard().text()
        driver.press("W")
        driver.wait(lambda: driver.board.docks["why"].exposed)


def test_why_opens_from_the_current_line(qtbot):
    with driven(qtbot, ONE_CALL, layout="talk") as driver:
        driver.finished()
        driver.press("Right", 8)
        view = open_page(driver)
        page = view.page
        row = page.row_of(view.series.current[0], view.series.current[1].id)
        before = driver.cursor
        bar = page.verticalScrollBar().value()
        QTest.mouseClick(page.viewport(), LEFT, pos=page.why_box(row).translated(0, -bar).center().toPoint())
        driver.wait(lambda: driver.board.docks["why"].exposed)
        assert driver.cursor == before
        menu = page.menu(row)
        assert [action.text() for action in menu.actions()][2] == "Why this step"
        menu.close()


def test_pointing_at_a_symbol_defines_it(qtbot):
    with driven(qtbot, ONE_CALL, layout="talk") as driver:
        driver.finished()
        driver.press("Right", 6)
        page = open_page(driver).page
        seen = set()
        for row in page.layout_now.rows:
            listing = page.series.stack[row.depth].listing
            page.verticalScrollBar().setValue(round(row.box.top()) - 5)
            for run_ in row.runs:
                if not run_.symbol:
                    continue
                at = (run_.box.center() - QPointF(0, page.verticalScrollBar().value())).toPoint()
                found = page.symbol_at(at)
                assert found is not None
                QApplication.sendEvent(
                    page.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, page.viewport().mapToGlobal(at))
                )
                plain = re.sub("<[^>]*>", "", QToolTip.text())
                said = re.sub("<[^>]*>", "", inline(plain_letters(listing.symbol(found[1]).means)))
                assert plain.endswith(f"{said}.") or f"{said}." in plain
                seen.add(found[1])
        QToolTip.hideText()
        assert {"d_k", "B", "δ", "ι", "N_k", "Ŝ_k", "ω(z′, z)", "θ̂_k"} <= seen <= {*SYMBOLS, "g", "g(d)", "d_−", "d_+"}


def test_it_is_exported_as_it_is_shown(qapp, tmp_path):
    saved = tmp_path / "run.gems"
    write_run(saved, run())
    for suffix in ("png", "svg", "pdf", "csv"):
        out = tmp_path / f"lines.{suffix}"
        assert main(["render", str(saved), "-o", str(out), "--view", "pseudocode"]) == 0
        assert out.stat().st_size > 500
    assert not QImage(str(tmp_path / "lines.png")).isNull()
    drawn = (tmp_path / "lines.svg").read_text()
    assert "<image" not in drawn, "text stays text or lines"
    assert "GEMS-c" in (tmp_path / "lines.csv").read_text()
