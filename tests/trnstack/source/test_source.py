import datetime as dt
import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trnstack.findings import Finding, InvalidEnvironmentError
from trnstack.source import MAXIMUM_BYTES, Source, parse, plain, read


def refusal(text):
    """Returns the one finding with which a text is refused."""
    with pytest.raises(InvalidEnvironmentError) as caught:
        parse(text, "x.yaml")
    (finding,) = caught.value.findings
    return finding


def outcome(action):
    """Returns what an action returns, or the findings with which it refuses; any other exception is a bug."""
    try:
        return action()
    except InvalidEnvironmentError as error:
        return error.findings


class TestPlain:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("", None),
            ("~", None),
            ("null", None),
            ("true", True),
            ("False", False),
            ("0", 0),
            ("-7", -7),
            ("0123", 123),
            ("0o17", 15),
            ("0x1F", 31),
            ("1.30", 1.3),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("-.inf", -math.inf),
            ("2027-03-01T11:30:00Z", dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC)),
            ("2027-03-01 11:30:00Z", dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC)),
        ],
    )
    def test_values(self, text, value):
        """Scalars are read by YAML 1.2's core schema, times besides."""
        assert plain(text) == value
        assert type(plain(text)) is type(value)

    @pytest.mark.parametrize(
        "text",
        [
            "yes",
            "no",
            "on",
            "off",
            "y",
            "trn1",
            "1_000",
            "0b11",
            "1:30",
            "12:30:45",
            "2027-03-01",
            "2027-13-01T00:00:00Z",
            "10.0.0.0/16",
            "1.2.3",
            "0o9",
            "0x",
            "-",
            "+",
            ".",
            "nan",
            "inf",
            "1" * 41,
        ],
    )
    def test_texts(self, text):
        """What YAML 1.1 made of other words was a surprise to everyone; they stay what they are."""
        assert plain(text) == text

    def test_not_a_number(self):
        """The special floats are read too; the format refuses them where it wants a finite number."""
        assert math.isnan(plain(".nan"))

    @given(st.text(max_size=60))
    def test_never_fails(self, text):
        """Any text has a value, which is the text itself where it is nothing else."""
        value = plain(text)

        assert value is None or isinstance(value, bool | int | float | str | dt.datetime)


class TestRead:
    def test_file(self, tmp_path):
        """A file is read with its name as the person gave it."""
        path = tmp_path / "x.yaml"
        path.write_text("a: 1\n", encoding="utf-8")

        assert read(path) == parse("a: 1\n", str(path))

    def test_byte_order_mark(self, tmp_path):
        """Editors that put a mark in front do no harm."""
        path = tmp_path / "x.yaml"
        path.write_bytes("a: 1\n".encode("utf-8-sig"))

        assert read(path).data == {"a": 1}

    def test_carriage_returns(self, tmp_path):
        """Lines may end as they do on Windows."""
        path = tmp_path / "x.yaml"
        path.write_bytes(b"a: 1\r\nb:\r\n  - 2\r\n")
        source = read(path)

        assert source.data == {"a": 1, "b": (2,)}
        assert source.marks["b", 0].line == 3

    def test_missing_file(self, tmp_path):
        """A missing file is a finding, not a traceback."""
        with pytest.raises(InvalidEnvironmentError) as caught:
            read(tmp_path / "none.yaml")
        (finding,) = caught.value.findings

        assert (finding.code, finding.message) == ("SPEC001", "no such file")
        assert finding.file.endswith("none.yaml")
        assert finding.hint

    def test_directory(self, tmp_path):
        """A folder is answered with the files in it."""
        (tmp_path / "a.yaml").write_text("a: 1\n", encoding="utf-8")
        with pytest.raises(InvalidEnvironmentError) as caught:
            read(tmp_path)
        (finding,) = caught.value.findings

        assert finding.message == "this is a folder"
        assert "a.yaml" in finding.hint

    @pytest.mark.parametrize("name", ["a" * 5000 + ".yaml", "a\0b.yaml"])
    def test_impossible_name(self, name):
        """A name that no file can have is told like any other."""
        with pytest.raises(InvalidEnvironmentError, match="can't be read"):
            read(name)

    def test_folder_in_the_way(self, tmp_path):
        """A file where the path has a folder is told too."""
        (tmp_path / "a").write_text("", encoding="utf-8")
        with pytest.raises(InvalidEnvironmentError, match="can't be read: not a directory"):
            read(tmp_path / "a" / "x.yaml")

    def test_too_large(self, tmp_path):
        """A file far beyond any environment is not even parsed."""
        path = tmp_path / "x.yaml"
        path.write_bytes(b"#" * (MAXIMUM_BYTES + 1))
        with pytest.raises(InvalidEnvironmentError, match="is larger than"):
            read(path)

    @pytest.mark.parametrize("content", [b"a: 1\nb: \xff\n", b"a: 1\nb: \xe4\n", "a: 1\nb: ä\n".encode("latin-1")])
    def test_not_utf_8(self, tmp_path, content):
        """The line of the first wrong byte is told."""
        path = tmp_path / "x.yaml"
        path.write_bytes(content)
        with pytest.raises(InvalidEnvironmentError) as caught:
            read(path)
        (finding,) = caught.value.findings

        assert finding.line == 2
        assert finding.hint == "save it as UTF-8"


