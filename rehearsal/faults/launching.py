"""Why nodes don't start, in the words of EC2's Auto Scaling and of EKS.

Source: of ``no-capacity`` eksctl-io/eksctl issue 4732 and aws/containers-roadmap issue 2204; of ``quota-zero``
klothoplatform/klotho pull request 311; of ``nodes-unhealthy`` aws-samples/amazon-eks-ami-rhel issue 11; EC2's codes in
the EC2 API reference, "Error codes for the Amazon EC2 API". How EKS tells of a reservation is not confirmed: the frame
is that of every refused launch, and no report of one was found.
"""

from rehearsal.faults.marks import Issue, Launch

_NOT_LAUNCHED = "AsgInstanceLaunchFailures"
_NEVER_JOINED = "Instances failed to join the kubernetes cluster"
_QUOTA = (
    "You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket that the "
    "specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an "
    "adjustment to this limit."
)
_NOT_ACTIVE = "Your Capacity Block is not active yet."
_NO_ROOM = "The targeted Capacity Reservation does not have enough available instance capacity to fulfill your request."


def issue(name: str, launch: Launch) -> Issue:
    """Gives the health issue of a node group whose nodes a fault keeps from working."""
    if name == "nodes-unhealthy":
        return Issue("NodeCreationFailure", _NEVER_JOINED, starts=True)
    code, words = refusal(name, launch.instance_type, launch.zones[0] if launch.zones else "")
    what = f"Could not launch {launch.market} Instances. {code} - {words} Launching EC2 instance failed."
    return Issue(_NOT_LAUNCHED, what)


def refusal(name: str, instance_type: str, zone: str) -> tuple[str, str]:
    """Gives the code and the words with which EC2 refuses to start an instance under a fault."""
    if name == "no-capacity":
        where = f" in the Availability Zone you requested ({zone})" if zone else ""
        words = (
            f"We currently do not have sufficient {instance_type} capacity{where}. Our system will be working on "
            "provisioning additional capacity."
        )
        return "InsufficientInstanceCapacity", words
    if name == "quota-zero":
        return "VcpuLimitExceeded", _QUOTA
    if name == "reservation-not-active":
        return "InvalidCapacityReservationState.PendingActivation", _NOT_ACTIVE
    return "ReservationCapacityExceeded", _NO_ROOM
