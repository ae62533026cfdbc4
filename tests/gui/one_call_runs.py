"""Runs that are one call of a subroutine, and views of them."""

from functools import cache

from gems_engine.gallery import make
from gems_engine.running import Run
from gems_gui.appearance import Appearance
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from tests.gui.text_boxes import card_of, settle

PARAMETERS = {
    "gems-c": {"rounds": 8, "selection_budget": 60.0},
    "gems-b": {"rounds": 6, "selection_budget": 60.0, "budget": 6000},
    "gems-m": {"rounds": 4, "selection_budget": 60.0, "max_samples": 100_000},
    "rage": {"max_samples": 100_000},
    "rage-oracle": {"max_samples": 100_000},
    "static-oracle": {},
}


@cache
def trace_of(name):
    """A run of 3 rounds in R^4, R^4 and R^1 for gems-c; ``many`` has 400 arms, ``idle`` goes on with one."""
    if name == "many":
        return Run(make("sphere", n=400, D=12), "gems-c", 1, rounds=4, selection_budget=150.0).finish()
    if name == "idle":
        return Run(make("paper-hard"), "gems-c", 1, rounds=8, selection_budget=3000.0, literal=True).finish()
    return Run(make("sphere"), name, 1, **PARAMETERS[name]).finish()


def snapshot_of(name, cursor=None, **rest):
    return Snapshot.of(trace_of(name), cursor, **rest)


def after(name, kind, which=0):
    return int(trace_of(name).positions(kind)[which]) + 1


def shown_by(qtbot):
    """Makes views in their cards."""

    def made(name, theme=LIGHT, size=(700, 320), **options):
        view = VIEWS[name](Appearance(theme))
        card = card_of(view, theme)
        qtbot.addWidget(card)
        settle(card, *size)
        for option, value in options.items():
            view.set_option(option, value)
        return view, card

    return made
