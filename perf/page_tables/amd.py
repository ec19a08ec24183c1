"""Tables of GPUs of AMD: what the compiler's code takes of one."""

from collections import defaultdict

from .base import extent, record, table, three_digits

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


@table("amd-predicted")
def amd_predicted():
    """A row a family of shapes: the tile that the model holds for the fastest on each GPU."""
    name, source = "amd_predicted.json", "amd_gpus.json"
    gpus = [gpu["name"] for gpu in record(source)["gpus"]]
    families = defaultdict(lambda: defaultdict(list))
    for row in record(name)["rows"]:
        families[row["family"]][row["gpu"]].append(row)
    rows = []
    for family, on in families.items():
        cells = []
        for gpu in gpus:
            best = max(on[gpu], key=lambda row: row["gpt_per_s"] or 0)
            cells += ([f"`{best['kernel']}`", three_digits(best["gpt_per_s"])] if best["gpt_per_s"]
                      else [f"none: {min(row['shared_bytes'] for row in on[gpu])} B of LDS", "–"])
        rows.append([f"`{family}`", *cells])
    bytes_of_point = 16  # as perf/README.md counts them
    peaks = [three_digits(gpu["bytes_per_s"] / bytes_of_point * 1e-9) for gpu in record(source)["gpus"]]
    rows.append(["all that the memory's peak allows", *(cell for peak in peaks for cell in ("", peak))])
    head = [part for gpu in gpus for part in (f"{gpu}: fastest tile", "predicted, Gpt/s")]
    return ["family", *head], rows, [name, source]
