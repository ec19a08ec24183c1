"""Images of the reflectors that traces are from."""
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from minimod import _core
from minimod.gather import as_gather, loaded_xarray
from minimod.gradients import at_nodes, compared, of_shots, steps_of, weighted
from minimod.model import Model, as_model
from minimod.options import documented
from minimod.runs import bar, numbered
from minimod.session import open_session
from minimod.shot import Shot

if TYPE_CHECKING:
    import xarray


@documented
def image(model: Model | str | os.PathLike, shots: Shot | Iterable[Shot], observed: Any, *, condition: str = "cross",
          keep_direct: bool = False, window: tuple[float, ...] | None = None, trace_weights: Any = None,
          correlate_every: int | str = 1, memory: float | None = None, progress: bool = False,
          **options: Any) -> "xarray.Dataset":
    """Migrates the traces of shots backward in time (RTM).

    model, shots, observed, window, trace_weights, correlate_every, memory, progress: as `gradient` has them.
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
    session = open_session("image", as_model(model), shots, options, for_gradients=True)
    sums, misfits = None, []
    for i, shot in enumerate(shots):
        show, close = bar(session.facts["steps"], progress, f"shot {shot.number}")
        try:
            gather = as_gather(session.model(i, memory, every, condition, show))
        finally:
            close()
        value, fed = _core.migration(*compared(gather, wanted[i], shot), keep_direct,
                                     *weighted(gather, window, trace_weights))
        misfits.append(value)
        fields = session.derive(np.ascontiguousarray(fed), False)
        fields = {"image": fields.pop("gradient")} | fields
        sums = fields if sums is None else {name: sums[name] + fields[name] for name in sums}
    return at_nodes(session, shots, sums, misfits, {})
