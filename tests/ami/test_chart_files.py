"""Archives are read as if whoever made them meant harm."""

import gzip
import io
import tarfile

import pytest

from ami import chart_files
from ami.chart_files import MOST_BYTES, MOST_YAML_BYTES, ChartError, handed, unknown_values, unpacked, write
from rehearsal.charts import archive, names

CHART_YAML = b"name: queue\nversion: 1.2.3\n"


def packed(*members, compress=True):
    """Packs members, each a name with a content, or a record of tar."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for member in members:
            name, content = member if isinstance(member, tuple) else (member.name, b"")
            record = tarfile.TarInfo(name) if isinstance(member, tuple) else member
            record.size = len(content)
            tar.addfile(record, io.BytesIO(content))
    return gzip.compress(out.getvalue(), mtime=0) if compress else out.getvalue()


def chart(values=b"", *more):
    return packed(("queue/Chart.yaml", CHART_YAML), ("queue/values.yaml", values), *more)


def read(content):
    return unpacked(content, name="queue", version="1.2.3")


def link(kind):
    record = tarfile.TarInfo("queue/link")
    record.type, record.linkname = kind, "/etc/passwd"
    return record


class TestUnpacked:
    def test_files(self):
        """Files are known by their paths in the chart."""
        found = read(chart(b"a: 1", ("queue/templates/x.yaml", b"x"), ("./queue/README.md", b"y")))

        assert dict(found.files)["templates/x.yaml"] == b"x"
        assert set(found.files) == {"Chart.yaml", "values.yaml", "templates/x.yaml", "README.md"}

    @pytest.mark.parametrize("name", names())
    def test_stand_ins(self, name):
        """The rehearsal's own charts are charts."""
        assert unpacked(archive(name, "1.0.0"), name=name, version="1.0.0").values()

    @pytest.mark.parametrize(
        ("member", "said"),
        [
            (("../evil", b""), "leads out"),
            (("queue/../../evil", b""), "leads out"),
            (("/etc/evil", b""), "leads out"),
            (("queue/a\\b", b""), "leads out"),
            (("queue/" + "x" * 300, b""), "leads out"),
            (("queue/a\nb", b""), "leads out"),
            (("other/file", b""), "holds one folder"),
            (("queue/Chart.yaml", b"twice"), "twice"),
            (("queue/Chart.yaml/below", b""), "below a file"),
            (("queue", b"a file in the folder's place"), "beside its folder"),
            (link(tarfile.SYMTYPE), "neither a file nor a folder"),
            (link(tarfile.LNKTYPE), "neither a file nor a folder"),
            (link(tarfile.FIFOTYPE), "neither a file nor a folder"),
            (link(tarfile.CHRTYPE), "neither a file nor a folder"),
        ],
    )
    def test_harm(self, member, said):
        """Nothing outside of the chart, no link, no device, and no file in another's place."""
        with pytest.raises(ChartError, match=said):
            read(chart(b"", member))

    def test_bomb(self):
        """What unpacks to more than a chart has is not unpacked."""
        with pytest.raises(ChartError, match="unpacks to more than 32 MiB"):
            read(gzip.compress(bytes(MOST_BYTES + 1), mtime=0))

    def test_many(self):
        """Nor is what has more files than a chart."""
        with pytest.raises(ChartError, match="more than 2000 files"):
            read(chart(b"", *((f"queue/{number}", b"") for number in range(2000))))

    @pytest.mark.parametrize("content", [b"", b"PK", chart()[:-20], gzip.compress(b"x" * 2000, mtime=0)])
    def test_no_archive(self, content):
        """What is no archive is said to be none."""
        with pytest.raises(ChartError, match=r"is no|holds no Chart"):
            read(content)

    def test_another_chart(self):
        """A chart of another name or version is not the one."""
        with pytest.raises(ChartError, match=r"holds queue 1\.2\.3, and not queue 1\.2\.4"):
            unpacked(chart(), name="queue", version="1.2.4")

    @pytest.mark.parametrize(
        "text",
        [
            b"- x",
            b"{",
            b"x: *y",
            b"a: [" * 500,
            b"a: !!int ''",
            b"a: !!bool x",
            b"a: !!timestamp x",
            b"a: 1" + b":1" * 300 + b".0",
        ],
    )
    def test_no_values(self, text):
        """Values that are no mapping are said to be none."""
        with pytest.raises(ChartError, match=r"values\.yaml that is no"):
            read(chart(text)).values()

    def test_written(self, tmp_path):
        """A chart's files are written below the folder."""
        write(read(chart(b"a: 1", ("queue/templates/deep/x.yaml", b"x"))), tmp_path / "asset")

        assert (tmp_path / "asset" / "templates" / "deep" / "x.yaml").read_bytes() == b"x"


def laughs(line):
    """Lines of which each names the one before ten times."""
    return b"l0: &l0 {x: 1}\n" + b"".join(line(number) for number in range(1, 12))


