"""A Dask scheduler: what is said about trust, encryption, and a cluster without workers."""

import contextlib
import io
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import dask
import pytest
from distributed import LocalCluster, Security

from gems_engine.cli import main
from gems_engine.errors import InputError
from gems_engine.experiment import cluster_executor
from gems_engine.experiment.cluster import Tls
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.trials import Trial
from gems_engine.gallery import make

DATA = Path(__file__).parents[1] / "data" / "tls"
CERTIFICATE, KEY = str(DATA / "certificate.pem"), str(DATA / "key.pem")
"""A certificate that signs itself, valid until 2126: openssl req -x509 -newkey ec -nodes -days 36500 …"""
SPECIFICATION = """
trials = 1
[instance]
family = "verifiability"
D = 3
[stop]
samples = 1000
[[algorithm]]
name = "rage"
"""


@pytest.fixture
def cluster(request):
    """A scheduler in this process, without workers, which tries for one second to fetch results from a dead one."""
    local = {"n_workers": 0, "processes": False, "dashboard_address": None, "silence_logs": 50}
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), LocalCluster(**local, **request.param) as found:
        yield found


ENCRYPTED = Security(
    tls_ca_file=CERTIFICATE,
    **{f"tls_{role}_cert": CERTIFICATE for role in ("scheduler", "worker", "client")},
    **{f"tls_{role}_key": KEY for role in ("scheduler", "worker", "client")},
    require_encryption=True,
)
PLAIN = {"protocol": "tcp"}
TLS = {"protocol": "tls", "security": ENCRYPTED}


class Heard(io.StringIO):
    """Standard error, which notes when a sentence was printed."""

    def __init__(self, sentence):
        super().__init__()
        self._sentence = sentence
        self.was_said = threading.Event()

    def write(self, text):
        count = super().write(text)
        if self._sentence in self.getvalue():
            self.was_said.set()
        return count


@pytest.mark.parametrize("cluster", [PLAIN], indirect=True)
def test_a_cluster_without_workers_says_so_and_goes_on_when_it_has_some(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("gems_engine.experiment.cluster._ASK", 0.0)
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SPECIFICATION)
    address = cluster.scheduler_address
    none = f"gems: The scheduler {address} has no workers. Trials start when it has.\n"
    heard = Heard(none)
    monkeypatch.setattr("sys.stderr", heard)

    def begin():  # once it was said, and not before
        if heard.was_said.wait(60):
            cluster.scale(1)

    starter = threading.Thread(target=begin)
    starter.start()
    assert main(["experiment", "small.toml", "--scheduler", address]) == 0
    starter.join()
    err = heard.getvalue()
    assert f"gems: The scheduler {address} is trusted: it can run code on this machine. The connection is not" in err
    assert err.count(none) == 1
    assert f"gems: The scheduler {address} has " in err.partition(none)[2]


@contextlib.contextmanager
def workers_of(address):
    """A function that starts a worker of a scheduler in another process, without one that would start it again."""
    started = []

    def start():
        words = ["-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
        started.append(subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    try:
        yield start
    finally:
        for each in started:
            each.kill()
            each.wait()


@pytest.mark.parametrize("cluster", [PLAIN], indirect=True)
def test_a_cluster_that_loses_its_last_worker_says_so_and_goes_on_with_a_new_one(cluster, monkeypatch):
    monkeypatch.setattr("gems_engine.experiment.cluster._ASK", 0.0)
    address, sentences, killed = cluster.scheduler_address, [], threading.Event()
    trials = [Trial(i, make("verifiability", D=3), "rage", i, {"max_samples": 1000}) for i in range(30)]
    with workers_of(address) as start_worker:
        first = start_worker()

        def tell(sentence):
            sentences.append(sentence)
            if sentence.endswith("Trials start when it has.") and killed.is_set():
                start_worker()

        with cluster_executor(address, tell=tell) as executor:
            while not executor.threads:
                time.sleep(0.01)
            rows = run_trials(trials, executor)
            done = [next(rows)]
            killed.set()
            first.kill()
            first.wait()
            done += rows
    assert sorted(row.index for row in done) == list(range(30))
    assert not any(row.error for row in done)
    none, some = f"The scheduler {address} has no workers. Trials start when it has.", "has 1 worker thread."
    assert sentences[-2] == none
    assert sentences[-1].endswith(some)


@pytest.mark.parametrize("cluster", [TLS], indirect=True)
def test_the_files_of_an_encrypted_connection_are_passed_on(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("gems_engine.experiment.cluster._PATIENCE", 1.0)
    address = cluster.scheduler_address
    assert address.startswith("tls://")
    sentences = []
    with cluster_executor(address, Tls(CERTIFICATE, CERTIFICATE, KEY), sentences.append) as executor:
        assert executor._client.security.require_encryption
        assert executor.threads == 0
    assert sentences == [f"The scheduler {address} has no workers. Trials start when it has."]
    both = tmp_path / "both.pem"
    both.write_bytes(Path(CERTIFICATE).read_bytes() + Path(KEY).read_bytes())
    with cluster_executor(address, Tls(CERTIFICATE, str(both))) as executor:
        assert executor.threads == 0
    with pytest.raises(InputError, match="no Dask scheduler responds"):
        cluster_executor(address)


@pytest.mark.parametrize("cluster", [PLAIN], indirect=True)
def test_with_these_files_a_connection_without_encryption_is_refused(cluster, monkeypatch):
    monkeypatch.setattr("gems_engine.experiment.cluster._PATIENCE", 1.0)
    with pytest.raises(InputError, match=r"--scheduler tcp://.*encryption required"):
        cluster_executor(cluster.scheduler_address, Tls(CERTIFICATE, CERTIFICATE, KEY))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--tls-ca ca.pem", "--tls-ca, --tls-cert and --tls-key apply to a cluster. Add --scheduler."),
        ("--scheduler tls://x:1 --tls-ca ca.pem", "An encrypted connection needs --tls-ca and --tls-cert."),
        ("--scheduler tls://x:1 --tls-key ca.pem", "An encrypted connection needs --tls-ca and --tls-cert."),
        ("--scheduler tls://x:1 --tls-ca ca.pem --tls-cert none.pem", "--tls-cert none.pem: there is no such file."),
        ("--scheduler tls://x:1 --tls-ca ca.pem --tls-cert small.toml", "--tls-ca, --tls-cert or --tls-key: no certif"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, monkeypatch, capsys, options, sentence):
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SPECIFICATION)
    shutil.copy(CERTIFICATE, "ca.pem")
    assert main(["experiment", "small.toml", *options.split()]) == 2
    assert capsys.readouterr().err.startswith(f"gems: {sentence}")


def test_the_help_says_that_a_scheduler_is_trusted(capsys):
    assert main(["experiment", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "the scheduler can run code on this machine, so use only one that you trust" in text
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "cluster.md").read_text(encoding="utf-8")
    assert "can run code on your machine" in " ".join(guide.split())
    assert "--tls-ca" in guide
