"""The verifier in JavaScript, written from protocol/SPEC.md alone, finds in every frozen record what we find.

It knows nothing of this program. Where the two differ, one of them or the specification is wrong.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from protocol.limits import RECORD_BYTES_MAX
from protocol.solo import SOLO_BYTES_MAX
from tests.protocol.frozen import RECORDS, SOLO_RECORDS, expected

VERIFIER = Path(__file__).with_name("verifier.mjs")
SPEC = Path(__file__).parents[2] / "protocol" / "SPEC.md"
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(
    NODE is None and not os.environ.get("CI"), reason="node is not installed here; in CI it must be"
)


def run(*arguments: str) -> str:
    assert NODE is not None, "CI has node"
    done = subprocess.run([NODE, VERIFIER, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@needs_node
@pytest.mark.parametrize("records", [RECORDS, SOLO_RECORDS], ids=["races", "games alone"])
def test_the_verifier_in_javascript_agrees_on_every_record_and_every_reason(records):
    names = sorted(says := expected(records))
    lines = run(*(str(records / name) for name in names)).splitlines()
    assert dict(zip(names, map(json.loads, lines), strict=True)) == says


@needs_node
def test_the_verifier_in_javascript_makes_the_vectors_of_the_specification():
    assert re.search(r"^([1-9]\d*) of \1 vectors are right$", run("--vectors", str(SPEC)), re.MULTILINE)


@needs_node
def test_a_file_that_is_longer_than_any_record_is_none_to_the_verifier_in_javascript(tmp_path):
    heads = {"race": (b"race2048\1", RECORD_BYTES_MAX), "solo": (b"solo2048\1", SOLO_BYTES_MAX)}
    for name, (head, most) in heads.items():
        (tmp_path / name).write_bytes(head)
        os.truncate(tmp_path / name, most + 1)
    lines = run(*(str(tmp_path / name) for name in heads)).splitlines()
    assert [json.loads(line) for line in lines] == [{"fault": "not-a-record"}] * 2
