"""Processes that share the shots of a survey, one a device: the core computes in one thread of a process.

`serve` is such a process. It reads pickles from stdin, (model, shots, options) and then numbers of
shots, and answers each with (value, error, notes) on stdout. It ends with its stdin, as when its parent is killed.
"""
import os
import pickle
import queue
import subprocess
import sys
import threading
import warnings

from minimod.errors import Error, Note, warn
from minimod.session import open_session


class Worker:
    """A process of one device, with the shots of a survey."""

    def __init__(self, model, shots, options, threads=None):
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
        if threads is not None:
            environment["OMP_NUM_THREADS"] = str(threads)
        self.process = subprocess.Popen([sys.executable, "-c", "from minimod.workers import serve; serve()"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        start_new_session=True)
        self.say((model, shots, options))

    def say(self, words):
        try:
            pickle.dump(words, self.process.stdin, protocol=5)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says why

    def answer(self):
        """The value and the notes of what was said last. Raises what the worker raised."""
        try:
            value, error, notes = pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise Error(f"a worker of the survey ended with code {self.process.wait()}; run the shots that are missing "
                        "again", 70) from None
        if error is not None:
            raise error
        return value, notes

    def run(self, index):
        self.say(index)
        return self.answer()

    def end(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass


def share(workers, count):
    """Raw gathers of the shots 0 to count - 1 in their order. A thread a worker takes the next one; at most two gathers
    a worker wait for the caller."""
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
                done.put((i, worker.run(i), None))
            except BaseException as error:  # the caller's thread raises it
                done.put((i, None, error))
                return

    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    try:
        tell([note for worker in workers for note in worker.answer()[1]])
        for thread in threads:
            thread.start()
        waiting = {}
        for i in range(count):
            while i not in waiting:
                found, answer, error = done.get()
                if error is not None:
                    raise error
                waiting[found] = answer
            raw, notes = waiting.pop(i)
            room.release()
            tell(notes)
            yield raw
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
                    session = open_session("survey", *said)
                else:
                    value = session.run(said, None)
            except Error as refused:
                error = refused
        notes = [str(note.message) for note in told if issubclass(note.category, Note)]
        pickle.dump((value, error, notes), answers, protocol=5)
        answers.flush()
