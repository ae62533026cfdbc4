import io
import json
import os
import stat
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gems_engine import files
from gems_engine.errors import InputError
from gems_engine.formats import csv_format, json_format, npz_format
from gems_engine.gallery import FAMILIES, make
from gems_engine.instance import Instance, Recipe
from gems_engine.rewards import Noise

ARMS = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
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
    assert (again.name, str(again.recipe)) == ("items", "file items.csv")
    hard = make("paper-hard")
    files.write_instance(path, hard)
    assert files.read_instance(path).d_star == hard.d_star == 9  # found from the rewards alone
    with pytest.raises(InputError, match=r"t\.csv: A CSV holds instances whose targets are their arms"):
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


def savez(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


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
        ("", "not complete JSON: line 1, column 1"),
        (document()[:-20], "not complete JSON: line 1"),
        ("[1, 2]", "must hold one JSON object"),
        ("[" * 100_000, "nests JSON too deeply"),
        ('{"a":' * 100_000, "nests JSON too deeply"),
        ("1" * 5000, "thousands of digits"),
        ("{}", 'field format is None: an instance file has "format"'),
        (document(format="gems-trace"), "field format is 'gems-trace'"),
        (document(version=2), r"made by a newer version of this program \(file version 2"),
        (document(version="1"), "field version is '1': it must be 1"),
        (document(version=0), "field version is 0"),
        (document(version=True), "field version is True"),
        (document(reward=[1]), r"Unknown field 'reward': did you mean 'rewards'\?"),
        (document()[:-1] + ', "arms": []}', "field 'arms' is there twice"),
        (document(arms="absent"), "field arms is missing"),
        (document(arms=[]), "There are no arms"),
        (document(arms=[[1, 2], [1]]), r"arms\[1\] has 1 entries but arms\[0\] has 2"),
        (document(arms=[1, 2, 3]), r"arms\[0\] is 1: it must be a list"),
        (document(arms={"a": 1}), "arms is a dict"),
        (document(arms=[["1"], ["2"]]), r"arms\[0\]\[0\] is '1'"),
        (document(arms=[[True], [False]]), r"arms\[0\]\[0\] is True"),
        (document(arms=[[1], [None]]), r"arms\[1\]\[0\] is None"),
        (document(arms=[[1], [[[]]]]), r"arms\[1\]\[0\] is a list"),
        (document(arms=[[1], [10**400]]), r"arms\[1\]\[0\] is a huge whole number"),
        (document().replace("3.0", "1e999"), r"rewards\[2\] is inf"),
        (document(rewards=[1.0, float("nan"), 2.0]), "holds NaN: every number must be finite"),
        (document(rewards="absent"), "field rewards is missing"),
        (document(rewards=[1.0]), "rewards has 1 numbers: it must have 3"),
        (document(targets=[[9.0, 9.0]] * 2), r"targets\[0\] is not one of the arms"),
        (document(targets=[ARMS[0]]), "only one target"),
        (document(theta=[1.0, 5.0]), r"rewards\[1\] is 2 but theta gives 5"),
        (document(noise="poisson"), "Unknown noise 'poisson'"),
        (document(noise=1), "field noise is 1"),
        (document(noise="bernoulli"), "arm 1 has 2"),
        (document(name=5), "name must be text, not 5"),
        (document(arm_names=["a"]), "arm_names must be 3 texts"),
        (document(recipe=[]), "field recipe is a list"),
        (document(recipe={"families": ""}), "Unknown field in recipe 'families'"),
        (document(recipe={"parameters": {"a": []}}), "recipe.parameters.a must be text, not a list"),
        (document(recipe={"steps": 3}), "field recipe must hold"),
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
        ("1,2\n3,4\n", "The file has no header"),
        ("x1,x2\n1,2\n", "There is no column 'reward'"),
        ("x1;reward\n1;2\n", "separated by semicolons"),
        ("reward\n1\n2\n", "no column of features"),
        ("reward,x,x\n1,2,3\n", "column 'x' is there twice"),
        ("reward,,x\n1,2,3\n", "Column 2 has no name"),
        ("reward,x\n", "no rows below the header"),
        ("reward,x\n1,2\n3\n", "Line 3 has 1 cells.*header has 2"),
        ("reward,x\n1,2\n3,4,5\n", "Line 3 has 3 cells.*header has 2"),
        ("reward,x\n1,2\n3,nan\n", "Line 3, column 'x' is 'nan': it must be a finite number"),
        ("reward,x\n1,2\n\n-inf,3\n", "Line 4, column 'reward' is '-inf'"),
        ("reward,x\n1,\n", "Line 2, column 'x' is empty"),
        ("reward,x\n1,1_0\n", "Line 2, column 'x' is '1_0'"),
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
    with pytest.raises(InputError, match="Line 2 has over 100 characters"):
        files.read_instance(path)


# -- hostile archives ------------------------------------------------------------------------------------------


def npy(header, data=b"", version=(1, 0), length=None):
    text = header.encode()
    size = struct.pack("<H" if version == (1, 0) else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + bytes(version) + size + text + data


def archive(members, compression=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as stored:
        for name, data in members:
            stored.writestr(name, data)
    return buffer.getvalue()


HEADER = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not a complete NPZ"),
        (b"PK\x05\x06", "not a complete NPZ"),
        (savez(arms=ARMS)[:-30], "not a complete NPZ"),
        (savez(arms=ARMS)[:200], "not a complete NPZ"),
        (savez(theta=[1.0]), "array arms is missing"),
        (savez(arms=ARMS), "field rewards is missing"),
        (savez(arms=ARMS, rewards=[1.0, 2.0]), r"rewards has 2 entries: it must have 3 .* or 6"),
        (savez(arms=[1.0], rewards=[1.0]), "array arms has 1 dimensions: it must have 2"),
        (savez(arms=ARMS, rewards=[[1.0]]), "array rewards has 2 dimensions: it must have 1"),
        (savez(arms=np.array([["a"]])), "array arms has the type '<U1'"),
        (savez(arms=np.array(ARMS, dtype=complex)), "array arms has the type 'complex128'"),
        (savez(arms=np.array(ARMS, dtype=np.longdouble)), "array arms has the type"),
        (savez(arms=np.array(ARMS, dtype=[("a", "<f8")])), "array arms has the type"),
        (savez(arms=np.array([[1.0, np.nan], [0.0, 1.0]]), theta=[1.0, 1.0]), r"arms\[0\]\[1\] is nan"),
        (savez(arms=ARMS, rewards=[1, 2, 3], meta=np.array([1.0])), "array meta has the type 'float64'"),
        (savez(arms=ARMS, rewards=[1, 2, 3], meta=np.frombuffer(b"{", np.uint8)), "not complete JSON"),
        (savez(arms=ARMS, rewards=[1, 2, 3], meta=np.frombuffer(b"[]", np.uint8)), "meta must hold one JSON object"),
        (
            savez(
                arms=ARMS, rewards=[1, 2, 3], meta=np.frombuffer(b'{"format":"gems-instance","version":7}', np.uint8)
            ),
            "made by a newer version",
        ),
        (
            savez(
                arms=ARMS,
                rewards=[1, 2, 3],
                meta=np.frombuffer(b'{"format":"gems-instance","version":1,"a":1}', np.uint8),
            ),
            "Unknown field in meta 'a'",
        ),
        (archive([("arms.npy", npy(HEADER % ("|O", "(2, 2)"), b"\x80\x04N."))]), "array arms has the type 'object'"),
        (
            archive([("arms.npy", npy(HEADER % ("<f8", "(1000000000, 1000000000)")))]),
            "array arms declares 10{18} entries",
        ),
        (archive([("arms.npy", npy(HEADER % ("<f8", "(1000, 1000)"), b"short"))]), "size does not match its header"),
        (archive([("arms.npy", npy(HEADER % ("<f8", "(-1, -2)"), b"0" * 16))]), "array arms has a negative size"),
        (archive([("arms.npy", npy("(" * 5000))]), "array arms has a damaged header"),
        (archive([("arms.npy", npy("{'descr': __import__('os')}"))]), "array arms has a damaged header"),
        (archive([("arms.npy", npy("x", version=(2, 0), length=2**31))]), "array arms has a damaged header"),
        (archive([("arms.npy", npy("x", version=(3, 0)))]), "array arms has an unknown format version"),
        (archive([("arms.npy", b"not an array")]), "array arms has a damaged header"),
        (
            archive([("arms.npy", npy(HEADER % ("<f8", "(2, 2)"), b"0" * 32))], zipfile.ZIP_LZMA),
            "compressed in an unusual way",
        ),
    ],
)
def test_bad_npz_gets_one_sentence_with_the_file(tmp_path, data, sentence):
    path = tmp_path / "bad.npz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=sentence) as caught:
        files.read_instance(path)
    assert str(caught.value).startswith(f"{path}: ")


def read_bytes(tmp_path, data):
    path = tmp_path / "bad.npz"
    path.write_bytes(data)
    return files.read_instance(path)


def test_a_pickle_is_never_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    trap = np.empty((2, 2), dtype=object)
    trap[:] = Trap()
    buffer = io.BytesIO()
    np.savez(buffer, arms=trap)
    with pytest.raises(InputError, match="type 'object'"):
        read_bytes(tmp_path, buffer.getvalue())
    assert not (tmp_path / "sprung").exists()


def test_a_doubled_member_is_refused(tmp_path):
    member = npy(HEADER % ("<f8", "(2, 1)"), np.array([1.0, 2.0]).tobytes())
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = archive([("arms.npy", member), ("arms.npy", member)])
    with pytest.raises(InputError, match="array arms is there twice"):
        read_bytes(tmp_path, data)


def test_bombs_are_refused_by_what_they_declare(tmp_path):
    zeros = npy(HEADER % ("<f8", "(10000000, 1)"), bytes(80_000_000))
    bomb = archive([("arms.npy", zeros)], zipfile.ZIP_DEFLATED)
    assert len(bomb) < 100_000
    with pytest.raises(InputError, match=r"would unpack to 80\d+ bytes from \d+: such a file may be a trap"):
        read_bytes(tmp_path, bomb)
    small = archive([("arms.npy", npy(HEADER % ("<f8", "(2, 1)"), bytes(16)))])
    declared = 2**31
    at = small.rindex(b"PK\x01\x02")
    lying = small[: at + 20] + struct.pack("<II", declared, declared) + small[at + 28 :]
    with pytest.raises(InputError, match=f"declare {declared} bytes"):
        read_bytes(tmp_path, lying)
    end = small.rindex(b"PK\x05\x06")
    directory = small[: end + 12] + struct.pack("<I", 2**30) + small[end + 16 :]
    with pytest.raises(InputError, match="directory of over a megabyte"):
        read_bytes(tmp_path, directory)
    wide = small[:end] + b"PK\x06\x07" + bytes(16) + small[end:]
    with pytest.raises(InputError, match="64-bit zip"):
        read_bytes(tmp_path, wide)


def test_damaged_data_fails_its_checksum(tmp_path):
    data = bytearray(savez(arms=ARMS, theta=[1.0, 2.0]))
    data[data.index(np.float64(1.0).tobytes())] ^= 1
    with pytest.raises(InputError, match="not a complete NPZ"):
        read_bytes(tmp_path, bytes(data))


# -- the file system -------------------------------------------------------------------------------------------


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(InputError, match=r"none\.json: there is no such file"):
        files.read_instance(tmp_path / "none.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="it is not a file"):
        files.read_instance(tmp_path / "folder.json")
    with pytest.raises(InputError, match=r"must end in \.json, \.npz or \.csv"):
        files.read_instance(tmp_path / "x.txt")
    with pytest.raises(InputError, match="zero byte"):
        files.read_instance("a\0.json")
    with pytest.raises(InputError, match="cannot be read"):
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
    with pytest.raises(InputError, match=r"too many for \.json: save it as \.npz"):
        files.write_instance(tmp_path / "a.json", make("paper-hard"))
    assert list(tmp_path.iterdir()) == []


def test_writing_is_atomic(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    files.atomic_write(path, "old ρ⋆".encode())
    assert path.read_text(encoding="utf-8") == "old ρ⋆"

    def fail(*_):
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace", "chmod"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, fail)
            with pytest.raises(InputError, match=r"a\.txt: it cannot be written: no space left on device\."):
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
    with pytest.raises(InputError, match="cannot be written: no such file or directory"):
        files.atomic_write(tmp_path / "no" / "a.txt", b"")
    with pytest.raises(InputError, match="it is not a file"):
        files.atomic_write(tmp_path, b"")
    with pytest.raises(InputError, match="must end in"):
        files.write_instance(tmp_path / "a.pkl", make("soare"))


# -- real data -------------------------------------------------------------------------------------------------

ITEMS = """name,price,constant,size,reward
a,1,5,10,0.1
b,2,5,30,0.4
c,3,5,20,0.2
d,4,5,60,0.9
"""


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(ITEMS)
    return path


TABLE = np.array([[1, 5, 10], [2, 5, 30], [3, 5, 20], [4, 5, 60]], dtype=float)


def test_items_as_given(items):
    instance = files.read_items_csv(items)
    np.testing.assert_array_equal(instance.arms, TABLE)
    assert instance.target_label(instance.best) == "d"
    picked = files.read_items_csv(items, columns=["size", "price"], name="constant", reward="reward")
    np.testing.assert_array_equal(picked.arms, TABLE[:, [2, 0]])
    assert picked.arm_names == ("5",) * 4


def test_items_standardised(items):
    arms = files.read_items_csv(items, "standardised").arms
    varying = TABLE[:, [0, 2]]
    expected = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    np.testing.assert_allclose(arms, np.column_stack([np.ones(4), expected]))  # the constant became the intercept
    plain = files.read_items_csv(items, "standardised", intercept=False).arms
    np.testing.assert_allclose(plain[:, [0, 2]], varying / varying.std(axis=0))
    np.testing.assert_allclose(plain[:, 1], 1)


def test_items_as_principal_components(items):
    instance = files.read_items_csv(items, "principal-components")
    assert instance.D == 3  # ones, and two directions that vary
    components = instance.arms[:, 1:]
    np.testing.assert_allclose(components.mean(axis=0), 0, atol=1e-12)
    variances = np.linalg.eigvalsh(np.cov(TABLE.T, bias=True))[::-1]
    np.testing.assert_allclose(components.T @ components / 4, np.diag(variances[:2]), atol=1e-10)
    plain = files.read_items_csv(items, "principal-components", intercept=False).arms
    np.testing.assert_allclose(plain @ plain.T, TABLE @ TABLE.T)  # a rotation
    np.testing.assert_allclose(plain.var(axis=0), variances, atol=1e-10)
    assert instance.recipe.steps == ("features principal-components",)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(csv_format.FEATURES), st.booleans(), st.integers(2, 12))
def test_what_was_linear_stays_linear(seed, how, intercept, rows):
    generator = np.random.default_rng(seed)
    features = generator.standard_normal((rows, 4)) * 10.0 ** generator.integers(-3, 4, 4)
    features[:, 1] = 2.0
    made = csv_format.transform(features, how, intercept)
    rewards = features @ (generator.standard_normal(4) / np.abs(features).max(axis=0))
    scale = np.abs(made).max(axis=0)
    fit = np.linalg.lstsq(made / scale, rewards, rcond=None)[0]
    np.testing.assert_allclose(made / scale @ fit, rewards, atol=1e-8 * np.abs(rewards).max())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"features": "whitened"}, "Unknown treatment of features 'whitened'"),
        ({"columns": ["prize"]}, r"Unknown column 'prize': did you mean 'price'\?"),
        ({"reward": "ctr"}, "There is no column 'ctr'"),
        ({"columns": ["name", "price"]}, "Line 2, column 'name' is 'a': it must be a finite number"),
    ],
)
def test_bad_treatment_of_items(items, options, sentence):
    with pytest.raises(InputError, match=sentence):
        files.read_items_csv(items, **options)


