"""One entry of a TOML text is changed, and every other line stays as a person wrote it."""

import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from client.toml_lines import NoPlaceError, TomlError, parsed, toml_value, with_entry, without_entry

WRITTEN = '''\
# my settings
name = "fox"   # as always
palette= 'classic'# dark

colors = """
palette = "x"
[host]
"""

# for races
[host]   # usual table
size = 4 # small
# nothing more

[unknown.of.ours]
kept = [1, 2,
  3]
'''


def changed_lines(before, after):
    """Returns (the lines that went, the lines that came)."""
    old, new = before.split("\n"), after.split("\n")
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_a_value_is_changed_and_its_remark_stays():
    gone, come = changed_lines(WRITTEN, with_entry(WRITTEN, "palette", "mono"))
    assert (gone, come) == (["palette= 'classic'# dark"], ['palette= "mono"# dark'])


def test_a_value_in_a_table_is_changed_with_its_remark():
    gone, come = changed_lines(WRITTEN, with_entry(WRITTEN, "host.size", 5))
    assert (gone, come) == (["size = 4 # small"], ["size = 5 # small"])


def test_a_new_entry_goes_into_its_table_behind_the_others():
    lines = with_entry(WRITTEN, "host.kind", "timed").split("\n")
    assert lines[lines.index("size = 4 # small") + 1] == 'kind = "timed"'


def test_a_new_entry_goes_below_the_remark_that_shows_it():
    text = '# palette = "classic"\n\n# motion = "full"\n\n[host]\n# size = 4\n'
    assert with_entry(text, "motion", "off") == text.replace('"full"\n', '"full"\nmotion = "off"\n')
    assert with_entry(text, "host.size", 5) == f"{text}size = 5\n"


def test_a_table_that_is_not_there_is_made_at_the_end():
    assert with_entry("a = 1", "host.size", 5) == "a = 1\n\n[host]\nsize = 5\n"
    assert with_entry("", "host.size", 5) == "[host]\nsize = 5\n"


def test_an_empty_text_gets_one_line():
    assert with_entry("", "palette", "mono") == 'palette = "mono"\n'


def test_an_entry_is_taken_out_with_its_line_alone():
    gone, come = changed_lines(WRITTEN, without_entry(WRITTEN, "host.size"))
    assert (gone, come) == (["size = 4 # small"], [])


def test_what_looks_like_the_entry_in_a_string_is_left_alone():
    text = 'note = """\nmotion = "full"\n"""\n'
    assert tomllib.loads(with_entry(text, "motion", "off")) == {"note": 'motion = "full"\n', "motion": "off"}


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_stay_what_they_are(end):
    text = f"a = 1{end}b = 2{end}"
    assert with_entry(text, "palette", "mono") == f'a = 1{end}b = 2{end}palette = "mono"{end}'
    assert with_entry(text, "b", 3) == f"a = 1{end}b = 3{end}"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("host.size = 4\n", "host.size"),
        ('"host".size = 4\n', "host.size"),
        ("[ host ]\n'size' = 4\n", "host.size"),
        ("host.kind = 'timed'\n", "host.size"),
        ("[host.deep]\nx = 1\n", "host.size"),
    ],
)
def test_other_ways_to_write_a_table_are_understood(text, name):
    after = tomllib.loads(with_entry(text, name, 5))
    assert after["host"]["size"] == 5
    before = tomllib.loads(text)["host"]
    assert {key: value for key, value in after["host"].items() if key != "size"} == {
        key: value for key, value in before.items() if key != "size"
    }


@pytest.mark.parametrize("text", ["host = {size = 4}\n", "palette = [\n1]\n[host]\n", "[[host]]\nsize = 4\n"])
def test_what_only_a_person_can_change_is_refused(text):
    name = "palette" if text.startswith("palette") else "host.size"
    with pytest.raises(NoPlaceError):
        with_entry(text, name, "mono")


@pytest.mark.parametrize("text", ["palette = \n", "a = 1\na = 2\n", "[host\n", "\ufeffa = 1\n", "a = [" * 5_000])
def test_a_text_that_is_no_toml_is_refused_with_the_place(text):
    for change in (lambda: with_entry(text, "palette", "mono"), lambda: without_entry(text, "palette")):
        with pytest.raises(TomlError):
            change()


def test_the_place_of_damage_is_told():
    with pytest.raises(TomlError, match="line 2, column 5"):
        parsed("a = 1\nb = ?\n")


@given(st.text())
def test_any_text_becomes_a_value_that_says_it(text):
    assume("\ud800" not in text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    assume(all(not 0xD800 <= ord(character) < 0xE000 for character in text))
    assert tomllib.loads(f"x = {toml_value(text)}") == {"x": text}


LINES = st.sampled_from(
    ["", "# note", "a = 1", "b = 'x # y'", "[host]", "[other]", "size = 4", "kind = 'timed' # k", "host.size = 3",
     's = """', "palette = 'x'", "# size = 4", "t = [", "]", "  motion = 'off'  "]
)  # fmt: skip


@given(st.lists(LINES, max_size=14), st.sampled_from(["palette", "host.size", "host.kind", "motion"]))
def test_whatever_the_file_is_like_only_the_entry_changes(lines, name):
    text = "\n".join(lines)
    try:
        before = parsed(text)
        after = parsed(with_entry(text, name, "new"))
    except (TomlError, NoPlaceError):
        return
    table, _, key = name.rpartition(".")
    inner = after[table] if table else after
    assert isinstance(inner, dict)
    assert inner.pop(key) == "new"
    was = before.get(table, {}) if table else before
    assert isinstance(was, dict)
    assert {k: v for k, v in was.items() if k != key} == inner
    assert {k: v for k, v in before.items() if k not in (table, key)} == {
        k: v for k, v in after.items() if k not in (table, key)
    }


@given(st.lists(LINES, max_size=14), st.sampled_from(["palette", "host.size"]))
def test_no_line_is_lost_but_the_one_that_is_changed(lines, name):
    text = "\n".join(lines)
    try:
        after = with_entry(text, name, "new").split("\n")
    except (TomlError, NoPlaceError):
        return
    gone = [line for line in set(lines) if lines.count(line) > after.count(line)]
    assert sum(lines.count(line) - after.count(line) for line in gone) <= 1
