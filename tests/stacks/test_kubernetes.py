"""What runs in the cluster: charts and objects in their order, and the functions that put them there."""

import json
from dataclasses import replace

import pytest

from infra.kubernetes_objects import filled, object_id
from trnstack.kubernetes.manifests import manifests
from trnstack.kubernetes.marks import OUTPUTS

CHART, OBJECT = "Custom::AWSCDK-EKS-HelmChart", "Custom::AWSCDK-EKS-KubernetesResource"
FUNCTION, LAYER, ENTRY = "AWS::Lambda::Function", "AWS::Lambda::LayerVersion", "AWS::EKS::AccessEntry"
SYSTEM_SUBNETS = ["llama3-8b-network:Subnet-system-use2-az3", "llama3-8b-network:Subnet-system-use2-az1"]


@pytest.fixture(scope="module")
def stack(every):
    return every["llama3-8b-kubernetes"]


def function(template, handler):
    """Returns a function by what it calls first: its logical id and its properties."""
    ((logical_id, made),) = (
        (name, made) for name, made in template.of(FUNCTION).items() if made["Properties"]["Handler"] == handler
    )
    return logical_id, made


def objects(template):
    """Returns the objects of a template by their logical ids, with a dot where a deploy fills in."""
    found = {}
    for name, made in template.of(OBJECT).items():
        text = made["Properties"]["Manifest"]
        parts = text["Fn::Join"][1] if isinstance(text, dict) else [text]
        (found[name],) = json.loads("".join(part if isinstance(part, str) else "." for part in parts))
    return found


def standing_before(template, logical_id):
    """Returns everything that must stand before a resource, and so goes after it."""
    made = template["Resources"][logical_id]
    before = set(made.get("DependsOn", ()))
    text = json.dumps(made["Properties"])
    before |= {name for name in template["Resources"] if f'"{name}"' in text} - {logical_id}
    return before.union(*(standing_before(template, name) for name in before))


def most_at_once(template):
    """Returns how many charts and objects may be worked on at once, whatever each takes: the most without an order.

    As many lines as cover them all, by a matching of each with one that comes later (Dilworth's theorem).
    """
    before = {}

    def standing(name):
        if name not in before:
            direct = set(template["Resources"][name].get("DependsOn", ()))
            before[name] = direct.union(*map(standing, direct))
        return before[name]

    works = [*template.of(CHART), *template.of(OBJECT)]
    follows = {name: [other for other in works if name in standing(other)] for name in works}
    matched = {}

    def is_matched(name, seen):
        for other in follows[name]:
            if other not in seen:
                seen.add(other)
                if other not in matched or is_matched(matched[other], seen):
                    matched[other] = name
                    return True
        return False

    return len(works) - sum(is_matched(name, set()) for name in works)


class TestAtOnce:
    def test_every_environment(self, templates, plans):
        """What is worked on at once needs two functions each, and no more than a new account may run."""
        for name, stacks in templates.items():
            assert 2 <= most_at_once(stacks[plans[name].kubernetes.stack]) <= 4

    def test_many_node_groups(self, variant):
        """As many flavors as there are node groups do not start all at once."""
        spot = {"instance_type": "trn1.2xlarge", "node_count": 1, "capacity": {"type": "spot"}}
        stacks = variant("dev-trn1", more_node_groups=tuple({"name": f"more-{number}", **spot} for number in range(12)))
        flavors = [each for each in objects(stacks["dev-kubernetes"]).values() if each["kind"] == "ResourceFlavor"]

        assert len(flavors) == 13
        assert most_at_once(stacks["dev-kubernetes"]) <= 4

    def test_lines_last(self, variant, stack):
        """An object that comes is waited for by the kind after its own, and by the next in its line; others stay."""
        group = {"name": "more", "instance_type": "trn1.32xlarge", "node_count": 1, "capacity": {"type": "spot"}}
        more = variant("llama3-8b-trn1", more_node_groups=(group,))["llama3-8b-kubernetes"]
        waits = [{name: made.get("DependsOn") for name, made in each.of(OBJECT).items()} for each in (stack, more)]
        changed = [name for name in waits[0] if waits[0][name] != waits[1][name]]

        assert len([name for name in changed if "WorkloadPriorityClass" not in name]) <= 1


