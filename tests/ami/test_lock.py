import json
import os
import re
import stat
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ami import pins
from ami.lock import (
    LOCK_VERSION,
    LockError,
    MissingLockError,
    NewerLockError,
    OlderLockError,
    UnreadableLockError,
    differences,
    path_for,
    read,
    to_json,
    write,
)
from ami.pins import (
    NOT_BUILT,
    UNRESOLVED,
    BuiltImage,
    ChartPin,
    ContainerPin,
    ImagePin,
    Inputs,
    Lock,
    NeuronPin,
    Toolkit,
    hash_of,
)

CUSTOM = BuiltImage(
    recipe="neuron",
    version="0123456789ab",
    neuron_driver="2.30.2.0",
    image_ids={"us-east-2": "ami-0aaaaaaaaaaaaaaaa", "us-west-2": NOT_BUILT},
    owner="111122223333",
)
NEURON_IMAGE = ImagePin(
    ami_type="AL2023_x86_64_NEURON",
    release="v20260714",
    release_version="1.35.6-20260714",
    image_id="ami-0123456789abcdef0",
    owner="602401143452",
    neuron_driver="2.29.0.0",
    kernel="6.12",
    custom=None,
)
LOCK = Lock(
    toolkit=Toolkit(trnstack="0.1.0", aws_cdk_lib="2.275.0", aws_cdk_cli="2.1148.1"),
    inputs=Inputs(
        environment="llama3-8b",
        region="us-east-2",
        kubernetes_version="1.35",
        neuron_sdk="2.31.0",
        framework="jax",
        images={"system": "eks_optimized", "trn1": "custom neuron 0123456789ab", "spare": "eks_optimized"},
        image_regions=("us-west-2",),
        add_ons=("coredns", "vpc-cni"),
        charts=("kueue",),
        chart_settings=("neuron_scheduler",),
    ),
    made_from="AWS in us-east-2",
    rehearsal_account=None,
    neuron=NeuronPin(
        sdk="2.31.0",
        driver="2.29.0.0",
        components={"aws-neuronx-dkms": "2.29.0.0", "aws-neuronx-tools": "2.31.9.0", "neuronx-cc": "2.26.6360.0"},
        container=ContainerPin(image="public.ecr.aws/neuron/x:1", digest=f"sha256:{'a' * 64}"),
    ),
    images={
        "system": replace(NEURON_IMAGE, ami_type="AL2023_x86_64_STANDARD", neuron_driver=None),
        "trn1": replace(NEURON_IMAGE, custom=CUSTOM),
        "spare": NEURON_IMAGE,
    },
    add_ons={"coredns": "v1.13.2-eksbuild.31", "vpc-cni": "v1.22.4-eksbuild.3"},
    charts={
        "kueue": ChartPin(
            version="0.19.2",
            location="oci://registry.k8s.io/kueue/charts/kueue",
            digest=f"sha256:{'b' * 64}",
            archive=f"sha256:{'d' * 64}",
            images={"registry.k8s.io/kueue/kueue:v0.19.2": f"sha256:{'c' * 64}"},
        )
    },
)
TEXT = to_json(LOCK)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("locks") / "llama3-8b.lock.json"


def read_text(file, text):
    file.write_bytes(text.encode(errors="surrogatepass"))
    return read(file)


def read_data(file, data):
    """Reads data as a lock whose checksum is right, as no trnstack wrote it and a program of somebody's might have."""
    content = {key: value for key, value in data.items() if key != "checksum"}
    return read_text(file, json.dumps({**content, "checksum": hash_of(content)}))


texts = st.text(st.characters(categories=("L", "M", "N", "P", "S")), max_size=12)
tuples = st.lists(texts, max_size=3, unique=True).map(tuple)
words = st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True)
owners = st.from_regex(r"[0-9]{12}", fullmatch=True)
drivers = st.from_regex(r"[0-9]{1,9}(\.[0-9]{1,9}){3}", fullmatch=True)
digests = st.just(UNRESOLVED) | st.from_regex(r"sha256:[0-9a-f]{64}", fullmatch=True)
image_ids = st.sampled_from([UNRESOLVED, NOT_BUILT]) | st.from_regex(r"ami-[0-9a-f]{17}", fullmatch=True)
image_names = st.builds("{}.example/{}:{}".format, words, words, words)


