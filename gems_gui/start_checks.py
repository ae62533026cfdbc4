"""Checks whether a window can open or a picture be painted, before Qt can abort the process; does not import Qt."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

NO_WINDOW = 3
"""Exit code if no window can open, or nothing can be painted, for lack of a display, libraries or fonts."""

Loader = Callable[[str], object]
"""Loads a shared library by name, or raises OSError: `ctypes.CDLL`."""

PAINTING = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
}
"""Libraries outside the wheel that QtGui links to, by Debian package; without them nothing can be painted."""

PLATFORMS = {
    "xcb": {
        "libX11-xcb.so.1": "libx11-xcb1",
        "libxcb.so.1": "libxcb1",
        "libxcb-cursor.so.0": "libxcb-cursor0",
        "libxcb-icccm.so.4": "libxcb-icccm4",
        "libxcb-image.so.0": "libxcb-image0",
        "libxcb-keysyms.so.1": "libxcb-keysyms1",
        "libxcb-randr.so.0": "libxcb-randr0",
        "libxcb-render.so.0": "libxcb-render0",
        "libxcb-render-util.so.0": "libxcb-render-util0",
        "libxcb-shape.so.0": "libxcb-shape0",
        "libxcb-shm.so.0": "libxcb-shm0",
        "libxcb-sync.so.1": "libxcb-sync1",
        "libxcb-util.so.1": "libxcb-util1",
        "libxcb-xfixes.so.0": "libxcb-xfixes0",
        "libxcb-xkb.so.1": "libxcb-xkb1",
        "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    },
    "wayland": {
        "libwayland-client.so.0": "libwayland-client0",
        "libwayland-cursor.so.0": "libwayland-cursor0",
    },
}
"""Further libraries of each platform plugin that needs a display."""

FONTS = "fonts-dejavu-core"
"""The package of a font with all glyphs that we use."""

_INVISIBLE = ("offscreen", "minimal", "minimalegl")
_OWN_SCREENS = (*_INVISIBLE, "vnc")  # platforms without a display; others, such as eglfs, abort if they find none
_INSTEAD = "gems demo, gems run and gems render work without one"
_NO_QT = "Windows and pictures need Qt (PySide6 and pyqtgraph), which is not installed: run pip install gems-lab."
_PATIENCE = 2.0  # seconds for a remote display to answer


def window_obstacle(environment: Mapping[str, str] | None = None, load: Loader = ctypes.CDLL) -> str:
    """Why no window can open, in one sentence that says what to do; empty if one can."""
    environment = os.environ if environment is None else environment
    if (missing := _missing_qt()) or not _checks_apply():
        return missing
    wanted = _platforms(environment)
    if not wanted:
        return f"Cannot open a window: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); {_INSTEAD}."
    there = [name for name in wanted if _reachable(name, environment)]
    if not there:
        return f"Cannot open a window: {_unreachable(wanted, environment)}; {_INSTEAD}."
    if sentence := painting_obstacle(load):
        return sentence
    lacking = [missing_packages(PLATFORMS.get(name, {}), load) for name in there]
    if all(lacking):
        return _install("Qt needs system libraries that are missing", lacking[0])
    if not any(_admitted(name, environment) for name, packages in zip(there, lacking, strict=True) if not packages):
        display = environment.get("DISPLAY", "")
        return (
            f"Cannot open a window: the display {display} does not accept this user (XAUTHORITY); "
            "gems demo --no-window, gems run and gems render work without one."
        )
    return ""


def painting_obstacle(load: Loader = ctypes.CDLL) -> str:
    """Why no picture can be painted, in one sentence; empty if it can. This needs no display."""
    if (missing := _missing_qt()) or not _checks_apply():
        return missing
    if packages := missing_packages(PAINTING, load):
        return _install("Qt needs system libraries that are missing", packages)
    if not fonts():
        return _install("No fonts are installed", [FONTS])
    return ""


def display_available(environment: Mapping[str, str] | None = None) -> bool:
    """Whether a window would be visible: a display is reachable, and Qt does not paint off screen."""
    environment = os.environ if environment is None else environment
    if not _checks_apply():
        return environment.get("QT_QPA_PLATFORM", "").partition(":")[0] not in _INVISIBLE
    return any(name not in _INVISIBLE and _reachable(name, environment) for name in _platforms(environment))


def missing_packages(libraries: Mapping[str, str], load: Loader = ctypes.CDLL) -> list[str]:
    """Packages of the libraries that cannot be loaded, each once."""
    missing = {}
    for library, package in libraries.items():
        try:
            load(library)
        except OSError:
            missing[package] = library
    return list(missing)


def fonts() -> int:
    """The number of fonts known to fontconfig, as Qt will see it in the same process."""
    fontconfig = ctypes.CDLL("libfontconfig.so.1")
    fontconfig.FcConfigGetFonts.restype = ctypes.POINTER(ctypes.c_int)
    fontconfig.FcConfigGetFonts.argtypes = [ctypes.c_void_p, ctypes.c_int]
    fontconfig.FcInit()
    found = fontconfig.FcConfigGetFonts(None, 0)  # fonts of the system; the first field of a set is its size
    return int(found[0]) if found else 0


def _checks_apply() -> bool:
    """Whether this is Linux or similar; elsewhere Qt includes all it needs and there is a display."""
    return os.name == "posix" and sys.platform != "darwin"


def _missing_qt() -> str:
    found = find_spec("PySide6") is not None and find_spec("pyqtgraph") is not None
    return "" if found else _NO_QT


def _install(what: str, packages: Iterable[str]) -> str:
    return f"{what}: install {' '.join(packages)} (Debian and Ubuntu; or your system's equivalents)."


def _platforms(environment: Mapping[str, str]) -> list[str]:
    """The platform plugins that Qt would try: those requested, or by Qt's rule those with a display."""
    if asked := environment.get("QT_QPA_PLATFORM", "").strip():
        names = [each.partition(":")[0].strip() for each in asked.split(";")]
        return ["wayland" if name.startswith("wayland") else name for name in names if name]
    named = [("xcb", "DISPLAY"), ("wayland", "WAYLAND_DISPLAY")]
    return [platform for platform, variable in named if environment.get(variable)]


