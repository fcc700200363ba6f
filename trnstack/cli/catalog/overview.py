"""The whole catalog as tables."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from trnstack.catalog import CHIPS, INSTANCE_TYPES, KUBERNETES_VERSIONS, ULTRASERVERS, Chip, Fact, InstanceType
from trnstack.catalog.instance_types import LIST_PRICES
from trnstack.catalog.traps import NEVER_TRUSTED, Trap
from trnstack.cli import output

WIDTH = 100
UNPUBLISHED = "not published"

#: What the API gets wrong, with the traps in whose fields it shows.
Notes = Mapping[str, tuple[Trap, ...]]


def sections(*, sources: bool) -> list[list[str]]:
    """Returns the catalog as sections of lines, each with its heading first."""
    notes = notes_on(INSTANCE_TYPES)
    made = [
        _types(notes),
        _network(notes),
        _capacity(),
        _zones(),
        _chips(),
        _ultraservers(),
        _kubernetes(),
        ["What the EC2 API gets wrong", *numbered(notes)],
    ]
    return [*made, _sources()] if sources else made


def notes_on(names: Iterable[str]) -> Notes:
    """Returns what the API gets wrong of instance types: each thing once, with the fields in which it shows."""
    wanted = set(names)
    notes: dict[str, tuple[Trap, ...]] = {}
    for trap in NEVER_TRUSTED:
        if wanted & set(trap.types):
            notes[trap.reason] = (*notes.get(trap.reason, ()), trap)
    return notes


def numbered(notes: Notes) -> Iterator[str]:
    """Yields the lines of numbered notes."""
    for number, (reason, traps) in enumerate(notes.items(), start=1):
        start = f"  {number}  "
        text = f"{', '.join(traps[0].types)}: {reason}"
        yield from wrapped(text, start)


def cores(row: InstanceType) -> tuple[int, int | None]:
    """Returns a type's physical NeuronCores, and the logical ones at the chip's default setting where that is known."""
    chip = CHIPS[row.chip]
    physical = row.neuron_devices * chip.physical_cores
    default = chip.default_logical_neuroncore_config
    return physical, physical // default if default else None


def disks(row: InstanceType) -> str:
    """Returns a type's local disks, such as ``4 x 1,900 GB``."""
    return f"{row.local_disks} x {row.local_disk_gb:,} GB" if row.local_disks else "none"


def figure(value: float | None) -> str:
    """Returns a number with its thousands set apart, or that nobody has published it."""
    return UNPUBLISHED if value is None else f"{value:,.6g}"


def by_card(row: InstanceType) -> float | None:
    """Returns what a type's cards have together, as the API gives each."""
    return None if row.network_card_gbps is None else row.network_cards * row.network_card_gbps


def price(row: InstanceType) -> str:
    """Returns a type's list price in USD an hour."""
    return (
        "none" if row.on_demand_usd_per_hour is None else f"{row.on_demand_usd_per_hour:,.5f}".rstrip("0").rstrip(".")
    )


def _marks(row: InstanceType, notes: Notes, *, network: bool) -> str:
    """Returns the numbers of the notes that concern a row, of its network or of all else."""
    return ", ".join(
        str(number)
        for number, traps in enumerate(notes.values(), start=1)
        if row.name in traps[0].types and traps[0].field.startswith("NetworkInfo") == network
    )


def _types(notes: Notes) -> list[str]:
    head = ("", "chip", "chips", "cores", "logical", "device GiB", "vCPUs", "GiB", "local disks", "note")
    rows = []
    for row in INSTANCE_TYPES.values():
        physical, logical = cores(row)
        memory = row.neuron_devices * CHIPS[row.chip].memory_gib
        numbers = (row.neuron_devices, physical, logical, memory, row.vcpus, row.memory_gib)
        rows.append((row.name, row.chip, *map(figure, numbers), disks(row), _marks(row, notes, network=False)))
    return ["Instance types", *output.columns([head, *rows], right=frozenset(range(2, 9)))]


def _network(notes: Notes) -> list[str]:
    head = ("", "cards", "EFA", "interfaces a card", "IPv4 an interface", "Gbit/s", "by card", "note")
    rows = []
    for row in INSTANCE_TYPES.values():
        differs = by_card(row) != row.network_gbps
        numbers = (row.network_cards, row.efa_interfaces, row.interfaces_per_card, row.ipv4_addresses_per_interface)
        bandwidths = (figure(row.network_gbps), figure(by_card(row)) if differs else "same")
        rows.append((row.name, *map(figure, numbers), *bandwidths, _marks(row, notes, network=True)))
    lines = output.columns([head, *rows], right=frozenset(range(1, 7)))
    return [
        "Network",
        *lines,
        "  Gbit/s as advertised, a burst for trn1.2xlarge; by card: what the API gives its cards",
    ]