# -- weights ---------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 20))
def test_weights_round_trip(tmp_path_factory, seed, n):
    weights = np.random.default_rng(seed).dirichlet(np.ones(n))
    folder = tmp_path_factory.getbasetemp()
    for suffix in ("csv", "npz", "json"):
        files.write_weights(folder / f"w.{suffix}", weights)
        np.testing.assert_array_equal(files.read_weights(folder / f"w.{suffix}", n), weights)


@pytest.mark.parametrize(
    ("name", "text", "weights"),
    [
        ("w.csv", "0.5\n0.25\n0.25\n", [0.5, 0.25, 0.25]),
        ("w.csv", "weight\n2\n1\n1\n", [0.5, 0.25, 0.25]),
        ("w.csv", "arm,weight\n2,0.5\n0,0.5\n", [0.5, 0, 0.5]),
        ("w.csv", "note,weight,arm\nx,1,b\n", [0, 1, 0]),
        ("w.json", "[1, 1, 2]", [0.25, 0.25, 0.5]),
        ("w.json", '{"value": 3.0, "weights": [0, 0, 1]}', [0, 0, 1]),
    ],
)
def test_weights_by_hand(tmp_path, name, text, weights):
    path = tmp_path / name
    path.write_text(text)
    np.testing.assert_array_equal(files.read_weights(path, 3, arm_names=["a", "b", "c"]), weights)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("w.csv", "", "The file is empty"),
        ("w.csv", "0.5\n0.5\n", "There are 2 weights: there must be 3"),
        ("w.csv", "0.5\nx\n1\n", "Line 2, column 'weight' is 'x'"),
        ("w.csv", "1\n1,2\n1\n", "Line 2 does not have as many cells"),
        ("w.csv", "lambda,arm\n1,0\n", "There is no column 'weight'"),
        ("w.csv", "arm,weight\n0,1\n0,1\n", "Line 3: arm 0 is there twice"),
        ("w.csv", "arm,weight\n3,1\n", "Line 2, column 'arm' is '3': it must be an arm's index from 0 to 2"),
        ("w.csv", "arm,weight\n1\n", "Line 2 does not have as many cells"),
        ("w.csv", "1\n-1\n1\n", r"weights\[1\] is -1.0"),
        ("w.csv", "0\n0\n0\n", "Every weight is 0"),
        ("w.json", "{}", "field weights is missing"),
        ("w.json", "3", "weights is 3: it must be a list"),
        ("w.json", f"[1, 1, 1{'0' * 400}]", "too large"),
        ("w.json", "[1, 1, 1e999]", r"weights\[2\] is inf"),
        ("w.npz", "", "not a complete NPZ"),
        ("w.txt", "", "must end in"),
    ],
)
def test_bad_weights_get_one_sentence(tmp_path, name, text, sentence):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=sentence) as caught:
        files.read_weights(path, 3)
    assert str(caught.value).startswith(f"{path}: ")


def test_weights_npz_by_hand(tmp_path):
    path = tmp_path / "w.npz"
    path.write_bytes(savez(weights=np.array([1, 3])))
    np.testing.assert_array_equal(files.read_weights(path, 2), [0.25, 0.75])
    path.write_bytes(savez(lam=np.array([1, 3])))
    with pytest.raises(InputError, match="array weights is missing"):
        files.read_weights(path, 2)