@st.composite
def consistent(draw):
    """Draws a lock whose pins are those that its inputs name, whatever names and values are in it."""
    region, regions, tools = draw(texts), draw(tuples), draw(drivers)
    kinds = draw(st.dictionaries(texts, st.just("eks_optimized") | words.map("custom {0} {0}".format), max_size=3))
    inputs = replace(
        LOCK.inputs,
        environment=draw(texts),
        region=region,
        framework=draw(texts),
        images={**kinds, "system": "eks_optimized"},
        image_regions=regions,
        add_ons=draw(tuples),
        charts=draw(tuples),
        chart_settings=draw(tuples),
    )

    def image(kind):
        custom = BuiltImage(
            recipe=kind.split(" ")[-1],
            version=draw(st.from_regex(r"[0-9a-f]{12}", fullmatch=True)),
            neuron_driver=draw(drivers),
            image_ids={each: draw(image_ids) for each in (region, *regions)},
            owner=draw(owners | st.just(NOT_BUILT)),
        )
        driver, owner = draw(st.none() | drivers), draw(owners)
        return replace(NEURON_IMAGE, neuron_driver=driver, owner=owner, custom=custom if " " in kind else None)

    charts = {
        name: replace(LOCK.charts["kueue"], digest=draw(digests), images=draw(st.dictionaries(image_names, digests)))
        for name in inputs.charts
    }
    components = {**draw(st.dictionaries(texts, drivers, max_size=3)), "aws-neuronx-tools": tools}
    container = draw(st.none() | st.builds(ContainerPin, image=image_names, digest=digests))
    return replace(
        LOCK,
        inputs=inputs,
        made_from=draw(texts),
        rehearsal_account=draw(st.none() | owners),
        neuron=replace(LOCK.neuron, driver=draw(drivers), components=components, container=container),
        images={name: image(kind) for name, kind in inputs.images.items()},
        add_ons=dict.fromkeys(inputs.add_ons, "v1.2.3-eksbuild.4"),
        charts=charts,
    )


class TestRoundTrip:
    @settings(max_examples=100, deadline=None)
    @given(lock=consistent())
    def test_any(self, file, lock):
        """Every lock reads back as itself, whatever names and values are in it."""
        write(lock, file)

        assert read(file) == lock
        assert to_json(read(file)) == to_json(lock)

    def test_equal(self, file):
        """What is written is what is read, with null pins and the order of everything kept."""
        write(LOCK, file)

        assert read(file) == LOCK
        assert list(read(file).add_ons) == ["coredns", "vpc-cni"]
        assert to_json(read(file)) == TEXT == file.read_text()

    def test_one_value_a_line(self):
        """A changed pin is one changed line, so that a review sees what moved."""
        other = to_json(replace(LOCK, add_ons={**LOCK.add_ons, "vpc-cni": "v1.23.0-eksbuild.1"}))

        changed = [line for line in other.splitlines() if line not in TEXT.splitlines()]
        assert changed[:-1] == ['    "vpc-cni": "v1.23.0-eksbuild.1"']
        assert changed[-1].startswith('  "checksum": "sha256:')
        assert len(changed) == 2

    def test_version_comes_first(self):
        """The format's version is the first thing in the file."""
        assert next(iter(json.loads(TEXT).items())) == ("lock_version", LOCK_VERSION)

    def test_hash_of_the_inputs(self):
        """The inputs' hash is in the file, so that two locks show at a glance whether they answer the same."""
        assert json.loads(TEXT)["inputs"]["hash"] == LOCK.inputs.hash
        assert LOCK.inputs.hash == replace(LOCK.inputs, images=dict(reversed(LOCK.inputs.images.items()))).hash
        assert LOCK.inputs.hash != replace(LOCK.inputs, chart_settings=()).hash

    def test_write_replaces(self, file):
        """Writing leaves one file, readable by everybody, and nothing temporary beside it."""
        file.write_text("old")
        write(LOCK, file)

        assert [path.name for path in file.parent.iterdir()] == [file.name]
        assert stat.S_IMODE(file.stat().st_mode) == 0o644

    def test_whole_or_not_at_all(self, file, monkeypatch):
        """Whoever reads while a lock is written sees the old one or the new one: the file is replaced, not filled."""
        write(LOCK, file)
        newer, seen = replace(LOCK, made_from="AWS in us-west-2"), []
        replace_path = type(file).replace

        def look(written, target):
            seen.append((read(file), read(written)))
            return replace_path(written, target)

        monkeypatch.setattr(type(file), "replace", look)
        write(newer, file)

        assert seen == [(LOCK, newer)]
        assert read(file) == newer

    def test_failed_write(self, tmp_path):
        """A write that fails leaves what was there, and nothing temporary beside it."""
        target = tmp_path / "x.lock.json"
        target.mkdir()

        with pytest.raises(OSError, match=r"x\.lock\.json"):
            write(LOCK, target)
        assert list(tmp_path.iterdir()) == [target]

    def test_full_disk(self, tmp_path, full_disk):
        """A disk that is full leaves what was there and nothing beside it; the error names the lock."""
        target = tmp_path / "x.lock.json"
        write(LOCK, target)

        with full_disk(), pytest.raises(OSError, match=r"File too large: '.*/x\.lock\.json'"):
            write(replace(LOCK, made_from="AWS in us-west-2"), target)
        assert [path.name for path in tmp_path.iterdir()] == ["x.lock.json"]
        assert read(target) == LOCK

    def test_folder_that_is_not_there(self, tmp_path):
        """The error names the lock, not the temporary file beside it."""
        with pytest.raises(OSError, match=r"No such file or directory: '.*/none/x\.lock\.json'"):
            write(LOCK, tmp_path / "none" / "x.lock.json")

    def test_link(self, tmp_path):
        """A link to a lock stays one, and the lock that it leads to is written."""
        (tmp_path / "real.lock.json").touch()
        link = tmp_path / "link.lock.json"
        link.symlink_to("real.lock.json")
        write(LOCK, link)

        assert link.is_symlink()
        assert read(tmp_path / "real.lock.json") == LOCK

    def test_path(self):
        """The lock lies beside its environment, by its name."""
        assert path_for("environments/llama3-8b.yaml").as_posix() == "environments/llama3-8b.lock.json"


