"""Arrays of any library as numpy's, by DLPack."""
import numpy as np

from minimod.errors import Error

CPU = 1  # a device of DLPack


def on_host(array, name):
    """The array in the host's memory: itself where it is there, and a copy of a GPU's."""
    if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] != CPU:
        if hasattr(array, "detach"):  # a tensor of torch
            return array.detach().cpu().numpy()
        if hasattr(array, "get"):  # an array of cupy
            return array.get()
        raise Error(f"{name} is on a device that its library does not copy from; give an array of the host",
                    parameter=name)
    if hasattr(array, "detach"):
        array = array.detach()
    return np.asarray(array)


def numbers(array, name, dtype, shape):
    """A C-contiguous array of that dtype, a copy only where it has to be. `shape` has a number or -1 an axis."""
    found = on_host(array, name)
    if found.dtype == object or not (np.issubdtype(found.dtype, np.number) or found.dtype == bool) \
            or np.issubdtype(found.dtype, np.complexfloating):
        raise Error(f"{name} is an array of {found.dtype}; give real numbers", parameter=name)
    fits = found.ndim == len(shape) and all(want in (-1, have) for want, have in zip(shape, found.shape))
    if not fits or found.size == 0:
        wanted = ", ".join("N" if want == -1 else str(want) for want in shape)
        raise Error(f"{name} has the shape {found.shape}; give ({wanted})", parameter=name)
    return np.ascontiguousarray(found, dtype=dtype)


def positions(given, name):
    """[n, 3] of one position or several."""
    array = on_host(given, name)
    return numbers(array[np.newaxis] if array.ndim == 1 else array, name, np.float64, (-1, 3))
