"""Bytes that are nearly right: real files with something changed, as a disk, a person or an enemy might."""

import re

NUMBERS = (
    b"0",
    b"-1",
    b"1e308",
    b"1e-320",
    b"NaN",
    b"Infinity",
    b"9" * 30,
    b"18446744073709551616",
    b"-0.0",
    b"1e9999",
)
WORDS = (
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'""',
    b"../../x",
    b"\x00",
    "\u202e".encode(),
    b"[" * 3000,
    b"'",
    b'"',
    b"\n\n",
)
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_TOKEN = re.compile(rb'"[^"\n]*"|[\w.+-]+|[\[\]{}:,=]')


def mutated(data, random):
    """One to four changes: bits, pieces, numbers, words, declared sizes."""
    for _ in range(random.randint(1, 4)):
        data = random.choice(_WAYS)(bytearray(data), random)
    return bytes(data)


def _bit(data, random):
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data


def _byte(data, random):
    if data:
        data[random.randrange(len(data))] = random.choice((0, 255, 10, 34, random.randrange(256)))
    return data


def _cut(data, random):
    at = random.randrange(len(data) + 1)
    del data[at : at + random.choice((1, 4, 20, 300))]
    return data


def _truncate(data, random):
    del data[random.randrange(len(data) + 1) :]
    return data


def _double(data, random):
    at, size = random.randrange(len(data) + 1), random.choice((1, 8, 60, 500))
    data[at:at] = data[at : at + size]
    return data


def _insert(data, random):
    at = random.randrange(len(data) + 1)
    data[at:at] = random.randbytes(random.randint(1, 12))
    return data


def _size(data, random):
    """Somewhere a length that lies, as binary formats have them."""
    if len(data) >= 8:
        at = random.randrange(len(data) - 7)
        width = random.choice((2, 4, 8))
        lie = random.choice((0, 1, 2**15, 2**31 - 1, 2**32 - 1, 2**63)) % (1 << 8 * width)
        data[at : at + width] = lie.to_bytes(width, "little")
    return data


def _replace(pattern, replacements):
    def replace(data, random):
        found = list(pattern.finditer(bytes(data[:100_000])))
        if found:
            at = random.choice(found)
            data[at.start() : at.end()] = random.choice(replacements)
        return data

    return replace


_WAYS = (
    _bit,
    _byte,
    _cut,
    _truncate,
    _double,
    _insert,
    _size,
    _replace(_NUMBER, NUMBERS),
    _replace(_NUMBER, NUMBERS),
    _replace(_TOKEN, WORDS),
)