class TestDifferences:
    def test_current(self):
        """A lock answers the inputs that it was made for."""
        assert differences(LOCK, LOCK.inputs) == []

    def test_stale(self):
        """Each input that moved is a line with both values."""
        wanted = replace(LOCK.inputs, neuron_sdk="2.30.0", add_ons=("vpc-cni",))

        assert differences(LOCK, wanted) == [
            "neuron_sdk was 2.31.0, is now 2.30.0",
            "add_ons was coredns, vpc-cni, is now vpc-cni",
        ]

    def test_by_node_group(self):
        """What nodes start from is told by node group, one that is new or gone as such."""
        wanted = replace(
            LOCK.inputs, images={"system": "eks_optimized", "trn1": "eks_optimized", "more": "x"}, charts=()
        )

        assert differences(LOCK, wanted) == [
            "images.more is new: x",
            "images.spare is gone",
            "images.trn1 was custom neuron 0123456789ab, is now eks_optimized",
            "charts was kueue, is now none",
        ]

    def test_another_environment(self):
        """A lock of another environment or region answers nothing of this one's."""
        assert differences(LOCK, replace(LOCK.inputs, environment="other", region="us-west-2")) == [
            "environment was llama3-8b, is now other",
            "region was us-east-2, is now us-west-2",
        ]


class TestOpenValues:
    def test_none(self):
        """A lock that an account resolved leaves nothing unresolved; what is to be built is not."""
        assert (LOCK.unresolved, LOCK.awaiting_build) == ((), ())

    def test_unresolved(self):
        """Each value that nobody was asked for has its place."""
        open_lock = replace(
            LOCK,
            neuron=replace(LOCK.neuron, container=replace(LOCK.neuron.container, digest=UNRESOLVED)),
            images={**LOCK.images, "spare": replace(NEURON_IMAGE, image_id=UNRESOLVED)},
            charts={"kueue": replace(LOCK.charts["kueue"], images={"x:1": UNRESOLVED})},
        )

        assert open_lock.unresolved == ("neuron.container.digest", "images.spare.image_id", "charts.kueue.images.x:1")

    def test_awaiting_build(self):
        """A node group awaits its image as long as its own region has none."""
        waiting = replace(CUSTOM, image_ids={"us-east-2": NOT_BUILT, "us-west-2": "ami-0b"})
        lock = replace(LOCK, images={**LOCK.images, "trn1": replace(NEURON_IMAGE, custom=waiting)})

        assert (lock.awaiting_build, lock.unresolved) == (("trn1",), ())

    def test_driver_of_the_nodes(self):
        """The driver on the nodes is the recipe's under a custom image, and else the AMI's."""
        assert {name: pin.nodes_driver for name, pin in LOCK.images.items()} == {
            "system": None,
            "trn1": "2.30.2.0",
            "spare": "2.29.0.0",
        }

    def test_tags(self):
        """The tags of built images are a contract: an image that stands is found by them."""
        assert (pins.RECIPE_TAG, pins.RECIPE_VERSION_TAG) == ("trnstack:recipe", "trnstack:recipe-version")


