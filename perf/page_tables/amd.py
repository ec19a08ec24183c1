"""Tables of GPUs of AMD: what the compiler's code takes of one."""

from collections import defaultdict

from .base import extent, record, table

# CDNA 2's: a lane's registers and their granule as LLVM has them for gfx90a (AMDGPUBaseInfo.cpp), waves of a SIMD as
# ROCm's profiler ("Pipeline descriptions").
VGPRS, GRANULE, MOST_WAVES = 512, 8, 8


def waves(vgprs):
    return min(MOST_WAVES, VGPRS // (-(-vgprs // GRANULE) * GRANULE))


@table("gfx90a-kernels")
def gfx90a_kernels():
    """A row a family of shapes, of all its tiles and formulas."""
    name = "gfx90a_kernels.json"
    families = defaultdict(list)
    for kernel in record(name)["kernels"]:
        family = kernel["kernel"].split("<")[0].split(",")[0]
        if family[0].isupper():  # a shape, which is a type
            families[family].append(kernel)
    rows = []
    for family, kernels in families.items():
        vgprs = [kernel["vgprs"] for kernel in kernels]
        rows.append([f"`{family}`", str(len(kernels)), extent(vgprs), extent([waves(n) for n in vgprs]),
                     extent([kernel["lds_bytes"] for kernel in kernels]),
                     *(str(sum(kernel[key] > 0 for kernel in kernels)) for key in ("vgpr_spills", "scratch_bytes"))])
    return ["shape", "kernels", "VGPRs", "waves a SIMD", "declared LDS, B", "with spills", "with scratch"], rows, [name]
