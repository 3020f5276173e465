"""The frozen records in tests/vectors/records: what a verifier must find in each, for good.

    python -m tests.protocol.frozen     makes those that are listed and not there yet; none is ever made anew

They were made by this program once. Whatever it becomes, it must read them and find the same. Those of races are in
true/ and broken/, those of games alone in solo/true/ and solo/broken/, each with an expected.json beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from protocol.solo_verdict import verify_solo
from protocol.verdict import Verdict, verify_record

RECORDS = Path(__file__).parents[1] / "vectors" / "records"
SOLO_RECORDS = RECORDS / "solo"


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


def expected(records: Path = RECORDS) -> dict[str, dict[str, object]]:
    """Returns what must be found, by the path of the record below `records`."""
    path = records / "expected.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main() -> None:
    """Makes the records that are missing, and says what each must be found to be."""
    from tests.protocol.frozen_faults import BROKEN
    from tests.protocol.frozen_solo import TRUE_ALONE, found_alone
    from tests.protocol.frozen_solo_broken import BROKEN_ALONE
    from tests.protocol.frozen_true import TRUE

    _freeze_all(RECORDS, TRUE, BROKEN, lambda data: found(verify_record(data)))
    _freeze_all(SOLO_RECORDS, TRUE_ALONE, BROKEN_ALONE, lambda data: found_alone(verify_solo(data)))


def _freeze_all(
    records: Path,
    true: Mapping[str, Callable[[], bytes]],
    broken: Mapping[str, tuple[str, Callable[[], bytes]]],
    find: Callable[[bytes], dict[str, object]],
) -> None:
    known = expected(records)
    makers = {f"true/{name}.r2048": ("", make) for name, make in true.items()}
    makers |= {f"broken/{name}.r2048": (str(fault), make) for name, (fault, make) in broken.items()}
    for name, (fault, make) in makers.items():
        if name not in known:
            data = make()
            known[name] = find(data)
            assert known[name]["fault"] == fault, f"{name}: {known[name]}"
            (records / name).parent.mkdir(parents=True, exist_ok=True)
            with (records / name).open("xb") as file:
                file.write(data)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
    (records / "expected.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
