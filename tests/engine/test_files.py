"""Files of instances: every bit comes back, bad ones get one sentence, writing is atomic."""

import io
import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gems_engine import files
from gems_engine.errors import InputError
from gems_engine.formats import csv_format, json_format, npz_format
from gems_engine.gallery import FAMILIES, make
from gems_engine.instance import Instance
from gems_engine.locks import lock
from gems_engine.recipe import Recipe
from gems_engine.rewards import Noise
from gems_engine.trace import Trace
from tests.engine.instance_files import ARMS, savez
from tests.engine.synthetic_runs import synthetic_trace

FLOATS = st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-90)


@st.composite
def instances(draw):
    """Instances of every shape: linear or not, transductive or not, named or not."""
    K, D = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    arms = draw(hnp.arrays(float, (K, D), elements=FLOATS))
    arms[0, 0] = arms[0, 0] or 1.0
    words = {
        "noise": draw(st.sampled_from([Noise(), Noise("gaussian", 0.1), Noise("rademacher"), Noise("deterministic")])),
        "name": draw(st.sampled_from(["", "a name", "ρ⋆ \"quoted\", 'ü'"])),
        "arm_names": draw(st.sampled_from([None, [f"arm, {i}" for i in range(K)]])),
        "recipe": draw(
            st.sampled_from([Recipe(), Recipe.of("f", {"a": 1, "b": 0.1, "c": None}), Recipe("", (), "x", ("y",))])
        ),
    }
    rows = draw(st.sampled_from([None, "some", "others"]))
    targets = None if rows is None else arms[draw(st.lists(st.integers(0, K - 1), min_size=2, max_size=4))]
    if rows == "others":
        targets = targets * 2
    if draw(st.booleans()):
        return Instance.linear(arms, draw(hnp.arrays(float, D, elements=FLOATS)), targets, **words)
    rewards = draw(hnp.arrays(float, K, elements=FLOATS))
    means = None if targets is None else draw(hnp.arrays(float, len(targets), elements=FLOATS))
    return Instance.from_rewards(arms, rewards, targets, means, **words)


def bits(instance):
    arrays = (instance.arms, instance.targets, instance.rewards, instance.target_rewards, instance.theta)
    return [None if array is None else array.tobytes() for array in arrays]


@settings(max_examples=80, deadline=None)
@given(instances())
def test_json_and_npz_give_back_every_bit_and_word(instance):
    for again in (
        json_format.from_json(json_format.to_json(instance), "other", "file"),
        npz_format.from_npz(io.BytesIO(npz_format.to_npz(instance)), "other", "file"),
    ):
        assert again == instance
        assert bits(again) == bits(instance)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_families_round_trip_through_files(tmp_path, name, suffix):
    instance = make(name)
    path = tmp_path / f"saved.{suffix}"
    files.write_instance(path, instance)
    again = files.read_instance(str(path))
    assert again == instance
    assert again.d_star == instance.d_star
    files.write_instance(tmp_path / f"twice.{suffix}", again)
    assert (tmp_path / f"twice.{suffix}").read_bytes() == path.read_bytes()


def test_csv_keeps_features_rewards_and_names(tmp_path):
    instance = Instance.from_rewards([[0.1, -0.0], [1 / 3, 1e-17]], [0.3, 2 / 3], arm_names=['a, "b"', ""])
    path = tmp_path / "items.csv"
    files.write_instance(path, instance)
    again = files.read_instance(path)
    assert bits(again) == bits(instance)
    assert again.arm_names == again.target_names == instance.arm_names
    assert (again.name, str(again.recipe)) == (
        "items",
        "file items.csv; 2 features as they are, without an intercept; name: name, reward: reward",
    )
    hard = make("paper-hard")
    files.write_instance(path, hard)
    assert files.read_instance(path).d_star == hard.d_star == 9  # found from the rewards alone
    with pytest.raises(InputError, match=r"t\.csv: A CSV file can only store instances whose targets are the arms"):
        files.write_instance(tmp_path / "t.csv", make("transductive"))


