"""Archives made to harm: one sentence, nothing loaded, nothing unpacked beyond its bounds."""

import io
import os
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from gems_engine import files
from gems_engine.cli import main
from gems_engine.errors import InputError
from gems_engine.events import Place, Recommended
from gems_engine.experiment.toml_format import _DEEP_KEY, MOST_LETTERS, parse_specification
from gems_engine.files import read_instance, read_run, write_instance
from gems_engine.formats import csv_format, journal, json_format
from gems_engine.formats.event_rules import Sizes
from gems_engine.gallery import make
from tests.engine.instance_files import ARMS, savez
from tests.engine.synthetic_runs import small_instance, synthetic

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
        (savez(arms=ARMS, rewards=[1.0, 2.0]), r"rewards has 2 entries: it must have 3 .* or 6"),
        (savez(arms=[1.0], rewards=[1.0]), "array arms has 1 dimensions: it must have 2"),
        (savez(arms=ARMS, rewards=[[1.0, 2.0], [3.0, 4.0]]), "array rewards has 2 dimensions: it must have 1"),
        (savez(arms=np.array([["a"]])), 'array arms has the type "<U1"'),
        (savez(arms=np.array(ARMS, dtype=complex)), 'array arms has the type "complex128"'),
        (savez(arms=np.array(ARMS, dtype=np.longdouble)), "array arms has the type"),
        (savez(arms=np.array(ARMS, dtype=[("a", "<f8")])), "array arms has the type"),
        (savez(arms=np.array([[1.0, np.nan], [0.0, 1.0]]), theta=[1.0, 1.0]), r"arms\[0\]\[1\] is nan"),
        (savez(arms=ARMS, rewards=[1, 2, 3], meta=np.array([1.0])), 'array meta has the type "float64"'),
        (savez(arms=ARMS, rewards=[1, 2, 3], meta=np.frombuffer(b"{", np.uint8)), "not valid JSON"),
        (savez(arms=ARMS, rewards=[1, 2, 3], meta=np.frombuffer(b"[]", np.uint8)), "meta must be one JSON object"),
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
            'Unknown field in meta "a"',
        ),
        (archive([("arms.npy", npy(HEADER % ("|O", "(2, 2)"), b"\x80\x04N."))]), 'array arms has the type "object"'),
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
    with pytest.raises(InputError, match='type "object"'):
        read_bytes(tmp_path, buffer.getvalue())
    assert not (tmp_path / "sprung").exists()


def test_a_doubled_member_is_refused(tmp_path):
    member = npy(HEADER % ("<f8", "(2, 1)"), np.array([1.0, 2.0]).tobytes())
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = archive([("arms.npy", member), ("arms.npy", member)])
    with pytest.raises(InputError, match="array arms appears twice"):
        read_bytes(tmp_path, data)


def test_bombs_are_refused_by_what_they_declare(tmp_path):
    zeros = npy(HEADER % ("<f8", "(10000000, 1)"), bytes(80_000_000))
    bomb = archive([("arms.npy", zeros)], zipfile.ZIP_DEFLATED)
    assert len(bomb) < 100_000
    with pytest.raises(InputError, match=r"would unpack to 80\d+ bytes from \d+, as in a zip bomb"):
        read_bytes(tmp_path, bomb)
    small = archive([("arms.npy", npy(HEADER % ("<f8", "(2, 1)"), bytes(16)))])
    declared = 2**31
    at = small.rindex(b"PK\x01\x02")
    lying = small[: at + 20] + struct.pack("<II", declared, declared) + small[at + 28 :]
    with pytest.raises(InputError, match=f"declare {declared} bytes"):
        read_bytes(tmp_path, lying)
    end = small.rindex(b"PK\x05\x06")
    directory = small[: end + 12] + struct.pack("<I", 2**30) + small[end + 16 :]
    with pytest.raises(InputError, match="directory of more than a megabyte"):
        read_bytes(tmp_path, directory)
    wide = small[:end] + b"PK\x06\x07" + bytes(16) + small[end:]
    with pytest.raises(InputError, match="64-bit zip"):
        read_bytes(tmp_path, wide)


def test_damaged_data_fails_its_checksum(tmp_path):
    data = bytearray(savez(arms=ARMS, theta=[1.0, 2.0]))
    data[data.index(np.float64(1.0).tobytes())] ^= 1
    with pytest.raises(InputError, match="not a complete NPZ"):
        read_bytes(tmp_path, bytes(data))


