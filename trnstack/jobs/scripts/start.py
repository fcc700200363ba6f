"""Starts a job's script in its pod: finds the other pods, sets what the Neuron runtime asks for, and starts it.

``start.py torchrun|jax|plain SCRIPT ARGUMENT...``

Sources: AWS Neuron documentation at 81ce03ae: setup-trn1-multi-node-execution (EFA), jax neuron-envvars
(NEURON_PJRT_...), how-to-ultraserver with its init script (what /sys/class/neuron_device tells, and the variables that
follow from it), nrt-configurable-parameters (NEURON_RT_ROOT_COMM_ID); PyTorch, torchrun.
"""

import json
import os
import signal
import socket
import sys
from pathlib import Path

import trnstack_bucket
import trnstack_meeting
import trnstack_pod as pod
import trnstack_program

HERE = Path(__file__).parent
DEVICES = Path("/sys/class/neuron_device")
#: The runtime's number for UltraServers of so many instances, and of two whichever way they are joined. An instance can
#: always work alone, which the driver need not say, and then is of no server.
_MODES = {4: ("1",), 2: ("3", "2")}
_ALONE, _NO_SERVER = {1: "4"}, "0000000000000000"


def settings(place, root_address, launcher):
    """Returns the variables that the framework and the runtime need of a pod's place.

    Args:
        place: The pod's place.
        root_address: The IPv4 address of the pod with number 0. Not its name: the runtime takes none of more than 63
            characters.
        launcher: ``torchrun``, ``jax`` or ``plain``.
    """
    found = {"MASTER_ADDR": root_address, "MASTER_PORT": str(pod.MASTER_PORT)}
    if place.nodes > 1:
        found["NEURON_RT_ROOT_COMM_ID"] = f"{root_address}:{pod.ROOT_COMM_PORT}"
    if launcher == "jax":
        found["NEURON_PJRT_PROCESSES_NUM_DEVICES"] = ",".join([str(place.cores)] * place.nodes)
        found["NEURON_PJRT_PROCESS_INDEX"] = str(place.rank)
        found["TRNSTACK_COORDINATOR"] = f"{root_address}:{pod.COORDINATOR_PORT}"
    return found


def command(place, root_address, launcher, script, arguments):
    """Returns the command that runs a script in one pod of a job."""
    if launcher != "torchrun":
        return [sys.executable, script, *arguments]
    return [
        "torchrun",
        f"--nnodes={place.nodes}",
        f"--nproc-per-node={place.cores}",
        f"--node-rank={place.rank}",
        f"--master-addr={root_address}",
        f"--master-port={pod.MASTER_PORT}",
        # The pod is what is started again, and with it all others: a process that comes back alone finds no partners.
        "--max-restarts=0",
        script,
        *arguments,
    ]


def instance(config, folder=DEVICES):
    """Returns what the driver tells of an instance's place in its UltraServer.

    Args:
        config: How many instances work as one: 1, 2 or 4.
        folder: Where the driver tells it.

    Raises:
        SystemExit: The instance can't be one of so many.
    """
    modes = _text(folder / "ultraserver_mode").replace(",", " ").split()
    mode = next((each for each in _MODES.get(config, ()) if each in modes), _ALONE.get(config))
    if mode is None:
        raise SystemExit(f"this instance can't work as one of {config}: the driver offers modes {modes or 'none'}")
    server = _text(folder / "reservation_id") or _text(folder / f"server_id_{config}")
    number = _text(folder / "node_id") or _text(folder / f"node_id_{config}")
    return {"mode": mode, "server": server or _NO_SERVER, "number": int(number or -1)}


def _text(file):
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


def ultraserver(told, mine):
    """Returns the variables by which an instance knows its place among those of its UltraServers, and its leader.

    Args:
        told: What each pod's instance tells, and the pod's address, in the order of the pods' numbers.
        mine: This pod's number.

    Raises:
        SystemExit: The instances aren't whole UltraServers.
    """
    config = told[0]["config"]
    order = sorted(range(len(told)), key=lambda rank: (told[rank]["server"], told[rank]["number"]))
    for start in range(0, len(order), config):
        group = [told[rank] for rank in order[start : start + config]]
        servers, numbers = {each["server"] for each in group}, {each["number"] for each in group}
        if config > 1 and (len(servers) > 1 or len(numbers) < config or _NO_SERVER in servers):
            raise SystemExit(f"the pods are not on whole UltraServers of {config} instances: {group}")
    leader = told[order[0]]["address"]
    return {
        # The order of the chips' links is the order of the ranks.
        "TRNSTACK_RANK": str(order.index(mine)),
        "TRNSTACK_LEADER": leader,
        "NEURON_GLOBAL_TOPOID": str(order.index(mine)),
        "NEURON_GLOBAL_TOPOID0_HOST": leader,
        "NEURON_RT_ULTRASERVER_MODE": told[mine]["mode"],
        "NEURON_RT_ULTRASERVER_SERVER_ID": told[mine]["server"],
        "NEURON_RT_ULTRASERVER_NODE_ID": str(told[mine]["number"]),
    }


