"""Processes that share shots, one a device: the core computes in one thread of a process.

`serve` is such a process. It reads pickles from stdin, the arguments of open_session and then names of a session's
methods with theirs, and answers each with (value, error, notes) on stdout, the first with the session's facts. It ends
with its stdin, as when its parent is killed.
"""
import os
import pickle
import queue
import subprocess
import sys
import threading
import warnings

from minimod.commands import gpus
from minimod.errors import Error, Note, warn
from minimod.session import open_session


def devices_of(device, workers):
    """Devices of the processes, and the threads that each has of the CPU's; None: all."""
    devices = gpus(device)
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise Error(f"workers is {workers!r}; give an integer of 1 or more", parameter="workers")
    if workers == 1:
        return devices, None
    if devices not in (["cpu"], ["auto"]):
        raise Error(f"workers is {workers} with device {device!r}; give cpu, whose cores they share",
                    parameter="workers")
    return ["cpu"] * workers, max(1, len(os.sched_getaffinity(0)) // workers)


class Worker:
    """A process of one device that has a session."""

    def __init__(self, threads, *session):
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
        if threads is not None:
            environment["OMP_NUM_THREADS"] = str(threads)
        self.process = subprocess.Popen([sys.executable, "-c", "from minimod.workers import serve; serve()"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        start_new_session=True)
        self.facts, self.notes = None, []
        self.say(session)

    def say(self, words):
        try:
            pickle.dump(words, self.process.stdin, protocol=5)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says why

    def answer(self):
        """The value of what was said last, whose notes are kept. Raises what the worker raised."""
        try:
            value, error, notes = pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise Error(f"a worker ended with code {self.process.wait()}; run the shots that are missing again",
                        70) from None
        if error is not None:
            raise error
        self.notes += notes
        return value

    def call(self, method, *arguments):
        self.say((method, arguments))
        return self.answer()

    def run(self, *arguments):
        return self.call("run", *arguments)

    def model(self, *arguments):
        return self.call("model", *arguments)

    def derive(self, *arguments):
        return self.call("derive", *arguments)

    def by_samples(self, *arguments):
        return self.call("by_samples", *arguments)

    def taken_notes(self):
        taken, self.notes = self.notes, []
        return taken

    def end(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass


def shared(devices, threads, session, count, of_shot):
    """Yields of_shot(worker, i) of the shots 0 to count - 1 in their order, by a worker of such a session on each
    device. A thread a worker takes the next shot; at most two results a worker wait for the caller."""
    call, model, shots, options, *more = session
    workers = [Worker(threads, call, model, shots, options | {"device": one}, *more) for one in devices[:count]]
    todo, done = queue.SimpleQueue(), queue.Queue()
    for i in range(count):
        todo.put(i)
    room, ends = threading.Semaphore(2 * len(workers)), threading.Event()

    def serve(worker):
        while True:
            room.acquire()
            if ends.is_set():
                return
            try:
                i = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((i, (of_shot(worker, i), worker.taken_notes()), None))
            except BaseException as error:  # the caller's thread raises it
                done.put((i, None, error))
                return

    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    try:
        for worker in workers:
            worker.facts = worker.answer()
        tell([note for worker in workers for note in worker.taken_notes()])
        for thread in threads:
            thread.start()
        waiting = {}
        for i in range(count):
            while i not in waiting:
                found, answer, error = done.get()
                if error is not None:
                    raise error
                waiting[found] = answer
            result, notes = waiting.pop(i)
            room.release()
            tell(notes)
            yield result
    finally:
        ends.set()
        for worker in workers:
            worker.end()
            room.release()


def tell(notes):
    """Warns of each once."""
    for note in dict.fromkeys(notes):
        warn(note)


def serve():
    """The process of a Worker."""
    words, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # for whatever is printed
    session = None
    while True:
        try:
            said = pickle.load(words)
        except EOFError:
            return
        value = error = None
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", Note)
            try:
                if session is None:
                    session = open_session(*said)
                    value = session.facts
                else:
                    method, arguments = said
                    value = getattr(session, method)(*arguments)
            except Error as refused:
                error = refused
        notes = [str(note.message) for note in told if issubclass(note.category, Note)]
        pickle.dump((value, error, notes), answers, protocol=5)
        answers.flush()