class TestParse:
    def test_data(self):
        """Mappings are dicts, lists tuples, and quoted scalars texts."""
        source = parse('a: {b: [1, "2", true]}\nc: "1.30"\n', "x.yaml")

        assert source.data == {"a": {"b": (1, "2", True)}, "c": "1.30"}

    def test_marks(self):
        """A mapping's entry is where its key is, a list's where the entry is."""
        source = parse("a:\n  b:\n    - 1\n    - c: 2\n", "x.yaml")
        places = {path: (mark.line, mark.column) for path, mark in source.marks.items()}

        assert places[("a",)] == (1, 1)
        assert places["a", "b"] == (2, 3)
        assert places["a", "b", 0] == (3, 7)
        assert places["a", "b", 1, "c"] == (4, 7)

    def test_what_was_written(self):
        """Unquoted scalars keep their text, so that a finding can show 1.30 and not 1.3."""
        assert dict(parse("a: 1.30\nb: '1.30'\nc: 011\n", "x.yaml").written) == {("a",): "1.30", ("c",): "011"}

    def test_aliases(self):
        """An alias is the value that its anchor had last."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert parse("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "x.yaml").data == {"a": 1, "b": 1, "c": 2, "d": 2}

    @pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n"])
    def test_empty(self, text):
        """An empty file says where to start."""
        finding = refusal(text)

        assert finding.code == "SPEC003"
        assert finding.line == 1
        assert finding.hint

    @pytest.mark.parametrize("text", ["- a\n", "hello\n", "42\n", "[a, b]\n", '"a: b"\n'])
    def test_no_mapping(self, text):
        """Any other kind of document is refused as such."""
        assert refusal(text).message == "is not a mapping of keys to values"

    @pytest.mark.parametrize(
        ("text", "line"), [("a:\n\tb: 1\n", 2), ("a:\n  b: 1\n\tc: 2\n", 3), ("a: 1\n\t\nb: 2\n", 2)]
    )
    def test_tabs(self, text, line):
        """Tabs look like spaces and are none; the message says so in these words."""
        finding = refusal(text)

        assert "tab" in finding.message
        assert finding.hint == "indent with spaces"
        assert finding.line == line

    @pytest.mark.parametrize(
        ("text", "path", "line"),
        [
            ("a: 1\nb: 2\na: 3\n", ("a",), 3),
            ("a:\n  b: 1\n  b: 1\n", ("a", "b"), 3),
            ("a: {b: 1, b: 2}\n", ("a", "b"), 1),
            ("a:\n  - b: 1\n    b: 2\n", ("a", 0, "b"), 3),
            ("a: 1\n'a': 2\n", ("a",), 2),
        ],
    )
    def test_duplicate_keys(self, text, path, line):
        """A key that is given twice would silently win or lose; both lines are told."""
        finding = refusal(text)

        assert finding.code == "SPEC004"
        assert finding.path == path
        assert finding.line == line
        assert "first on line" in finding.message
        assert finding.hint == "remove one of the two"

    def test_several_at_once(self):
        """All duplicate keys are told at once."""
        with pytest.raises(InvalidEnvironmentError) as caught:
            parse("a: 1\na: 2\nb: {c: 1, c: 2}\nb: 3\n", "x.yaml")

        assert len(caught.value.findings) == 3

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a: [1, 2\nb: 3\n", "is not YAML"),
            ("a: 1\n  b: 2\n", "is not YAML"),
            ("a: 'b\n", "is not YAML"),
            ("a: *b\n", "undefined alias"),
            ("a: &x [*x]\n", "is nested deeper than"),
            ("a: &x {b: *x}\n", "is nested deeper than"),
            ("a: 1\n---\nb: 2\n", "holds more than one YAML document"),
            ("a: &x {b: 1}\nc:\n  <<: *x\n", "merge keys"),
            ("? [a]\n: b\n", "a key must be a text"),
            ("a: !!python/object:os.system x\n", "tag 'tag:yaml.org,2002:python/object:os.system' is not read"),
            ("a: !mine 'x'\n", "tag '!mine' is not read"),
            ("a: !!set {b}\n", "tag 'tag:yaml.org,2002:set' is not read"),
            ("a: !x [1]\n", "tag '!x' is not read"),
            ("a: !!str 011\n", "tag 'tag:yaml.org,2002:str' is not read"),
            ("a: ! 011\n", "tag '!' is not read"),
            ("!!str a: 1\n", "tag 'tag:yaml.org,2002:str' is not read"),
            ("a: 1\nb: \x00\n", "holds character 0x0000, which YAML forbids"),
            ("a: 1\u2028b: 2\n", "holds character 0x2028, which some YAML readers take for a line break"),
            ("a: 1 # \x85\n", "holds character 0x0085, which some YAML readers take for a line break"),
            ("a: \ud800\n", "holds character 0xd800"),
            ("- " * 500_000, "is nested deeper than"),
            ("a: [" + "x," * 400_000 + "]", "has more than 1,000 entries"),
            ("a: {" + "".join(f"b{n}: 1, " for n in range(1001)) + "}", "has more than 1,000 entries"),
            (
                "a:\n" + "  - [" + ("x, " * 900 + "]\n") + ("  - [" + "x, " * 900 + "]\n") * 120,
                "holds more than 100,000",
            ),
            ("a: " + "[" * 100 + "]" * 100, "is nested deeper than"),
            ("a: " + "[" * 900_000, "is nested deeper than"),
            ("a: " + "{b: " * 100 + "1" + "}" * 100, "is nested deeper than"),
            ("%YAML 9.9\n%x\n---\na: 1\n", ""),
        ],
    )
    def test_refused(self, text, message):
        """What is no plain data, or no YAML at all, is one finding with its line and what to do."""
        finding = refusal(text)

        assert message in finding.message
        assert finding.code in {"SPEC002", "SPEC003"}
        assert finding.line >= 1
        assert finding.hint

    @pytest.mark.parametrize(
        ("text", "place"), [("[", (1, 2)), ("a: 1\nb: [x", (2, 6)), ("a: [x\n\n", (2, 1)), ("a: 1\n~", (2, 2))]
    )
    def test_end_of_text(self, text, place):
        """What is missing at the end is told at the end, on a line that an editor has."""
        finding = refusal(text)

        assert (finding.line, finding.column) == place

    def test_aliases_of_aliases(self):
        """A few lines that grow to billions of values are refused quickly."""
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]

        assert "once its aliases are followed" in refusal("\n".join(lines)).message


class TestComments:
    @pytest.mark.parametrize(
        ("text", "comments"),
        [
            ("a: 1  # trnstack: x\n", [("# trnstack: x", 1, 7, 1)]),
            ("a: 1  # why # trnstack: x\n", [("# why # trnstack: x", 1, 7, 1)]),
            (
                "a: 1\n# trnstack: x\n  # y\n# trnstack: z\nb: 1\n",
                [("# trnstack: x", 2, 1, 5), ("# trnstack: z", 4, 1, 5)],
            ),
            ("a: 1\n# trnstack: x", [("# trnstack: x", 2, 1, 3)]),
            ("a: 'x # trnstack: y' # trnstack: z\n", [("# trnstack: z", 1, 22, 1)]),
            ('a: "x # trnstack: y\n  # trnstack: z"\n', []),
            ("a: x#trnstack:y\n", []),
            ("a: 1 # all of it\n", []),
            (
                "a: |  # trnstack: x\n  text # trnstack: in\nb: 1  # trnstack: y\n",
                [("# trnstack: x", 1, 7, 1), ("# trnstack: y", 3, 7, 3)],
            ),
            ("é𝄞: [x, y] # trnstack: z\r\n", [("# trnstack: z", 1, 12, 1)]),
            (
                "a: [x, # trnstack: one\n  y] # trnstack: two\n",
                [("# trnstack: one", 1, 8, 1), ("# trnstack: two", 2, 6, 2)],
            ),
        ],
    )
    def test_are_what_yaml_takes_for_comments(self, text, comments):
        """A comment to trnstack is known with its place and the line it is about; a ``#`` in a text starts none."""
        found = parse(text, "x.yaml").comments

        assert [(each.text, each.mark.line, each.mark.column, each.line) for each in found] == comments


