"""What runs in pods, as far as it runs without Neuron: the standard library's part."""

import ast
import json
import os
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.trnstack.jobs.conftest import SCRIPTS
from tests.trnstack.jobs.pods import free_port
from trnstack.jobs.request import ALWAYS, BUCKET_CHECKPOINT_IO, ONE_NODE_COLLECTIVES, PROGRAMS

FILES = sorted(path.name for path in SCRIPTS.glob("*.py"))
EVERY_PROGRAM = [
    *(program for kind in PROGRAMS.values() for program in kind.values()),
    ONE_NODE_COLLECTIVES,
    BUCKET_CHECKPOINT_IO,
]


@pytest.fixture
def pod(script):
    return script("trnstack_pod")


@pytest.fixture
def meeting(script):
    return script("trnstack_meeting")


def places(pod, nodes):
    return [pod.Place(job="j", rank=rank, nodes=nodes, cores=2, master="127.0.0.1") for rank in range(nodes)]


def together(nodes, work):
    """Runs something for each pod at once, and returns what each returns."""
    with ThreadPoolExecutor(nodes) as threads:
        return [done.result(60) for done in [threads.submit(work, rank) for rank in range(nodes)]]


class TestFiles:
    @pytest.mark.parametrize("name", FILES)
    def test_old_python(self, name):
        """Containers have Python 3.10 and later, so nothing newer is written."""
        ast.parse((SCRIPTS / name).read_text(), feature_version=(3, 10))

    def test_each_is_used(self):
        """There is no script that no job has, and none is missing."""
        used = {name for program in EVERY_PROGRAM for name in (program.script, *program.beside)}

        assert used | set(ALWAYS) == set(FILES)

    def test_what_they_import_is_beside_them(self):
        """Every script of ours that a program imports is among its files."""
        own = {name.removesuffix(".py") for name in FILES}
        for program in EVERY_PROGRAM:
            given = {name.removesuffix(".py") for name in (program.script, *program.beside, *ALWAYS)}
            for name in given:
                tree = ast.parse((SCRIPTS / f"{name}.py").read_text())
                imports = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
                assert imports & own <= given, program.script


class TestPlace:
    def test_plain_job(self, pod):
        told = {"JOB_COMPLETION_INDEX": "3", "TRNSTACK_NODES": "8", "TRNSTACK_CORES": "32", "TRNSTACK_MASTER": "a-0.a"}

        assert pod.place(told) == pod.Place(job="job", rank=3, nodes=8, cores=32, master="a-0.a")

    def test_torch_on_trainer(self, pod):
        """Trainer tells torchrun's variables, and counts the nodes."""
        told = {"PET_NODE_RANK": "1", "PET_NNODES": "4", "PET_MASTER_ADDR": "a-node-0-0.a", "TRNSTACK_NODES": "8"}

        found = pod.place(told)

        assert (found.rank, found.nodes, found.master) == (1, 4, "a-node-0-0.a")

    def test_jax_on_trainer(self, pod):
        told = {"JAX_PROCESS_ID": "1", "JAX_NUM_PROCESSES": "2", "JAX_COORDINATOR_ADDRESS": "a-node-0-0.a:29500"}

        found = pod.place(told)

        assert (found.rank, found.nodes, found.master) == (1, 2, "a-node-0-0.a")

    def test_ultraserver_goes_before(self, pod):
        """The order of an UltraServer's links goes before that of the pods."""
        told = {"TRNSTACK_RANK": "0", "TRNSTACK_LEADER": "10.0.0.9", "PET_NODE_RANK": "2", "PET_MASTER_ADDR": "a"}

        assert (pod.place(told).rank, pod.place(told).master) == (0, "10.0.0.9")

    def test_no_address(self, pod):
        """A name that nobody knows ends the pod with a sentence."""
        with pytest.raises(SystemExit, match="is its pod scheduled"):
            pod.address("no-such-host.invalid", seconds=0)


