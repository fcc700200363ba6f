import pytest

from ami import offline
from ami.lock import path_for, write
from trnstack import environment
from trnstack.findings import Severity
from trnstack.plan import lock_inputs

#: The audit log is missing (EKS007, a warning) on line 8; line 16 asks for what is not there (SPEC094, SPEC095: notes).
TEXT = """\
schema_version: 1
name: demo
region: us-east-2
availability_zone_ids: [use2-az3, use2-az1]
eks:
  admin_role_arns: [arn:aws:iam::111122223333:role/ml-platform-admin]
  # logs
  control_plane_logs: [api]
neuron: {sdk: "2.30.0", framework: pytorch}
node_groups:
  - name: trn1
    instance_type: trn1.32xlarge
    node_count: 2
storage:
  lustre: {storage_gib: 4800}
observability: {checkpoint_freshness_intervals: 3, alarm_emails: [ml@example.com]}
"""


@pytest.fixture
def found(tmp_path):
    """Checks the text with pieces replaced, and returns its findings."""

    def check(*replacements, at=None):
        text = TEXT
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "x.yaml").write_text(text)
        return environment.check_file(tmp_path / "x.yaml", with_lock=False, at=at).findings

    return check


def by_code(findings):
    return {finding.code: finding for finding in findings}


class TestSilenced:
    def test_without_comment(self, found):
        """The text has two sorts of findings, neither silenced."""
        findings = found()

        assert [finding.code for finding in findings] == ["EKS007", "SPEC094", "SPEC095"]
        assert not any(finding.suppressed for finding in findings)

    @pytest.mark.parametrize(
        "change",
        [
            ("logs: [api]", "logs: [api]  # trnstack: ignore[EKS007] a test cluster"),
            ("  # logs\n", "  # trnstack: ignore[EKS007] a test cluster\n"),
            ("  # logs\n", "# trnstack: ignore[EKS007] a test cluster\n  # logs\n"),
            ("  # logs\n", "  # trnstack: ignore[EKS007]: a test cluster\n"),
            ("logs: [api]", "logs: [api]  # short # trnstack:ignore [ EKS007 ]   a test cluster"),
        ],
    )
    def test_with_reason(self, found, change):
        """A comment on the line, or alone above it with other comments between, silences with its reason."""
        findings = found(change)

        assert by_code(findings)["EKS007"].suppressed == "a test cluster"
        assert [finding.code for finding in findings] == ["EKS007", "SPEC094", "SPEC095"]

    def test_several_codes(self, found):
        """One comment may name several codes, and silences each finding of theirs on its line."""
        findings = found(
            ("observability: {", "# trnstack: ignore[SPEC094, SPEC095, EKS007] later\nobservability: {"),
            ("control_plane_logs: [api]", "control_plane_logs: [audit]"),
        )

        assert [(finding.code, finding.suppressed) for finding in findings] == [
            ("SPEC033", ""),
            ("SPEC094", "later"),
            ("SPEC095", "later"),
        ]

    def test_not_the_line_before(self, found):
        """A comment behind a value is for its own line alone."""
        findings = found(("ml-platform-admin]\n", "ml-platform-admin]  # trnstack: ignore[EKS007] a test\n"))

        assert not by_code(findings)["EKS007"].suppressed

    @pytest.mark.parametrize("text", ["'# trnstack: ignore[SPEC094] no'", '" # trnstack: ignore[SPEC094] no"'])
    def test_text_is_no_comment(self, found, text):
        """What stands in quotes is a value, whatever it looks like."""
        findings = found(("observability: {", f"tags: {{a: {text}}}\nobservability: {{"))

        assert not any(finding.suppressed for finding in findings)


