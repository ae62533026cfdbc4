"""Actions that write down what is asked of them instead of doing it."""

from dataclasses import replace
from types import SimpleNamespace

from gems_gui.actions.interface import Bench


def recorded(specs, call):
    """The same actions; each calls with its id and, where it is on or off, with which."""
    return [_recorded(spec, call) for spec in specs]


def _recorded(spec, call):
    if spec.checkable:
        return replace(spec, toggle=lambda target, on: call(spec.id, on))
    return replace(spec, do=lambda target: call(spec.id))


def bench(playback=None):
    """A bench with a run or without, at which the engine works; nothing can be asked of its interface."""
    workbench = SimpleNamespace(active=session(playback), playback=playback, truth=True, engine_running=True)
    return Bench(workbench, SimpleNamespace(theme_choice=lambda: "light", is_full_screen=lambda: False))


def session(playback):
    """A run of unknown settings with this playback; None without one."""
    return playback and SimpleNamespace(playback=playback, request=None, draft=None)
