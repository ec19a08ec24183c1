"""Gathers as arrays that know their axes."""
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from minimod.errors import UNAVAILABLE, Error

if TYPE_CHECKING:
    import xarray


def loaded_xarray():
    """Takes half a second, which `import minimod` does not."""
    try:
        import xarray
    except ImportError as missing:
        raise Error("gathers are arrays of xarray, which is not installed here; install it: pip install xarray",
                    UNAVAILABLE) from missing
    return xarray


def as_gather(raw):
    """The xarray.DataArray [receiver, time] of what the core has left of a shot.

    Coordinates: time (s), x, y, z of each receiver (m, of the point that was recorded), and its station where the field
    numbered it. Attributes: those of a gather's file, and of a run `record`, the JSON that --json writes.
    """
    xarray = loaded_xarray()
    traces, receivers = raw["traces"], raw["receivers"]
    coordinates = {"time": ("time", raw["first_time"] + raw["record_dt"] * np.arange(traces.shape[1]),
                            {"units": "s", "long_name": "time"})}
    for i, axis in enumerate("xyz"):
        coordinates[axis] = ("receiver", receivers[:, i], {"units": "m", "long_name": f"{axis} of the receiver"})
    if raw["stations"]:
        coordinates["station"] = ("receiver", np.asarray(raw["stations"]))
    attributes = dict(raw["metadata"])
    attributes |= {"units": f"{raw['wavelet_unit']} / m", "long_name": "u",
                   "source": np.squeeze(raw["sources"]).tolist(), "wavelet_dt": raw["wavelet_dt"]}
    if "record" in raw:
        attributes["record"] = raw["record"]
    return xarray.DataArray(traces, dims=("receiver", "time"), coords=coordinates, attrs=attributes, name="traces")


def facts(gather: "xarray.DataArray") -> dict[str, Any]:
    """Facts that a run tells of itself, as nested dicts: build, device, grid, time, kernels, source, result, ..."""
    return json.loads(gather.attrs["record"])
