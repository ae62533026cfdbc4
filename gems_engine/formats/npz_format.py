"""Instances as NPZ, exact to the bit; files are untrusted: no pickle, and sizes are checked before allocation."""

import io
import json
import math
import struct
import warnings
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from gems_engine.errors import InputError
from gems_engine.features import MAX_ENTRIES
from gems_engine.formats.content import WORDS, assemble, check_version, implies_target_rewards, words
from gems_engine.formats.json_format import parse_json
from gems_engine.instance import Instance
from gems_engine.parameters import shown, unknown_name

LIMIT = 2**30
"""The largest declared size of the arrays of a file in bytes."""
_HEADER = 16_384  # an .npy header takes a few hundred bytes
_DIRECTORY = 2**20  # a zip directory of five members takes a few hundred bytes
_DIMENSIONS = {"arms": 2, "targets": 2, "rewards": 1, "theta": 1, "meta": 1, "weights": 1}
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError)


def to_npz(instance: Instance) -> bytes:
    """The bytes of the file: arms, targets, rewards and theta if there are any, and metadata as JSON in ``meta``.

    ``rewards`` has K entries, those of the arms, if these (or theta) determine those of the targets, else K + n: first
    the arms, then the targets.
    """
    arrays = {"arms": instance.arms, "targets": instance.targets}
    if instance.rewards is not None and instance.target_rewards is not None:
        both = () if implies_target_rewards(instance) else (instance.target_rewards,)
        arrays["rewards"] = np.concatenate([instance.rewards, *both])
    if instance.theta is not None:
        arrays["theta"] = instance.theta
    meta = np.frombuffer(json.dumps(words(instance), ensure_ascii=False).encode(), dtype=np.uint8)
    return pack({**arrays, "meta": meta})


def pack(arrays: dict[str, Any]) -> bytes:
    """Arrays as the bytes of an uncompressed NPZ."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def from_npz(stream: IO[bytes], default_name: str, file: str) -> Instance:
    """The instance in an open file; a file made by hand needs only arms, with rewards or theta if they are known."""
    arrays = unpack(stream, ("arms", "targets", "rewards", "theta", "meta"))
    if "arms" not in arrays:
        raise InputError("The array arms is missing: it must have one row of features for each arm.")
    said: dict[str, Any] = {}
    if "meta" in arrays:
        said = parse_json(arrays.pop("meta").tobytes(), "The array meta")
        if not isinstance(said, dict):
            raise InputError("The array meta must be one JSON object.")
        check_version(said)
        for key in said:
            if key not in WORDS:
                raise unknown_name("field in meta", key, WORDS)
    K = len(arrays["arms"])
    n = len(arrays.get("targets", arrays["arms"]))
    rewards = arrays.get("rewards")
    if rewards is not None and len(rewards) not in (K, K + n):
        raise InputError(
            f"rewards has {len(rewards)} entries: it must have {K} (arms) or {K + n} (arms, then targets)."
        )
    if rewards is not None and len(rewards) > K:
        arrays["rewards"], arrays["target_rewards"] = rewards[:K], rewards[K:]
    return assemble(said, default_name, file, **arrays)


def unpack(stream: IO[bytes], wanted: tuple[str, ...], alone: str = "") -> dict[str, Any]:
    """The wanted arrays of a file: numbers of at most 8 bytes, of the right dimension.

    If a file has a single array, it is the one called `alone`, whatever its name.
    """
    try:
        _check_directory(stream)
        with zipfile.ZipFile(stream) as archive:
            members = _members(archive, wanted, alone)
            shapes = {name: _member_header(archive, info, name) for name, info in members.items()}
            return {name: _array(archive, info, name, *shapes[name]) for name, info in members.items()}
    except InputError:
        raise
    except _DAMAGED as error:
        raise InputError(
            "The file is not a complete NPZ archive: it is truncated, damaged or of a different kind."
        ) from error


def _check_directory(stream: IO[bytes]) -> None:
    """Raise InputError for a huge directory before zipfile reads it, which could take gigabytes."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - 65_577))
    tail = stream.read()
    stream.seek(0)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or end + 22 > len(tail):
        raise zipfile.BadZipFile
    if end >= 20 and tail[end - 20 : end - 16] == b"PK\x06\x07":
        raise InputError("The file is a 64-bit zip archive, which no instance of an allowed size needs.")
    (directory,) = struct.unpack_from("<I", tail, end + 12)
    if directory > _DIRECTORY:
        raise InputError("The file has a directory of more than a megabyte: it must have only a few arrays.")