def test_what_the_npz_holds(tmp_path):
    linear, bent = make("transductive"), Instance.from_rewards(ARMS, [1, 2, 3], [[2.0, 0.0], [0.0, 2.0]], [5, 6])
    for instance, entries in ((linear, 10), (bent, 5), (make("misspecified"), 40)):
        with np.load(io.BytesIO(npz_format.to_npz(instance)), allow_pickle=False) as stored:
            assert set(stored) >= {"arms", "targets", "rewards", "meta"}
            assert ("theta" in stored) == (instance.theta is not None)
            assert stored["rewards"].shape == (entries,)
            assert stored["arms"].tobytes() == instance.arms.tobytes()
            assert json.loads(stored["meta"].tobytes())["version"] == 1


def test_npz_by_hand(tmp_path):
    path = tmp_path / "hand.npz"
    path.write_bytes(savez(arms=ARMS, theta=[1.0, 2.0]))
    assert files.read_instance(path) == Instance.linear(ARMS, [1.0, 2.0], name="hand", recipe=Recipe(file="hand.npz"))
    path.write_bytes(savez(arms=np.asfortranarray(ARMS, dtype=">f4"), rewards=np.array([1, 2, 3])))
    assert files.read_instance(path).rewards.tolist() == [1, 2, 3]
    assert files.read_instance(path).arms.tolist() == ARMS
    path.write_bytes(savez(arms=ARMS, targets=ARMS[1:], rewards=[1.0, 2.0, 3.0]))
    assert files.read_instance(path).target_arms.tolist() == [1, 2]
    path.write_bytes(savez(arms=ARMS, targets=[[3.0, 0.0], [0.0, 3.0]], rewards=[1.0, 2.0, 3.0, 4.0, 5.0]))
    assert files.read_instance(path).target_rewards.tolist() == [4, 5]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, arms=ARMS, theta=[1.0, 2.0])
    path.write_bytes(buffer.getvalue())
    assert files.read_instance(path).d_star == 2


def document(**changes):
    said = {"format": "gems-instance", "version": 1, "arms": ARMS, "rewards": [1.0, 2.0, 3.0]}
    return json.dumps({key: value for key, value in {**said, **changes}.items() if value != "absent"})