# -- small files that would take much -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".".join("a" * 50_000) + " = 1", "nested too deep"),
        ("trials = " + "9" * 5000, "thousands of digits"),
        (
            f"[instance]\nfamily = 'sphere'\nseed = {list(range(300))}\nD = {list(range(2, 300))}\n",
            "89400 or more cells",
        ),
    ],
    ids=["keys", "digits", "grid"],
)
def test_a_specification_that_would_take_much_is_refused_at_once(text, said):
    with pytest.raises(InputError, match=said):
        parse_specification(text, "hostile")


def test_a_run_with_many_chunks_that_nobody_knows_has_one_note_about_them(tmp_path):
    known = (Path(__file__).parents[1] / "data" / "runs" / "version-1-fixed-confidence.gems").read_bytes()
    file = tmp_path / "run.gems"
    unknown = journal._framed(b"WHAT", b"", 0, 0)
    file.write_bytes(known + unknown * 900)
    (note,) = read_run(file).notes
    assert note == "900 chunks are unknown to this version of the program and were skipped."
    file.write_bytes(known + unknown * 1001)
    with pytest.raises(InputError, match="more than 1000 chunks"):
        read_run(file)


def test_a_small_file_with_millions_of_events_is_refused(tmp_path):
    """32.8 million in 1.8 MB: opened, it would take minutes, and the index alone a gigabyte."""
    instance = small_instance()
    sizes = Sizes.of(instance)
    start = journal.record(list(synthetic(instance))[:1], sizes)
    many = journal.record([Recommended(Place(), 0, 0, "")] * 4096, sizes, 9)
    file = tmp_path / "run.gems"
    file.write_bytes(journal.header(instance) + start + many * 8008)
    assert file.stat().st_size < 2_000_000
    tracemalloc.start()
    with pytest.raises(InputError, match=r"declares 32800769 events in \d+ bytes: no run is"):
        read_run(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


def test_a_word_of_a_megabyte_is_searched_for_deep_keys_in_linear_time():
    """In quadratic time, as before, this would take hours."""
    for word in (
        "x" * 2**20,
        "x " * 2**19,
        "x." * 15 + "y" * 2**20,
        "x" + " " * 2**20,
        '"' * 2**20,
        "a." * 15 + " " * 2**20,
    ):
        assert _DEEP_KEY.search(word) is None
    for key in ("a." * 20, "a-1 . " * 20, "'a'.\t" * 20 + "b", "x" * 2**20 + "\n" + "b." * 20 + "c = 1"):
        assert _DEEP_KEY.search(key) is not None
    with pytest.raises(InputError, match="It is not TOML"):
        parse_specification("x" * MOST_LETTERS, "hostile")


ROOM = 300
"""MB that a process may need to read JSON of 30 MB."""
_READ = """
import sys
from pathlib import Path
from gems_engine.errors import InputError
from gems_engine.files import read_instance

def most():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024

before = most()
try:
    said = read_instance(sys.argv[1]).arms.shape
except InputError as error:
    said = error
print(f"{most() - before:.0f}|{said}")
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    ("row", "said"),
    [
        (", ".join(["0.5123456789012345"] * 100), "100)"),
        (",".join(["0.25"] * 100), "too many values to be read as JSON"),
        (",".join(['"ab"'] * 100), "too many values to be read as JSON"),
    ],
)
def test_thirty_megabytes_of_json_stay_within_their_memory(tmp_path, row, said):
    file = tmp_path / "large.json"
    rows = ",\n".join([f"[{row}]"] * (30 * 2**20 // (len(row) + 4)))
    ones = ", ".join(["1"] * 100)
    file.write_text(f'{{"format": "gems-instance", "version": 1, "theta": [{ones}], "arms": [{rows}]}}')
    ran = subprocess.run([sys.executable, "-c", _READ, file], capture_output=True, encoding="utf-8", check=True)
    needed, _, told = ran.stdout.strip().partition("|")
    assert said in told
    assert int(needed) < ROOM


def test_lists_without_end_are_no_table():
    with pytest.raises(InputError, match="which is too many"):
        json_format.parse_json(b"[" + b"[]," * 600_000 + b"[]]")


def test_more_lines_than_rows_are_allowed_are_refused():
    with pytest.raises(InputError, match="at most 250000 rows"):
        csv_format.read_items(b"reward,x\n" + b"1,2\n" * 500_001)


def test_a_word_that_is_no_name_is_said_to_be_too_long(capsys):
    assert main(["run", "x" * 300]) == 2
    assert "too long" in capsys.readouterr().err


def test_a_name_of_many_bytes_is_written(tmp_path):
    file = tmp_path / ("字" * 80 + ".json")
    write_instance(file, make("soare"))
    assert read_instance(file).D == 5
