"""Shots from the first step to the last."""
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from minimod.errors import Error
from minimod.gather import as_gather, loaded_xarray
from minimod.model import Model, as_model
from minimod.options import documented
from minimod.session import open_session
from minimod.shot import Shot
from minimod.workers import devices_of, shared

if TYPE_CHECKING:
    import xarray


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
    loaded_xarray()  # before the steps
    show, close = bar(session.facts["steps"], wanted, description)
    try:
        return as_gather(session.run(index, show))
    finally:
        close()


@documented
def run(model: Model | str | os.PathLike, shot: Shot, *, progress: bool = False, **options: Any) -> "xarray.DataArray":
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
def survey(model: Model | str | os.PathLike, shots: Iterable[Shot], *, device: str = "auto", workers: int = 1,
           progress: bool = False, **options: Any) -> Iterator[tuple[Shot, "xarray.DataArray"]]:
    """Models shots over one model, and yields (shot, gather) in the order of their numbers.

    shots: Shots with different numbers; those that all have the number 1 are numbered 1, 2, ... themselves.
    device: as `run` has it, or several GPUs, "cuda:0,2" or "cuda:all": a process each, which is given a copy of the
        model.
    workers: processes that share the CPU's cores, a shot each at a time.

    The plan (time step, layer, checks) is one for all shots, and the model stays on the device between them.
    All shots are checked before the first one runs, when `survey` is called on one device.
    """
    shots = numbered(list(shots))
    model = as_model(model)
    if options.get("output") is not None:
        raise Error("output is given with several shots; write the gathers that are yielded", parameter="output")
    devices, threads = devices_of(device, workers)
    if len(devices) > 1:
        raw = shared(devices, threads, ("survey", model, shots, options), len(shots),
                     lambda worker, i: worker.run(i, None))
        return ((shot, as_gather(gather)) for shot, gather in zip(shots, raw))
    session = open_session("survey", model, shots, options | {"device": device})
    return ((shot, model_shot(session, i, progress, f"shot {shot.number}")) for i, shot in enumerate(shots))


def numbered(shots):
    """Shots with numbers, sorted by them."""
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