class TestMeeting:
    @pytest.mark.parametrize("nodes", [1, 2, 5])
    def test_gather(self, meeting, pod, nodes):
        """Every pod gets what all have told, in the pods' order, as often as they ask."""
        port, pods = free_port(), places(pod, nodes)

        def work(rank):
            met = meeting.Meeting(pods[rank], port, seconds=20)
            try:
                return [met.gather(rank * 10), met.gather({"rank": rank})]
            finally:
                met.close()

        for first, second in together(nodes, work):
            assert first == [rank * 10 for rank in range(nodes)]
            assert second == [{"rank": rank} for rank in range(nodes)]

    def test_power_lost(self, meeting, pod):
        """A node that goes without a word is asked whether it is there, and given up within minutes."""
        port, pods = free_port(), places(pod, 2)

        def work(rank):
            met = meeting.Meeting(pods[rank], port, seconds=20)
            (line,) = met._lines
            asks = line.socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            names = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
            idle, between, count = (line.socket.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in names)
            met.close()
            return asks and idle + between * count

        assert together(2, work) == [180, 180]

    def test_late(self, meeting, pod):
        """Who comes once all are there is of another start, and finds nobody to wait with."""
        port, pods = free_port(), places(pod, 2)
        met = together(2, lambda rank: meeting.Meeting(pods[rank], port, seconds=20))

        with pytest.raises(ConnectionRefusedError):
            meeting.Meeting(pods[1], port, seconds=0)
        for each in met:
            each.close()

    def test_nobody_comes(self, meeting, pod):
        """A pod does not wait for ever."""
        with pytest.raises(OSError, match="timed out"):
            meeting.Meeting(places(pod, 2)[0], free_port(), seconds=0.2)

    def test_one_goes(self, meeting, pod):
        """A pod that ends is told to the others."""
        port, pods = free_port(), places(pod, 2)

        def work(rank):
            met = meeting.Meeting(pods[rank], port, seconds=20)
            if rank:
                met.close()
                return
            with pytest.raises(ConnectionError, match="another pod"):
                met.gather()
            met.close()

        together(2, work)


class TestShare:
    @pytest.mark.parametrize(("total", "parts"), [(0, 3), (1, 3), (10, 3), (112_423_657_472, 256)])
    def test_whole(self, pod, total, parts):
        """The parts lie one behind the other, make up the whole, and differ by 1 at most."""
        shares = [pod.share(total, parts, part) for part in range(parts)]

        assert [start for start, _ in shares] == [sum(size for _, size in shares[:part]) for part in range(parts)]
        assert sum(size for _, size in shares) == total
        assert max(size for _, size in shares) - min(size for _, size in shares) <= 1


class TestCheckpoints:
    def test_newest_complete(self, pod, tmp_path):
        """The newest checkpoint by its steps is taken, and none that was not written to its end."""
        for name, done in [("step=900", True), ("step=1000", True), ("step=1100", False)]:
            (tmp_path / name).mkdir()
            if done:
                (tmp_path / name / "done").touch()

        assert pod.newest_complete(pod.complete(tmp_path)) == "step=1000"

    def test_none(self, pod, tmp_path):
        """A run that has no folder yet has no checkpoint."""
        assert pod.newest_complete(pod.complete(tmp_path / "none")) is None

    @pytest.mark.parametrize(
        ("name", "step"), [("llama--step=500-consumed_samples=512000.0.ckpt", 500), ("step-00000050", 50), ("x", -1)]
    )
    def test_step(self, pod, name, step):
        assert pod.step_of(name) == step

    def test_folder(self, pod):
        """A run keeps its checkpoints on the file system, else on the node's disk; logs go elsewhere."""
        shared = {"TRNSTACK_CHECKPOINT_PATH": "/fsx/checkpoints", "TRNSTACK_MOUNT_PATH": "/fsx"}
        bucket = {"TRNSTACK_CHECKPOINT_PATH": "s3://bucket/checkpoints"}

        assert str(pod.run_folder("j", shared)) == "/fsx/checkpoints/j"
        assert str(pod.log_folder("j", shared)) == "/fsx/logs/j"
        assert str(pod.run_folder("j", bucket)) == "/scratch/checkpoints/j"


class TestTell:
    def test_result(self, pod, tmp_path, capsys):
        """A result is one line of the log, and a file on the file system."""
        told = {"TRNSTACK_JOB": "j", "TRNSTACK_NODE_GROUP": "trn1", "TRNSTACK_MOUNT_PATH": str(tmp_path)}

        pod.tell({"kind": "smoke"}, told)

        line = capsys.readouterr().out
        assert line.count("\n") == 1
        assert json.loads(line) == json.loads((tmp_path / "results" / "j.json").read_text())
        told = json.loads(line)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", told.pop("time"))
        assert told == {"trnstack-result": 1, "job": "j", "node_group": "trn1", "kind": "smoke"}
        assert [path.name for path in (tmp_path / "results").iterdir()] == ["j.json"]