class TestUnusable:
    """A lock that can't be used says so in one sentence that names the file; nothing is guessed."""

    def test_missing(self, tmp_path):
        """No lock is an error of its own, since its remedy is another."""
        with pytest.raises(MissingLockError, match="there is no lock for this environment"):
            read(tmp_path / "x.lock.json")

    def test_directory(self, tmp_path):
        """Something that can't be read as a file is an error about the file."""
        with pytest.raises(UnreadableLockError, match=r"can't be read: it is a folder$"):
            read(tmp_path)

    def test_named_pipe(self, tmp_path):
        """A pipe is not waited for."""
        os.mkfifo(tmp_path / "x.lock.json")

        with pytest.raises(UnreadableLockError, match=r"can't be read: it is no file$"):
            read(tmp_path / "x.lock.json")

    def test_not_allowed(self, file, monkeypatch):
        """What the system refuses is said in its words, without Python's."""
        write(LOCK, file)
        monkeypatch.setattr(type(file), "read_text", failing(PermissionError(13, "Permission denied")))

        with pytest.raises(UnreadableLockError, match=r"can't be read: permission denied$"):
            read(file)

    def test_name_that_is_too_long(self, tmp_path):
        """Nor is a name that no file can have a crash."""
        with pytest.raises(UnreadableLockError, match="can't be read: file name too long"):
            read(tmp_path / ("x" * 300))

    def test_binary(self, file):
        """A file that is no text is an error about the file."""
        file.write_bytes(b"\xff\xfe\x00")

        with pytest.raises(LockError, match="is not text in UTF-8"):
            read(file)

    def test_newer_version(self, file):
        """A lock of a later format asks for a later trnstack, whatever else is in it."""
        with pytest.raises(NewerLockError, match=r"has version 4; this trnstack reads version 3: update trnstack"):
            read_text(file, '{"lock_version": 4, "pins": []}')

    def test_older_version(self, file):
        """A lock of an earlier format is not guessed at."""
        with pytest.raises(
            OlderLockError, match=r"has version 1, which an older trnstack wrote; this one reads 2 and 3"
        ):
            read_text(file, '{"lock_version": 1, "accelerator_image": {}}')

    @pytest.mark.parametrize("text", ["{}", "[]", "null", "3", '{"lock_version": 0}', '{"lock_version": "1"}'])
    def test_no_lock(self, file, text):
        """JSON that is something else is not taken for a lock."""
        with pytest.raises(LockError, match="is not a lock file"):
            read_text(file, text)

    @pytest.mark.parametrize("version", ["true", "3.0"])
    def test_version_that_is_no_number(self, file, version):
        """A version that Python takes for a whole number without its being one is not taken for it."""
        with pytest.raises(LockError, match="is not a lock file"):
            read_text(file, TEXT.replace('"lock_version": 3', f'"lock_version": {version}'))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("ami-0123456789abcdef0", "ami-0123456789abcdef1"),
            ("v1.22.4-eksbuild.3", "v1.22.4-eksbuild.4"),
            ('"rehearsal_account": null', '"rehearsal_account": "123456789012"'),
            ('"checksum": "sha256:', '"checksum": "sha256:0'),
        ],
    )
    def test_edited_by_hand(self, file, old, new):
        """An edit by hand is found by the checksum, however well it is formed."""
        assert old in TEXT
        with pytest.raises(LockError, match="was edited by hand: its checksum is not that of its content"):
            read_text(file, TEXT.replace(old, new, 1))

    def test_without_checksum(self, file):
        """Nor does an edit pass that takes the checksum out."""
        data = json.loads(TEXT)
        del data["checksum"]

        with pytest.raises(LockError, match="was edited by hand"):
            read_text(file, json.dumps(data))

    def test_written_otherwise(self, file):
        """The checksum is of the content: another order or another layout is the same lock."""
        shuffled = dict(reversed(json.loads(TEXT).items()))

        assert read_text(file, json.dumps(shuffled)) == LOCK

    @pytest.mark.usefixtures("no_collection")
    def test_deeply_nested(self, file):
        """JSON that is nested beyond what the reader can follow is a damaged file, not a crash."""
        with pytest.raises(LockError, match="is not JSON"):
            read_text(file, "[" * 100_000)

    @pytest.mark.parametrize("depth", range(900, 1010, 3))
    @pytest.mark.usefixtures("no_collection")
    def test_nested(self, file, depth):
        """Nor is JSON that just can be followed."""
        with pytest.raises(LockError):
            read_text(file, f'{{"lock_version": {LOCK_VERSION}, "x": {"[" * depth}{"]" * depth}}}')

    @pytest.mark.parametrize("length", range(0, len(TEXT) - 2, 97))
    def test_cut_off(self, file, length):
        """A file that was cut off is damaged wherever the cut is."""
        with pytest.raises(LockError, match=r"is not JSON \(edited by hand or cut off\?\)"):
            read_text(file, TEXT[:length])

    @pytest.mark.parametrize("part", [field.name for field in fields(Lock)])
    def test_lacking_part(self, file, part):
        """A part that is missing is named."""
        data = json.loads(TEXT)
        del data[part]

        with pytest.raises(LockError, match=f"lacks {part}"):
            read_data(file, data)

    @pytest.mark.parametrize("part", [None, "inputs", "toolkit", "neuron", "images.trn1", "images.trn1.custom"])
    def test_unknown_part(self, file, part):
        """What is not known is not read over in silence, wherever it stands: it may be what somebody relies on."""
        data = json.loads(TEXT)
        place = data
        for name in part.split(".") if part else ():
            place = place[name]
        place["surplus"] = "x"

        with pytest.raises(LockError, match=r"does not have the shape of a lock: .*surplus"):
            read_data(file, data)

    @pytest.mark.parametrize("value", ["vpc-cni", {"vpc-cni": "x"}, [1], [["vpc-cni"]], None])
    def test_add_ons_are_a_list(self, file, value):
        """A text or a mapping is not read as the list of its letters or keys."""
        data = json.loads(TEXT)
        data["inputs"]["add_ons"] = value

        with pytest.raises(LockError, match="does not have the shape of a lock"):
            read_data(file, data)

    @pytest.mark.parametrize(
        "path",
        [("neuron", "driver"), ("neuron", "container", "digest"), ("images", "trn1", "image_id"), ("made_from",)],
    )
    def test_null_where_a_pin_must_be(self, file, path):
        """Only the pins that may be absent may be null."""
        with pytest.raises(LockError, match="does not have the shape of a lock"):
            read_data(file, replaced(json.loads(TEXT), path, None))

    @pytest.mark.parametrize(
        "path",
        [("toolkit",), ("neuron",), ("neuron", "container"), ("images", "trn1"), ("images", "trn1", "custom")],
    )
    def test_unknown_key(self, file, path):
        """A key that this format doesn't have is not dropped in silence."""
        with pytest.raises(LockError, match="does not have the shape of a lock"):
            read_data(file, replaced(json.loads(TEXT), (*path, "more"), "x"))


def paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]] if path[1:] else None, path[1:], new)
    return copy


class TestVersion2:
    """A lock of the version before charts were installed keeps what nodes come from."""

    @pytest.fixture
    def data(self):
        """A lock's data as version 2 has it."""
        data = {**json.loads(TEXT), "lock_version": 2}
        data["charts"] = {name: without(pin, ("archive",)) for name, pin in data["charts"].items()}
        return data

    def test_read(self, file, data):
        """All of it is what it was but the charts, for which it asks to be locked anew."""
        found = read_data(file, data)

        assert found == replace(LOCK, inputs=replace(LOCK.inputs, charts=()), charts={})
        assert differences(found, LOCK.inputs) == ["charts was none, is now kueue"]

    def test_edited_by_hand(self, file, data):
        """Its checksum is looked at as it is."""
        with pytest.raises(LockError, match="was edited by hand"):
            read_text(file, json.dumps({**data, "made_from": "nobody"}))

    @pytest.mark.parametrize(
        ("path", "value", "said"),
        [
            (("charts", "kueue", "archive"), UNRESOLVED, "unknown archive"),
            (("charts", "kueue", "digest"), "x", "should be sha256:"),
            (("charts", "kueue"), [], "does not have the shape"),
            (("charts", "more"), None, "does not have the shape"),
        ],
    )
    def test_form(self, file, data, path, value, said):
        """Nor is it read over what no version 2 has."""
        with pytest.raises(LockError, match=said):
            read_data(file, replaced(data, path, value))


