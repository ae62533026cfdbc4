"""The contracts of plug-ins of all kinds: run what another package provides, and say what is wrong with it.

In a test of a package with a plug-in::

    from gems_engine.plugin_contract import require_plugin_contract

    def test_the_contract() -> None:
        require_plugin_contract("my-plug-in")

For an algorithm there is :func:`gems_engine.algorithms.contract.require_contract` too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gems_engine.commands import plugin_groups
from gems_engine.errors import InputError
from gems_engine.parameters import unknown_name
from gems_engine.plugins import BrokenPlugin, PluginGroup, in_words
from gems_engine.self_test import Finding

__all__ = ["check_plugin", "require_plugin_contract"]


class Violation(Exception):
    """What a plug-in does against its contract, and what to do about it."""


def findings(checks: Iterable[tuple[str, Callable[[], str]]]) -> Iterator[Finding]:
    """The finding of every check, one by one; a check returns its result or raises."""
    for about, check in checks:
        try:
            yield Finding(about, check(), good=True)
        except (Violation, InputError) as error:
            yield Finding(about, str(error), good=False)
        except Exception as error:
            yield Finding(about, f"It fails: {in_words(error)} Correct it.", good=False)


def installed_plugins() -> dict[tuple[str, str], PluginGroup]:
    """All plug-ins by what they provide and their name, broken ones too; without commands, which have no contract."""
    found = {}
    for group in plugin_groups():
        plugins = group.find()
        for name in (*plugins.usable, *(each.name for each in plugins.broken if each.name)):
            found[group.what, name] = group
    return found


def check_plugin(name: str) -> Iterator[tuple[str, Finding]]:
    """Check the contract of every plug-in of this name.

    Yields
    ------
    (what, finding)
        What it provides, such as ``algorithm``, and the finding of one check.
    """
    found = {key: group for key, group in installed_plugins().items() if key[1] == name}
    if not found:
        known = [each for _, each in installed_plugins()]
        raise unknown_name("plug-in", name, known)
    for (what, _), group in found.items():
        broken = _broken(group, name)
        if broken is not None:
            yield what, Finding("loads", broken.sentence, good=False)
            continue
        for finding in group.check(name):
            yield what, finding


def _broken(group: PluginGroup, name: str) -> BrokenPlugin | None:
    plugins = group.find()
    if name in plugins.usable:
        return None
    return next(each for each in plugins.broken if each.name == name)


def require_plugin_contract(name: str) -> None:
    """Raise AssertionError with everything that is wrong with the plug-ins of this name; for tests."""
    broken = [f"{what}, {each.about}: {each.result}" for what, each in check_plugin(name) if not each.good]
    if broken:
        raise AssertionError("\n".join((f'The plug-in "{name}" does not meet its contract.', *broken)))


def require_sentence(what: str, text: str) -> None:
    """Raise Violation unless a text is a sentence."""
    if not text.strip().endswith((".", "?")):
        raise Violation(f"Its {what} is not a sentence. Write one, with a full stop at its end.")