class TestMistakes:
    @pytest.mark.parametrize(
        ("comment", "code", "message"),
        [
            ("# trnstack: ignore[EKS007]", "SPEC030", "this ignore has no reason"),
            ("# trnstack: ignore", "SPEC030", "this ignore names no code"),
            ("# trnstack: ignore[] because", "SPEC030", "this ignore names no code"),
            ("# trnstack: ignore[EKS07] because", "SPEC031", "unknown code 'EKS07'"),
        ],
    )
    def test_form(self, found, comment, code, message):
        """A comment without code or reason, or with a code that is none, is an error at the comment."""
        findings = found(("logs: [api]", f"logs: [api]  {comment}"))
        finding = by_code(findings)[code]

        assert finding.message == message
        assert (finding.severity, finding.line, finding.column) == (Severity.ERROR, 8, 30)
        assert finding.hint
        assert not by_code(findings)["EKS007"].suppressed

    def test_error(self, found):
        """An error is not silenced, and the comment is told to go."""
        findings = found(("{storage_gib: 4800}", "{storage_gib: 3000}  # trnstack: ignore[FSX001] we know"))

        assert by_code(findings)["SPEC032"].message == "an error can't be ignored: FSX001"
        assert by_code(findings)["FSX001"].severity is Severity.ERROR
        assert not by_code(findings)["FSX001"].suppressed

    def test_idle(self, found):
        """A comment that silences nothing is a warning: it would silence what comes later."""
        findings = found(("logs: [api]", "logs: [api, audit]  # trnstack: ignore[EKS007] a test"))

        assert by_code(findings)["SPEC033"].severity is Severity.WARNING
        assert by_code(findings)["SPEC033"].line == 8

    def test_idle_beside_an_error(self, found):
        """An error may be why there is nothing to silence, so that it is corrected first."""
        idle = ("logs: [api]", "logs: [api, audit]  # trnstack: ignore[EKS007] a test")
        alone, beside = found(idle), found(idle, ("storage_gib: 4800", "storage_gib: 3000"))

        assert by_code(alone)["SPEC033"].hint == "remove EKS007 from the ignore"
        assert by_code(beside)["SPEC033"].hint.startswith("correct the errors first, ")
        assert by_code(beside)["SPEC033"].hint.endswith(", remove EKS007 from the ignore")

    def test_idle_without_a_time(self, found):
        """A comment for a rule that needs a time is no idle one where none is given."""
        version = "  # trnstack: ignore[EKS050] a short project\n  kubernetes_version: '1.35'\n  # logs\n"

        assert "SPEC033" not in by_code(found(("  # logs\n", version)))

    def test_other_comments(self, found):
        """Whatever else a comment says of trnstack is its own affair."""
        assert len(found(("  # logs\n", "  # trnstack: see the README, ignore the rest\n"))) == 3


class TestRulesOfTheLock:
    """A finding about the lock is silenced like any other, and a comment for one is idle only where a lock was seen."""

    IGNORE = 'sdk: "2.31.1"  # trnstack: ignore[IMG013] a container of our own'

    def write(self, tmp_path, text):
        file = tmp_path / "x.yaml"
        file.write_text(text)
        loaded = environment.read_environment(file)[1]
        write(offline.lock(lock_inputs(loaded)), path_for(file))
        return file

    def test_silenced(self, tmp_path):
        """A warning about the lock is silenced on the line that it stands on."""
        flow = 'neuron: {sdk: "2.30.0", framework: pytorch}'
        text = TEXT.replace(flow, f"neuron:\n  framework: pytorch\n  {self.IGNORE}")
        findings = environment.check_file(self.write(tmp_path, text)).findings

        assert by_code(findings)["IMG013"].suppressed == "a container of our own"
        assert "SPEC033" not in by_code(findings)

    def test_idle(self, tmp_path):
        """Where the lock has nothing to silence the comment is idle; without a lock nobody can tell."""
        flow = 'neuron: {sdk: "2.30.0", framework: pytorch}'
        text = TEXT.replace(flow, f"{flow}  # trnstack: ignore[IMG013] a container of our own")
        file = self.write(tmp_path, text)

        assert "SPEC033" in by_code(environment.check_file(file).findings)
        assert "SPEC033" not in by_code(environment.check_file(file, with_lock=False).findings)
        path_for(file).unlink()
        assert "SPEC033" not in by_code(environment.check_file(file).findings)
