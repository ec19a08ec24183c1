"""The header of kissfft that minimod takes."""

from spack.package import *


class Kissfft(Package):
    """A Fast Fourier Transform library, its C++ template."""

    homepage = "https://github.com/mborgerding/kissfft"
    git = "https://github.com/mborgerding/kissfft.git"

    license("BSD-3-Clause")

    version("131.1.0", tag="131.1.0")

    def install(self, spec, prefix):
        mkdirp(prefix.include.kissfft)
        install("*.hh", prefix.include.kissfft)
