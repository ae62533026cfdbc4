"""Engines of each kind, and a package with an algorithm that misbehaves."""

import sys
import time

import numpy as np
import pytest

from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_gui.background.engine_client import EngineClient
from gems_gui.drafts.run_request import RunRequest
from tests.gui.engine_thread.engine_driver import SECONDS, TOY


@pytest.fixture(scope="module")
def small():
    return make("paper-hard", d_star=4, epsilon=0.3)


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory):
    """A package with an algorithm, as another project would install it."""
    folder = tmp_path_factory.mktemp("package")
    (folder / "gems_toy.py").write_text(TOY)
    about = folder / "gems_toy-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gems-toy\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[gems.algorithms]\ntoy = gems_toy:TOY\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder
    sys.modules.pop("gems_toy", None)


@pytest.fixture
def toy(tmp_path):
    """A request for the toy, which looks into the folder of this test."""

    def request(what="quick", events=None, seed=0):
        instance = Instance.linear(np.eye(2), [1.0, 0.0])
        return RunRequest(instance, "toy", seed, {"folder": str(tmp_path), "what": what, "events": events})

    request.folder = tmp_path
    return request


@pytest.fixture(scope="module", params=[False, True], ids=["process", "thread"])
def _shared(qapp, package, request):
    engine = EngineClient(in_thread=request.param)
    engine.warm()
    while not request.param and engine._engine.pid is None:
        time.sleep(0.001)
    yield engine
    engine.close()


@pytest.fixture
def shared(_shared, qtbot):
    """An engine of each kind, for tests that do not end its process: nothing may depend on where a run is computed."""
    yield _shared
    _shared.stop()
    qtbot.waitUntil(lambda: not _shared.running, timeout=SECONDS)


@pytest.fixture
def engine(qapp):
    """An engine with a process of its own."""
    engine = EngineClient()
    yield engine
    engine.close()


@pytest.fixture(params=[False, True], ids=["process", "thread"])
def either(qapp, request):
    """An engine of each kind, for this test alone."""
    engine = EngineClient(in_thread=request.param)
    yield engine
    engine.close()