#: Pieces that mean something to YAML, so that random texts come near it.
PIECES = st.sampled_from(
    [
        *"ab\n\t{}[],'\"%@`#~\x00\x85\u2028\r\ufeffé𝄞",
        "b: ",
        "- ",
        "  ",
        "&a ",
        "*a",
        "!!int ",
        "!x ",
        "|\n",
        ">-\n",
        "? ",
        "---\n",
        "...\n",
        "<<: ",
        "0x1",
        ".nan",
        "yes",
        ": ",
        " # trnstack: c",
    ]
)


class TestProperties:
    @given(st.text(max_size=300))
    @settings(max_examples=300, deadline=None)
    def test_any_text(self, text):
        """Any text is read or refused, and a refusal has a line."""
        self.read_or_refused(text)

    @given(st.lists(PIECES, max_size=40).map("".join))
    @settings(max_examples=300, deadline=None)
    def test_nearly_yaml(self, text):
        """So is text that is nearly YAML."""
        self.read_or_refused(text)

    @given(st.binary(max_size=200))
    @settings(max_examples=100, deadline=None)
    def test_any_bytes(self, tmp_path_factory, content):
        """So is any file."""
        path = tmp_path_factory.mktemp("any") / "x.yaml"
        path.write_bytes(content)
        result = outcome(lambda: read(path))

        assert isinstance(result, Source) or all(finding.line for finding in result)

    def read_or_refused(self, text):
        result = outcome(lambda: parse(text, "x.yaml"))
        if isinstance(result, Source):
            assert all(mark.line >= 1 and mark.column >= 1 for mark in result.marks.values())
            assert all(comment.text.startswith("#") and comment.text in text for comment in result.comments)
        else:
            assert result
            assert all(finding.line >= 1 and finding.file == "x.yaml" for finding in result)


class TestLocate:
    SOURCE = parse("a:\n  b:\n    - 1\n", "x.yaml")

    @pytest.mark.parametrize(
        ("path", "line"),
        [
            (("a",), 1),
            (("a", "b"), 2),
            (("a", "b", 0), 3),
            (("a", "b", 7, "c"), 2),
            (("a", "z"), 1),
            (("z",), 1),
            ((), 1),
        ],
    )
    def test_nearest_place(self, path, line):
        """What is not in the file is where it would be: at the nearest thing above it."""
        finding = self.SOURCE.locate(Finding(code="SPEC008", path=path, message="x", hint="y"))

        assert (finding.file, finding.line) == ("x.yaml", line)
        assert (finding.path, finding.message, finding.hint) == (path, "x", "y")
