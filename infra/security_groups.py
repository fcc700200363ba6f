"""Every security group of an environment, with each rule as a resource of its own.

They stand in the network's stack and outlive everything else: FSx takes its groups at creation and never again.
"""

from collections.abc import Sequence
from typing import Any

from constructs import Construct

from infra.resource import resource
from trnstack.layout.lustre import LUSTRE_PORTS

HTTPS = 443

#: A group without an egress rule of its own gets EC2's "everything, everywhere". This one rule, which matches no
#: traffic, keeps that away, so that what a group may reach is what its rules say.
NO_TRAFFIC = {
    "CidrIp": "255.255.255.255/32",
    "IpProtocol": "icmp",
    "FromPort": 252,
    "ToPort": 86,
    "Description": "no traffic beyond the rules that stand beside the group",
}


class SecurityGroups(Construct):
    """Defines the groups of nodes, file system, endpoints and control plane, and their rules.

    Attributes:
        nodes_id: Nodes: everything from and to each other, which EFA needs in both directions by the group's id.
        lustre_id: The file system: Lustre's ports from itself and from nodes.
        endpoints_id: Interface endpoints: HTTPS from nodes.
        control_plane_id: The control plane's interfaces: HTTPS from client networks.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        vpc_id: str,
        client_cidrs: Sequence[str],
        existing_lustre_id: str | None,
        lustre_efa: bool,
    ) -> None:
        super().__init__(scope, construct_id)
        self._name = name
        self._vpc_id = vpc_id
        self.nodes_id = self._group("Nodes", "nodes", "every node")
        self.lustre_id = self._group("Lustre", "lustre", "the Lustre file system")
        self.endpoints_id = self._group("Endpoints", "endpoints", "interface endpoints")
        self.control_plane_id = self._group("ControlPlane", "clients", "client networks of the control plane")
        self._node_rules()
        self._lustre_rules()
        if lustre_efa:
            self._lustre_efa_rules(existing_lustre_id or self.lustre_id)
        if existing_lustre_id:
            self._existing_lustre_rules(existing_lustre_id)
        for cidr in client_cidrs:
            # The id holds the network and not its place in the list: an edit of the list moves no other rule.
            rule_id = f"ControlPlaneFrom-{cidr.replace('/', '-')}"
            self._from_cidr(rule_id, self.control_plane_id, cidr, "client networks")

    def _group(self, construct_id: str, label: str, purpose: str) -> str:
        properties = {
            "GroupDescription": f"{self._name}: {purpose}",
            "VpcId": self._vpc_id,
            "SecurityGroupEgress": [NO_TRAFFIC],
            "Tags": [{"Key": "Name", "Value": f"{self._name}-{label}"}],
        }
        return resource(self, construct_id, "AWS::EC2::SecurityGroup", properties).ref

    def _node_rules(self) -> None:
        nodes, endpoints = self.nodes_id, self.endpoints_id
        self._both("NodesSelf", nodes, nodes, protocol="-1", ports=None, description="nodes to nodes, EFA included")
        web = (HTTPS, HTTPS)
        self._both("NodesEndpoints", nodes, endpoints, protocol="tcp", ports=web, description="nodes to endpoints")
        https = {"GroupId": self.nodes_id, "CidrIp": "0.0.0.0/0", "Description": "HTTPS: AWS APIs and registries"}
        ports = {"IpProtocol": "tcp", "FromPort": HTTPS, "ToPort": HTTPS}
        resource(self, "NodesToHttps", "AWS::EC2::SecurityGroupEgress", {**https, **ports})

    def _lustre_rules(self) -> None:
        pairs = (
            ("LustreSelf", self.lustre_id, self.lustre_id, "Lustre servers"),
            ("NodesToLustre", self.nodes_id, self.lustre_id, "clients to Lustre"),
            ("LustreToNodes", self.lustre_id, self.nodes_id, "Lustre to clients"),
        )
        for ports in LUSTRE_PORTS:
            for construct_id, source_id, target_id, description in pairs:
                rule_id = f"{construct_id}{ports[0]}"
                self._both(rule_id, source_id, target_id, protocol="tcp", ports=ports, description=description)

    def _lustre_efa_rules(self, group_id: str) -> None:
        """Lets all traffic pass between servers, and between them and nodes, by the groups' ids, as EFA needs it.

        A file system that stands has its servers' rule from its making; where this very group is its own, it keeps it.

        Source: FSx for Lustre user guide, "EFA-enabled security groups": rules that name address ranges do not count.
        """
        pairs = (
            ("LustreSelf", self.lustre_id, self.lustre_id, "Lustre servers, EFA included"),
            ("NodesToLustre", self.nodes_id, group_id, "clients to Lustre, EFA included"),
            ("LustreToNodes", group_id, self.nodes_id, "Lustre to clients, EFA included"),
        )
        for construct_id, source_id, target_id, description in pairs:
            self._both(f"{construct_id}Efa", source_id, target_id, protocol="-1", ports=None, description=description)

    def _existing_lustre_rules(self, group_id: str) -> None:
        """Lets nodes and a file system that stands already speak to each other.

        The ports are one range: where the file system's group is one of this toolkit's, it may have rules of the very
        ports already, and EC2 refuses a rule that stands.
        """
        ports = (LUSTRE_PORTS[0][0], LUSTRE_PORTS[-1][1])
        pairs = (
            ("NodesToExistingLustre", self.nodes_id, group_id, "clients to the adopted file system"),
            ("ExistingLustreToNodes", group_id, self.nodes_id, "the adopted file system to clients"),
        )
        for construct_id, source_id, target_id, description in pairs:
            self._both(construct_id, source_id, target_id, protocol="tcp", ports=ports, description=description)

    def _both(
        self,
        construct_id: str,
        source_id: str,
        target_id: str,
        *,
        protocol: str,
        ports: tuple[int, int] | None,
        description: str,
    ) -> None:
        """Lets traffic out of one group and into another: a rule on each side."""
        traffic: dict[str, Any] = {"IpProtocol": protocol, "Description": description}
        traffic |= {"FromPort": ports[0], "ToPort": ports[1]} if ports else {}
        out = {"GroupId": source_id, "DestinationSecurityGroupId": target_id}
        into = {"GroupId": target_id, "SourceSecurityGroupId": source_id}
        resource(self, f"{construct_id}Out", "AWS::EC2::SecurityGroupEgress", {**out, **traffic})
        resource(self, f"{construct_id}In", "AWS::EC2::SecurityGroupIngress", {**into, **traffic})

    def _from_cidr(self, construct_id: str, group_id: str, cidr: str, description: str) -> None:
        properties = {"GroupId": group_id, "CidrIp": cidr, "IpProtocol": "tcp", "FromPort": HTTPS, "ToPort": HTTPS}
        resource(self, construct_id, "AWS::EC2::SecurityGroupIngress", {**properties, "Description": description})
