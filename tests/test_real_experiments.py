"""The page about real experiments: its code runs, and what it says of the window is what the program says."""

import re
import subprocess
import sys
from pathlib import Path

from gems_engine import Session, read_run
from gems_engine.verification import verify
from gems_engine.wording import waiting_text

PAGE = (Path(__file__).parents[1] / "docs" / "real-experiments.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run_blocks(blocks, folder):
    code = "\n".join(blocks)
    return subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True)


def test_its_code_runs(tmp_path):
    assert len(BLOCKS) > 6
    answer = run_blocks(BLOCKS, tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "high\n"
    trace = read_run(tmp_path / "pills.gems")
    assert trace.finished is not None
    assert verify(trace).same


def test_its_saved_session_waits_for_what_the_page_says(tmp_path):
    until = next(at for at, block in enumerate(BLOCKS) if "Session.open" in block)
    assert run_blocks(BLOCKS[: until + 1], tmp_path).returncode == 0
    words = waiting_text(read_run(tmp_path / "pills.gems"))
    batch = Session.open(tmp_path / "pills.gems").next_batch()
    assert words == f"waiting for {batch.counts.sum()} rewards of {len(batch.arms)} arm{'s' * (len(batch.arms) > 1)}"
    pattern = re.sub(r"\d+", r"\\d+", "waiting for 340 rewards of 5 arms").replace("arms", "arms?")
    assert re.fullmatch(pattern, words)
    assert "waiting for 340 rewards of 5 arms" in PAGE.replace("\n", " ")
