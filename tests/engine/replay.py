"""A second, plain implementation of what a round computes, fed by events alone: listed pairs, textbook formulas."""

import math

import numpy as np

from gems_engine.events import (
    Allocated,
    DesignSolved,
    Eliminated,
    Estimated,
    IdleRounds,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
    Validated,
)


class Replay:
    """Follow a run and check every number that the next event claims."""

    def __init__(self, instance):
        self.instance = instance
        self.samples = 0
        self.survivors = list(range(len(instance.targets)))
        self.recommendation = None
        self.rounds = 0
        self.subroutine = None
        self.zeta = 1.0

    def follow(self, event):
        step = {
            RunStarted: self.start,
            SubroutineStarted: self.begin,
            DesignSolved: self.design,
            Allocated: self.allocate,
            Pulled: self.pull,
            Estimated: self.estimate,
            Eliminated: self.eliminate,
            IdleRounds: self.idle,
            SubroutineFinished: self.end,
            Validated: self.validate,
            Recommended: self.recommend,
            RunFinished: self.finish,
        }.get(type(event))
        if step:
            step(event)

    def start(self, event):
        self.algorithm = event.algorithm
        self.parameters = event.parameters
        self.zeta = event.parameters["zeta"]

    def begin(self, event):
        self.subroutine = event
        self.survivors = list(range(len(self.instance.targets)))
        self.estimates = None

    def r(self, d):
        return (d * d + d + 2) / self.zeta if self.parameters["rounding"] == "quadratic" else 180 * d / self.zeta**2

    def design(self, event):
        self.solved = event
        weights = np.zeros(len(self.instance.arms))
        weights[event.support] = event.weights
        assert abs(weights.sum() - 1) < 1e-12
        assert event.lower_bound <= event.value * (1 + 1e-12)
        if self.subroutine is not None and self.subroutine.name in ("gems-c", "gems-m"):
            cost = max(4.0**event.place.k * event.value, self.r(event.d))
            assert event.cost == cost
            assert cost <= self.subroutine.selection_budget * (1 + 2e-6)

    def expected_pulls(self, event):
        k, count = event.place.k, len(self.survivors)
        log_term = math.log(count**2 * k**2 / self.subroutine.delta) if self.subroutine.delta else 0.0
        name = self.subroutine.name
        if name == "gems-b":
            return math.floor(self.subroutine.budget / self.subroutine.rounds + 1e-9)
        factor = {"gems-c": 2, "gems-m": 8, "rage": 2}[name]
        cost = self.solved.cost
        pulls = math.ceil(factor * (1 + self.zeta) * cost * log_term * (1 - 1e-13))
        return max(pulls, math.ceil(self.r(event.d))) if name == "rage" else pulls

    def allocate(self, event):
        self.allocation = event
        assert (event.counts > 0).all()
        if event.d and self.subroutine is not None:
            expected, cap = self.expected_pulls(event), self.parameters.get("max_samples") or math.inf
            if self.samples + expected > cap:  # only a last round that is finished is drawn past the cap
                assert self.parameters.get("last_round") == "finish"
                assert self.samples < cap
                expected = min(expected, cap)
            assert event.counts.sum() == expected
            assert event.factor <= 1 + self.zeta + 1e-9

    def pull(self, event):
        self.sums = event.sums
        self.samples += int(self.allocation.counts.sum())
        assert event.samples == self.samples

    def estimate(self, event):
        d = self.allocation.d
        rows = self.instance.arms[self.allocation.arms, :d]
        counts = self.allocation.counts.astype(float)
        self.information = rows.T @ (counts[:, None] * rows)
        moment = rows.T @ self.sums
        inverse = np.linalg.pinv(self.information, rcond=1e-12, hermitian=True)
        self.inverse = inverse
        mine = inverse @ moment
        targets = self.instance.targets[self.survivors, :d] if self.subroutine else self.instance.targets[:, :d]
        differences = targets - targets[0]
        scale = np.abs(differences @ mine).max() + 1e-3
        np.testing.assert_allclose(differences @ event.theta, differences @ mine, atol=1e-7 * scale)
        self.theta = event.theta

    def eliminate(self, event):
        d, k = self.allocation.d, event.place.k
        rows = self.instance.targets[:, :d]
        log_term = math.log(len(self.survivors) ** 2 * k**2 / self.subroutine.delta) if self.subroutine.delta else 0.0
        margins = {}
        for z in self.survivors:
            best = -math.inf
            for other in self.survivors:
                y = rows[other] - rows[z]
                if other == z or np.abs(y).max() <= 1e-12:
                    continue
                norm = math.sqrt(max(float(y @ self.inverse @ y), 0.0))
                wide = norm * math.sqrt(2 * log_term) if self.subroutine.name in ("gems-c", "rage") else 2.0**-k
                best = max(best, (float(self.theta @ y) - wide) / max(wide, 1e-300))
            margins[z] = best
        gone = set(event.targets.tolist())
        for z, margin in margins.items():
            if abs(margin) > 1e-6:  # what is closer than this, rounding may decide
                assert (margin > 0) == (z in gone), (z, margin, event)
        for z, by, gap, wide in zip(event.targets, event.by, event.gaps, event.widths, strict=True):
            y = rows[by] - rows[z]
            assert gap >= wide
            np.testing.assert_allclose(gap, float(self.theta @ y), rtol=1e-6, atol=1e-9)
            if self.subroutine.name in ("gems-c", "rage"):
                norm = math.sqrt(float(y @ self.inverse @ y))
                np.testing.assert_allclose(wide, norm * math.sqrt(2 * log_term), rtol=1e-6)
            else:
                assert wide == 2.0**-k
        self.survivors = [z for z in self.survivors if z not in gone]
        assert event.left == len(self.survivors) > 0
        self.estimates = {z: float(self.theta @ rows[z]) for z in self.survivors}
        self.rounds += 1

    def idle(self, event):
        assert event.place.k == event.first
        if self.subroutine.name in ("gems-c", "gems-m"):
            factor = 2 if self.subroutine.name == "gems-c" else 8
            count = len(self.survivors)
            expected = sum(
                math.ceil(
                    factor * (1 + self.zeta) * self.r(event.d) * math.log(count**2 * k**2 / self.subroutine.delta)
                )
                for k in range(event.first, min(event.last, event.first + 5000) + 1)
            )
            if event.last - event.first < 5000:
                assert event.drawn == expected
            else:
                assert event.drawn > expected
        else:
            assert event.drawn == (event.last - event.first + 1) * math.floor(
                self.subroutine.budget / self.subroutine.rounds + 1e-9
            )
        self.samples += event.drawn
        assert event.samples == self.samples

    def end(self, event):
        assert event.survivors.tolist() == self.survivors
        assert event.samples == self.samples

    def validate(self, event):
        means = dict(zip(self.allocation.arms.tolist(), (self.sums / self.allocation.counts).tolist(), strict=True))
        arms = self.instance.target_arms[event.targets]
        np.testing.assert_allclose(event.means, [means[a] for a in arms.tolist()], rtol=1e-12)
        self.means = dict(zip(event.targets.tolist(), event.means.tolist(), strict=True))

    def recommend(self, event):
        assert event.samples == self.samples
        if event.why == "the first singleton of this loop":
            assert self.survivors == [event.target]
        elif event.why == "the highest mean in validation":
            assert self.means[event.target] == max(self.means.values())
        elif "estimate among those left" in event.why and self.estimates:
            assert self.estimates[event.target] >= max(self.estimates.values()) - 1e-12
        self.recommendation = event.target

    def finish(self, event):
        if self.algorithm == "gems-c":  # its answer is a set, of which the end names the leader
            self.recommendation = -1
            if self.estimates:
                assert self.estimates[event.recommendation] >= max(self.estimates.values()) - 1e-12
                self.recommendation = event.recommendation
            assert event.survivors.tolist() == self.survivors
        assert event.recommendation == self.recommendation
        assert event.samples == self.samples
