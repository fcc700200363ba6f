"""What the rehearsal remembers of each account and region beside moto's own records.

Most of what moto lacks is kept on subclasses of moto's records. What has no such record (placement groups, capacity
reservations, everything of EC2 Image Builder), and the names that CloudFormation has generated, are kept here, in one
store of the kind that moto's services have: whoever resets moto's backends (``BackendDict.reset``) resets it too.
"""

from collections import Counter
from typing import Any

from moto.core.base_backend import BackendDict, BaseBackend


class RegionState(BaseBackend):
    """What is remembered of one account in one region.

    Attributes:
        placement_groups: The placement groups as EC2's API answers them, by name.
        capacity_reservations: The capacity reservations as EC2's API answers them, by id.
        image_builder: What EC2 Image Builder has, as its API answers it, by ARN.
        image_builds: How many images EC2 Image Builder has built of each version, by the version's ARN.
        reserved_instances: The instances that were started in each capacity reservation, by its id.
        schedules: When each schedule was made and last due, by its group and name.
        deliveries: The calls of schedules that were refused and are to be tried again.
        generated_names: How many names CloudFormation has generated, by stack id and logical id.
        custom_requests: How many events CloudFormation has sent to functions, by stack id and logical id.
        function_interfaces: The interfaces that Lambda has put into subnets, by function name.
    """

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.placement_groups: dict[str, dict[str, Any]] = {}
        self.capacity_reservations: dict[str, dict[str, Any]] = {}
        self.reserved_instances: dict[str, list[str]] = {}
        self.schedules: dict[tuple[str, str], Any] = {}
        self.deliveries: list[Any] = []
        self.image_builder: dict[str, dict[str, Any]] = {}
        self.image_builds: Counter[str] = Counter()
        self.generated_names: Counter[tuple[str, str]] = Counter()
        self.custom_requests: Counter[tuple[str, str]] = Counter()
        self.function_interfaces: dict[str, list[str]] = {}


def state_of(account: str, region: str) -> RegionState:
    """Gives what is remembered of an account in a region."""
    return _STATES[account][region]


def states() -> list[tuple[str, str, RegionState]]:
    """Gives what is remembered of every account and region of which something is."""
    return [
        (account, region, state)
        for account, regions in list(_STATES.items())
        for region, state in list(regions.items())
    ]


_STATES = BackendDict(RegionState, "ec2")
"""The store; it takes the names of EC2's regions."""
