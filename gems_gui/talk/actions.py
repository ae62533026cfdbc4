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
            "Present the story of the current run in full screen; without a story, its views",
            ("F5",),
            do=TalkController.present,
            refusal=TalkController.present_refusal,
            words="slides talk",
        ),
        ActionSpec(
            "play_story",
            "Play story in window",
            "Play the story in this window",
            ("Shift+F5",),
            do=TalkController.play_story,
            refusal=TalkController.play_story_refusal,
        ),
    ),
    *in_section(
        "Talk",
        "Story",
        ActionSpec(
            "add_moment",
            "Add this moment",
            "Add the views and the cursor to the story of this run",
            ("M",),
            do=TalkController.add_moment,
            refusal=TalkController.present_refusal,
            words="story bookmark",
        ),
        ActionSpec(
            "make_story",
            "Make a story",
            "Make a story of the run's start, the changes of its recommendation and its end",
            do=TalkController.make_story,
            refusal=TalkController.present_refusal,
        ),
        ActionSpec(
            "show_talk",
            "Edit the story",
            "Show the moments of this run's story as a list, to edit, reorder and present them",
            ("Ctrl+Shift+T",),
            toggle=TalkController.show_talk,
            checked=TalkController.lists_moments,
        ),
    ),
)
