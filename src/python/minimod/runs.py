"""Shots from the first step to the last."""
import queue
import threading

from minimod.commands import gpus
from minimod.errors import Error
from minimod.gather import as_gather
from minimod.options import documented
from minimod.session import open_session
from minimod.shot import Shot


def bar(steps, wanted, description):
    """A function that shows the steps done, and one that ends the show: tqdm's where that is there."""
    if not wanted:
        return None, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None, lambda: None
    shown = tqdm(total=steps, desc=description, unit="step", leave=False)

    def show(done):
        shown.update(done - shown.n)
    return show, shown.close


def model_shot(session, index, wanted, description):
    show, close = bar(session.facts["steps"], wanted, description)
    try:
        return as_gather(session.run(index, show))
    finally:
        close()


@documented
def run(model, shot, *, progress=False, **options):
    """Models a shot, and returns its gather as an xarray.DataArray [receiver, time], with the command line's bits.

    model: a Model, a file's name or words such as "constant:2000".
    shot: a Shot.
    progress: show the steps by tqdm, where that is installed.
    output: a file for the gather as well (.h5, .sgy), as the command writes it.

    Raises Error with the command's words; KeyboardInterrupt within a step of Ctrl-C. Notes become warnings (Note).
    Threads of Python go on meanwhile.
    """
    return model_shot(open_session("run", model, [shot], options), 0, progress, "shot")


@documented
def survey(model, shots, *, device="auto", progress=False, **options):
    """Models shots over one model, and yields (shot, gather) in their order.

    shots: Shots with different numbers; those that all have the number 1 are numbered 1, 2, ... themselves.
    device: as `run` has it, or several GPUs, a shot each at a time: "cuda:0,2" or "cuda:all".

    The plan (time step, layer, checks) is one for all shots, and the model stays on the device between them.
    All shots are checked before the first one runs.
    """
    shots = numbered(list(shots))
    if "output" in options:
        raise Error("output is given with several shots; write the gathers that are yielded", parameter="output")
    sessions = [open_session("survey", model, shots, options | {"device": one}) for one in gpus(device)]
    return shots_of(sessions, shots, progress)


def numbered(shots):
    """Shots with numbers, sorted by them; the caller's stay as they are."""
    for shot in shots:
        if not isinstance(shot, Shot):
            raise Error(f"shots has a {type(shot).__name__}; give minimod.Shot", parameter="shots")
    if not shots:
        raise Error("shots is empty; give one or more", parameter="shots")
    numbers = [shot.number for shot in shots]
    if len(shots) > 1 and set(numbers) == {1}:
        for number, shot in enumerate(shots, 1):
            shot.number = number
    elif len(set(numbers)) < len(numbers):
        raise Error(f"shots has the numbers {sorted(numbers)}; give each its own", parameter="shots")
    return sorted(shots, key=lambda shot: shot.number)


def shots_of(sessions, shots, progress):
    if len(sessions) == 1:
        for i, shot in enumerate(shots):
            yield shot, model_shot(sessions[0], i, progress, f"shot {shot.number}")
        return
    yield from shots_of_several(sessions, shots)


def shots_of_several(sessions, shots):
    """A thread a device takes the next shot; at most two gathers a device wait for the caller."""
    todo, done = queue.SimpleQueue(), queue.Queue()
    for i in range(len(shots)):
        todo.put(i)
    room, ends = threading.Semaphore(2 * len(sessions)), threading.Event()

    def work(session):
        while not ends.is_set():
            room.acquire()
            try:
                i = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((i, session.run(i, None), None))
            except BaseException as error:  # the caller's thread raises it
                done.put((i, None, error))
                return

    threads = [threading.Thread(target=work, args=(session,), daemon=True) for session in sessions]
    for thread in threads:
        thread.start()
    waiting = {}
    try:
        for i, shot in enumerate(shots):
            while i not in waiting:
                found, raw, error = done.get()
                if error is not None:
                    raise error
                waiting[found] = raw
            raw = waiting.pop(i)
            room.release()
            yield shot, as_gather(raw)
    finally:
        ends.set()
        for _ in sessions:
            room.release()