def test_json_by_hand(tmp_path):
    path = tmp_path / "hand.json"
    path.write_text("\ufeff" + document(arms=[[1, 0], [0, 1], [1, 1]], targets="arms"), encoding="utf-8")
    assert files.read_instance(path).arms.tolist() == ARMS
    path.write_text(document(rewards="absent", theta=[1, 2]))
    assert files.read_instance(path).rewards.tolist() == [1, 2, 3]
    path.write_text(document(theta=None, targets=None, noise="gaussian:0.5"))
    assert files.read_instance(path).noise == Noise("gaussian", 0.5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not valid JSON: line 1, column 1"),
        (document()[:-20], "not valid JSON: line 1"),
        ("[1, 2]", "must be one JSON object"),
        ("[" * 100_000, "The file nests JSON too deeply"),
        ('{"a":' * 100_000, "nests JSON too deeply"),
        ("1" * 5000, "thousands of digits"),
        ("{}", 'field format is None: an instance file has "format"'),
        (document(format="gems-trace"), 'field format is "gems-trace"'),
        (document(version=4), r"made by a newer version of this program \(file version 4"),
        (document(version="1"), 'field version is "1": it must be 3'),
        (document(version=0), "field version is 0"),
        (document(version=True), "field version is True"),
        (document(reward=[1]), r'Unknown field "reward": did you mean "rewards"\?'),
        (document()[:-1] + ', "arms": []}', 'field "arms" appears twice'),
        (document(arms="absent"), "field arms is missing"),
        (document(arms=[]), "There are no arms"),
        (document(arms=[[1, 2], [1]]), r"arms\[1\] has 1 entry but arms\[0\] has 2"),
        (document(arms=[1, 2, 3]), r"arms\[0\] is 1: it must be a list"),
        (document(arms={"a": 1}), "arms is a dict"),
        (document(arms=[["1"], ["2"]]), r'arms\[0\]\[0\] is "1"'),
        (document(arms=[[True], [False]]), r"arms\[0\]\[0\] is True"),
        (document(arms=[[1], [None]]), r"arms\[1\]\[0\] is None"),
        (document(arms=[[1], [[[]]]]), r"arms\[1\]\[0\] is a list"),
        (document(arms=[[1], [10**400]]), r"arms\[1\]\[0\] is a huge whole number"),
        (document().replace("3.0", "1e999"), r"rewards\[2\] is inf"),
        (document(rewards=[1.0, float("nan"), 2.0]), "contains NaN: every number must be finite"),
        (document(rewards=[1.0]), "rewards has 1 numbers: it must have 3"),
        (document(targets=[[9.0, 9.0]] * 2), r"targets\[0\] is not one of the arms"),
        (document(targets=[ARMS[0]]), "only one target"),
        (document(theta=[1.0, 5.0]), r"rewards\[1\] is 2 but theta gives 5"),
        (document(noise="poisson"), 'Unknown noise "poisson"'),
        (document(noise=1), "field noise is 1"),
        (document(noise="bernoulli"), "arm 1 has 2"),
        (document(name=5), "name must be text, not 5"),
        (document(arm_names=["a"]), "arm_names must be 3 texts"),
        (document(recipe=[]), "field recipe is a list"),
        (document(recipe={"families": ""}), 'Unknown field in recipe "families"'),
        (document(recipe={"parameters": {"a": []}}), "recipe.parameters.a must be text, not a list"),
        (document(recipe={"steps": 3}), "field recipe must have"),
    ],
)
def test_bad_json_gets_one_sentence_with_the_file(tmp_path, text, sentence):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence) as caught:
        files.read_instance(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The file is empty"),
        ("\n\n", "The file is empty"),
        ("1,2\n3,4\n", "The header row is missing"),
        ("x1,Reward\n1,2\n", 'There is no column "reward", but one called "Reward"'),
        ("x1,x2\n1,2\n", "only one target"),
        ("x1;reward\n1;2\n", "only one target"),
        ("1,5;2,3\n4,5;6,7\n", "It is not clear whether commas or semicolons separate the cells"),
        ("a,b;reward\n1,5;2\n2,5;3\n", "It is not clear whether commas or semicolons separate the cells"),
        ("x;reward\n1,5;2\n2.125;3\n", 'Line 3, column "x": "2.125" is ambiguous: write 2.125 or 2125'),
        ("x;reward\n1,500;2\n2;3\n", 'Line 2, column "x": "1,500" is ambiguous: write 1.500 or 1500'),
        ("x,reward\n1,5,2\n2,5,3\n", "Line 2 has 3 cells but the header has 2"),
        ("1,5;2\n", "It is not clear|The header row is missing"),
        ("1\t2\n3\t4\n", "The header row is missing"),
        ("reward\n1\n2\n", "no column of features"),
        ("reward,x,x\n1,2,3\n", 'column "x" appears twice'),
        ("reward,,x\n1,2,3\n", "Column 2 has no name"),
        ("reward,x\n", "no rows below the header"),
        ("reward,x\n1,2\n3\n", "Line 3 has 1 cells.*header has 2"),
        ("reward,x\n1,2\n3,4,5\n", "Line 3 has 3 cells.*header has 2"),
        ("reward,x\n1,2\n3,nan\n", 'Line 3, column "x" is "nan": it must be a finite number. Correct it in'),
        ("reward,x\n1,2\n\n-inf,3\n", 'Line 4, column "reward" is "-inf"'),
        ("reward,x\n1,\n", 'Line 2, column "x" is empty'),
        ("reward,x\n1,1_0\n", 'Line 2, column "x" is "1_0"'),
        ("reward,x\n1,2\n", "only one target"),
        ("reward,x\n1,0\n2,0\n", "Every feature of every arm is 0"),
        ('reward,x\n1,"2\n', "Line 2 is not CSV: unexpected end of data"),
        ("reward,x\n1," + "9" * 200_000 + "\n", "Line 2 is not CSV: field larger"),
        ("reward,x\n1,\x00\n", "Line 2"),
    ],
)
def test_bad_csv_gets_one_sentence_with_the_file(tmp_path, text, sentence):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence) as caught:
        files.read_instance(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_csv_bytes_and_endless_lines(tmp_path, monkeypatch):
    path = tmp_path / "bad.csv"
    path.write_bytes(b"reward,x\n1,2\n\xff\xfe,1\n")
    with pytest.raises(InputError, match="not UTF-8"):
        files.read_instance(path)
    monkeypatch.setattr(csv_format, "_LINE", 100)
    path.write_text("reward,x\n1," + "2" * 100 + "\n")
    with pytest.raises(InputError, match="Line 2 has more than 100 characters"):
        files.read_instance(path)


# -- the file system -------------------------------------------------------------------------------------------


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(InputError, match=r"There is no file .*none\.json"):
        files.read_instance(tmp_path / "none.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="it is not a file"):
        files.read_instance(tmp_path / "folder.json")
    with pytest.raises(InputError, match=r"must end in \.json, \.npz, \.csv or \.tsv"):
        files.read_instance(tmp_path / "x.txt")
    with pytest.raises(InputError, match="zero byte"):
        files.read_instance("a\0.json")
    with pytest.raises(InputError, match="Cannot read"):
        files.read_instance(tmp_path / ("x" * 300 + ".json"))
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InputError, match="it is not a file"):  # and does not wait for a writer
        files.read_instance(tmp_path / "pipe.json")


@pytest.mark.parametrize("suffix", [".json", ".csv", ".npz"])
def test_large_files_are_refused_unread(tmp_path, suffix):
    path = tmp_path / f"large{suffix}"
    with open(path, "wb") as stream:
        stream.truncate(files.LIMITS[suffix] + 1)  # sparse: takes no space
    with pytest.raises(InputError, match="larger than"):
        files.read_instance(path)


def test_no_json_is_written_that_could_not_be_read(tmp_path, monkeypatch):
    monkeypatch.setitem(files.LIMITS, ".json", 100)
    with pytest.raises(InputError, match=r"too many for \.json\. Save it as \.npz"):
        files.write_instance(tmp_path / "a.json", make("paper-hard"))
    assert list(tmp_path.iterdir()) == []


def test_parts_of_a_process_that_was_killed_are_removed_and_no_others(tmp_path):
    folder = files.NewFolder(tmp_path / "film")
    folder.write("0001.png", b"1")
    (tmp_path / f".film.{os.getpid()}.0123.tmp").write_bytes(b"a file")
    others = [tmp_path / f".film.{os.getpid() + 1}.0123.tmp", tmp_path / f".films.{os.getpid()}.0123.tmp"]
    for each in others:
        each.write_bytes(b"another")
    files.remove_parts(tmp_path / "film", os.getpid())
    assert sorted(tmp_path.iterdir()) == sorted(others)
    files.remove_parts(tmp_path / "nowhere" / "film", os.getpid())


@pytest.mark.parametrize("at", [1, 3])
def test_a_file_that_is_overwritten_while_it_is_read_is_not_opened(tmp_path, at):
    path, calls = tmp_path / "run.gems", []
    files.write_run(path, synthetic_trace())
    other = path.read_bytes() + b"more"

    def overwrite(done, total):
        calls.append(done)
        if len(calls) == at:
            path.write_bytes(other)

    with pytest.raises(InputError, match=r"run\.gems: The file was changed while it was read\. Open it again\."):
        files.read_run(path, overwrite)
    assert len(files.read_run(path)) == len(synthetic_trace())  # its end is incomplete


def test_a_file_that_is_replaced_while_it_is_read_is_opened_as_it_was(tmp_path):
    path = tmp_path / "run.gems"
    files.write_run(path, synthetic_trace())
    assert len(files.read_run(path, lambda *_: path.unlink(missing_ok=True))) == len(synthetic_trace())


def test_a_recovery_file_can_be_read_while_it_grows(tmp_path):
    trace, whole = Trace(synthetic_trace().instance), list(synthetic_trace())
    trace.extend(whole[:10])
    file = files.RecoveryFile(tmp_path / "run.gems", trace)

    def grow(done, total):
        if len(trace) < len(whole):
            trace.extend(whole[10:])
            file.flush()

    assert list(files.read_run(file.path, grow)) == whole[:10]
    file.close()
    assert list(files.read_run(file.path)) == whole


def killed_part(folder, name, process):
    """What a process that was killed while it wrote a file leaves."""
    part = folder / f".{name}.{process}.0123456789abcdef.tmp"
    part.write_bytes(b"a part")
    return part


@pytest.fixture
def ended():
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.skipif(sys.platform == "win32", reason="it is not known there whether a process exists")
def test_writing_removes_what_a_killed_process_left_of_the_same_file(tmp_path, ended):
    part = killed_part(tmp_path, "a.txt", ended)
    kept = [
        killed_part(tmp_path, "a.txt", os.getpid()),  # it may be writing now
        killed_part(tmp_path, "b.txt", ended),
        killed_part(tmp_path, "a.txt.b", ended),
    ]
    files.atomic_write(tmp_path / "a.txt", b"new")
    assert not part.exists()
    assert sorted(tmp_path.iterdir()) == sorted([*kept, tmp_path / "a.txt"])


@pytest.mark.skipif(sys.platform == "win32", reason="locked bytes cannot be read there")
def test_a_part_that_another_computer_is_writing_is_left_alone(tmp_path, ended):
    part = killed_part(tmp_path, "a.txt", ended)  # the id says nothing about the processes of another computer
    with open(part, "r+b") as stream:
        assert lock(stream.fileno())
        files.atomic_write(tmp_path / "a.txt", b"new")
        assert part.exists()
    files.atomic_write(tmp_path / "a.txt", b"new")
    assert not part.exists()


def test_a_file_is_locked_while_it_is_written(tmp_path):
    def pieces():
        (part,) = tmp_path.iterdir()
        yield b"locked" if files.in_use(part) else b"free"

    files.atomic_write(tmp_path / "a.txt", pieces())
    assert (tmp_path / "a.txt").read_bytes() == b"locked"


def test_writing_is_atomic(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    files.atomic_write(path, "old ρ⋆".encode())
    assert path.read_text(encoding="utf-8") == "old ρ⋆"

    def fail(*_):
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace", "chmod"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, fail)
            with pytest.raises(InputError, match=r"Cannot write .*a\.txt: no space left on device\."):
                files.atomic_write(path, b"new")
        assert path.read_text(encoding="utf-8") == "old ρ⋆"
        assert os.listdir(tmp_path) == ["a.txt"]


def test_an_interrupt_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.atomic_write(tmp_path / "a.txt", b"new")
    assert os.listdir(tmp_path) == []


def test_permissions_and_links_are_kept(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    old = os.umask(0o027)
    try:
        files.atomic_write(path, b"one")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640  # a new file follows the umask
    path.chmod(0o604)
    link.symlink_to(path)
    files.atomic_write(link, b"two")
    assert link.is_symlink()
    assert path.read_text() == "two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"Cannot write .*: no such file or directory"):
        files.atomic_write(tmp_path / "no" / "a.txt", b"")
    with pytest.raises(InputError, match="it is not a file"):
        files.atomic_write(tmp_path, b"")
    with pytest.raises(InputError, match="must end in"):
        files.write_instance(tmp_path / "a.pkl", make("soare"))