def _capacity() -> list[str]:
    head = ("", "on-demand", "spot", "capacity-block", "quota vCPUs", "USD an hour")
    rows = []
    for row in INSTANCE_TYPES.values():
        ways = ("yes" if way in row.usage_classes else "no" for way in head[1:4])
        rows.append((row.name, *ways, figure(row.vcpu_quota_units), price(row)))
    codes = {(row.on_demand_quota_code, row.spot_quota_code) for row in INSTANCE_TYPES.values()}
    quotas = "; ".join(f"On-Demand {on_demand}, Spot {spot}" for on_demand, spot in sorted(codes))
    return [
        "Capacity",
        *output.columns([head, *rows], right=frozenset((4, 5))),
        f"  quotas of EC2 that count vCPUs: {quotas}",
        f"  list prices of Linux On-Demand in us-east-1 on {LIST_PRICES.read_on}; none: AWS publishes none",
    ]


def _zones() -> list[str]:
    rows = [
        ("" if place else row.name, region, ", ".join(zone_ids))
        for row in INSTANCE_TYPES.values()
        for place, (region, zone_ids) in enumerate(row.availability_zone_ids.items())
    ]
    return ["Availability zones", *output.columns(rows)]


def configs(chip: Chip) -> str:
    """Returns the settings of logical NeuronCores that a chip has, and its default."""
    offered = " or ".join(map(str, chip.logical_neuroncore_configs))
    if len(chip.logical_neuroncore_configs) == 1:
        return offered
    return f"{offered}, default {chip.default_logical_neuroncore_config or UNPUBLISHED}"


def _chips() -> list[str]:
    head = ("", "GiB", "TB/s", "BF16", "FP8", "FP32", "cores", "cores to a logical one (LNC)")
    rows = [
        (
            chip.name,
            *map(figure, (chip.memory_gib, chip.memory_tbps, chip.bf16_tflops, chip.fp8_tflops, chip.fp32_tflops)),
            figure(chip.physical_cores),
            configs(chip),
        )
        for chip in CHIPS.values()
    ]
    lines = output.columns([head, *rows], right=frozenset(range(1, 7)))
    return ["Chips", *lines, "  dense peaks in TFLOPS; the 8-bit peak of trainium3 is for MXFP8"]


def _ultraservers() -> list[str]:
    head = ("", "instances", "chips", "device GiB", "TB/s", "BF16", "FP8", "vCPUs", "GiB", "EFA")
    rows = [
        (
            row.name,
            f"{row.instances} x {row.instance_type}" if row.instance_type else str(row.instances),
            *map(figure, (row.chips, row.device_memory_gib, row.memory_tbps, row.bf16_tflops, row.fp8_tflops)),
            *map(figure, (row.vcpus, row.memory_gib)),
            "unclear" if row.efa_gbps is None else figure(row.efa_gbps),
        )
        for row in ULTRASERVERS.values()
    ]
    lines = output.columns([head, *rows], right=frozenset(range(2, 10)))
    return ["UltraServers", *lines, "  EFA in Gbit/s; unclear: what AWS has published contradicts itself"]


def _kubernetes() -> list[str]:
    head = ("", "standard support ends", "extended support ends")
    rows = [
        (
            row.minor,
            str(row.standard_support_ends),
            str(row.extended_support_ends),
            "unconfirmed" if row.fact.source.startswith("Unconfirmed") else "",
        )
        for row in KUBERNETES_VERSIONS.values()
    ]
    return ["Kubernetes versions on EKS", *output.columns([head, *rows])]


def _sources() -> list[str]:
    facts: dict[Fact, list[str]] = {}
    named = [
        *((row.name, row.fact) for row in INSTANCE_TYPES.values()),
        ("list prices", LIST_PRICES),
        *((chip.name, chip.fact) for chip in CHIPS.values()),
        *((f"UltraServer {row.name}", row.fact) for row in ULTRASERVERS.values()),
        *((f"Kubernetes {row.minor}", row.fact) for row in KUBERNETES_VERSIONS.values()),
        *((f"note {number}", fact) for number, fact in enumerate(_note_facts(), start=1)),
    ]
    for name, fact in named:
        facts.setdefault(fact, []).append(name)
    lines = ["Sources"]
    for fact, names in facts.items():
        lines += sourced(", ".join(names), fact)
    return lines


def sourced(what: str, fact: Fact) -> list[str]:
    """Returns the lines that say where something comes from."""
    text = f"{fact.source}; read on {fact.read_on}"
    return [*wrapped(what, "  "), *wrapped(text, "    ")]


def wrapped(text: str, start: str) -> list[str]:
    """Returns a text's lines, the first of them after its start and the others below it."""
    blank = " " * len(start)
    return textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=blank, break_on_hyphens=False)


def _note_facts() -> list[Fact]:
    return list({trap.reason: trap.fact for trap in NEVER_TRUSTED}.values())
