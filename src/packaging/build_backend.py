"""The build backend of pyproject.toml: scikit-build-core, once the launcher has brought what a build needs."""
import os
import pathlib
import subprocess
import sys

from scikit_build_core import build
from scikit_build_core.build import *  # noqa: F403  # the hooks that need nothing

ROOT = pathlib.Path(__file__).parents[2]
DEPS = "cmake.define.MINIMOD_DEPS_DIR"
OURS = ("PEP517_", "_PYPROJECT_HOOKS_", "PYTHONPATH")  # would lead the launcher's pip to this backend


def with_libraries(settings):
    """Settings of a build by CMake that finds its libraries. Ends where one is missing, after the launcher's words."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    done = subprocess.run([ROOT / "minimod", "libraries", sys.executable], stdout=sys.stderr, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    folder = pathlib.Path(os.environ.get("MINIMOD_BUILD_DIR") or ROOT / "build").resolve()
    return {DEPS: str(folder / "deps")} | (settings or {})


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return build.build_wheel(wheel_directory, with_libraries(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return build.build_editable(wheel_directory, with_libraries(config_settings), metadata_directory)