class TestLimits:
    """Whatever an archive holds, its values are read soon, or it is refused."""

    def inner(self, name, *more):
        return (f"queue/charts/{name}.tgz", packed((f"{name}/Chart.yaml", f"name: {name}".encode()), *more))

    def nested(self, depth):
        """An archive in an archive, so deep."""
        member = ("sub/values.yaml", b"own: 1")
        for _ in range(depth - 1):
            member = ("sub/charts/sub.tgz", packed(("sub/Chart.yaml", b"name: sub"), member))
        return chart(b"", self.inner("sub", member))

    def test_deep(self):
        """Charts in charts in charts are read, and no deeper."""
        assert read(self.nested(3)).values() == {"sub": {"sub": {"sub": {"own": 1}}}}
        with pytest.raises(ChartError, match="charts in charts more than 3 deep"):
            read(self.nested(4)).values()

    def test_deep_folders(self):
        """So are those that were not packed."""
        paths = ["queue/" + "charts/sub/" * depth for depth in range(1, 5)]
        with pytest.raises(ChartError, match="charts in charts more than 3 deep"):
            read(chart(b"", *((f"{path}Chart.yaml", b"name: sub") for path in paths))).values()

    def test_many_files(self):
        """The files of all charts in a chart count together: a small archive can hold a great many small ones."""
        small = packed(("sub/Chart.yaml", b"name: sub"))
        inner = packed(("sub/Chart.yaml", b"name: sub"), *((f"sub/charts/{number}.tgz", small) for number in range(60)))
        found = read(chart(b"", *((f"queue/charts/{number}.tgz", inner) for number in range(60))))
        assert len(found.files) < 100

        with pytest.raises(ChartError, match="more than 2000 files"):
            found.values()

    def test_much(self, monkeypatch):
        """So do their bytes."""
        monkeypatch.setattr(chart_files._Allowance, "__init__", _small_allowance)
        big = bytes(60_000)
        assert read(chart(b"", self.inner("a", ("a/big", big)))).values() == {"a": {}}

        with pytest.raises(ChartError, match="unpacks to more than"):
            read(chart(b"", self.inner("a", ("a/big", big)), self.inner("b", ("b/big", big)))).values()

    def test_long_values(self):
        """Values that take long to read are not read."""
        with pytest.raises(ChartError, match="more than 2 MiB of values"):
            read(chart(b"#" * (MOST_YAML_BYTES + 1))).values()
        half = b"#" * (MOST_YAML_BYTES // 2)
        with pytest.raises(ChartError, match="more than 2 MiB of values"):
            read(chart(half, self.inner("a", ("a/values.yaml", half)))).values()

    @pytest.mark.parametrize(
        "text",
        [
            laughs(lambda n: f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n".encode()),
            laughs(lambda n: f"l{n}: &l{n} {{<<: [{', '.join([f'*l{n - 1}'] * 10)}]}}\n".encode()),
            b"a: &a {a: *a}",
            b"a: " + b"[" * 200 + b"]" * 200,
            b"l0: &l0 [x]\n" + b"".join(b"l%d: &l%d [*l%d]\n" % (n, n, n - 1) for n in range(1, 200)),
        ],
    )
    def test_aliases(self, text):
        """Nor are values that name themselves over and over, or are nested beyond use."""
        with pytest.raises(ChartError, match="or more than a chart has"):
            read(chart(text)).values()

    def test_alias(self):
        """An alias that is meant is followed."""
        assert read(chart(b"a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}")).values()["c"] == {"x": 1, "y": 2}


def _small_allowance(self):
    self.bytes_left, self.files_left, self.yaml_bytes_left = 130_000, 100, 10_000


class TestHanded:
    SECRET = ("queue/charts/sub/templates/secret.yaml", b"kind: Secret\ndata: {key: ''}\n")
    PATH = "charts/sub/templates/secret.yaml"

    def test_instead(self):
        """What is left out is handed to Helm in none of its words, and everything else as it is."""
        found = read(chart(b"a: 1", self.SECRET))
        given = handed(found, {self.PATH: {"kind": "Secret", "metadata": {"name": "own"}}})

        assert given.files[self.PATH] == b"kind: Secret\nmetadata:\n  name: own\n"
        assert {**given.files, self.PATH: b""} == {**found.files, self.PATH: b""}
        assert found.files[self.PATH] == self.SECRET[1]

    def test_not_there(self):
        """A chart without the file is none of which anybody knows what to leave out."""
        with pytest.raises(ChartError, match=r"holds no charts/sub/templates/secret\.yaml"):
            handed(read(chart(b"a: 1")), {self.PATH: {}})


class TestUnknownValues:
    VALUES = b"image: {tag: v1}\nenabled: true\nnodeSelector: {kubernetes.io/os: linux}\nextra: {}\nnothing:\n"

    @pytest.mark.parametrize(
        ("given", "unknown"),
        [
            ({"image": {"tag": "v2"}, "enabled": False}, ()),
            ({"image": {"digest": "x"}}, ("image.digest",)),
            ({"imag": {"tag": "v2"}, "enable": True}, ("imag", "enable")),
            ({"nodeSelector": {"own": "x"}, "extra": {"own": {"x": 1}}, "nothing": {"x": 1}}, ()),
            ({"enabled": {"x": 1}}, ("enabled",)),
        ],
    )
    def test_paths(self, given, unknown):
        """A path that a chart's values don't have is named; what they leave open, or hand on, may be anything."""
        assert unknown_values(read(chart(self.VALUES)), given) == unknown

    @pytest.mark.parametrize(
        "inner",
        [
            [("queue/charts/sub/Chart.yaml", b"name: sub\nversion: 1"), ("queue/charts/sub/values.yaml", b"own: 1")],
            [
                (
                    "queue/charts/sub-1.tgz",
                    packed(("sub/Chart.yaml", b"name: sub\nversion: 1"), ("sub/values.yaml", b"own: 1")),
                )
            ],
        ],
    )
    def test_inner_charts(self, inner):
        """A chart that is brought along has its values under its name, together with what the outer one sets of it."""
        found = read(chart(b"sub: {install: true}", *inner))

        assert found.values() == {"sub": {"own": 1, "install": True}}
        assert unknown_values(found, {"sub": {"own": 2, "install": False}}) == ()
        assert unknown_values(found, {"sub": {"owm": 2}}) == ("sub.owm",)
