"""One instance type in full."""

from trnstack.catalog import CHIPS, INSTANCE_TYPES, Chip, InstanceType
from trnstack.catalog.instance_types import LIST_PRICES
from trnstack.catalog.traps import traps_of
from trnstack.catalog.ultraservers import ultraservers_with
from trnstack.cli import output
from trnstack.cli.catalog.overview import by_card, cores, disks, figure, notes_on, numbered, price, sourced


def sections(name: str) -> list[list[str]]:
    """Returns a type of the catalog as sections of lines, each with its heading first."""
    row = INSTANCE_TYPES[name]
    chip = CHIPS[row.chip]
    made = [[name, *output.columns([*_accelerator(row, chip), *_machine(row), *_capacity(row), *_zones(row)])]]
    notes = notes_on([name])
    if notes:
        made.append(["What the EC2 API gets wrong", *numbered(notes)])
    facts = {row.fact: name, LIST_PRICES: "list price", chip.fact: chip.name}
    facts |= {trap.fact: "what the API gets wrong" for trap in traps_of(name)}
    made.append(["Sources", *(line for fact, what in facts.items() for line in sourced(what, fact))])
    return made


def _accelerator(row: InstanceType, chip: Chip) -> list[tuple[str, str]]:
    count = row.neuron_devices
    physical, logical = cores(row)
    peaks = (chip.bf16_tflops, chip.fp8_tflops, chip.fp32_tflops)
    named = zip((count * peak for peak in peaks), ("BF16", "FP8", "FP32"), strict=True)
    seen = "" if logical == physical else f", {figure(logical)} logical ones by default"
    return [
        ("chips", f"{count} x {chip.name}"),
        ("NeuronCores", f"{physical} physical ones{seen}"),
        ("cores to a logical one", " or ".join(map(str, chip.logical_neuroncore_configs))),
        ("device memory", f"{count * chip.memory_gib:,} GiB, {count * chip.memory_tbps:,.4g} TB/s"),
        ("dense peaks", ", ".join(f"{figure(peak)} TFLOPS {kind}" for peak, kind in named)),
    ]


def _machine(row: InstanceType) -> list[tuple[str, str]]:
    advertised, cards = figure(row.network_gbps), figure(by_card(row))
    interfaces = f"up to {figure(row.interfaces_per_card)} a card, {figure(row.ipv4_addresses_per_interface)} IPv4"
    ultraservers = [f"{each.name}, {each.instances} instances" for each in ultraservers_with(row.name, row.chip)]
    return [
        ("vCPUs and memory", f"{row.vcpus}, {row.memory_gib:,} GiB"),
        ("network cards", f"{row.network_cards}, of which EFA {row.efa_interfaces}"),
        ("interfaces", f"{interfaces} addresses each"),
        ("bandwidth", f"{advertised} Gbit/s advertised" + ("" if advertised == cards else f", {cards} by its cards")),
        ("local disks", disks(row)),
        ("cluster placement", "yes" if row.cluster_placement else "no"),
        *([("UltraServer", "; ".join(ultraservers))] if ultraservers else []),
    ]


def _capacity(row: InstanceType) -> list[tuple[str, str]]:
    quotas = {"on-demand": f"On-Demand {row.on_demand_quota_code}", "spot": f"Spot {row.spot_quota_code}"}
    codes = ", ".join(code for way, code in quotas.items() if way in row.usage_classes)
    dated = f"us-east-1, {LIST_PRICES.read_on}"
    return [
        ("ways to get it", ", ".join(row.usage_classes)),
        ("quotas", f"{row.vcpu_quota_units} vCPUs of {codes}"),
        ("list price", f"{price(row)} USD an hour ({dated})" if row.on_demand_usd_per_hour else f"none ({dated})"),
    ]


def _zones(row: InstanceType) -> list[tuple[str, str]]:
    listed = [f"{region}: {', '.join(zone_ids)}" for region, zone_ids in row.availability_zone_ids.items()]
    return [("zones" if place == 0 else "", text) for place, text in enumerate(listed)]
