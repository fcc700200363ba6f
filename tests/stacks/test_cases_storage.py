"""Field cases of FSx for Lustre, of buckets, and of what must not be replaced."""

import ipaddress

import pytest

from trnstack.findings import InvalidEnvironmentError

STORAGE = ("llama2-7b-storage", "llama3-8b-storage")
FSX, ASSOCIATION = "AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation"

#: Kept when the stack goes and when it is replaced. A first deploy that fails takes it back, or the next one would find
#: its name taken.
KEPT = ("RetainExceptOnCreate", "Retain")


_ALGORITHM, _KEY = "s3:x-amz-server-side-encryption", "s3:x-amz-server-side-encryption-aws-kms-key-id"


def _uploads(key_arn):
    """Yields uploads by what they name of encryption, as S3 shows it to policies."""
    yield "nothing named", {}
    yield "the bucket's key", {_ALGORITHM: "aws:kms", _KEY: key_arn}
    yield "another key", {_ALGORITHM: "aws:kms", _KEY: "arn:aws:kms:us-east-2:111122223333:key/another"}
    yield "KMS without a key", {_ALGORITHM: "aws:kms"}
    yield "S3's own key", {_ALGORITHM: "AES256"}
    yield "two layers of KMS", {_ALGORITHM: "aws:kms:dsse", _KEY: key_arn}
    yield "a key of the uploader's", {"s3:x-amz-server-side-encryption-customer-algorithm": "AES256"}


def _applies(statement, headers):
    """Tells whether all of a statement's conditions are met; a header that is absent differs from every value."""
    tests = {
        "StringEquals": lambda name, value: headers.get(name) == value,
        "StringNotEquals": lambda name, value: headers.get(name) != value,
        "Null": lambda name, value: (name not in headers) == (value == "true"),
    }
    return all(
        tests[operator](name, value)
        for operator, pairs in statement["Condition"].items()
        for name, value in pairs.items()
    )


@pytest.fixture(params=STORAGE)
def storage(every, request):
    """Each storage stack with a file system in turn."""
    return every[request.param]


@pytest.fixture
def buckets(every):
    """Every checkpoint bucket with its environment's name, region and template."""
    return [
        (name.removesuffix("-storage"), template, made)
        for name, template in every.items()
        for made in template.of("AWS::S3::Bucket").values()
        if "LoggingConfiguration" in made["Properties"]
    ]


