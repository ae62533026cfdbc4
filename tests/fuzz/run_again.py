"""What runs a recorded run again: verification, branches, requests of the window; and what searches or quotes it.

Each gives a result or an InputError with one sentence.
"""

import contextlib
import time
from itertools import islice

from gems_engine.algorithms import BUILT_IN
from gems_engine.branching import Branch, BranchRequest, in_force
from gems_engine.conditions import CONDITIONS, make_condition
from gems_engine.errors import Cancelled, InputError
from gems_engine.experiment.replicates import Source
from gems_engine.forcing import NEXT_SUBROUTINE, ONWARDS, Forced
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.talk.captions import fill
from gems_engine.talk.vocabulary import ARM, DIMENSION, FEATURE, PARAMETER, TARGET, VOCABULARY
from gems_engine.terminal import THIN
from gems_engine.trace import Trace
from gems_engine.until import Search
from gems_engine.verification import verify
from gems_gui.compare.comparison_runs import comparison_request
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.run_request import RunRequest, seal
from gems_gui.painting.cursor_parser import cursor_at
from gems_gui.series.side_by_side import asked_of
from gems_gui.workbench.command_line import command_line
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.run_session import RunSession

EVENTS = 12
"""The number of events that are computed again: each may need a design."""
SECONDS = 0.3
"""The processor time for them."""
_FORCED = (
    Forced(),
    Forced(seed=3),
    Forced(dimension=1),
    Forced(dimension=2, dimension_for=ONWARDS),
    Forced(selection_budget=5.0, budget_for=NEXT_SUBROUTINE),
    Forced(solver="frank-wolfe"),
    Forced(tolerance=0.1),
)
_INDEX = {"": "", ARM: "[0]", TARGET: "[0]", DIMENSION: "[1]", FEATURE: "[1]", PARAMETER: "[delta]"}


class _EnoughError(Exception):
    """Ends a verification early."""


@contextlib.contextmanager
def sentence_allowed():
    """Allow an InputError with one printable sentence."""
    try:
        yield
    except InputError as error:
        check_sentence(error)
    except (Cancelled, _EnoughError):
        pass


def check_sentence(error):
    """Fail unless an error is one printable sentence."""
    said = str(error)
    assert said.replace(THIN, "").isprintable(), said
    assert said.endswith((".", "?")), said


def run_again(trace, cursor, number):
    """Verify a few events, branch at the cursor with something forced, and make every request for another run."""
    until = time.process_time() + SECONDS
    with sentence_allowed():
        verify(trace, lambda position, count: _enough(position, until))
    with sentence_allowed():
        in_force(trace, min(cursor, max(len(trace) - 1, 0)))
    forced = _FORCED[number % len(_FORCED)]
    with sentence_allowed():
        branch = Branch(trace, cursor, forced, stop=lambda: time.process_time() > until)
        for _ in islice(branch, EVENTS):
            pass
    with sentence_allowed():
        str(BranchRequest.of(trace, cursor, forced))
    _requests(trace, number)


def _enough(position, until):
    if position >= EVENTS or time.process_time() > until:
        raise _EnoughError


def _requests(trace, number):
    """The run as a request of the window: its name, command, other algorithms, more seeds."""
    request = RunRequest.of_trace(trace)
    assert (request is None) == (trace.started is None)
    if request is None:
        return
    assert str(request)
    assert request.name
    request.recorded_on()
    with sentence_allowed():
        command_line(request)
    with sentence_allowed():
        Draft.from_request(request).differs_from(request, trace.instance)
    form = Draft.of("soare", request.algorithm if request.algorithm in BUILT_IN else "rage", seed=request.seed % 2**31)
    for instance in (trace.instance, None):
        assert form.differs_from(request, instance) in (True, False)
    with sentence_allowed():
        session = RunSession(request.name, Playback(trace, 1), request, run_id=1)
        comparison_request(session, list(BUILT_IN)[number % len(BUILT_IN)])
    with sentence_allowed():
        source = Source(trace.instance, request.algorithm, request.seed, request.parameters)
        assert source.most > 0
        next(iter(source.trials([1])))
    assert asked_of(trace)
    copy = Trace(trace.instance)
    copy.extend(list(trace)[: 1 + number % len(trace)])
    seal(copy)


def quoted_and_searched(trace, cursor, number):
    """Captions with every placeholder, every condition to run until, and positions as `gems render --at` takes them."""
    state = trace.state_at(cursor)
    for word in VOCABULARY.values():
        with sentence_allowed():
            fill(f"{{{word.name}{_INDEX[word.of]}}}", trace, state, truth=bool(number % 2), lookup=lambda *_: None)
    history = History(trace)
    for name, condition in CONDITIONS.items():
        with sentence_allowed():
            made = make_condition(name, condition.suggested(trace, state), trace.instance)
            Search(trace, made, cursor, forward=bool(number % 2), history=history).update()
            assert made.words(trace.instance, state.algorithm)
    for text in ("l=1,i=1,k=1", "i=1,j=1", "k=2", "k=1000", str(cursor)):
        with sentence_allowed():
            cursor_at(trace, text)


def first_events(instance, number):
    """The first events of a run on an instance that could be read, and its text."""
    until = time.process_time() + SECONDS
    with sentence_allowed():
        run = Run(instance, list(BUILT_IN)[number % len(BUILT_IN)], stop=lambda: time.process_time() > until)
        trace = Trace(run.instance)
        for event in islice(run, 2 * EVENTS):
            trace.append(event)
            if time.process_time() > until:
                break
        return trace
    return None
