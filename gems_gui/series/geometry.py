"""Arms, targets, θ̂ and its confidence region in a plane of R^D, at a snapshot of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.blas import one_blas_thread
from gems_engine.design.information import Information
from gems_engine.errors import InputError
from gems_engine.explanation.round import before_elimination, round_problem
from gems_engine.instance import Instance
from gems_engine.terminal import number, plural, superscript
from gems_gui.series.axis import subroutine_label
from gems_gui.series.confidence import BAND, ELLIPSE, OPEN, SEGMENT, Region, confidence_region, variance_of
from gems_gui.series.fate_raster import BEFORE, NOW, SURVIVING, Codes
from gems_gui.series.gaps import last_estimated
from gems_gui.series.plane import (
    Projection,
    Range,
    coordinates,
    principal_components,
    range_of,
    spanned,
    words_for_vector,
)
from gems_gui.series.table import Table
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

COMPONENTS, FEATURES, ESTIMATE = "components", "features", "estimate"
BY_DELTA = "delta"
LEVELS = {"95": 0.95, "50": 0.5, "90": 0.9, "99": 0.99}
_ACTIVE = 1e-3  # directions within this relative distance of the largest squared norm are active
MOST_SEGMENTS = 400
"""The largest number of active directions drawn; if more tie, as on the hard instance, they would hide each other."""
_MOST_ACTIVE = 20_000  # that are counted
_ASIDE = 1.5  # relative to the width of the arms: how far θ̂ and its region may extend the frame

Pair = tuple[int, int]


@dataclass(frozen=True)
class Sight:
    """The options of the view.

    Attributes
    ----------
    axes
        :data:`COMPONENTS`, :data:`FEATURES` or :data:`ESTIMATE`.
    across, up
        The two features, counted from 1; numbers above D mean the last ones.
    level
        Level of the confidence region: a key of :data:`LEVELS`, or :data:`BY_DELTA` for 1 − δ of the run.
    truncation
        How far coordinates beyond d have shrunk, from 0 (R^D) to 100 (R^d).
    """

    axes: str = COMPONENTS
    across: int = 1
    up: int = 2
    level: str = "95"
    truncation: int = 0


@dataclass(frozen=True, eq=False)
class GeometrySeries:
    """What the view draws; points are rows of two numbers.

    Attributes
    ----------
    targets, fates
        ψ_t of every target, and its fate.
    arms, arm_places
        The arms that are not targets.
    best, recommended, selected, selected_arm
        Targets, and an arm that is not a target; None if there is none to show.
    called
        Label of the recommended one: recommended, carried over, or the leader in a single call.
    estimate, truth
        From the origin to θ̂ and to ψ_t(θ⋆); empty if there is none, or if it is hidden.
    region
        Confidence region of θ̂; in a plane that depends on θ̂, at least at its level. None without θ̂.
    active
        Pairs of targets whose direction has the largest norm under the design; ``active_count`` is their total number.
    widest
        The pair with the largest norm under A⁻¹ of the pulls.
    d, t, D
        The round's dimension (D while it is not known), and the one that is shown.
    still
        Whether truncation has no effect here.
    outside
        Whether θ̂ or its region is partly outside the frame.
    placeholder
        Why the view is empty, if it is.
    """

    projection: Projection | None
    targets: Floats
    fates: Codes
    arms: Integers
    arm_places: Floats
    best: int | None
    recommended: int | None
    called: str
    selected: int | None
    selected_arm: int | None
    estimate: Floats
    truth: Floats
    region: Region | None
    active: Integers
    active_count: int
    widest: Pair | None
    d: int
    t: float
    D: int
    still: bool
    frame: tuple[Range, Range]
    outside: bool
    subtitle: Phrasings
    placeholder: str

    @property
    def segments(self) -> Floats:
        """The active directions, from target to target, two rows each."""
        return self.targets[self.active.ravel()]

    def outline(self) -> Floats:
        """The boundary of the region."""
        if self.region is None:
            return np.zeros((0, 2))
        (left, right), (low, high) = self.frame
        return self.region.outline(100.0 * max(right - left, high - low))

    def table(self, snapshot: Snapshot) -> Table:
        """The points of targets, arms, estimate and truth, the boundary of the region, and the active pairs."""
        instance = snapshot.instance
        names = {SURVIVING: "surviving", NOW: "eliminated now", BEFORE: "eliminated before"}
        rows: list[tuple[object, ...]] = [
            ("target", at, None, instance.target_label(at), *place, names[fate])
            for at, (place, fate) in enumerate(zip(self.targets.tolist(), self.fates.tolist(), strict=True))
        ]
        arms = zip(self.arms.tolist(), self.arm_places.tolist(), strict=True)
        rows += [("arm", arm, None, instance.arm_label(arm), *place, None) for arm, place in arms]
        for what, arrow in (("estimate", self.estimate), ("truth", self.truth)):
            rows += [(what, None, None, None, *place, None) for place in arrow[1:].tolist()]
        if self.region is not None:
            kind, edge, level = self.region.kind, self.outline(), f"{number(100.0 * self.region.level, 4)} %"
            said = f"at least {level}, whatever the plane" if self.region.whatever_plane else level
            rows += [(kind, at, None, said, *place, None) for at, place in enumerate(edge.tolist())]
        for one, other in self.active.tolist():
            named = f"{instance.target_label(one)} – {instance.target_label(other)}"
            rows.append(("active direction", one, other, named, None, None, None))
        return Table(("what", "index", "other", "name", "x", "y", "fate"), rows)


# -- the plot -----------------------------------------------------------------------------------------------------


def shrunk(D: int, t: float) -> Floats:
    """The factor of each coordinate in ψ_t: 1 up to t, 0 from t + 1 on, and the fraction of t in between."""
    return np.clip(t - np.arange(D), 0.0, 1.0)


def geometry_series(snapshot: Snapshot, sight: Sight) -> GeometrySeries:
    """The plane for the given options at a snapshot, with the last estimate of this subroutine if there is none yet."""
    instance, D = snapshot.instance, snapshot.instance.D
    shown = last_estimated(snapshot)
    theta = shown.state.theta
    d = len(theta) if theta is not None else shown.state.d or D
    widest = _widest(shown) if theta is not None else None
    projection, refusal = _plane(instance, sight, theta, d, widest)
    if projection is None:
        return _placeholder(snapshot, d, refusal)
    t = D - (D - d) * sight.truncation / 100.0
    factor, origin = shrunk(D, t), projection.seen(np.zeros((1, D)))

    def seen(vectors: Floats) -> Floats:
        return projection.seen(vectors * factor)

    others = _other_arms(instance)
    empty = np.zeros((0, 2))
    truth = (
        np.vstack([origin, seen(instance.theta[None, :])]) if snapshot.truth and instance.theta is not None else empty
    )
    estimate, region = empty, None
    if theta is not None:
        estimate = np.vstack([origin, projection.seen(np.append(theta, np.zeros(D - d))[None, :])])
        region = _region(shown, projection, theta, estimate[1], _level(snapshot, sight)[0], sight.axes == ESTIMATE)
    active, count = _active(shown)
    frame, outside = _frame(instance, projection, others, d, np.vstack([estimate, truth]), region)
    return GeometrySeries(
        projection,
        seen(instance.targets),
        _fates(snapshot),
        others,
        seen(instance.arms[others]),
        instance.best if snapshot.truth else None,
        *snapshot.state.answer,
        snapshot.selection.target,
        snapshot.selection.arm if snapshot.selection.target is None else None,
        estimate,
        truth,
        region,
        active,
        count,
        widest,
        d,
        t,
        D,
        not projection.basis[:, d:].any(),
        frame,
        outside,
        _subtitle(snapshot, shown, sight, projection, region, d, t),
        "",
    )


def _placeholder(snapshot: Snapshot, d: int, why: str) -> GeometrySeries:
    empty, no_arms = np.zeros((0, 2)), np.zeros(0, dtype=np.int64)
    frame = ((0.0, 1.0), (0.0, 1.0))
    D = snapshot.instance.D
    return GeometrySeries(
        None,
        empty,
        np.zeros(0, dtype=np.uint8),
        no_arms,
        empty,
        None,
        None,
        "",
        None,
        None,
        empty,
        empty,
        None,
        no_arms.reshape(0, 2),
        0,
        None,
        d,
        float(D),
        D,
        True,
        frame,
        False,
        (),
        why,
    )


def _plane(
    instance: Instance, sight: Sight, theta: Floats | None, d: int, widest: Pair | None
) -> tuple[Projection | None, str]:
    """The plane, or why there is none."""
    D = instance.D
    if D == 1:
        return None, "one feature: all arms are on a line, so there is no plane to show"
    if sight.axes == FEATURES:
        across = min(sight.across, D)
        up = min(sight.up, D)
        return coordinates(D, across - 1, (up if up != across else across % D + 1) - 1, instance.feature_label), ""
    if sight.axes == COMPONENTS:
        return _components(instance), ""
    if theta is None:
        return None, "no estimate yet, so this plane is not defined"
    if widest is None:
        return None, f"all survivors are equal in R{superscript(d)}: there is no widest direction"
    z, other = widest
    y = instance.targets[z, :d] - instance.targets[other, :d]
    names = "along the estimate", "towards the widest direction"
    zeros = np.zeros(D - d)
    found = spanned(np.append(theta, zeros), np.append(y, zeros), names)
    if found is None:
        if d == 1:
            return None, "this round works in R¹, a line, so the estimate spans no plane"
        return None, "the estimate and the widest direction of the round are parallel, so they span no plane"
    return found, ""


@lru_cache(maxsize=4)  # the plane of an instance does not change during a run
def _components(instance: Instance) -> Projection:
    return principal_components(instance.arms)


@lru_cache(maxsize=4)
def _other_arms(instance: Instance) -> Integers:
    """The arms that are not targets."""
    rows = {row.tobytes() for row in instance.targets + 0.0}
    return np.array([j for j, row in enumerate(instance.arms + 0.0) if row.tobytes() not in rows], dtype=np.int64)


def _fates(snapshot: Snapshot) -> Codes:
    """The fate of each target in the subroutine at the cursor."""
    fates = np.where(snapshot.state.fate_event < 0, SURVIVING, BEFORE).astype(np.uint8)
    fates[snapshot.state.eliminated_now] = NOW
    return fates


def _level(snapshot: Snapshot, sight: Sight) -> tuple[float, str]:
    """The level, and its text; 95 % if it should be 1 − δ and the run has no δ."""
    if sight.level != BY_DELTA:
        return LEVELS[sight.level], f"{sight.level} %"
    started = snapshot.state.started
    delta = started.parameters.get("delta") if started is not None else None
    if not isinstance(delta, float) or not 0.0 < delta < 1.0:
        return 0.95, "95 %, this run has no δ"
    return 1.0 - delta, f"1 − δ = {number(100.0 * (1.0 - delta), 4)} %"


def _region(
    shown: Snapshot, projection: Projection, theta: Floats, at: Floats, level: float, chosen_after: bool
) -> Region | None:
    """The confidence region of θ̂ in the plane from the pulls of the round, centred at the drawn estimate."""
    allocation = shown.state.allocation
    if allocation is None:
        return None
    d = len(theta)
    arms, variance = shown.instance.arms[allocation.arms, :d], variance_of(shown.instance.noise)
    plane = projection.basis[:, :d]
    found = confidence_region(plane, theta, arms, allocation.counts, variance, level, chosen_after)
    return replace(found, centre=at)  # a plane may have another centre


# -- directions ---------------------------------------------------------------------------------------------------


def _widest(shown: Snapshot) -> Pair | None:
    """The pair of survivors of the round whose difference has the largest norm under A⁻¹ of its pulls."""
    allocation, theta = shown.state.allocation, shown.state.theta
    if allocation is None or theta is None:
        return None
    weights = np.zeros(len(shown.instance.arms))
    np.add.at(weights, allocation.arms, allocation.counts)
    pairs = _longest(shown.instance, len(theta), before_elimination(shown.state).tobytes(), weights.tobytes(), 1e-9)
    return None if not len(pairs) else (int(pairs[0, 0]), int(pairs[0, 1]))


def _active(shown: Snapshot) -> tuple[Integers, int]:
    """The active directions of the round's design that are drawn, and their total number."""
    design = shown.state.design
    if design is None or shown.state.subroutine is None:  # the static oracle lists directions, not pairs
        return np.zeros((0, 2), dtype=np.int64), 0
    weights = np.zeros(len(shown.instance.arms))
    weights[design.support] = design.weights
    survivors = before_elimination(shown.state)
    pairs = _longest(shown.instance, design.d, survivors.tobytes(), weights.tobytes(), _ACTIVE)
    return pairs[:MOST_SEGMENTS], len(pairs)


