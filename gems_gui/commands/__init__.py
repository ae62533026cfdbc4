"""Subcommands of `gems` that need Qt, one file each; `pyproject.toml` names them in the group ``gems.commands``.

Modules here import Qt inside `run` only, after `gems_gui.start_checks` has checked that it can be loaded.
"""
