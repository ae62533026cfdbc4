"""The form as JSON: every draft comes back as it was, and nothing that a file says can do more than be refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_gui.drafts.draft import Draft, FromTable
from gems_gui.drafts.instance_table import InstanceTable, small_table
from gems_gui.recovery import draft_json

FOLDER = Path(__file__).parents[1] / "data" / "drafts"
OPENED = Instance.from_rewards(
    np.arange(6.0).reshape(3, 2) / 7, [0.1, 0.2, 0.3], np.eye(2), [1.0, 0.0], arm_names=["α", "b", ""]
)
DRAFTS = {
    "gallery": Draft.of("sphere", "rage", 7, {"D": 12}).with_text("instance.n", "many").with_text("run.seed", ""),
    "file": Draft.of().with_instance(OPENED, "/some/where.json").with_text("instance.D", "3"),
    "table": Draft.of()
    .with_instance(OPENED, "/some/where.json")
    .with_table(InstanceTable.of(OPENED).with_cell("arms", 0, 1, "1,2,3").with_cell("target_rewards", 1, 0, "—")),
    "linear": Draft.of().with_table(
        InstanceTable.of(Instance.linear(np.eye(3)[:, :2] + 0.25, [1.0, -0.5]))
        .with_name("arms", 1, "far\nfetched")
        .with_own_targets(True)
    ),
    "narrowed": replace(Draft.of(), source=FromTable(small_table())).with_text("instance.D", "1"),
}
DRAFTS["own"] = Draft.of("paper-hard", "gems-c", 3).keeping(DRAFTS["linear"]).keeping(DRAFTS["narrowed"])
"""With two instances that were made by hand and set aside."""


def packed(draft):
    return b"".join(draft_json.to_json(draft))


@pytest.mark.parametrize("name", DRAFTS)
def test_a_draft_comes_back_as_it_was_valid_or_not(name):
    draft = DRAFTS[name]
    again = draft_json.from_json(packed(draft))
    assert again == draft
    assert again.errors() == draft.errors()
    assert again.instance_key() == draft.instance_key()
    if name == "narrowed":
        assert again.with_text("instance.D", "2").source.table == small_table(), "no feature is dropped"


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_a_draft_of_every_version_is_read_for_good(file):
    said = json.loads(file.read_bytes())
    again = json.loads(packed(draft_json.from_json(file.read_bytes())))
    assert again.pop("texts").items() >= said.pop("texts").items()  # there may be parameters that were not there then
    assert again.pop("version") >= said.pop("version")
    assert again == said


def test_there_are_drafts_of_every_version():
    assert {file.name.split("-")[1] for file in FOLDER.glob("*.json")} == {"1", str(draft_json.VERSION)}


def test_a_newer_draft_is_refused_by_name_and_parameters_come_and_go():
    said = json.loads(packed(DRAFTS["gallery"]))
    with pytest.raises(InputError, match=r"newer version of this program \(file version 3"):
        draft_json.from_json(json.dumps(said | {"version": 3}).encode())
    del said["texts"]["delta"]
    said["texts"]["unheard_of"] = "1"
    assert draft_json.from_json(json.dumps(said).encode()) == DRAFTS["gallery"].with_text("algorithm.delta", "0.05")
    with pytest.raises(InputError, match="of-another-package"):
        draft_json.from_json(json.dumps(said | {"algorithm": "of-another-package"}).encode())


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}), st.just([[1]])
)


def places(value, path=()):
    yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in steps:
        yield from places(inner, (*path, key))


@settings(max_examples=150)
@given(st.data())
def test_whatever_is_changed_there_is_a_draft_or_a_sentence(data):
    said = json.loads(packed(DRAFTS[data.draw(st.sampled_from(sorted(DRAFTS)))]))
    *way, last = data.draw(st.sampled_from(list(places(said))[1:]))
    inner = said
    for key in way:
        inner = inner[key]
    inner[last] = data.draw(values)
    try:
        draft = draft_json.from_json(json.dumps(said).encode())
    except InputError:
        return
    draft.errors()
    assert draft_json.from_json(packed(draft)) == draft
