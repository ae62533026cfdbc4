"""The draft: its instance is built in the background, its run starts as soon as it can, or says why not."""

import pytest

from gems_gui.background.queries import Queries
from gems_gui.drafts.draft import Draft
from gems_gui.editing.draft_controller import DraftController
from tests.gui.window_driver import PATIENCE, SMALL

REFUSED = Draft.of("sphere", instance={"min_gap": 4.0})
"""Every field is valid, and yet no such instance exists."""


class Heard:
    def __init__(self, drafting):
        self.ready, self.refused, self.changes = [], [], 0
        drafting.ready.connect(self.ready.append)
        drafting.refused.connect(self.refused.append)
        drafting.changed.connect(self._changed)

    def _changed(self):
        self.changes += 1


@pytest.fixture
def drafting(qapp):
    queries = Queries(in_thread=True)
    yield DraftController(SMALL, queries)
    queries.close()


@pytest.fixture
def heard(drafting):
    return Heard(drafting)


def built(drafting, qtbot):
    qtbot.waitUntil(lambda: drafting.instance is not None, timeout=PATIENCE)
    return drafting.instance


def test_nothing_is_built_before_it_begins(drafting, heard, qtbot):
    qtbot.wait(20)
    assert drafting.instance is None
    assert heard.changes == 0
    drafting.begin()
    assert drafting.instance is None, "not in the same breath: the window has to be painted"
    instance = built(drafting, qtbot)
    assert (instance.d_star, instance.D) == (4, 5)
    qtbot.waitUntil(lambda: drafting.assumptions is not None, timeout=PATIENCE)
    assert [each.name for each in drafting.assumptions] == [each.name for each in instance.assumptions()]


def test_an_instance_is_kept_while_only_the_algorithm_changes(drafting, heard, qtbot):
    drafting.begin()
    instance = built(drafting, qtbot)
    for draft in (
        SMALL.with_text("run.seed", "9"),
        SMALL.with_algorithm("rage"),
        SMALL.with_text("algorithm.delta", "nonsense"),
    ):
        drafting.set_draft(draft)
        assert drafting.instance is instance
    drafting.set_draft(SMALL.with_text("instance.epsilon", "0.2"))
    assert drafting.instance is None
    assert drafting.assumptions is None
    assert built(drafting, qtbot).min_gap == pytest.approx(0.2)


def test_only_the_newest_draft_counts(drafting, heard, qtbot):
    drafting.begin()
    for epsilon in ("0.1", "0.2", "-1", "0.25"):
        drafting.set_draft(SMALL.with_text("instance.epsilon", epsilon))
    assert built(drafting, qtbot).min_gap == pytest.approx(0.25)
    drafting.set_draft(SMALL.with_text("instance.epsilon", "0.15"))
    drafting.set_draft(SMALL.with_text("instance.epsilon", "x"))
    qtbot.wait(50)
    assert drafting.instance is None, "what is not valid has no instance, and an old answer is none either"


def test_a_run_asked_for_too_early_starts_when_its_instance_is_there(drafting, heard, qtbot):
    drafting.run()
    drafting.begin()
    assert heard.ready == []
    qtbot.waitUntil(lambda: len(heard.ready) == 1, timeout=PATIENCE)
    request = heard.ready[0]
    assert request.instance is drafting.instance
    assert (request.algorithm, request.seed) == ("fixed-confidence", 1)
    assert request.parameters["max_samples"] == 3000
    drafting.run()
    assert len(heard.ready) == 2
    assert not drafting.differs_from(request)


def test_an_edit_takes_back_a_run_that_has_not_started(drafting, heard, qtbot):
    drafting.begin()
    drafting.run()
    drafting.set_draft(SMALL.with_text("run.seed", "2"))
    built(drafting, qtbot)
    qtbot.wait(20)
    assert heard.ready == []
    drafting.run()
    assert heard.ready[0].seed == 2


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (SMALL.with_text("algorithm.delta", "2"), "δ"),
        (SMALL.with_text("instance.epsilon", "?"), "ε"),
        (SMALL.with_text("run.seed", ""), "eed"),
    ],
)
def test_what_is_not_valid_is_refused_at_once(drafting, heard, draft, words):
    drafting.set_draft(draft)
    drafting.run()
    assert heard.ready == []
    assert len(heard.refused) == 1
    assert words in heard.refused[0]


def test_a_family_that_refuses_says_so_before_and_after_the_run_was_asked_for(drafting, heard, qtbot):
    drafting.set_draft(REFUSED)
    assert drafting.problems() == {}, "nobody can know yet"
    drafting.run()
    qtbot.waitUntil(lambda: bool(heard.refused), timeout=PATIENCE)
    assert "cannot be met" in heard.refused[0]
    assert "instance.min_gap" in drafting.problems()
    drafting.run()
    assert len(heard.refused) == 2
    drafting.set_draft(SMALL)
    assert drafting.refusal == ""
    built(drafting, qtbot)
    drafting.run()
    assert len(heard.ready) == 1


def test_what_makes_the_form_differ_from_a_run(drafting, heard, qtbot):
    drafting.begin()
    built(drafting, qtbot)
    drafting.run()
    request = heard.ready[0]
    for key, text in (("run.seed", "2"), ("algorithm.delta", "0.2"), ("instance.epsilon", "0.31"), ("run.seed", "x")):
        drafting.set_draft(SMALL.with_text(key, text))
        assert drafting.differs_from(request), key
        drafting.set_draft(SMALL)
        assert not drafting.differs_from(request), key
    drafting.set_draft(SMALL.with_algorithm("rage"))
    assert drafting.differs_from(request)
    drafting.set_draft(SMALL.with_instance(request.instance))
    built(drafting, qtbot)
    assert not drafting.differs_from(request), "the same instance from a file asks for the same run"