def is_lock_or_refused(file, text):
    """Whatever the text is, reading it gives a lock that writes and reads back equal, or LockError."""
    try:
        lock = read_text(file, text)
    except LockError as error:
        return error.file == file and bool(error.message)
    return isinstance(lock, Lock) and read_text(file, to_json(lock)) == lock


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


class TestConsistency:
    """A lock whose checksum is right, and whose pins are still not those that its inputs name, is none."""

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            (("images", "system"), "images lacks system"),
            (("images", "spare"), "images lacks spare"),
            (("inputs", "images", "system"), "inputs.images lacks system"),
            (("inputs", "images", "spare"), "images has spare, which inputs do not name"),
            (("add_ons", "coredns"), "add_ons lacks coredns"),
            (("charts", "kueue"), "charts lacks kueue"),
            (("images", "trn1", "custom", "image_ids", "us-east-2"), "custom.image_ids lacks us-east-2"),
            (("images", "trn1", "custom", "image_ids", "us-west-2"), "custom.image_ids lacks us-west-2"),
            (("neuron", "components", "aws-neuronx-tools"), "neuron.components lacks aws-neuronx-tools"),
        ],
    )
    def test_lacking(self, file, path, message):
        """What the inputs name and the pins lack is named."""
        with pytest.raises(LockError, match=rf"does not have the shape of a lock: .*{re.escape(message)}"):
            read_data(file, with_hash(without(json.loads(TEXT), path)))

    @pytest.mark.parametrize(
        ("path", "value", "message"),
        [
            (("add_ons", "adot"), "v1.0.0-eksbuild.1", "add_ons has adot, which inputs do not name"),
            (("charts", "more"), json.loads(TEXT)["charts"]["kueue"], "charts has more, which inputs do not name"),
            (
                ("images", "trn1", "custom", "image_ids", "eu-north-1"),
                NOT_BUILT,
                "images.trn1.custom.image_ids has eu-north-1, which inputs do not name",
            ),
            (("images", "trn1", "custom"), None, "images.trn1 is eks_optimized, and inputs name custom neuron"),
            (("images", "trn1", "custom", "recipe"), "other", "images.trn1.custom is of recipe other, and inputs name"),
            (
                ("images", "spare", "custom"),
                json.loads(TEXT)["images"]["trn1"]["custom"],
                "images.spare.custom is of recipe neuron, and inputs name eks_optimized",
            ),
            (
                ("images", "system", "custom"),
                json.loads(TEXT)["images"]["trn1"]["custom"],
                "images.system is custom, and inputs name eks_optimized",
            ),
            (("neuron", "sdk"), "2.30.0", "neuron.sdk is 2.30.0, and inputs name 2.31.0"),
        ],
    )
    def test_other(self, file, path, value, message):
        """What the inputs do not name, or name otherwise, is named."""
        with pytest.raises(LockError, match=rf"does not have the shape of a lock: {re.escape(message)}"):
            read_data(file, with_hash(replaced(json.loads(TEXT), path, value)))

    def test_without_hash(self, file):
        """It is not passed over where it is missing."""
        with pytest.raises(LockError, match=r"lacks hash$"):
            read_data(file, without(json.loads(TEXT), ("inputs", "hash")))

    def test_hash_of_other_inputs(self, file):
        """The hash beside the inputs is theirs."""
        with pytest.raises(LockError, match=r"inputs\.hash is not that of the inputs"):
            read_data(file, replaced(json.loads(TEXT), ("inputs", "region"), "us-west-1"))

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (("add_ons", "coredns"), f"v1.{'9' * 5000}.0-eksbuild.1"),
            (("add_ons", "coredns"), "v1.1234567890.0-eksbuild.1"),
            (("add_ons", "coredns"), "latest"),
            (("inputs", "kubernetes_version"), "1.35.1"),
            (("neuron", "sdk"), "2.31"),
            (("neuron", "driver"), "2.29.0"),
            (("neuron", "container", "image"), "x"),
            (("neuron", "container", "image"), "public.ecr.aws/neuron/x"),
            (("neuron", "container", "digest"), "sha256:12"),
            (("neuron", "components", "neuronx-cc"), "2 26"),
            (("neuron", "components", "aws-neuronx-tools"), "2.26"),
            (("images", "trn1", "ami_type"), "AL2_x86_64"),
            (("images", "trn1", "release"), "20260714"),
            (("images", "trn1", "release_version"), "1.35.6"),
            (("images", "trn1", "image_id"), "ami-x"),
            (("images", "trn1", "image_id"), NOT_BUILT),
            (("images", "trn1", "owner"), "amazon"),
            (("images", "trn1", "neuron_driver"), "2.29"),
            (("images", "trn1", "kernel"), "6"),
            (("images", "trn1", "custom", "version"), "1.0.0"),
            (("images", "trn1", "custom", "neuron_driver"), "2.30.2.0\n"),
            (("images", "trn1", "custom", "image_ids", "us-east-2"), "ami"),
            (("charts", "kueue", "version"), "9" * 200),
            (("charts", "kueue", "location"), "file:///etc/passwd"),
            (("charts", "kueue", "images", "registry.k8s.io/kueue/kueue:v0.19.2"), "v0.19.2"),
            (("rehearsal_account",), UNRESOLVED),
            (("made_from",), "AWS\x1b[2J"),
            (("made_from",), "x" * 1000),
        ],
    )
    def test_form(self, file, path, value):
        """Every value has its form, which is bounded; the message shows it, and not more of it than can be read."""
        with pytest.raises(LockError, match=r"does not have the shape of a lock: .* should be ") as caught:
            read_data(file, with_hash(replaced(json.loads(TEXT), path, value)))
        assert len(caught.value.message) < 350