def unpack_npy(data: bytes, name: str) -> Any:
    """The array in the bytes of an .npy file, under the conditions of :func:`unpack`."""
    shape, fortran, dtype, at = _header(io.BytesIO(data[:_HEADER]), len(data), name)
    array = np.frombuffer(data, dtype=dtype, offset=at).reshape(shape, order="F" if fortran else "C")
    return array.astype(np.float64, order="C")


def _members(archive: zipfile.ZipFile, wanted: tuple[str, ...], alone: str) -> dict[str, zipfile.ZipInfo]:
    names = [info.filename for info in archive.infolist()]
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = alone if alone and len(names) == 1 else info.filename.removesuffix(".npy")
        if name not in wanted:
            continue
        if names.count(info.filename) > 1:
            raise InputError(f"The array {name} appears twice.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise InputError(
                f"The array {name} is encrypted or compressed in an unusual way. Save it with numpy.savez."
            )
        if info.file_size > 2**26 and info.file_size > 200 * info.compress_size:
            raise InputError(
                f"The array {name} would unpack to {info.file_size} bytes from {info.compress_size}, as in a zip bomb. "
                "Save it uncompressed, with numpy.savez."
            )
        found[name] = info
    total = sum(info.file_size for info in found.values())
    if total > LIMIT:
        raise InputError(f"Its arrays declare {total} bytes: at most {LIMIT} are allowed.")
    return found


Header = tuple[tuple[int, ...], bool, Any, int]


def _member_header(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Header:
    with archive.open(info) as member:
        return _header(io.BytesIO(member.read(_HEADER)), info.file_size, name)


def _header(start: io.BytesIO, size: int, name: str) -> Header:
    """Shape, Fortran order, type and start of the data, from the first bytes of an array of `size` bytes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy's, about headers that Python 2 wrote
            version = np.lib.format.read_magic(start)
            if version == (1, 0):
                shape, fortran, dtype = np.lib.format.read_array_header_1_0(start)
            elif version == (2, 0):
                shape, fortran, dtype = np.lib.format.read_array_header_2_0(start)
            else:
                raise InputError(f"The array {name} has an unknown format version. Save it with numpy.savez.")
    except InputError:
        raise
    except Exception as error:  # numpy evaluates the header's text, and a hostile text fails in many ways
        raise InputError(f"The array {name} has a damaged header. Save it with numpy.savez.") from error
    kinds = "u" if name == "meta" else "fiu"
    if dtype.kind not in kinds or dtype.itemsize > (1 if name == "meta" else 8):
        raise InputError(
            f"The array {name} has the type {shown(str(dtype))}: it must have "
            f"{'bytes' if name == 'meta' else 'real numbers of at most 8 bytes'}."
        )
    if _DIMENSIONS[name] == 1 and len(shape) == 2 and 1 in shape:
        shape = (math.prod(shape),)  # one row, or one column
    if len(shape) != _DIMENSIONS[name]:
        raise InputError(f"The array {name} has {len(shape)} dimensions: it must have {_DIMENSIONS[name]}.")
    if min(shape) < 0:
        raise InputError(f"The array {name} has a negative size. Save it with numpy.savez.")
    count = math.prod(shape)
    if count > MAX_ENTRIES:
        raise InputError(f"The array {name} declares {shown(count)} entries: at most {MAX_ENTRIES} are allowed.")
    if count * dtype.itemsize != size - start.tell():
        raise InputError(f"The array {name} is truncated or damaged: its size does not match its header.")
    return shape, fortran, dtype, start.tell()


def _array(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    name: str,
    shape: tuple[int, ...],
    fortran: bool,
    dtype: Any,
    at: int,
) -> Any:
    with archive.open(info) as member:
        data = member.read()
    if len(data) != info.file_size:
        raise InputError(f"The array {name} is truncated: it has {len(data)} of {info.file_size} bytes.")
    array = np.frombuffer(data, dtype=dtype, offset=at).reshape(shape, order="F" if fortran else "C")
    return array if name == "meta" else array.astype(np.float64, order="C")
