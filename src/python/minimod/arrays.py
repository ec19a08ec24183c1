"""Arrays of any library as numpy's, by DLPack."""
import contextlib
import sys

import numpy as np

from minimod import _core
from minimod.errors import Error, warn

CPU, GPUS = 1, (2, 13)  # devices of DLPack: CUDA's own memory, and what it manages


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


def is_on_gpu(array):
    return hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] in GPUS


def where_it_is(array, name):
    """The array as it is where the core reads it on its GPU; else what the host has of it, and a note."""
    if not is_on_gpu(array):
        return on_host(array, name)
    if str(array.dtype).rpartition(".")[2] not in ("float32", "float64"):
        warn(f"{name} has the type {array.dtype} and is copied to the host; float32 and float64 stay on their GPU")
        return on_host(array, name)
    if not _core.reads_gpu(array.__dlpack_device__()[1]):
        warn(f"{name} is on a GPU that this build of minimod does not use, and is copied to the host")
        return on_host(array, name)
    return array.detach() if hasattr(array, "detach") else array


def its_gpu(array):
    """A context in which an array's GPU is the current one of its library: torch and cupy export no other's."""
    if hasattr(array, "detach"):  # a tensor of torch
        return sys.modules["torch"].cuda.device(array.device)
    device = getattr(array, "device", None)
    return device if hasattr(device, "__enter__") else contextlib.nullcontext()


def exported(array):
    """A GPU's array by DLPack; any other itself. The core waits for all that its GPU has been given, which its library
    is told by the stream 1 to order there what it has not given yet."""
    if not is_on_gpu(array):
        return array
    with its_gpu(array):
        return array.__dlpack__(stream=1)


def require_shape(array, name, shape):
    """`shape` has a number or -1 an axis."""
    fits = len(array.shape) == len(shape) and all(want in (-1, have) for want, have in zip(shape, array.shape))
    if not fits or 0 in array.shape:
        wanted = ", ".join("N" if want == -1 else str(want) for want in shape)
        raise Error(f"{name} has the shape {tuple(array.shape)}; give ({wanted})", parameter=name)


def numbers(array, name, dtype, shape):
    """A C-contiguous array of that dtype on the host, a copy only where it has to be."""
    found = on_host(array, name)
    if found.dtype == object or not (np.issubdtype(found.dtype, np.number) or found.dtype == bool) \
            or np.issubdtype(found.dtype, np.complexfloating):
        raise Error(f"{name} is an array of {found.dtype}; give real numbers", parameter=name)
    require_shape(found, name, shape)
    return np.ascontiguousarray(found, dtype=dtype)


def positions(given, name):
    """[n, 3] of one position or several."""
    array = on_host(given, name)
    return numbers(array[np.newaxis] if array.ndim == 1 else array, name, np.float64, (-1, 3))