@lru_cache(maxsize=8)  # the same from the design of a round to its end
@one_blas_thread()
def _longest(instance: Instance, d: int, survivors: bytes, weights: bytes, within: float) -> Integers:
    """Pairs of targets whose direction has almost the largest norm under A(weights)⁻¹, in order."""
    chosen, pulls = np.frombuffer(survivors, np.int64), np.frombuffer(weights)
    no_arms = np.zeros((0, 2), dtype=np.int64)
    problem = round_problem(instance, d, chosen)
    try:
        geometry = problem.geometry
    except InputError:  # in a run of another program, arms may not distinguish its targets
        return no_arms
    if geometry.directions is None or not (pulls > 0.0).any():
        return no_arms
    root = Information.of(geometry.arms, pulls).inverse_root
    keys = geometry.directions.near(root, 1.0 - within, _MOST_ACTIVE)
    return chosen[np.array(problem.name_directions(keys), dtype=np.int64).reshape(-1, 2)]


def _frame(
    instance: Instance, projection: Projection, others: Integers, d: int, arrows: Floats, region: Region | None
) -> tuple[tuple[Range, Range], bool]:
    """The frame, the same for every t: all arms and targets, and θ̂ unless it would make them too small."""
    vectors = np.vstack([instance.targets, instance.arms[others], np.zeros((1, instance.D))])
    near = np.vstack([projection.seen(vectors), projection.seen(vectors * shrunk(instance.D, d))])
    low, high = near.min(axis=0), near.max(axis=0)
    aside = _ASIDE * (float((high - low).max()) or 1.0)
    edge = region.outline() if region is not None and region.kind in (ELLIPSE, SEGMENT) else np.zeros((0, 2))
    far = np.vstack([arrows, edge])
    clipped = np.clip(far, low - aside, high + aside)
    return range_of(np.vstack([near, clipped])), bool((far != clipped).any())