class TestCharts:
    def test_releases(self, stack, plans):
        """Every chart of the plan is installed from its file, with its values, in its namespace."""
        planned = {release.name: release for release in plans["llama3-8b-trn1"].kubernetes.releases}
        found = {made["Release"]: made for made in stack.properties(CHART)}

        assert set(found) == set(planned)
        for name, made in found.items():
            assert json.loads(made["Values"]) == json.loads(json.dumps(planned[name].values))
            assert made["ChartAssetURL"]["Fn::Sub"].endswith(f"/{planned[name].content_digest[7:]}.zip")
            assert (made["Namespace"], made["CreateNamespace"]) == (planned[name].namespace, True)
            assert not {"Chart", "Repository", "Version"} & set(made)

    def test_left_out(self, plans):
        """A chart is known by what is left out of it as well: the same archive is another asset with and without."""
        (release,) = (each for each in plans["llama3-8b-trn1"].kubernetes.releases if each.left_out)
        whole = replace(release, left_out={})

        assert (
            len({release.content_digest, whole.content_digest, replace(whole, archive_digest="").content_digest}) == 3
        )
        assert whole.content_digest == release.archive_digest

    def test_waiting(self, stack):
        """A chart that others stand on must come up; one that runs on every node waits for none, broken ones least."""
        waiting = {made["Release"] for made in stack.properties(CHART) if made.get("Wait")}
        taken_back = {made["Release"] for made in stack.properties(CHART) if made.get("Atomic")}

        assert waiting == taken_back == {"kueue", "kubeflow-trainer"}

    def test_time(self, stack):
        """Waiting and taking back fit into the function's quarter of an hour, and CloudFormation waits no hour."""
        _, handler = function(stack, "index.handler")
        for made in stack.properties(CHART):
            assert 2 * int(made["Timeout"].removesuffix("s")) < handler["Properties"]["Timeout"]
        for made in (*stack.properties(CHART), *stack.properties(OBJECT)):
            assert handler["Properties"]["Timeout"] < made["ServiceTimeout"] < 3600

    def test_another_chart(self, variant, stack):
        """Without queues their chart is gone, and so is what stood on it."""
        other = variant("llama3-8b-trn1", kubernetes={"kueue": False})["llama3-8b-kubernetes"]

        assert {made["Release"] for made in stack.properties(CHART)} - {
            made["Release"] for made in other.properties(CHART)
        } == {"kueue"}
        assert not {"ClusterQueue", "LocalQueue"} & {each["kind"] for each in objects(other).values()}


class TestObjects:
    def test_all(self, templates, plans):
        """Each object of the plan is a resource of its own."""
        for name, stacks in templates.items():
            kubernetes = plans[name].kubernetes
            planned = [each for manifest in manifests(plans[name]) for each in manifest.objects]
            found = list(objects(stacks[kubernetes.stack]).values())

            assert sorted(map(object_id, found)) == sorted(map(object_id, planned))
            assert all(made["Overwrite"] is True for made in stacks[kubernetes.stack].properties(OBJECT))

    def test_marks(self, every):
        """No mark is left in a template."""
        for template in every.values():
            assert not any(mark in json.dumps(template) for mark in OUTPUTS)

    def test_file_system(self, stack):
        """The volume has the id, DNS name and mount name from the parameters that the storage stack leaves."""
        (volume,) = (
            made["Properties"]["Manifest"]["Fn::Join"][1]
            for name, made in stack.of(OBJECT).items()
            if "PersistentVolumelustre" in name
        )
        asked = {part["Ref"] for part in volume if isinstance(part, dict)}

        assert {stack["Parameters"][name]["Default"] for name in asked} == {
            f"/trnstack/llama3-8b/file-system-{what}" for what in ("id", "dns-name", "mount-name")
        }

    def test_adopted_file_system(self, every):
        """Of one that stands already everything is known, and nothing is asked for."""
        adopted = every["adopted-kubernetes"]
        (volume,) = (each for each in objects(adopted).values() if each["kind"] == "PersistentVolume")

        assert volume["spec"]["csi"]["volumeHandle"] == "fs-0a1b2c3d4e5f60718"
        assert list(adopted["Parameters"]) == ["BootstrapVersion"]

    def test_data_stays(self, every):
        """Volumes go without what they show: none is deleted with its claim."""
        for template in every.values():
            for each in objects(template).values():
                if each["kind"] == "PersistentVolume":
                    assert each["spec"]["persistentVolumeReclaimPolicy"] == "Retain"

    def test_what_goes_first(self, stack):
        """The namespace goes with its jobs before queues, runtimes and their controllers, which it would hold."""
        (namespace,) = (name for name, each in objects(stack).items() if each["kind"] == "Namespace")
        before = standing_before(stack, namespace)
        kinds = {objects(stack)[name]["kind"] for name in before if name in objects(stack)}
        releases = {stack["Resources"][name]["Properties"]["Release"] for name in before if name in stack.of(CHART)}

        assert {"ClusterQueue", "ResourceFlavor", "Topology", "ClusterTrainingRuntime"} <= kinds
        assert {"kueue", "kubeflow-trainer"} <= releases

    def test_in_a_namespace(self, stack):
        """What is in the jobs' namespace waits for it."""
        ids = {name: each for name, each in objects(stack).items() if each["kind"] == "Namespace"}
        (namespace,) = ids
        for name, each in objects(stack).items():
            if "namespace" in each["metadata"]:
                assert namespace in standing_before(stack, name)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("plain", "plain"),
            ("a@@X@@b", {"Fn::Join": ["", ["a", {"Ref": "X"}, "b"]]}),
            ("@@X@@@@X@@", {"Fn::Join": ["", [{"Ref": "X"}, {"Ref": "X"}]]}),
        ],
    )
    def test_filled(self, text, expected):
        """A text with marks is joined from its parts."""
        assert filled(text, {"@@X@@": {"Ref": "X"}}) == expected
        assert filled(text, {}) == text


