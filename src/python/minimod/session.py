"""A session of the core from a model and shots, for run, survey and Solver."""
from minimod import _core
from minimod.arrays import exported
from minimod.errors import Error
from minimod.model import as_model
from minimod.options import given
from minimod.shot import NamesOfWavelets, Shot


def open_session(call, model, shots, options, names=None, for_gradients=False, change=None):
    """A session with these shots. `output` among the options has the gathers written as well."""
    model = as_model(model)
    for shot in shots:
        if not isinstance(shot, Shot):
            raise Error(f"shot is a {type(shot).__name__}; give a minimod.Shot", parameter="shot")
    for name in set(model.given()) & set(options):
        raise Error(f"{name} is given beside a model; give it to minimod.Model", parameter=name)
    names = NamesOfWavelets() if names is None else names
    told = [shot.given(names) for shot in shots]
    pairs = given(model.given() | options)
    words = f"minimod.{call}({', '.join(f'{name}={value!r}' for name, value in pairs)})"
    return _core.Session(pairs, words, exported(model.v), model.spacing or (0.0, 0.0, 0.0), change, told, names.given(),
                         options.get("output") is not None, for_gradients)