# -- words --------------------------------------------------------------------------------------------------------


def _subtitle(
    snapshot: Snapshot, shown: Snapshot, sight: Sight, plane: Projection, region: Region | None, d: int, t: float
) -> Phrasings:
    state = shown.state
    place = subroutine_label(snapshot, snapshot.call_row) if state.subroutine else ""
    where = " ".join(filter(None, (place, f"k{number(state.round_place.k)}" if state.round_place.k else "")))
    inside = "" if snapshot.keeps_d else f" in R{superscript(d)}"
    here = f"{where}{inside}" if where else f"R{superscript(snapshot.instance.D)}"
    late = shown is not snapshot
    spread = "" if plane.share is None else f"{100 * plane.share:.0f} % of the arms' variance"
    squeezed = "truncated" if snapshot.keeps_d else f"shown up to d = {number(t, 3)}"
    return phrasings(
        (f"{here}, the last estimate", f"last: {here}", "last") if late and region is not None else here,
        _known(region, _level(snapshot, sight)[1], snapshot.keeps_d),
        squeezed if t < snapshot.instance.D else "",
        spread,
    )


def _known(region: Region | None, level: str, keeps_d: bool) -> str | Phrasings:
    """What is known of θ̂ in the plane, the level first."""
    if region is None:
        return ("no estimate yet", "no estimate", "")
    if region.kind == OPEN:
        pulled = "not every dimension is determined"
        if not keeps_d:
            pulled = f"the pulls determine {number(region.rank)} of {plural(region.d, 'dimension')}"
        where = "the estimate is not identified in this plane"
        return (f"{where}: {pulled}", where, "estimate not identified", "not identified")
    if region.whatever_plane and region.kind in (BAND, SEGMENT, ELLIPSE):
        shape = {BAND: "band", SEGMENT: "interval", ELLIPSE: "confidence"}[region.kind]
        least = f"at least {level}"
        return (f"{least} {shape}, for any plane", f"{least}, for any plane", least, f"≥ {level}")
    if region.kind == BAND:
        band = f"{level} band of the estimate"
        return (f"{band}: not identified along it", band, f"{level} band")
    if region.kind == SEGMENT:
        return (f"{level} interval of the estimate", f"{level} interval")
    if region.kind == ELLIPSE:
        return (f"{level} confidence region", f"{level} confidence", f"{level}")
    return ("the estimate is exact here", "")