class TestFunctions:
    def test_in_the_vpc(self, stack):
        """What works in the cluster stands in the system subnets, let in by the control plane and by endpoints."""
        _, handler = function(stack, "index.handler")
        vpc = handler["Properties"]["VpcConfig"]

        assert [each["Fn::ImportValue"] for each in vpc["SubnetIds"]] == SYSTEM_SUBNETS
        assert [each["Fn::ImportValue"] for each in vpc["SecurityGroupIds"]] == [
            "llama3-8b-cluster:ClusterSecurityGroup",
            "llama3-8b-network:NodesSecurityGroup",
        ]

    def test_outside_of_it(self, stack):
        """What CloudFormation calls stands outside, so that a private network needs no endpoint of Lambda."""
        _, framework = function(stack, "framework.onEvent")

        assert "VpcConfig" not in framework["Properties"]

    def test_rights(self, stack):
        """The function may look at this cluster, read what CDK uploaded, and nothing else."""
        _, handler = function(stack, "index.handler")
        role = handler["Properties"]["Role"]["Fn::GetAtt"][0]
        statements = [
            statement
            for made in stack.properties("AWS::IAM::Policy")
            if made["Roles"] == [{"Ref": role}]
            for statement in made["PolicyDocument"]["Statement"]
        ]

        assert all(each["Effect"] == "Allow" for each in statements)
        assert sorted(each["Action"] for each in statements) == ["eks:DescribeCluster", "s3:GetObject"]
        assert all(each["Resource"] != "*" for each in statements)
        (managed,) = stack["Resources"][role]["Properties"]["ManagedPolicyArns"]
        assert managed["Fn::Join"][1][-1].endswith("/AWSLambdaVPCAccessExecutionRole")
        assert "Conditions" not in stack

    def test_access(self, stack):
        """The function's role administers the cluster, from before the function stands until after it has gone."""
        logical_id, handler = function(stack, "index.handler")
        ((entry, made),) = stack.of(ENTRY).items()

        assert made["Properties"]["PrincipalArn"] == handler["Properties"]["Role"]
        assert "AmazonEKSClusterAdminPolicy" in json.dumps(made["Properties"]["AccessPolicies"])
        assert entry in handler["DependsOn"]
        for name in (*stack.of(CHART), *stack.of(OBJECT)):
            assert {logical_id, entry} <= standing_before(stack, name)

    def test_logs(self, stack, plans):
        """Their logs are kept as long as the environment says, and go with the stack; none is made by Lambda itself."""
        logs = stack.of("AWS::Logs::LogGroup")
        days = {made["Properties"]["RetentionInDays"] for made in logs.values()}

        assert days == {plans["llama3-8b-trn1"].cluster.log_retention_days}
        assert len(logs) == len(stack.of(FUNCTION)) == 2
        assert all("DeletionPolicy" not in made for made in logs.values())
        assert {made["Properties"]["LoggingConfig"]["LogGroup"]["Ref"] for made in stack.of(FUNCTION).values()} == set(
            logs
        )

    def test_no_other_logs(self, stack):
        """What a function says last makes no group anew: that is denied until after its group has gone."""
        roles = {made["Role"]["Fn::GetAtt"][0] for made in stack.properties(FUNCTION)}
        ((name, made),) = (
            (name, made["Properties"])
            for name, made in stack.of("AWS::IAM::Policy").items()
            if made["Properties"]["PolicyDocument"]["Statement"][0]["Effect"] == "Deny"
        )

        assert made["PolicyDocument"]["Statement"][0]["Action"] == "logs:CreateLogGroup"
        assert {role["Ref"] for role in made["Roles"]} == roles
        assert all(name in standing_before(stack, group) for group in stack.of("AWS::Logs::LogGroup"))

    def test_run_once(self, stack):
        """An event is not run again while CloudFormation rolls back, and none is run that it no longer waits for."""
        framework, _ = function(stack, "framework.onEvent")
        ((name, made),) = stack.of("AWS::Lambda::EventInvokeConfig").items()
        waits = {each["ServiceTimeout"] for each in (*stack.properties(CHART), *stack.properties(OBJECT))}

        assert made["Properties"]["FunctionName"] == {"Ref": framework}
        assert made["Properties"]["MaximumRetryAttempts"] == 0
        assert {made["Properties"]["MaximumEventAgeInSeconds"]} == waits
        for each in (*stack.of(CHART), *stack.of(OBJECT)):
            assert name in standing_before(stack, each)

    @pytest.mark.parametrize("version", ["1.33", "1.34", "1.35", "1.36"])
    def test_layer(self, variant, version):
        """CDK-03: The layer's kubectl is of the cluster's minor."""
        stacks = variant("dev-trn1", eks={"kubernetes_version": version})
        described = [made["Description"] for made in stacks["dev-kubernetes"].properties(LAYER)]

        assert any(text.startswith(f"/opt/kubectl/kubectl {version}.") for text in described)

    def test_one_token(self, stack):
        """Everything is done by the one function, in the cluster that stands."""
        logical_id, _ = function(stack, "framework.onEvent")
        for made in (*stack.properties(CHART), *stack.properties(OBJECT)):
            assert made["ServiceToken"] == {"Fn::GetAtt": [logical_id, "Arn"]}
            assert made["ClusterName"] == {"Fn::ImportValue": "llama3-8b-cluster:ClusterName"}


