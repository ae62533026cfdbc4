"""What a large sheet costs in the table of an instance: processor time to paste it, and of a step of scrolling it.

    python -m tests.bench.bench_paste

The sheet is pasted by the keys of a user, who agrees to the proposal. Each size is compared with the first one, in this
run: pasting should cost about the same for a cell, and a step of scrolling about the same for any number of rows.
"""

from __future__ import annotations

import os
import tempfile
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_engine.terminal import table
from gems_gui.application import application
from gems_gui.panels.paste_dialog import PasteDialog
from tests.bench.bench_window import wait_until

SIZES = ((100, 10), (1000, 10), (100, 100), (1000, 100))
_STEPS = 25


def sheet(arms: int, features: int) -> str:
    """Arms with names and random features, as a spreadsheet copies them."""
    values = np.random.default_rng(1).normal(size=(arms, features)).tolist()
    header = "\t".join(["name", *(f"f{j}" for j in range(features))])
    return "\n".join([header, *("\t".join([f"arm {i}", *map(repr, row)]) for i, row in enumerate(values))])


def measured(window, arms: int, features: int) -> tuple[float, float]:
    """Seconds to paste a sheet, and of a step of scrolling it."""
    editor = window.instance_table.editor
    editor.view.go(0, 0)
    editor.view.setFocus()
    QGuiApplication.clipboard().setText(sheet(arms, features))
    began = time.process_time()
    QTest.keyClick(editor.view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: isinstance(QApplication.activeWindow(), PasteDialog))
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    wait_until(lambda: editor.table is not None and editor.table.arms.shape == (arms, features))
    QApplication.processEvents()
    pasted = time.process_time() - began
    bar = editor.view.verticalScrollBar()
    began = time.process_time()
    for step in range(_STEPS):
        bar.setValue(bar.maximum() * (step % 5) // 4)
        editor.view.viewport().repaint()
    return pasted, (time.process_time() - began) / _STEPS


def main() -> None:
    application()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        from gems_gui.window import open_window

        rows = []
        for arms, features in SIZES:
            window = open_window(preset="paper-hard")
            window.show()
            wait_until(lambda window=window: window.workbench.drafts.instance is not None)
            window.action_set["edit_table"].trigger()
            wait_until(window.instance_table.editor.view.isVisible)
            rows.append((arms, features, *measured(window, arms, features)))
            window.close_without_asking()
    per_cell = rows[0][2] / (rows[0][0] * rows[0][1])
    print(
        table(
            ("arms", "features", "paste", "a cell, compared", "step of scrolling", "compared"),
            [
                (
                    str(arms),
                    str(features),
                    f"{1e3 * pasted:.0f} ms",
                    f"{pasted / (arms * features) / per_cell:.2f}",
                    f"{1e3 * scrolled:.1f} ms",
                    f"{scrolled / rows[0][3]:.2f}",
                )
                for arms, features, pasted, scrolled in rows
            ],
        )
    )


if __name__ == "__main__":
    main()
