import json
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ami.lock import (
    LOCK_VERSION,
    ImagePin,
    Inputs,
    Lock,
    LockError,
    MissingLockError,
    NeuronPin,
    differences,
    path_for,
    read,
    to_json,
    write,
)

LOCK = Lock(
    inputs=Inputs(
        environment="llama3-8b",
        region="us-east-2",
        kubernetes_version="1.35",
        neuron_sdk="2.31.0",
        framework="pytorch",
        add_ons=("coredns", "vpc-cni"),
    ),
    made_from="offline tables of 2026-11-30",
    neuron=NeuronPin(
        sdk="2.31.0",
        driver="2.29.0.0",
        components={"aws-neuronx-dkms": "2.29.0.0", "neuronx-cc": "2.26.6360.0"},
        container_image=None,
    ),
    accelerator_image=ImagePin(
        ami_type="AL2023_x86_64_NEURON",
        release="v20260714",
        release_version="1.35.6-20260714",
        neuron_driver="2.29.0.0",
        kernel="6.12",
    ),
    system_image=ImagePin(
        ami_type="AL2023_x86_64_STANDARD",
        release="v20260714",
        release_version="1.35.6-20260714",
        neuron_driver=None,
        kernel="6.12",
    ),
    add_ons={"coredns": "v1.13.2-eksbuild.31", "vpc-cni": "v1.22.4-eksbuild.3"},
)
TEXT = to_json(LOCK)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("locks") / "llama3-8b.lock.json"


def read_text(file, text):
    file.write_bytes(text.encode(errors="surrogatepass"))
    return read(file)


class TestRoundTrip:
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
        assert changed == ['    "vpc-cni": "v1.23.0-eksbuild.1"']

    def test_version_comes_first(self):
        """The format's version is the first thing in the file."""
        assert next(iter(json.loads(TEXT).items())) == ("lock_version", LOCK_VERSION)

    def test_write_replaces(self, file):
        """Writing leaves one file, readable by everybody, and nothing temporary beside it."""
        file.write_text("old")
        write(LOCK, file)

        assert [path.name for path in file.parent.iterdir()] == [file.name]
        assert file.stat().st_mode & 0o777 == 0o644

    def test_failed_write(self, tmp_path):
        """A write that fails leaves what was there, and nothing temporary beside it."""
        target = tmp_path / "x.lock.json"
        target.mkdir()

        with pytest.raises(OSError, match=r"x\.lock\.json"):
            write(LOCK, target)
        assert list(tmp_path.iterdir()) == [target]

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


class TestUnusable:
    """A lock that can't be used says so in one sentence that names the file; nothing is guessed."""

    def test_missing(self, tmp_path):
        """No lock is an error of its own, since its remedy is another."""
        with pytest.raises(MissingLockError, match="there is no lock for this environment"):
            read(tmp_path / "x.lock.json")

    def test_directory(self, tmp_path):
        """Something that can't be read as a file is an error about the file."""
        with pytest.raises(LockError, match="can't be read"):
            read(tmp_path)

    def test_binary(self, file):
        """A file that is no text is an error about the file."""
        file.write_bytes(b"\xff\xfe\x00")

        with pytest.raises(LockError, match="can't be read"):
            read(file)

    def test_newer_version(self, file):
        """A lock of a later format asks for a later trnstack, whatever else is in it."""
        with pytest.raises(LockError, match=r"has version 2; this trnstack reads version 1: update trnstack"):
            read_text(file, '{"lock_version": 2, "pins": []}')

    @pytest.mark.parametrize("text", ["{}", "[]", "null", "3", '{"lock_version": 0}', '{"lock_version": "1"}'])
    def test_no_lock(self, file, text):
        """JSON that is something else is not taken for a lock."""
        with pytest.raises(LockError, match="is not a lock file"):
            read_text(file, text)

    @pytest.mark.parametrize("version", ["true", "1.0"])
    def test_version_that_equals_one(self, file, version):
        """A version that Python takes for 1 without its being the number 1 is not taken for it."""
        with pytest.raises(LockError, match="is not a lock file"):
            read_text(file, TEXT.replace('"lock_version": 1', f'"lock_version": {version}'))

    def test_deeply_nested(self, file):
        """JSON that is nested beyond what the reader can follow is a damaged file, not a crash."""
        with pytest.raises(LockError, match="is not JSON"):
            read_text(file, "[" * 100_000)

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
            read_text(file, json.dumps(data))

    @pytest.mark.parametrize("value", ["vpc-cni", {"vpc-cni": "x"}, [1], [["vpc-cni"]], None])
    def test_add_ons_are_a_list(self, file, value):
        """A text or a mapping is not read as the list of its letters or keys."""
        data = json.loads(TEXT)
        data["inputs"]["add_ons"] = value

        with pytest.raises(LockError, match="does not have the shape of a lock"):
            read_text(file, json.dumps(data))

    def test_null_where_a_pin_must_be(self, file):
        """Only the pins that may be absent may be null."""
        with pytest.raises(LockError, match="does not have the shape of a lock"):
            read_text(file, TEXT.replace('"driver": "2.29.0.0"', '"driver": null'))

    def test_unknown_key(self, file):
        """A key that this format doesn't have is not dropped in silence."""
        with pytest.raises(LockError, match="does not have the shape of a lock"):
            read_text(file, TEXT.replace('"sdk":', '"digest": "sha256:0", "sdk":'))


def paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


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


class TestMutations:
    @settings(max_examples=150, deadline=None)
    @given(path=st.sampled_from(list(paths(json.loads(TEXT)))), new=anything)
    def test_any_value_replaced(self, file, path, new):
        """Any value anywhere in place of another gives a lock or LockError, never another exception."""
        assert is_lock_or_refused(file, json.dumps(replaced(json.loads(TEXT), path, new)))

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
