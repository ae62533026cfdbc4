"""`gems certify --check`: check the certificate of a design in exact arithmetic."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError
from gems_engine.terminal import number, print_json

if TYPE_CHECKING:
    from gems_engine.certificate_check import Verdict
    from gems_engine.formats.certificate_format import DesignCertificate


def add_check(parser: ArgumentParser) -> None:
    """Add the option --check."""
    parser.add_argument(
        "--check",
        metavar="FILE",
        help="check a certificate (gems design --certificate) in exact arithmetic, without INSTANCE and WEIGHTS",
    )


def run_check(arguments: Namespace) -> int:
    """Print whether the certificate holds; return 0 if it does, else 1."""
    from gems_engine.certificate_check import check_certificate
    from gems_engine.files import read_certificate

    if arguments.instance is not None:
        raise InputError("--check takes only a certificate, which contains its own arms and weights.")
    certificate = read_certificate(arguments.check)
    verdict = check_certificate(certificate)
    if arguments.json:
        print_json(_as_dict(certificate, verdict))
    else:
        print(_sentence(certificate, verdict))
    return 0 if verdict.holds else 1


def _gap(certificate: DesignCertificate) -> float:
    from gems_engine.design import relative_gap

    return relative_gap(certificate.upper_bound, certificate.lower_bound)


def _as_dict(certificate: DesignCertificate, verdict: Verdict) -> dict[str, Any]:
    return {
        "holds": verdict.holds,
        "reason": verdict.failure,
        "lower_bound": certificate.lower_bound,
        "upper_bound": certificate.upper_bound,
        "gap": _gap(certificate),
        "tolerance": certificate.tolerance,
        "status": certificate.status,
        "proof": certificate.proof,
        "arms_sha256": certificate.arms_sha256,
    }


def _sentence(certificate: DesignCertificate, verdict: Verdict) -> str:
    if not verdict.holds:
        return f"The certificate does not hold: {verdict.failure}."
    lower, upper = repr(certificate.lower_bound), repr(certificate.upper_bound)  # rounded values might not hold
    status = {
        "certified": f"certified to {certificate.tolerance:g}",
        "exact": "exact",
        "trivial": "trivial: every direction is zero",
    }.get(certificate.status, "not certified")
    return (
        f"The certificate holds in exact arithmetic: the optimum is at least {lower} and the value of the weights at "
        f"most {upper}, a gap of {number(_gap(certificate), 3)} ({status})."
    )