class TestLustre:
    def test_linked_by_association_alone(self, storage):
        """FSX-05: The link to S3 is an association; PERSISTENT_2 refuses import and export paths of its own."""
        lustre = storage.one(FSX)["LustreConfiguration"]

        assert lustre["DeploymentType"] == "PERSISTENT_2"
        assert not {"ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize"} & set(lustre)
        assert storage.one(ASSOCIATION)["FileSystemPath"] == "/checkpoints"

    def test_paths_of_the_file_system_are_unknown(self, variant):
        """FSX-05: The environment has no word for an import path."""
        with pytest.raises(InvalidEnvironmentError, match="SPEC005"):
            variant("llama3-8b-trn1", storage={"lustre": {"import_path": "s3://bucket"}})

    def test_events(self, storage):
        """FSX-06: Both directions carry new and changed files; deletions are carried only where they are asked for."""
        events = {"Events": ["NEW", "CHANGED"]}

        assert storage.one(ASSOCIATION)["S3"] == {"AutoImportPolicy": events, "AutoExportPolicy": events}
        assert storage.one(ASSOCIATION)["BatchImportMetaDataOnCreate"] is True

    def test_prefix(self, every):
        """FSX-06: An association to a prefix names it as FSx writes it, with a slash at its end."""
        *_, prefix = every["llama2-7b-storage"].one(ASSOCIATION)["DataRepositoryPath"]["Fn::Join"][1]
        start, bucket = every["llama3-8b-storage"].one(ASSOCIATION)["DataRepositoryPath"]["Fn::Join"][1][:2]

        assert prefix == "/llama2-7b/"
        assert start == "s3://"
        assert "Ref" in bucket

    def test_version(self, storage):
        """FSX-07: The server's version is written out and one that AL2023's client can mount."""
        assert storage.one(FSX)["FileSystemTypeVersion"] == "2.15"

    def test_efa_has_what_it_needs(self, every):
        """FSX-09: With EFA metadata is configured, and its group lets all traffic of itself and of clients pass."""
        lustre = every["datasets-storage"].one(FSX)["LustreConfiguration"]
        network = every["datasets-network"]
        groups = {
            made["Properties"]["GroupDescription"].partition(": ")[2]: {"Ref": name}
            for name, made in network.of("AWS::EC2::SecurityGroup").items()
        }
        file_system, nodes = groups["the Lustre file system"], groups["every node"]
        inward = {
            (str(rule["GroupId"]), str(rule["SourceSecurityGroupId"]))
            for rule in network.properties("AWS::EC2::SecurityGroupIngress")
            if rule["IpProtocol"] == "-1"
        }
        outward = {
            (str(rule["DestinationSecurityGroupId"]), str(rule["GroupId"]))
            for rule in network.properties("AWS::EC2::SecurityGroupEgress")
            if rule["IpProtocol"] == "-1"
        }
        pairs = {(str(a), str(b)) for a, b in ((file_system, file_system), (file_system, nodes), (nodes, file_system))}

        assert lustre["EfaEnabled"] is True
        assert lustre["MetadataConfiguration"] == {"Mode": "USER_PROVISIONED", "Iops": 12_000}
        assert pairs <= inward
        assert pairs <= outward

    def test_efa_opens_nothing_elsewhere(self, every):
        """FSX-09: Without EFA the file system's group has Lustre's own ports alone."""
        network = every["llama3-8b-network"]
        (group,) = (
            name
            for name, made in network.of("AWS::EC2::SecurityGroup").items()
            if made["Properties"]["GroupDescription"].endswith("the Lustre file system")
        )
        rules = network.properties("AWS::EC2::SecurityGroupIngress")

        assert {rule["IpProtocol"] for rule in rules if rule["GroupId"] == {"Ref": group}} == {"tcp"}

    def test_metadata(self, storage):
        """FSX-09: Metadata performance is configured, without which EFA could never be switched on."""
        lustre = storage.one(FSX)["LustreConfiguration"]

        assert lustre["MetadataConfiguration"] == {"Mode": "AUTOMATIC"}
        assert "EfaEnabled" not in lustre

    def test_mount_name(self, storage):
        """FSX-10: Id and mount name are printed as FSx gave them, and never guessed."""
        (logical_id,) = storage.of(FSX)

        assert storage.printed()["FileSystemId"] == {"Ref": logical_id}
        assert storage.printed()["FileSystemMountName"] == {"Fn::GetAtt": [logical_id, "LustreMountName"]}

    @pytest.mark.parametrize("name", ["llama2-7b", "llama3-8b"])
    def test_stands_beside_the_nodes(self, every, name):
        """FSX-11: The file system stands in the one subnet that the accelerators stand in."""
        subnets = every[f"{name}-storage"].one(FSX)["SubnetIds"]

        assert len(subnets) == 1
        assert subnets == every[f"{name}-nodes-trn1"].one("AWS::EKS::Nodegroup")["Subnets"]

    def test_outlives_its_stack(self, storage):
        """FSX-13: By default the file system outlives its stack, and a replacement; its id is printed."""
        (made,) = storage.of(FSX).values()
        assert (made["DeletionPolicy"], made["UpdateReplacePolicy"]) == KEPT

    def test_links_go(self, storage):
        """FSX-13: A link holds no data; one that was kept would export on, and its folder could not be linked again."""
        (made,) = storage.of(ASSOCIATION).values()
        assert "DeletionPolicy" not in made

    def test_goes_with_its_stack_where_asked(self, variant):
        """FSX-13: A file system that is to be destroyed leaves nothing that goes on costing."""
        changed = variant("llama3-8b-trn1", storage={"lustre": {"removal_policy": "destroy"}})["llama3-8b-storage"]

        for resource_type in (FSX, ASSOCIATION):
            assert all(made.get("DeletionPolicy", "Delete") == "Delete" for made in changed.of(resource_type).values())

    def test_bucket_is_ready_for_the_link(self, storage):
        """FSX-14: The association waits for the bucket's policy, and the key lets FSx's linked role in."""
        (association,) = storage.of(ASSOCIATION).values()
        bucket = association["Properties"]["DataRepositoryPath"]["Fn::Join"][1][1]
        (policy,) = (
            name for name, made in storage.of("AWS::S3::BucketPolicy").items() if made["Properties"]["Bucket"] == bucket
        )
        statement, looks = (
            statement
            for key in storage.properties("AWS::KMS::Key")
            for statement in key["KeyPolicy"]["Statement"]
            if statement["Sid"].startswith("FsxLinkedRole")
        )
        role = statement["Condition"]["ArnLike"]["aws:PrincipalArn"]["Fn::Join"][1][-1]

        assert association["DependsOn"] == [policy]
        assert role.endswith(
            ":role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
        )
        assert {"kms:Decrypt", "kms:GenerateDataKey*"} <= set(statement["Action"])
        assert set(statement["Condition"]["StringEquals"]) == {"kms:CallerAccount", "kms:ViaService"}
        assert looks["Action"] == "kms:DescribeKey"
        assert looks["Condition"]["ArnLike"] == statement["Condition"]["ArnLike"]

    def test_exports_pass_the_buckets_policy(self, buckets):
        """FSX-14: The bucket refuses a wrong key, but not an upload that names none, which is how FSx exports."""
        for _, template, made in buckets:
            policies = template.properties("AWS::S3::BucketPolicy")
            (policy,) = (p for p in policies if template["Resources"][p["Bucket"]["Ref"]] is made)
            denied = [s for s in policy["PolicyDocument"]["Statement"] if s["Action"] == "s3:PutObject"]
            key_arn = made["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"][0][
                "ServerSideEncryptionByDefault"
            ]["KMSMasterKeyID"]
            passed = {name: not any(_applies(each, headers) for each in denied) for name, headers in _uploads(key_arn)}
            assert passed == {
                "nothing named": True,
                "the bucket's key": True,
                "another key": False,
                "KMS without a key": False,
                "S3's own key": False,
                "two layers of KMS": False,
                "a key of the uploader's": False,
            }


