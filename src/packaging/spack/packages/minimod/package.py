"""Recipe for Spack 0.20 to 0.23, of the sources that it lies in:

    spack repo add src/packaging/spack && spack dev-build minimod@0.2.0 +cuda cuda_arch=90
"""

from spack.package import *


class Minimod(CMakePackage, CudaPackage):
    """3-D acoustic wave propagation with selectable code shapes."""

    license("BSD-3-Clause")

    version("0.2.0")

    variant("mpi", default=False, description="One domain among several processes")
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPUs: cuda_arch=90")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("hdf5@1.10: +hl ~mpi")
    depends_on("libdeflate")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("pegtl@3.2:", type="build")
    depends_on("kissfft", type="build")
    depends_on("kokkos@3.4:5 +openmp +serial +pic ~cuda ~rocm ~sycl cxxstd=20")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        args = [
            self.define("MINIMOD_TESTS", False),
            self.define("MINIMOD_KISSFFT_DIR", self.spec["kissfft"].prefix.include),
            self.define("MINIMOD_GPU", "cuda" if self.spec.satisfies("+cuda") else "none"),
            self.define_from_variant("MINIMOD_MPI", "mpi"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("MINIMOD_ARCHITECTURES", " ".join(self.spec.variants["cuda_arch"].value)))
        return args
