"""Images of the reflectors that traces are from."""
import os
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from minimod import _core
from minimod.gather import as_gather, loaded_xarray
from minimod.gradients import (added, at_nodes, compared, folder_of, of_shots, over_shots, rounded, steps_of,
                               weighted)
from minimod.model import Model, as_model
from minimod.options import documented
from minimod.runs import numbered
from minimod.shot import Shot
from minimod.workers import devices_of

if TYPE_CHECKING:
    import xarray


@documented
def image(model: Model | str | os.PathLike, shots: Shot | Iterable[Shot], observed: Any, *, condition: str = "cross",
          keep_direct: bool = False, window: tuple[float, ...] | None = None, trace_weights: Any = None,
          correlate_every: int | str = 1, memory: float | None = None, history: str = "auto",
          states_on: str | os.PathLike | None = None, device: str = "auto", workers: int = 1, progress: bool = False,
          **options: Any) -> "xarray.Dataset":
    """Migrates the traces of shots backward in time (RTM).

    model, shots, observed, window, trace_weights, correlate_every, memory, history, states_on, device, workers,
        progress: as `gradient` has them.
    condition: "cross", or "inverse-scattering", to which waves that travel together add nothing.
    keep_direct: migrate the observed traces as they are, not less those that the model has.

    Returns an xarray.Dataset: image, source_illumination and receiver_illumination [z, y, x], sums over the shots, and
    misfit [shot], half the sum of the squares of what is migrated.

    Raises Error with the command's words.
    """
    loaded_xarray()  # before the steps
    every = steps_of(correlate_every)
    shots = numbered([shots] if isinstance(shots, Shot) else list(shots))
    wanted = of_shots(observed, shots)
    one_misfit = threading.Lock()

    def of_shot(session, i, at_once, show):
        gather = as_gather(session.model(i, memory, history, folder_of(states_on), every, at_once, "", condition, show))
        with one_misfit:
            value, fed = _core.migration(*compared(gather, wanted[i], shots[i]), keep_direct,
                                         *weighted(gather, window, trace_weights))
        fields = session.derive(np.ascontiguousarray(fed), False)
        return session.facts, value, {"image": fields.pop("gradient")} | fields

    facts, sums, misfits = None, None, []
    for facts, value, fields in over_shots("image", as_model(model), shots, options, devices_of(device, workers),
                                           progress, of_shot):
        misfits.append(value)
        sums = added(sums, fields)
    return at_nodes(facts, shots, rounded(sums, fields), misfits, {})
