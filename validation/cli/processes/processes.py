"""Processes of the tests' programs."""
import os
import signal
import time
from pathlib import Path


def children_of(process):
    """The numbers of those that a process has started; none where it has ended."""
    try:
        lists = [file.read_text(encoding="ascii") for file in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    return [int(child) for numbers in lists for child in numbers.split()]


def tell_past_mpirun(process, checkpoints):
    """SIGTERM to a program whose mpirun is stopped, so that it hands nothing on. Waits until its ranks write no more of
    those files, which they else do ten times a second."""
    mpirun, = children_of(process.pid)
    os.kill(mpirun, signal.SIGSTOP)
    try:
        process.send_signal(signal.SIGTERM)
        last, deadline = None, time.monotonic() + 20
        while last != (last := [file.stat().st_mtime_ns for file in checkpoints()]):
            assert time.monotonic() < deadline, "the ranks have not heard of it"
            time.sleep(0.5)
    finally:
        os.kill(mpirun, signal.SIGCONT)
