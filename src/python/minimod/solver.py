"""A shot that its caller steps."""
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from minimod.errors import Error
from minimod.gather import as_gather
from minimod.options import documented
from minimod.runs import bar
from minimod.session import open_session
from minimod.shot import NamesOfWavelets, Shot

if TYPE_CHECKING:
    import xarray


class Solver:
    """A model on a device, with a shot that is stepped.

    model: as `run` has it. shot: a Shot; None: a Ricker of 10 Hz in the middle, and a line of receivers.
    Traces have the bits of the command's with time_dispersion="as-is", which is what a solver takes by itself: a
    wavefield at a time has no trace that could be corrected.
    """

    def __init__(self, model: Any, shot: Shot | None = None, **options: Any) -> None:
        options.setdefault("time_dispersion", "as-is")
        if options.get("output") is not None:
            raise Error("output is given to a solver; write the gather that it returns", parameter="output")
        self._names = NamesOfWavelets()
        self._session = open_session("Solver", model, [] if shot is None else [shot], options, self._names)
        self._session.begin(0)
        self.facts = self._session.facts

    def _opened(self):
        if self._session is None:
            raise Error("the solver is closed; make another one")
        return self._session

    def step(self, steps: int = 1) -> None:
        """Computes so many steps. Ctrl-C ends them behind one, at which the solver may go on."""
        if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or not 0 <= steps < 2**31:
            raise Error(f"steps is {steps!r}; give an integer of 0 or more", parameter="steps")
        self._opened().step(int(steps))

    @property
    def steps(self) -> int:
        """Steps done."""
        return self._opened().steps_done

    @property
    def time(self) -> float:
        """Time of the wavefield, s."""
        return self._opened().time

    @property
    def dt(self) -> float:
        """The time step, s."""
        return self.facts["dt"]

    @property
    def wavefield(self) -> Any:
        """u [z, y, x] at the model's nodes, where the device has it: a view without a copy, which may be written to.

        On the CPU it is a numpy array; on a GPU an array of cupy or torch, whichever is loaded, or else an object that
        either takes by DLPack. It holds the solver's memory. After the next step u is elsewhere: ask again.
        """
        return native(self._opened().wavefield(False))

    @property
    def wavefield_with_layer(self) -> Any:
        """The same of all points, the absorbing layer included."""
        return native(self._opened().wavefield(True))

    def add(self, node: tuple[int, int, int], value: float) -> None:
        """Adds to u at a node (x, y, z) of the model: a source of your own. One like the solver's adds
        (V dt)^2 s(n dt) / (hx hy hz) when step n + 1 is done."""
        x, y, z = (int(i) for i in node)
        self._opened().add(x, y, z, float(value))

    def gather(self) -> "xarray.DataArray":
        """Traces since the shot began: a DataArray [receiver, time]."""
        return as_gather(self._opened().gather())

    def restart(self, shot: Shot | None = None) -> None:
        """Puts the fields at rest; with another Shot, whose wavelets are of the solver's, or else with the same."""
        if shot is None:
            self._opened().begin(0)
        else:
            self._opened().begin_other(self._other(shot))

    def run(self, shot: Shot | None = None, *, progress: bool = False) -> "xarray.DataArray":
        """A shot from the first step to the last, as `run` returns it; the model is on the device already. Nothing is
        stepped on behind it before `restart`."""
        session = self._opened()
        show, close = bar(self.facts["steps"], progress, "shot")
        try:
            return as_gather(session.run(0, show) if shot is None else session.run_other(self._other(shot), show))
        finally:
            close()

    def _other(self, shot):
        if not isinstance(shot, Shot):
            raise Error(f"shot is a {type(shot).__name__}; give a minimod.Shot", parameter="shot")
        known = set(self._names.wavelets)
        told = shot.given(self._names)
        if set(self._names.wavelets) != known:
            for name in set(self._names.wavelets) - known:
                del self._names.wavelets[name]
            raise Error("wavelet is an array that the solver does not have; make it with a shot that has it",
                        parameter="wavelet")
        return told

    def close(self) -> None:
        """Lets the device's memory go, as soon as no view of a wavefield is left."""
        self._session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        z, y, x = self.facts["shape"]
        return f"minimod.Solver({x} x {y} x {z} nodes, {self.facts['kernel']} on {self.facts['device']})"


Solver.__init__.__doc__ = "Plans the shot and puts the model on the device."
documented(Solver.__init__)


def native(view):
    """A GPU's memory as an array of the library that is loaded."""
    if isinstance(view, np.ndarray):
        return view
    for name in ("cupy", "torch"):
        if name in sys.modules:
            return sys.modules[name].from_dlpack(view)
    return view