def _reachable(platform: str, environment: Mapping[str, str]) -> bool:
    if platform == "xcb":
        return _answers(_x11_addresses(environment.get("DISPLAY", "")))
    if platform == "wayland":
        folder = Path(environment.get("XDG_RUNTIME_DIR") or "/nowhere")
        return _answers([str(folder / environment.get("WAYLAND_DISPLAY", "wayland-0"))])
    return platform in _OWN_SCREENS


def _unreachable(platforms: Iterable[str], environment: Mapping[str, str]) -> str:
    reasons = []
    for platform in platforms:
        if platform not in ("xcb", "wayland"):
            reasons.append(f"the platform {platform} is not supported (QT_QPA_PLATFORM)")
            continue
        variable = "DISPLAY" if platform == "xcb" else "WAYLAND_DISPLAY"
        display = environment.get(variable)
        reasons.append(f"the display {display} does not respond ({variable})" if display else f"{variable} is not set")
    return " and ".join(reasons)


def _x11_addresses(display: str) -> list[str | tuple[str, int]]:
    """The addresses of the X server of a DISPLAY such as :0, unix:0.1 or host:10.0, as Xlib resolves it."""
    host, colon, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if display.startswith("/"):
        return [display, host]
    if not colon or not number.isdecimal() or int(number) > 59_535:
        return []
    host = host.rpartition("/")[2].strip("[]")
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return [f"\0{path}", path, ("localhost", 6000 + int(number))]
    return [(host, 6000 + int(number))]


def _answers(addresses: Iterable[str | tuple[str, int]]) -> bool:
    for address in addresses:
        try:
            if isinstance(address, tuple):
                socket.create_connection(address, _PATIENCE).close()
            else:
                with socket.socket(socket.AF_UNIX) as plug:
                    plug.settimeout(_PATIENCE)
                    plug.connect(address)
            return True
        except (OSError, ValueError):
            continue
    return False


def _admitted(platform: str, environment: Mapping[str, str]) -> bool:
    """Whether an X server accepts our connection: one that answers may still reject the user."""
    if platform != "xcb":
        return True
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    with _quiet():
        connection = xcb.xcb_connect(os.fsencode(environment.get("DISPLAY", "")), None)
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence stderr of C libraries, so that our sentence is the only message."""
    try:
        kept = os.dup(2)
    except OSError:  # closed by the parent process
        yield
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