def geometry_text(snapshot: Snapshot, series: GeometrySeries, target: int | None, arm: int | None) -> str:
    """The text for a point below the mouse: name, fate, coordinates, estimate, and how many others are there."""
    instance = snapshot.instance
    if target is None and arm is None:
        return ""
    if target is None:
        assert arm is not None
        return f"{instance.arm_label(arm)}, an arm that is not a target\n{words_for_vector(instance.arms[arm])}"
    here = np.abs(series.targets - series.targets[target]).max(axis=1)
    (left, right), _ = series.frame
    many = int((here <= 1e-9 * (right - left)).sum()) - 1
    fate = {SURVIVING: "surviving", NOW: "eliminated in this round", BEFORE: "eliminated before"}[
        int(series.fates[target])
    ]
    lines = [
        f"{instance.target_label(target)}{f' and {number(many)} more' if many else ''}: {fate}",
        words_for_vector(instance.targets[target]),
    ]
    theta = last_estimated(snapshot).state.theta
    if theta is not None:
        value = float(instance.targets[target, : len(theta)] @ theta)
        lines.append(f"estimated reward {number(float(f'{value:.4g}'))}")
    if snapshot.truth:
        lines.append(f"reward {number(float(f'{instance.require_rewards()[1][target]:.4g}'))}")
    return "\n".join(lines)