class TestStart:
    def test_torchrun(self, script, pod):
        """Torchrun is told where its pod stands, by address."""
        command = script("start").command(places(pod, 4)[2], "10.0.0.1", "torchrun", "/trnstack/x.py", ["a"])

        assert command[0] == "torchrun"
        assert {"--nnodes=4", "--nproc-per-node=2", "--node-rank=2", "--master-addr=10.0.0.1"} <= set(command)
        assert command[-2:] == ["/trnstack/x.py", "a"]

    def test_jax(self, script, pod):
        """JAX is told how many cores every pod has."""
        found = script("start").settings(places(pod, 3)[1], "10.0.0.1", "jax")

        assert found["NEURON_PJRT_PROCESSES_NUM_DEVICES"] == "2,2,2"
        assert found["NEURON_PJRT_PROCESS_INDEX"] == "1"
        assert found["NEURON_RT_ROOT_COMM_ID"] == "10.0.0.1:29501"
        assert found["TRNSTACK_COORDINATOR"] == "10.0.0.1:29502"

    def test_one_node(self, script, pod):
        """A job on one node needs no address for the others."""
        assert "NEURON_RT_ROOT_COMM_ID" not in script("start").settings(places(pod, 1)[0], "127.0.0.1", "torchrun")


class TestUltraServer:
    def told(self, order, config=4, servers=("a",)):
        return [
            {
                "config": config,
                "address": f"10.0.0.{rank}",
                "mode": "1",
                "server": servers[rank // config],
                "number": number,
            }
            for rank, number in enumerate(order)
        ]

    def test_order(self, script):
        """Ranks follow the order of the instances' links, and the first of them leads."""
        start, told = script("start"), self.told([2, 0, 3, 1])

        ranks = [start.ultraserver(told, rank) for rank in range(4)]

        assert [each["NEURON_GLOBAL_TOPOID"] for each in ranks] == ["2", "0", "3", "1"]
        assert [each["TRNSTACK_RANK"] for each in ranks] == ["2", "0", "3", "1"]
        assert {each["NEURON_GLOBAL_TOPOID0_HOST"] for each in ranks} == {"10.0.0.1"}
        assert ranks[0]["NEURON_RT_ULTRASERVER_NODE_ID"] == "2"

    @pytest.mark.parametrize("order", [[0, 1, 2, 2], [0, 0, 0, 0]])
    def test_not_whole(self, script, order):
        """Instances that are not one whole UltraServer end the job with a sentence."""
        with pytest.raises(SystemExit, match="not on whole UltraServers of 4"):
            script("start").ultraserver(self.told(order), 0)

    def test_two(self, script):
        """Nor may they be of two."""
        told = self.told([0, 1, 2, 3])
        told[3]["server"] = "b"

        with pytest.raises(SystemExit, match="not on whole"):
            script("start").ultraserver(told, 0)

    def test_what_the_driver_tells(self, script, tmp_path):
        """The driver's files are read for the number of instances that is asked for."""
        for name, text in {"ultraserver_mode": "1,3,4\n", "server_id_4": "bog7\n", "node_id_4": "2\n"}.items():
            (tmp_path / name).write_text(text)

        assert script("start").instance(4, tmp_path) == {"mode": "1", "server": "bog7", "number": 2}
        assert script("start").instance(2, tmp_path)["mode"] == "3"

    def test_alone(self, script, tmp_path):
        """One instance works alone whatever the driver lists, as one that is of no server."""
        (tmp_path / "ultraserver_mode").write_text("1,3\n")

        told = {"config": 1, "address": "10.0.0.1", **script("start").instance(1, tmp_path)}

        assert script("start").ultraserver([told], 0)["NEURON_RT_ULTRASERVER_MODE"] == "4"
        assert script("start").ultraserver([told], 0)["NEURON_RT_ULTRASERVER_SERVER_ID"] == "0000000000000000"
        assert script("start").ultraserver([told], 0)["NEURON_RT_ULTRASERVER_NODE_ID"] == "-1"

    def test_no_server(self, script):
        """Instances that no server is told of are of no UltraServer together."""
        told = [{**each, "server": "0000000000000000"} for each in self.told([0, 1, 2, 3])]

        with pytest.raises(SystemExit, match="not on whole"):
            script("start").ultraserver(told, 0)

    @pytest.mark.parametrize("config", [2, 3, 4])
    def test_no_driver(self, script, tmp_path, config):
        """An instance that is of no UltraServer ends the pod with a sentence, whatever it is asked to be part of."""
        with pytest.raises(SystemExit, match=f"can't work as one of {config}"):
            script("start").instance(config, tmp_path)


class TestCheckpointIo:
    @pytest.fixture
    def io(self, script, monkeypatch):
        module = script("checkpoint_io")
        monkeypatch.setattr(module, "BLOCK", 4096)
        return module

    @pytest.mark.parametrize(("nodes", "total"), [(1, 100_000), (2, 1_000_003), (3, 12_345)])
    def test_measure(self, io, meeting, pod, tmp_path, nodes, total):
        """All pods write their shares, read each other's, and leave nothing behind."""
        port, pods = free_port(), places(pod, nodes)

        def work(rank):
            met = meeting.Meeting(pods[rank], port, seconds=20)
            try:
                return io.measure(pods[rank], met, total, tmp_path / "bench")
            finally:
                met.close()

        found = together(nodes, work)[0]

        assert found["bytes"] == total
        assert found["write_mbps"] > 0
        assert found["read_mbps"] > 0
        assert found["files"] == 8 * nodes
        assert list((tmp_path / "bench").iterdir()) == []

    def test_left_over(self, io, meeting, pod, tmp_path):
        """What a job that was killed has left is gone, and a checkpoint's worth of room with it."""
        (tmp_path / "bench").mkdir()
        (tmp_path / "bench" / "shard-0007-0").write_text("old")
        (place,) = places(pod, 1)

        io.measure(place, meeting.Meeting(place, free_port(), seconds=1), 1000, tmp_path / "bench")

        assert list((tmp_path / "bench").iterdir()) == []

    def test_fio(self, io, tmp_path, monkeypatch):
        """What fio writes goes with it: it leaves its files to be read again."""
        report = {"jobs": [{"read": {"bw_bytes": 2e6}, "write": {"bw_bytes": 3e6}}]}
        (tmp_path / "fio").write_text(
            "#!/bin/sh\nfor word; do case $word in --directory=*) touch ${word#*=}/random.0.0;; esac; done\n"
            f"echo '{json.dumps(report)}'\n"
        )
        (tmp_path / "fio").chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        (tmp_path / "bench").mkdir()

        assert io.fio(tmp_path / "bench") == {"random_read_mbps": 2.0, "random_write_mbps": 3.0}
        assert list((tmp_path / "bench").iterdir()) == []

    def test_shares(self, io):
        """The files of all pods together hold all bytes."""
        assert sum(size for rank in range(3) for _, size in io.files_of(rank, 3, 10_001, "/x")) == 10_001

    @pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"x" + data[1:]])
    def test_wrong(self, io, tmp_path, spoil):
        """A file that holds something else than was written ends the job."""
        file, block = tmp_path / "file", os.urandom(4096)
        io.write(file, 8192, block)
        file.write_bytes(spoil(file.read_bytes()))

        with pytest.raises(SystemExit, match=r"file (has|does not hold)"):
            io.read(file, 8192, block)


