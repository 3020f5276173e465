"""The frozen records in tests/vectors/records: what a verifier must find in each, for good.

    python -m tests.protocol.frozen     makes those that are listed and not there yet; none is ever made anew

They were made by this program once. Whatever it becomes, it must read them and find the same.
"""

from __future__ import annotations

import json
from pathlib import Path

from protocol.verdict import Verdict, verify_record

RECORDS = Path(__file__).parents[1] / "vectors" / "records"
EXPECTED = RECORDS / "expected.json"


def found(verdict: Verdict) -> dict[str, object]:
    """Returns a verdict as it stands in expected.json."""
    if verdict.outcome is None:
        return {"fault": str(verdict.fault)}
    outcome = verdict.outcome
    seats = [
        {
            "state": int(seat.state),
            "score": seat.score,
            "max_exponent": seat.max_exponent,
            "moves": seat.moves,
            "unsealed": seat.unsealed,
            "board": seat.board.cells.hex(),
        }
        for seat in verdict.seats
    ]
    return {
        "fault": "",
        "termination": int(outcome.termination),
        "winners": list(outcome.winners),
        "t_ms": outcome.t_ms,
        "trusts": [str(trust) for trust in verdict.trusts],
        "seats": seats,
    }


def expected() -> dict[str, dict[str, object]]:
    """Returns what must be found, by the path of the record below `RECORDS`."""
    return json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}


def main() -> None:
    """Makes the records that are missing, and says what each must be found to be."""
    from tests.protocol.frozen_faults import BROKEN
    from tests.protocol.frozen_true import TRUE

    known = expected()
    for name, make in TRUE.items():
        _freeze(known, f"true/{name}.r2048", make(), "")
    for name, (fault, make) in BROKEN.items():
        _freeze(known, f"broken/{name}.r2048", make(), fault)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
    EXPECTED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _freeze(known: dict[str, dict[str, object]], name: str, data: bytes, fault: str) -> None:
    if name in known:
        return
    says = found(verify_record(data))
    assert says["fault"] == fault, f"{name}: {says}"
    (RECORDS / name).parent.mkdir(parents=True, exist_ok=True)
    with (RECORDS / name).open("xb") as file:
        file.write(data)
    known[name] = says


if __name__ == "__main__":
    main()