class TestDelivery:
    def test_gitops(self, variant):
        """Where a repository delivers it, there is no such stack."""
        stacks = variant("dev-trn1", kubernetes={"delivery": "gitops"})

        assert "dev-kubernetes" not in stacks

    def test_order(self, plans):
        """CDK-04: It follows the cluster, comes before the nodes, and no node group waits for it."""
        for plan in plans.values():
            names = [stack.name for stack in plan.stacks]
            place = names.index(plan.kubernetes.stack)
            groups = [group.stack for group in plan.node_groups if not group.awaits_image]

            assert names.index(f"{plan.name}-cluster") < place < min(map(names.index, groups), default=len(names))
            assert plan.stack(plan.kubernetes.stack).depends_on == tuple(names[:3])
            assert all(plan.kubernetes.stack not in plan.stack(group).depends_on for group in groups)


class TestAccess:
    def test_groups(self, variant):
        """Who may run jobs, and who may look, is in the group that the objects give rights."""
        roles = {kind: f"arn:aws:iam::111122223333:role/team/{kind}" for kind in ("trainers", "viewers")}
        stacks = variant(
            "dev-trn1", eks={"trainer_role_arns": (roles["trainers"],), "viewer_role_arns": (roles["viewers"],)}
        )
        entries = {made["PrincipalArn"]: made for made in stacks["dev-cluster"].properties(ENTRY)}
        bound = {
            subject["name"]
            for each in objects(stacks["dev-kubernetes"]).values()
            for subject in each.get("subjects", ())
        }

        for kind, arn in roles.items():
            assert entries[arn]["KubernetesGroups"] == [f"trnstack:{kind}"]
            assert "AccessPolicies" not in entries[arn]
            assert f"trnstack:{kind}" in bound

    def test_only_administrators(self, every):
        """Nobody else is let in unless the environment says so."""
        for made in every["dev-cluster"].properties(ENTRY):
            assert "KubernetesGroups" not in made


class TestMountpoint:
    def test_add_on(self, variant):
        """Mountpoint for S3 is an add-on without a role: its volumes are mounted with the rights of the pod."""
        stacks = variant("dev-trn1", kubernetes={"s3_csi": True})
        (add_on,) = (
            made
            for made in stacks["dev-cluster"].properties("AWS::EKS::Addon")
            if made["AddonName"] == "aws-mountpoint-s3-csi-driver"
        )
        volumes = [each for each in objects(stacks["dev-kubernetes"]).values() if each["kind"] == "PersistentVolume"]

        assert "PodIdentityAssociations" not in add_on
        assert {each["spec"]["csi"]["volumeAttributes"]["authenticationSource"] for each in volumes} == {"pod"}
