"""minimod's traces of a case."""
import subprocess

import h5py
import numpy as np


def comma_separated(position):
    return ",".join(f"{metres:.17g}" for metres in position)


def write_inputs(case, folder):
    """model.h5, wavelet.txt (one sample a step) and receivers.csv (m) in `folder`."""
    with h5py.File(folder / "model.h5", "w") as file:
        vp = file.create_dataset("vp", data=case.velocity)
        vp.attrs["axes"] = "z,y,x"
        vp.attrs["spacing"] = case.spacing[::-1]
        vp.attrs["units"] = "m/s"
    np.savetxt(folder / "wavelet.txt", case.wavelet, fmt="%.17g")
    np.savetxt(folder / "receivers.csv", case.receivers * np.array(case.spacing), fmt="%.17g", delimiter=",")


def run(program, arguments, case, folder):
    """[receiver, time] float64 and the gather's attributes, by `program` with more `arguments` of the user's."""
    write_inputs(case, folder)
    # All programs have the same dispersion, which is no error here.
    command = [program, "--model", folder / "model.h5", "--allow-dispersion",
               "--wavelet", f"{folder / 'wavelet.txt'}@dt={case.dt:.17g}",
               "--source", comma_separated(case.source * np.array(case.spacing)),
               "--receivers", folder / "receivers.csv", "--dt", f"{case.dt:.17g}", "--steps", str(case.steps),
               "--output", folder, "--force", *(["--free-surface"] if case.free_surface else []), *arguments]
    with open(folder / "minimod.log", "w") as log:
        subprocess.run(command, check=True, stdout=log, stderr=subprocess.STDOUT)
    with h5py.File(folder / "shot_gather.h5") as file:
        nodes = file["receivers"][:] / np.array(case.spacing)
        if not np.allclose(nodes, case.receivers, rtol=0, atol=1e-6):
            raise ValueError("minimod recorded other nodes than those asked for")
        facts = {name: value if isinstance(value, str) else value.tolist() for name, value in file.attrs.items()}
        return file["traces"][:].astype(np.float64), facts
