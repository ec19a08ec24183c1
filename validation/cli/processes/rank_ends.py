"""How ranks end that fail, are killed, or are unlike."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from processes import children_of, tell_past_mpirun
from rank_runs import GRID, LONG, ON_GPU, PROGRAM, SMALL, WHOLE, asked, descendants_of, gpus, run, started


def faults():
    """All ranks end, with one line of ours and the right code; nothing is left."""
    with tempfile.TemporaryDirectory() as folder:
        def refused(options, code, words):
            done = run(f"{SMALL} {options}", f"{folder}/refused", code)
            lines = [line for line in done.stderr.splitlines() if line.startswith("minimod: error")]
            assert len(lines) == 1 and words in lines[0] and len(lines[0]) <= 240, done.stderr
            assert not Path(folder, "refused").exists()

        if ON_GPU and gpus() <= 4:  # the grid has planes for five
            refused(f"--ranks {gpus() + 1}", 69, "each needs its own")
        if ON_GPU:
            return
        refused("--ranks 99999", 64, "--ranks is 99999, over the ")
        refused("--ranks 6", 64, "the slabs of 6 ranks need 36 planes")
        refused("--ranks 2 --slabs 4,30", 64, "the slab of rank 0 has 4 planes")
        refused("--ranks 2 --slabs 10,10", 64, "the grid has 34")
        refused(f"--ranks 3 --slabs 10,14,10 {WHOLE}", 64, "leave room for 3")
        refused("--ranks 2 --model nowhere.h5", 66, "nowhere.h5")
        refused("--ranks 2 --transport ipc", 69, "from GPU to GPU")
        refused("--transport staged", 64, "give --ranks")
        refused("--ranks 2 --slabs 17,17 --interpolation sinc8 --receivers line:10,70,113:170,70,113:3", 64,
                "take --interpolation sinc4")
        refused("--ranks 2 --order 2 --allow-dispersion --receivers line:10,70,3:10,70,205:40", 64,
                "take --interpolation nearest")
        refused("--ranks 2 --sources line:30,70,50:110,70,50:5", 64, "survey")
        os.environ["SLURM_STEP_NUM_TASKS"] = "4"
        refused("", 69, "srun has started 4 tasks, and no MPI among them")
        run(f"{SMALL} --ranks 1", f"{folder}/alone")
        del os.environ["SLURM_STEP_NUM_TASKS"]
        other = subprocess.run([PROGRAM, "info"], capture_output=True, text=True,
                               env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
        assert other.returncode == 69, other.stderr  # a launcher of another MPI

        process = started(LONG, f"{folder}/killed", 3)
        mpirun, = children_of(process.pid)
        os.kill(descendants_of(mpirun)[-1], signal.SIGKILL)
        began = time.monotonic()
        _, errors = process.communicate(timeout=20)
        assert time.monotonic() - began < 10
        killed_by(9, process.returncode, errors)
        assert not list(Path(folder, "killed").glob("*.h5"))


def killed_by(sent, code, errors):
    """A rank or mpirun was: one line, and a code that says that the same command goes on."""
    lines = [line for line in errors.splitlines() if line.startswith("minimod: error")]
    assert code == 75 and len(lines) == 1 and f"killed by signal {sent}" in lines[0], (code, errors)


# Goes into the second rank, whose GPU it has fail when the run is under way.
GPU_FAULT = """#include <cstdlib>
#include <thread>
#include <unistd.h>
__global__ void write_nowhere() { *reinterpret_cast<volatile int*>(8) = 1; }
__attribute__((constructor)) static void begin() {
  const char* rank = std::getenv("PMI_RANK");
  if (rank == nullptr) rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr || std::atoi(rank) != 1) return;
  std::thread([] {
    sleep(3);
    cudaSetDevice(1);
    write_nowhere<<<1, 1>>>();
  }).detach();
}
"""


def gpu_error():
    """A GPU that fails under one rank ends all of them, with one line and the right code; nothing is left."""
    if not ON_GPU or shutil.which("nvcc") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "fault.cu").write_text(GPU_FAULT)
        subprocess.run(["nvcc", "-shared", "-Xcompiler", "-fPIC", "-o", f"{folder}/fault.so", f"{folder}/fault.cu"], check=True)
        for options in (LONG, f"{GRID} --steps 1000000 {WHOLE}"):
            process = started(options, f"{folder}/run", 2, {"LD_PRELOAD": f"{folder}/fault.so"})
            began = time.monotonic()
            _, errors = process.communicate(timeout=40)
            lines = [line for line in errors.splitlines() if line.startswith("minimod: error")]
            assert time.monotonic() - began < 13, time.monotonic() - began  # 3 of them until it fails
            assert process.returncode == 69 and len(lines) == 1 and "CUDA" in lines[0], (process.returncode, errors)
            assert not list(Path(folder, "run").glob("*.h5")), errors


def unlike():
    """Ranks of other options, or another program, and one alone whose memory ends: one line, and the code."""
    if ON_GPU:
        return
    with tempfile.TemporaryDirectory() as folder:
        process = started(LONG, f"{folder}/started", 2)
        mpirun, = children_of(process.pid)
        words = Path(f"/proc/{mpirun}/cmdline").read_text().split("\0")
        ranks = [pid for pid in descendants_of(mpirun) if os.readlink(f"/proc/{pid}/exe") == PROGRAM]
        peak = max(int(re.search(r"VmPeak:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) for pid in ranks)
        process.kill()
        process.communicate(timeout=20)
        oversubscribe = [word for word in words if word == "--oversubscribe"]  # an option of Open MPI

        def refused(first, second, code, pattern):
            """`first` and `second`: the commands of two ranks."""
            command = [words[0], *oversubscribe, "-n", "1", *first, ":", "-n", "1", *second]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={
                **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
            lines = [line for line in done.stderr.splitlines() if line.startswith("minimod: error")]
            assert done.returncode == code, (command, done.returncode, done.stderr)
            assert len(lines) == 1 and re.search(pattern, lines[0]), (command, done.stderr)
            assert not list(Path(folder).glob("unlike/*")), command

        options = [*SMALL.split(), "--output", f"{folder}/unlike"]
        refused([PROGRAM, *options], [PROGRAM, *options, "--dt", "1e-3"], 64, "rank 1 has another run than")
        of_build = asked("info")["build"]["git_hash"].encode()
        other = Path(folder, "other")
        other.write_bytes(Path(PROGRAM).read_bytes().replace(of_build, of_build[::-1]))
        other.chmod(0o755)
        refused([PROGRAM, *options], [str(other), *options], 64, "rank 1 has another program than")
        large = [PROGRAM, *(word.replace("30,26,34", "500") for word in options)]
        refused(large, ["sh", "-c", f'ulimit -v {peak}; exec "$@"', "sh", *large], 71, "are free")


def ends():
    """A killed run leaves no rank behind; a signal to mpirun alone leaves a checkpoint, where that is small."""
    if ON_GPU:
        return
    with tempfile.TemporaryDirectory() as folder:
        process = started(LONG, f"{folder}/killed", 2)
        mpirun, = children_of(process.pid)
        ranks = descendants_of(mpirun)
        assert len(ranks) >= 2
        process.kill()
        process.communicate(timeout=20)
        end = time.monotonic() + 5
        while left := [pid for pid in (mpirun, *ranks) if Path(f"/proc/{pid}").exists()]:
            assert time.monotonic() < end, left
            time.sleep(0.01)

        process = started(LONG, f"{folder}/without", 2)
        mpirun, = children_of(process.pid)
        os.kill(mpirun, signal.SIGKILL)
        killed_by(9, process.wait(timeout=20), process.communicate()[1])

        for sent in (signal.SIGTERM, signal.SIGHUP):
            process = started(LONG, f"{folder}/told_{sent}", 2)
            mpirun, = children_of(process.pid)
            time.sleep(0.3)
            os.kill(mpirun, sent)
            _, errors = process.communicate(timeout=20)
            assert process.returncode == 75 and "stopped by a signal" in errors, (process.returncode, errors)
            assert list(Path(folder, f"told_{sent}").glob("*.checkpoint.*.h5")), errors


def kept_by_mpirun():
    """A request to stop reaches the ranks, whatever mpirun does."""
    with tempfile.TemporaryDirectory() as folder:
        def checkpoints():
            return Path(folder, "run").glob("shot_gather.checkpoint.*.h5")

        process = started(f"{LONG} --checkpoint-every 0.1s", f"{folder}/run", 2)
        deadline = time.monotonic() + 20
        while not list(checkpoints()):
            assert time.monotonic() < deadline and process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        tell_past_mpirun(process, checkpoints)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 75 and "goes on from there" in errors, (process.returncode, errors)


PARTS = (faults, gpu_error, unlike, ends, kept_by_mpirun)