def _meeting(place, port):
    """Returns the meeting of all pods.

    Raises:
        SystemExit: They don't come in time.
    """
    try:
        return trnstack_meeting.Meeting(place, port, pod.WAIT_SECONDS)
    except OSError as error:
        told = f"the {place.nodes} pods of the job did not meet within {pod.WAIT_SECONDS} seconds"
        raise SystemExit(f"{told}: are all of them scheduled? ({error})") from None


def _gathered(meeting, value):
    """Returns what each pod tells.

    Raises:
        SystemExit: One has gone already.
    """
    try:
        return meeting.gather(value)
    except OSError:
        raise SystemExit(trnstack_program.gone()) from None


def _whole_ultraserver(place):
    """Sets what an instance must know of its UltraServer, and returns the place that follows from it."""
    config = int(os.environ.get("TRNSTACK_ULTRASERVER", "0"))
    if not config:
        return place
    meeting = _meeting(place, pod.ORDER_PORT)
    mine = {"config": config, "address": pod.address(socket.gethostname()), **instance(config)}
    os.environ.update(ultraserver(_gathered(meeting, mine), place.rank))
    meeting.close()
    return pod.place()


def _checkpoints(place):
    """Returns the bucket of a run that keeps its checkpoints there, made ready; None of all other jobs.

    Raises:
        SystemExit: The run's folder is another run's.
    """
    if os.environ.get("TRNSTACK_KEEPS_CHECKPOINTS") != "1":
        return None
    told = json.loads((HERE / "training.json").read_text(encoding="utf-8"))
    base, folder = os.environ.get("TRNSTACK_CHECKPOINT_PATH", ""), pod.run_folder(place.job)
    bucket = None
    if base.startswith("s3://"):
        bucket = trnstack_bucket.Bucket(folder, f"{base}/{place.job}", told["checkpoints_kept"])
        bucket.fetch()
    pod.claim(folder, told, writes=place.rank == 0)
    if bucket:
        bucket.tell_the_run()
    return bucket


def main():
    """Starts the script, and ends as it does."""
    # Until the program runs nothing has to be finished. Without a handler the pod's first process would not be ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(trnstack_program.TOLD_TO_END))
    launcher, script, *arguments = sys.argv[1:]
    place = _whole_ultraserver(pod.place())
    # All wait here, for as long as the slowest node takes to pull the container: what frameworks wait is less.
    meeting = _meeting(place, pod.PEERS_PORT)
    started = _gathered(meeting, trnstack_program.stamp())[0]
    root_address = meeting.leader or "127.0.0.1"
    os.environ.update(settings(place, root_address, launcher))
    program = command(place, root_address, launcher, str(HERE / script), arguments)
    if os.environ.get("TRNSTACK_WRAPPER"):
        program = [*os.environ["TRNSTACK_WRAPPER"].split(), *program]
    print(f"pod {place.rank} of {place.nodes}: {' '.join(program)}", flush=True)
    bucket, captures = _checkpoints(place), os.environ.get("TRNSTACK_CAPTURES")
    if captures:
        trnstack_bucket.require("captures")
    log = pod.log_folder(place.job) / f"{started}-{place.rank:04}.log"
    code = trnstack_program.run(program, meeting, log, meanwhile=bucket.now_and_then if bucket else lambda: None)
    if bucket:
        whole = bucket.upload()
        bucket.keep_log(log)
        if not whole:
            raise SystemExit(f"the last checkpoints did not reach the bucket; the program ended with {code}")
    if captures:
        wrong = trnstack_bucket.keep(captures, trnstack_bucket.of_the_job("profiles", place.job))
        if wrong:
            print(wrong, flush=True)
            code = code or 1
    raise SystemExit(code)


if __name__ == "__main__":
    main()
