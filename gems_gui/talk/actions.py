"""The actions on talks and stories, in the window."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.talk.talk_controller import TalkController

TALK_ACTIONS: tuple[ActionSpec[TalkController], ...] = (
    *in_section(
        "Talk",
        "Talk",
        ActionSpec(
            "present",
            "Present",
            "Tell the story of the shown run on the whole screen, or show it alone",
            ("F5",),
            do=TalkController.present,
            enabled=TalkController.can_present,
        ),
        ActionSpec(
            "play_story",
            "Play the story here",
            "Let the story play by itself, in the window",
            ("Shift+F5",),
            do=TalkController.play_story,
            enabled=TalkController.has_story,
        ),
    ),
    *in_section(
        "Talk",
        "Story",
        ActionSpec(
            "add_moment",
            "Add this moment",
            "Add what is shown now to the story of this run",
            ("M",),
            do=TalkController.add_moment,
            enabled=TalkController.can_present,
        ),
        ActionSpec(
            "show_talk",
            "Edit the story",
            "Show the moments of this run's story as a list, to edit, order and tell them",
            ("Ctrl+Shift+T",),
            toggle=TalkController.show_talk,
            checked=TalkController.lists_moments,
        ),
    ),
)