class TestBucket:
    def test_what_nobody_sees_goes(self, buckets):
        """S3-02: Parts of broken uploads and old versions go by themselves; what is current never does."""
        for _, _, made in buckets:
            rules = made["Properties"]["LifecycleConfiguration"]["Rules"]
            whole = [
                rule for rule in rules if "Prefix" not in rule and "Filter" not in rule and rule["Status"] == "Enabled"
            ]
            (abort,) = (rule for rule in whole if "AbortIncompleteMultipartUpload" in rule)
            assert abort["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"] <= 7
            assert any(rule.get("NoncurrentVersionExpiration", {}).get("NoncurrentDays") == 30 for rule in whole)
            assert not any({"ExpirationInDays", "ExpirationDate"} & set(rule) for rule in rules)

    def test_jobs_may_use_its_key(self, every, buckets):
        """S3-03: Jobs may upload in parts with the bucket's key, which takes reading back besides writing."""
        for name, template, made in buckets:
            ((rule,),) = made["Properties"]["BucketEncryption"].values()
            assert rule["BucketKeyEnabled"] is True
            assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
            cluster = every[f"{name}-cluster"]
            (role,) = (m for key, m in cluster.of("AWS::IAM::Role").items() if key.startswith("Trainer"))
            statements = role["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
            actions = {action: statement["Resource"] for statement in statements for action in statement["Action"]}
            key_arn = template.exports()[f"{name}-storage:DataKeyArn"]
            assert {"kms:GenerateDataKey", "kms:Decrypt"} <= set(actions)
            assert {"s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"} <= set(actions)
            assert actions["kms:Decrypt"] == {"Fn::ImportValue": f"{name}-storage:DataKeyArn"}
            assert key_arn == rule["ServerSideEncryptionByDefault"]["KMSMasterKeyID"]

    def test_survives_its_stack_and_a_new_name(self, buckets, plans):
        """CFN-04: Bucket, policy and key outlive stack and replacement, and no two environments share a name."""
        for _, template, made in buckets:
            assert (made["DeletionPolicy"], made["UpdateReplacePolicy"]) == KEPT
            for resource_type in ("AWS::S3::BucketPolicy", "AWS::KMS::Key"):
                for each in template.of(resource_type).values():
                    assert (each["DeletionPolicy"], each["UpdateReplacePolicy"]) == KEPT
        names = [plan.storage.checkpoints.name for plan in plans.values()]
        assert len(set(names)) == len(names)
        for plan in plans.values():
            if plan.name == "adopted":
                assert plan.storage.checkpoints.name == "earlier-checkpoints-111122223333-us-east-2"
                continue
            assert plan.storage.checkpoints.name == f"{plan.name}-checkpoints-{plan.account or 'ACCOUNT'}-{plan.region}"


class TestCluster:
    def test_what_cannot_be_changed_is_written_out(self, every):
        """CFN-02: What EKS takes at creation only is never left to a default that somebody would set later."""
        for name, template in every.items():
            for cluster in template.properties("AWS::EKS::Cluster"):
                access = {"AuthenticationMode": "API", "BootstrapClusterCreatorAdminPermissions": False}
                assert cluster["Name"] == name.removesuffix("-cluster")
                assert "Fn::GetAtt" in cluster["RoleArn"]
                assert cluster["AccessConfig"] == access
                assert cluster["BootstrapSelfManagedAddons"] is False
                assert set(cluster["KubernetesNetworkConfig"]) == {"IpFamily", "ServiceIpv4Cidr"}
                assert cluster["EncryptionConfig"][0]["Resources"] == ["secrets"]
                assert cluster["UpgradePolicy"]["SupportType"] in {"STANDARD", "EXTENDED"}
                assert cluster["DeletionProtection"] is True

    def test_its_address_range_is_none_of_the_networks(self, every, plans):
        """CFN-02: Services' addresses, which can't be moved later, lie outside the VPC and its clients' networks."""
        for plan in plans.values():
            service = every[f"{plan.name}-cluster"].one("AWS::EKS::Cluster")["KubernetesNetworkConfig"][
                "ServiceIpv4Cidr"
            ]
            near = [ipaddress.IPv4Network(c) for c in (plan.network.vpc_cidr, *plan.network.client_cidrs)]
            assert not any(ipaddress.IPv4Network(service).overlaps(network) for network in near)