class TestSweep:
    def test_row(self, script):
        """Rates are those of nccom-test's definition."""
        row = script("sweep").row(2**30, 64, 0.041806)

        assert row["algorithm_gbps"] == pytest.approx(23.92 * 2**30 * 8 / 1e9, rel=1e-3)
        assert row["bus_gbps"] == pytest.approx(47.09 * 2**30 * 8 / 1e9, rel=1e-3)

    def test_same_sizes(self, script):
        """nccom-test measures the sizes that the other sweeps do, as the documentation says them."""
        nccom, units = script("collectives_nccom"), {"kb": 2**10, "mb": 2**20, "gb": 2**30}
        size, largest = (int(told[:-2]) * units[told[-2:]] for told in (nccom.SMALLEST, nccom.LARGEST))
        found = []
        while size <= largest:
            found.append(size)
            size *= int(nccom.FACTOR)

        assert tuple(found) == script("sweep").SIZES
        assert (found[0], found[-1]) == (64 * 2**10, 2**30)

    def test_nccom(self, script):
        """nccom-test's report comes to the same form, its GB being of 2**30 bytes."""
        report = {"results": [{"size(B)": 1024, "algbw(GB/s)": 1.0, "busbw(GB/s)": 2.0, "time:avg(us)": 6.19}]}

        assert script("collectives_nccom").rows_of(report) == [
            {"bytes": 1024, "microseconds": 6.19, "algorithm_gbps": 8.59, "bus_gbps": 17.18}
        ]
