"""Loads the core, with OpenMP's threads waiting as the program's do: a runtime that spins long for others starves
where cores are shared. The runtime reads the variable when it is loaded; one that another package has loaded stays."""
import os

SPINS = "GOMP_SPINCOUNT"

if SPINS in os.environ or "OMP_WAIT_POLICY" in os.environ:
    from minimod import _core  # noqa: F401
else:
    os.environ[SPINS] = "1000"
    try:
        from minimod import _core  # noqa: F401
    finally:
        del os.environ[SPINS]
