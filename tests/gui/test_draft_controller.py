"""The draft: its instance is built in the background, its run starts as soon as it can, or says why not."""

import pytest

from gems_gui.background.engine_bridge import timers
from gems_gui.background.queries import Queries
from gems_gui.drafts.draft import Draft
from gems_gui.workbench.changes import Publisher
from gems_gui.workbench.draft_controller import DraftController
from tests.gui.window_driver import PATIENCE, SMALL

REFUSED = Draft.of("sphere", instance={"min_gap": 4.0})
"""Every field is valid, and yet no such instance exists."""


class Heard:
    def __init__(self, drafts):
        self.ready, self.refused, self.changes = [], [], 0
        drafts.told = self

    def start(self, request, to_the_end):
        self.ready.append(request)

    def change(self, change):
        self.changes += 1


@pytest.fixture
def drafts(qapp):
    queries, publisher = Queries(in_thread=True), Publisher()
    made = DraftController(
        SMALL,
        queries,
        timers(queries),
        publisher,
        lambda request, to_the_end: made.told.start(request, to_the_end),
        lambda sentence: made.told.refused.append(sentence),
    )
    queries.answered.connect(made.answered)
    publisher.subscribe(lambda change: made.told.change(change))
    yield made
    queries.close()


@pytest.fixture
def heard(drafts):
    return Heard(drafts)


def built(drafts, qtbot):
    qtbot.waitUntil(lambda: drafts.instance is not None, timeout=PATIENCE)
    return drafts.instance


def test_nothing_is_built_before_it_begins(drafts, heard, qtbot):
    qtbot.wait(20)
    assert drafts.instance is None
    assert heard.changes == 0
    drafts.begin()
    assert drafts.instance is None, "not in the same breath: the window has to be painted"
    instance = built(drafts, qtbot)
    assert (instance.d_star, instance.D) == (4, 5)
    qtbot.waitUntil(lambda: drafts.assumptions is not None, timeout=PATIENCE)
    assert [each.name for each in drafts.assumptions] == [each.name for each in instance.assumptions()]


def test_an_instance_is_kept_while_only_the_algorithm_changes(drafts, heard, qtbot):
    drafts.begin()
    instance = built(drafts, qtbot)
    for draft in (
        SMALL.with_text("run.seed", "9"),
        SMALL.with_algorithm("rage"),
        SMALL.with_text("algorithm.delta", "nonsense"),
    ):
        drafts.set_draft(draft)
        assert drafts.instance is instance
    drafts.set_draft(SMALL.with_text("instance.epsilon", "0.2"))
    assert drafts.instance is None
    assert drafts.assumptions is None
    assert built(drafts, qtbot).min_gap == pytest.approx(0.2)


def test_only_the_newest_draft_counts(drafts, heard, qtbot):
    drafts.begin()
    for epsilon in ("0.1", "0.2", "-1", "0.25"):
        drafts.set_draft(SMALL.with_text("instance.epsilon", epsilon))
    assert built(drafts, qtbot).min_gap == pytest.approx(0.25)
    drafts.set_draft(SMALL.with_text("instance.epsilon", "0.15"))
    drafts.set_draft(SMALL.with_text("instance.epsilon", "x"))
    qtbot.wait(50)
    assert drafts.instance is None, "what is not valid has no instance, and an old answer is none either"


def test_a_run_asked_for_too_early_starts_when_its_instance_is_there(drafts, heard, qtbot):
    drafts.run()
    drafts.begin()
    assert heard.ready == []
    qtbot.waitUntil(lambda: len(heard.ready) == 1, timeout=PATIENCE)
    request = heard.ready[0]
    assert request.instance is drafts.instance
    assert (request.algorithm, request.seed) == ("fixed-confidence", 1)
    assert request.parameters["max_samples"] == 3000
    drafts.run()
    assert len(heard.ready) == 2
    assert not drafts.differs_from(request)


def test_an_edit_takes_back_a_run_that_has_not_started(drafts, heard, qtbot):
    drafts.begin()
    drafts.run()
    drafts.set_draft(SMALL.with_text("run.seed", "2"))
    built(drafts, qtbot)
    qtbot.wait(20)
    assert heard.ready == []
    drafts.run()
    assert heard.ready[0].seed == 2


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (SMALL.with_text("algorithm.delta", "2"), "δ"),
        (SMALL.with_text("instance.epsilon", "?"), "ε"),
        (SMALL.with_text("run.seed", ""), "eed"),
    ],
)
def test_what_is_not_valid_is_refused_at_once(drafts, heard, draft, words):
    drafts.set_draft(draft)
    drafts.run()
    assert heard.ready == []
    assert len(heard.refused) == 1
    assert words in heard.refused[0]


def test_a_family_that_refuses_says_so_before_and_after_the_run_was_asked_for(drafts, heard, qtbot):
    drafts.set_draft(REFUSED)
    assert drafts.problems() == {}, "nothing is known yet"
    drafts.run()
    qtbot.waitUntil(lambda: bool(heard.refused), timeout=PATIENCE)
    assert "cannot be met" in heard.refused[0]
    assert "instance.min_gap" in drafts.problems()
    drafts.run()
    assert len(heard.refused) == 2
    drafts.set_draft(SMALL)
    assert drafts.refusal == ""
    built(drafts, qtbot)
    drafts.run()
    assert len(heard.ready) == 1


def test_what_makes_the_form_differ_from_a_run(drafts, heard, qtbot):
    drafts.begin()
    built(drafts, qtbot)
    drafts.run()
    request = heard.ready[0]
    for key, text in (("run.seed", "2"), ("algorithm.delta", "0.2"), ("instance.epsilon", "0.31"), ("run.seed", "x")):
        drafts.set_draft(SMALL.with_text(key, text))
        assert drafts.differs_from(request), key
        drafts.set_draft(SMALL)
        assert not drafts.differs_from(request), key
    drafts.set_draft(SMALL.with_algorithm("rage"))
    assert drafts.differs_from(request)
    drafts.set_draft(SMALL.with_instance(request.instance))
    built(drafts, qtbot)
    assert not drafts.differs_from(request), "the same instance from a file asks for the same run"
