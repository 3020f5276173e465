"""Programs that we measure ourselves against: installed here, each in a version of its own, never into the product.

They live in bench/.peers, which is not committed and can be removed at any time: a Python environment with
`PYTHON_PEERS`, and a folder of node's with `NODE_PEERS`.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

HOME = Path(__file__).parent / ".peers"
PYTHON_PEERS = ("term2048==0.2.7", "textual==6.6.0", "websockets==15.0.1")
NODE_PEERS = ("ws@8.18.3",)


def python() -> Path:
    """Returns the Python of the peers, with all of them installed."""
    program = HOME / "bin" / "python"
    stamp = HOME / "installed"
    wanted = "\n".join(PYTHON_PEERS)
    if not stamp.exists() or stamp.read_text() != wanted:
        _say(f"installing {', '.join(PYTHON_PEERS)} into {HOME}")
        venv.create(HOME, with_pip=True, clear=True)
        subprocess.run([program, "-m", "pip", "install", "--quiet", *PYTHON_PEERS], check=True, stdout=sys.stderr)
        stamp.write_text(wanted)
    return program


def program(name: str) -> Path:
    """Returns a program that a Python peer has installed."""
    return python().with_name(name)


def site_packages() -> Path:
    """Returns where the Python peers' modules are: the same Python runs them, ours or theirs."""
    return next((python().parent.parent / "lib").glob("python3*/site-packages"))


def node() -> Path | None:
    """Returns the folder in which node finds its peers, None where there is no node."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return None
    folder = HOME / "node"
    stamp = folder / "installed"
    wanted = "\n".join(NODE_PEERS)
    if not stamp.exists() or stamp.read_text() != wanted:
        _say(f"installing {', '.join(NODE_PEERS)} into {folder}")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--silent", "--no-save", "--prefix", folder, *NODE_PEERS], check=True, stdout=sys.stderr
        )
        stamp.write_text(wanted)
    return folder


def _say(what: str) -> None:
    print(f"bench: {what} …", file=sys.stderr, flush=True)
