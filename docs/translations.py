"""Keeps the translations in step with the program: `python -m docs.translations` (or `./dev translations`).

Collects every message that goes through `say`, `say_n`, `later` or `_`, merges it into client/locale/LANGUAGE without
losing what is translated, and compiles the .mo file beside the .po. tests/client/test_translations.py fails when a
message is missing or a compiled file is stale.
"""

from __future__ import annotations

import io
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from client.cli import ABOUT, COMMANDS, EVERYWHERE, EXIT_CODES, GROUPS

TOP = Path(__file__).parents[1]
LOCALE = TOP / "client" / "locale"
DOMAIN = "race2048"
KEYWORDS: dict[str, tuple[int, ...] | None] = {"say": None, "say_n": (1, 2), "later": None, "_": None}

# What argparse says by itself; it asks gettext for its words, and finds them in our catalogue.
ARGPARSE = (
    "usage: ",
    "options",
    "positional arguments",
    "show this help message and exit",
    "show program's version number and exit",
    "%(prog)s: error: %(message)s\n",
    "argument %(argument_name)s: %(message)s",
    "the following arguments are required: %s",
    "one of the arguments %s is required",
    "not allowed with argument %s",
    "unrecognized arguments: %s",
    "expected one argument",
    "expected at least one argument",
    "expected at most one argument",
    "ignored explicit argument %r",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "invalid %(type)s value: %(value)r",
    "ambiguous option: %(option)s could match %(matches)s",
)


def languages() -> list[str]:
    """Returns the languages that are there beside English."""
    return sorted(path.parent.parent.name for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def template() -> Catalog:
    """Returns every message of the program, with the files it stands in."""
    catalogue = Catalog(domain=DOMAIN, project=DOMAIN, charset="utf-8")
    found = extract_from_dir(
        TOP / "client", method_map=[("**.py", "python")], keywords=KEYWORDS, comment_tags=("i18n:",)
    )
    for file, _line, message, comments, context in found:
        # Without line numbers: they would change the catalogue with every edit.
        catalogue.add(
            message, locations=[(f"client/{Path(file).as_posix()}", 0)], auto_comments=comments, context=context
        )
    for words in (*COMMANDS.values(), *GROUPS, ABOUT, EVERYWHERE, EXIT_CODES):  # `later` would slow down --version
        catalogue.add(words, locations=[("client/cli/__init__.py", 0)])
    for words in ARGPARSE:
        catalogue.add(words, locations=[("argparse", 0)])
    return catalogue


def catalogue_of(language: str) -> Catalog:
    """Returns the translations into a language as they stand in its file."""
    with _path(language, "po").open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def merged(language: str) -> Catalog:
    """Returns the translations into a language, brought into step with the program; what is not used any more goes."""
    catalogue = catalogue_of(language)
    catalogue.update(template(), no_fuzzy_matching=True, update_creation_date=False)
    catalogue.obsolete.clear()
    return catalogue


def text_of(catalogue: Catalog) -> bytes:
    """Returns the catalogue as a .po file, the same for the same messages."""
    out = io.BytesIO()
    write_po(out, catalogue, width=120, sort_output=True, no_location=False, include_lineno=False, omit_header=False)
    return out.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """Returns the catalogue as a .mo file."""
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def _path(language: str, suffix: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.{suffix}"


def main() -> None:
    """Brings every language into step."""
    for language in languages():
        catalogue = merged(language)
        _path(language, "po").write_bytes(text_of(catalogue))
        _path(language, "mo").write_bytes(compiled(catalogue))
        missing = sum(1 for message in catalogue if message.id and not message.string)
        print(f"{language}: {len(catalogue)} messages, {missing} not translated")


if __name__ == "__main__":
    main()