def without(value, path):
    copy = value.copy()
    if path[1:]:
        copy[path[0]] = without(value[path[0]], path[1:])
    else:
        del copy[path[0]]
    return copy


def with_hash(data):
    """Returns a lock's data with the hash that its inputs have."""
    inputs = {key: value for key, value in data["inputs"].items() if key != "hash"}
    return {**data, "inputs": {**inputs, "hash": hash_of(inputs)}}


def failing(error):
    def fail(*_arguments, **_options):
        raise error

    return fail


class TestMutations:
    @settings(max_examples=150, deadline=None)
    @given(path=st.sampled_from(list(paths(json.loads(TEXT)))), new=anything)
    def test_any_value_replaced(self, file, path, new):
        """Any value anywhere in place of another gives a lock or LockError, never another exception."""
        data = replaced(json.loads(TEXT), path, new)
        if isinstance(data, dict):
            data["checksum"] = hash_of({key: value for key, value in data.items() if key != "checksum"})
        assert is_lock_or_refused(file, json.dumps(data))

    @settings(max_examples=150, deadline=None)
    @given(path=st.sampled_from([path for path in paths(json.loads(TEXT)) if path]), new=anything)
    def test_any_value_edited(self, file, path, new):
        """No edit of a value passes that leaves the checksum as it was."""
        data = json.loads(TEXT)
        edited = replaced(data, path, new)
        if hash_of(edited) != hash_of(data):
            with pytest.raises(LockError):
                read_text(file, json.dumps(edited))

    @settings(max_examples=150, deadline=None)
    @given(start=st.integers(0, len(TEXT)), length=st.integers(0, 40), new=st.text(max_size=20))
    def test_any_text_replaced(self, file, start, length, new):
        """Any edit of the text gives a lock or LockError, never another exception."""
        assert is_lock_or_refused(file, TEXT[:start] + new + TEXT[start + length :])

    @settings(max_examples=50, deadline=None)
    @given(text=st.text())
    def test_any_text(self, file, text):
        """Any file at all gives LockError, never another exception."""
        assert is_lock_or_refused(file, text)
