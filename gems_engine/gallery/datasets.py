"""Two classical data sets, in `gems_engine/data/`; `SOURCES.md` there names their sources and licences."""

from pathlib import Path

from gems_engine.formats.item_options import FEATURES, STANDARDISED, ItemOptions
from gems_engine.gallery.family import Family
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter

FOLDER = Path(__file__).parent.parent / "data"
"""Where the files are, inside the package."""
_SPREAD = 55.4  # standard deviation of the progression within a group of patients, pooled over all groups

_PARAMETERS = (
    Parameter("features", "choice", STANDARDISED, "How the columns become features.", choices=FEATURES),
    Parameter("scale_rewards", "bool", True, "Divide the rewards so that the largest gap is at most 2."),
)
_INSTEAD = {
    "D": "The columns and their treatment determine D.",
    "d_star": "The rewards are those of the data.",
    "epsilon": "The data determine Δ_min.",
}


def _read(name: str, features: str, scale_rewards: bool, ignore: tuple[str, ...] = ()) -> Instance:
    from gems_engine.files import read_instance  # brings all formats, which other families do not need

    return read_instance(FOLDER / name, ItemOptions(features, ignore=ignore, scale_rewards=scale_rewards))


def _diabetes(features: str, scale_rewards: bool) -> Instance:
    """Groups of patients; the noise is the spread within groups, in the units of the rewards."""
    instance = _read("diabetes.csv", features, scale_rewards, ("patients",))
    unit = float(_read("diabetes.csv", features, False, ("patients",)).gaps.max() / instance.gaps.max())
    return instance.with_noise(f"gaussian:{_SPREAD / unit:.3g}")


def _wine(features: str, scale_rewards: bool) -> Instance:
    """Wines; the data do not contain the noise of a measurement, so it is that of the paper."""
    return _read("wine.csv", features, scale_rewards)


DIABETES = Family(
    "diabetes",
    "Real data: 27 groups of 442 diabetes patients; the reward is the mean progression of the disease in a group.",
    _PARAMETERS,
    _diabetes,
    _INSTEAD,
)
WINE = Family(
    "wine",
    "Real data: 178 Italian wines with 12 measurements each; the reward is the alcohol content.",
    _PARAMETERS,
    _wine,
    _INSTEAD,
)
