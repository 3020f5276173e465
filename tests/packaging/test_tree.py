"""What CONTRIBUTING.md promises about the tree: its names, the sizes of its parts, and one version everywhere."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 40
PRODUCT = ("engine", "protocol", "lobby", "client")


def python_files() -> list[Path]:
    """Every Python file that is part of the project, new ones that git does not ignore included."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=TOP, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    return [TOP / name for name in names if (TOP / name).exists()]


def shown(path: Path) -> str:
    return str(path.relative_to(TOP))


@pytest.mark.parametrize("path", [p for p in python_files() if shown(p).startswith(PRODUCT)], ids=shown)
def test_no_file_of_the_product_is_longer_than_can_be_kept_in_mind(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES_MAX


@pytest.mark.parametrize("path", [p for p in python_files() if shown(p).startswith(PRODUCT)], ids=shown)
def test_no_function_of_the_product_is_longer_than_a_screen(path: Path) -> None:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)]
    long = [f"{f.name}: {f.end_lineno - f.lineno + 1}" for f in functions if f.end_lineno is not None]
    assert not [entry for entry in long if int(entry.split(": ")[1]) > FUNCTION_LINES_MAX]


def test_no_module_is_named_after_nothing() -> None:
    empty = re.compile(r"(utils?|common|helpers?|manager)\.py$")
    assert not [shown(path) for path in python_files() if empty.search(path.name)]


def test_the_changelog_tells_of_this_version() -> None:
    version = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["version"]
    assert f"## [{version}]" in (TOP / "CHANGELOG.md").read_text()


def test_every_dependency_has_its_reason_in_contributing() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + [name for extra in project["optional-dependencies"].values() for name in extra]
    reasons = (TOP / "CONTRIBUTING.md").read_text()
    names = [re.split(r"[<>=!~ \[;]", requirement)[0] for requirement in wanted]
    assert [name for name in names if f"`{name}`" not in reasons] == []


def test_every_folder_of_tests_is_a_package() -> None:
    """Without it `tests/engine` would hide `engine`."""
    assert [d.name for d in (TOP / "tests").iterdir() if any(d.glob("*.py")) and not (d / "__init__.py").exists()] == []
