"""What tests of the engine share: an algorithm that misbehaves as asked, and what an engine said."""

from pathlib import Path

from PySide6.QtCore import QObject, QThread

from gems_engine.running import Run
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.playback import Credit

TO_THE_END = Credit(None)
SECONDS = 20_000  # milliseconds to wait for what takes one second on a quiet machine

TOY = '''
"""An algorithm of another package that blocks, raises, dies or never ends, as asked."""
import os, signal, sys, time
from pathlib import Path
import numpy as np
from gems_engine.algorithms.algorithm import SHARED, Algorithm
from gems_engine.events import Place, Pulled, Recommended, RunFinished
from gems_engine.parameters import Parameter


def steps(context, parameters):
    folder = Path(parameters["folder"])
    what = parameters["what"]
    (folder / "pid").write_text(str(os.getpid()))
    (folder / "modules").write_text("\\n".join(sys.modules))
    m = 0
    while parameters["events"] is None or m < parameters["events"]:
        if what == "block":
            while not (folder / f"go-{m}").exists():
                time.sleep(0.005)
        elif what == "raise" and m == 3:
            raise ZeroDivisionError("nothing to divide by")
        elif what == "die" and m == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == "nonsense" and m == 3:
            yield Pulled(Place(), np.zeros(2), 1)
            what = "quick"
        elif what == "unspeakable" and m == 3:
            yield Recommended(Place(), 10**6, m, "a target that is not there")
        yield Recommended(Place(), m % 2, m, "toy")
        m += 1
    return RunFinished(Place(), "toy", 0, context.survivors, m)


TOY = Algorithm("toy", "A toy.", (
    Parameter("folder", "text", "", "Where it looks."),
    Parameter("what", "choice", "quick", "What it does.",
              choices=("quick", "block", "raise", "die", "nonsense", "unspeakable")),
    Parameter("events", "int", None, "How many.", optional=True),
    *SHARED), "epsilon", steps)
'''


class Heard(QObject):
    """Everything that an engine said, and whether in the window's thread."""

    def __init__(self, engine):
        super().__init__()
        self.grew, self.waits, self.endings, self.threads = [], [], [], set()
        engine.grew.connect(self._grew)
        engine.waits.connect(self._waits)
        engine.ended.connect(self._ended)

    def _grew(self, run_id):
        self.threads.add(QThread.currentThread())
        self.grew.append(run_id)

    def _waits(self, run_id):
        self.waits.append(run_id)

    def _ended(self, ending):
        self.endings.append(ending)

    @property
    def ending(self):
        return self.endings[-1]


def request_for(instance, algorithm="fixed-confidence", seed=1, **parameters):
    return RunRequest(instance, algorithm, seed, parameters)


def finished_run(request):
    return Run(request.instance, request.algorithm, request.seed, **request.parameters).finish()


def gone(pid):
    """Whether a process has ended, or waits only to be buried."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True
