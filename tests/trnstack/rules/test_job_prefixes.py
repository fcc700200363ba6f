import pytest

from trnstack.findings import Severity
from trnstack.rules.job_prefixes import (
    job_prefixes_add_something,
    job_prefixes_are_plain,
    job_prefixes_do_not_overlap,
    prefixes_fit_the_jobs_policy,
)

PATH = ("storage", "checkpoints", "job_prefixes")
DATASETS = [{"name": "c4", "bucket_name": "some-datasets"}]


@pytest.fixture
def linked(environment):
    """Returns an environment with job prefixes, and with associations of the checkpoint bucket's prefixes."""

    def build(job_prefixes, *prefixes):
        links = [{"file_system_path": f"/f{place}", "prefix": prefix} for place, prefix in enumerate(prefixes)]
        lustre = {"data_repository_associations": links}
        return environment(checkpoints={"job_prefixes": job_prefixes}, lustre=lustre)

    return build


class TestJobPrefixesArePlain:
    @pytest.mark.parametrize(
        ("prefix", "hint"),
        [
            ("runs/../secrets", "use secrets"),
            ("./runs", "use runs"),
            ("..", "name a prefix such as runs"),
            ("runs/./", "use runs"),
        ],
    )
    def test_dots(self, linked, prefix, hint):
        """S3 knows no way up, and what a tool makes of one is not what the role names."""
        (finding,) = job_prefixes_are_plain(linked(["evaluations", prefix], "a"))

        assert finding.severity is Severity.ERROR
        assert finding.path == (*PATH, 1)
        assert finding.hint == hint

    @pytest.mark.parametrize("prefix", ["", "runs", "runs/v1.0", "a..b/", "...", ".cache"])
    def test_plain(self, linked, prefix):
        """Dots within a name lead nowhere."""
        assert not list(job_prefixes_are_plain(linked([prefix], "a")))


class TestJobPrefixesDoNotOverlap:
    @pytest.mark.parametrize(
        ("prefixes", "message"),
        [
            (["runs", "runs/"], "'runs/' overlaps 'runs/'"),
            (["runs", "runs/llama3"], "'runs/llama3/' overlaps 'runs/'"),
            (["runs/llama3", "runs"], "'runs/' overlaps 'runs/llama3/'"),
            (["", "runs"], "'runs/' overlaps ''"),
            (["runs", ""], "'' overlaps 'runs/'"),
        ],
    )
    def test_each_other(self, linked, prefixes, message):
        """Two that say the same are a slip in one of them."""
        (finding,) = job_prefixes_do_not_overlap(linked(prefixes, "a"))

        assert finding.severity is Severity.ERROR
        assert finding.path == (*PATH, 1)
        assert finding.message == message

    @pytest.mark.parametrize("prefix", ["runs", "runs/llama3/"])
    def test_within_a_link(self, linked, prefix):
        """What an association links is the jobs' already."""
        (finding,) = job_prefixes_do_not_overlap(linked([prefix], "a", "runs"))

        assert finding.severity is Severity.WARNING
        assert "lies within 'runs/', which an association links" in finding.message

    @pytest.mark.parametrize(
        ("prefixes", "links"),
        [
            (["runs", "runs-2", "evaluations"], ["a"]),
            (["runs"], ["runs/llama3"]),  # more than is linked
            (["runs"], ["run"]),
            (["runs"], [""]),  # another rule speaks of it
            ([""], ["runs"]),
        ],
    )
    def test_apart(self, linked, prefixes, links):
        """Folders beside each other, and folders around a linked one."""
        assert not list(job_prefixes_do_not_overlap(linked(prefixes, *links)))


class TestJobPrefixesAddSomething:
    @pytest.mark.parametrize(
        ("links", "message"),
        [
            ([], "jobs may use all of the checkpoint bucket, since no association links a part of it"),
            (["a", ""], "jobs may use all of the checkpoint bucket, since an association links all of it"),
        ],
    )
    def test_nothing(self, linked, links, message):
        """Who expects them to take something away is told that they do not."""
        (finding,) = job_prefixes_add_something(linked(["runs"], *links))

        assert finding.severity is Severity.WARNING
        assert finding.path == PATH
        assert finding.message == message

    def test_only_a_dataset(self, environment):
        """A link to a dataset leaves the checkpoint bucket alone."""
        links = [{"file_system_path": "/c4", "bucket": "c4", "prefix": "c4"}]
        lustre = {"data_repository_associations": links}
        storage = {"checkpoints": {"job_prefixes": ["runs"]}, "datasets": DATASETS, "lustre": lustre}
        (finding,) = job_prefixes_add_something(environment(storage=storage))

        assert finding.hint == "remove job_prefixes until one does"

    @pytest.mark.parametrize(("prefixes", "links"), [(["runs"], ["a"]), ([""], ["a"]), ([], []), ([], [""])])
    def test_something(self, linked, prefixes, links):
        """Beside a linked prefix they are what jobs may use besides."""
        assert not list(job_prefixes_add_something(linked(prefixes, *links)))


class TestPrefixesFitTheJobsPolicy:
    LONG = tuple(f"{letter}{'x' * 599}" for letter in "abcdefgh")

    def test_too_long(self, linked):
        """IAM would refuse the role while the cluster is made."""
        (finding,) = prefixes_fit_the_jobs_policy(linked(self.LONG[:6], "runs"))

        assert finding.severity is Severity.WARNING
        assert finding.path == PATH
        assert finding.message.endswith("characters, and IAM takes 10240")

    def test_without_job_prefixes(self, linked):
        """Long prefixes of associations do not fit either."""
        (finding,) = prefixes_fit_the_jobs_policy(linked([], *self.LONG))

        assert finding.path == ("storage",)

    def test_fits(self, linked, environment):
        """Short ones fit in dozens; all of the bucket takes one statement."""
        assert not list(prefixes_fit_the_jobs_policy(linked([f"runs-{number}" for number in range(40)], "a")))
        assert not list(prefixes_fit_the_jobs_policy(linked(["", *self.LONG], *self.LONG)))
        assert not list(prefixes_fit_the_jobs_policy(environment(datasets=DATASETS)))
