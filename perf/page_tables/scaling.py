"""Tables of several GPUs: a domain cut among two and four, surveys, and the two models of more."""

from .base import grid_name, one, percent, record, spread, table, two


def scaled(name, key):
    rows = []
    for row in record(name)["rows"]:
        rates = row["gpt_per_s"]
        rows.append([key(row), f"{row['ranks']}, {row['kind']}",
                     *map(one, (min(rates), row["median_gpt_per_s"], max(rates))), f"{row['efficiency']:.3f}"])
    return rows


HEAD = ["GPUs", "Gpt/s min", "median", "max", "efficiency"]


CUBE = {"h200_scale_chunks_1000.json": "chunks", "h200_scale_1000.json": "rows", "h200_scale_1000_tma_ring.json": "rows"}


@table("scale-wave")
def wave():
    rows = [row for name, fields in CUBE.items()
            for row in scaled(name, lambda its, fields=fields: f"`{its['kernels']['inner']}`, {fields}")]
    return ["kernel, fields in", *HEAD], rows, list(CUBE)


@table("scale-waits")
def waits():
    rows = []
    for name, fields in CUBE.items():
        its = record(name)
        for row in its["rows"]:
            for slab, rank in zip(("upper", "lower"), (row["of_ranks"] or {}).get("rows", [])):
                steps = its["steps"]
                rows.append([f"`{row['kernels']['inner']}`, {fields}", row["kind"], slab, one(rank["bytes_sent"] / steps / 1e6),
                             one(1e6 * rank["wait_seconds_a_step"])])
    return ["kernel, fields in", "scaling", "slab", "MB sent a step", "µs waited a step"], rows, list(CUBE)


@table("scale-stencils")
def stencils():
    name = "h200_scale_stencils.json"
    return ["stencil", *HEAD], scaled(name, lambda its: f"`{its['stencil']}`"), [name]


@table("scale-2600")
def largest():
    name = "h200_ranks_2600_2gpu.json"
    its = record(name)
    return (["grid", "GPUs", "kernel", "steps", "Gpt/s"],
            [[grid_name(its["grid"]["n"]), "2", f"`{its['kernels']['inner']}`", str(its["time"]["steps"]),
              one(its["result"]["gpt_per_s"])]], [name])


@table("scale-weak-2000")
def weak_of_full_memory():
    """A row a kernel and number of GPUs, each GPU with as many points; efficiency against one GPU."""
    names = [f"h200_weak_2000_{count}gpu.json" for count in (1, 2, 4)]
    alone, rows = {}, []
    for name, count in zip(names, (1, 2, 4)):
        its = record(name)
        for shape in its["shapes"]:
            rates = shape["gpt_per_s"]
            each = rates["median"] / count
            efficiency = each / alone.setdefault(shape["name"], each)
            rows.append([f"`{shape['name']}`", grid_name(its["grid"]["n"]), str(count), *spread(rates),
                         f"{efficiency:.3f}", percent(shape["share_of_ceiling"])])
    rows.sort(key=lambda row: row[0])
    return ["kernel", "grid", *HEAD, "of the ceiling"], rows, names


@table("surveys")
def surveys():
    kinds = {"streamer over Marmousi": "marmousi", "400 receivers, constant": "400"}
    names = [f"h200_survey_{kind}_{count}gpu.json" for kind in kinds.values() for count in (1, 2)]
    rows = []
    for title, kind in kinds.items():
        alone = None
        for count in (1, 2):
            its = record(f"h200_survey_{kind}_{count}gpu.json")
            alone = alone or its["shots_per_s"]
            busy = sum(worker["kernel_seconds"] for worker in its["workers"]) / (count * its["seconds"])
            rows.append([title, grid_name(its["grid"]), str(its["shots"]), str(count), one(its["seconds"]),
                         two(its["shots_per_s"]), two(its["shots_per_s"] / alone), f"{100 * (1 - busy):.1f} %"])
    head = ["survey", "grid", "shots", "GPUs", "seconds", "shots a second", "times one GPU", "not in kernels"]
    return head, rows, names


POINTS = (("weak", 1000), ("strong", 1000), ("strong", 2000))
RANKS = {"weak": (8, 1024), "strong": (8, 32, 128)}
TWO_STEPS = ["h200_whole.json", *(f"h200_scale_{name}.json" for name in ("1000", "4gpu_1000", "4gpu_2000"))]
RING = "h200_ranks_runs.json"
MODEL_HEAD = ["points", "GPUs", "Tpt/s on NVLink", "efficiency", "Tpt/s between machines", "efficiency"]


def model_rows(seconds, alone, links):
    """`seconds(n, ranks, link)` of a step, and `alone(n)` of one on one GPU."""
    rows = []
    for kind, size in POINTS:
        for ranks in RANKS[kind]:
            n = [size, size, size * (ranks if kind == "weak" else 1)]
            cells = [f"{size}³ each" if kind == "weak" else f"{size}³", str(ranks)]
            for link in links:
                rate = n[0] * n[1] * n[2] / seconds(n, ranks, link)
                cells += [f"{rate * 1e-12:.3g}", two(rate * alone([size] * 3) / size**3 / ranks)]
            rows.append(cells)
    return rows


def links():
    import scale_model

    return [scale_model.Links(206), scale_model.Links(50)]


def fit_of_two_steps():
    import scale_whole

    whole, *scales = TWO_STEPS
    passes = scale_whole.measured_passes(
        record(whole), **{name.removeprefix("h200_scale_").removesuffix(".json"): record(name) for name in scales})
    return scale_whole, passes, scale_whole.fit(passes)


@table("model-two-steps")
def model_of_two_steps():
    scale_whole, _, model = fit_of_two_steps()
    rows = model_rows(lambda n, ranks, link: scale_whole.pass_seconds(model, n, ranks, link) / 2,
                      lambda n: scale_whole.pass_seconds(model, n, 1, links()[0]) / 2, links())
    return MODEL_HEAD, rows, TWO_STEPS


@table("scale-four")
def four():
    scale_whole, _, model = fit_of_two_steps()
    names = ["h200_scale_4gpu_1000.json", "h200_scale_4gpu_2000.json", "h200_scale_4gpu_1000_tma_ring.json"]
    rows = []
    for name in names:
        its = record(name)
        size = its["rows"][0]["planes"]
        for row, cells in zip(its["rows"], scaled(name, lambda its: f"`{its['kernels']['inner']}`")):
            n = [size, size, row["planes"]]
            seconds = scale_whole.pass_seconds(model, n, row["ranks"], links()[0]) / 2
            is_two_steps = row["kernels"]["inner"].startswith("tma_whole")
            rows.append([cells[0], f"{size}³", *cells[1:], one(n[0] * n[1] * n[2] / seconds * 1e-9) if is_two_steps else "-"])
    return ["kernel", "points", *HEAD, "predicted"], rows, names


def held(name, is_fitted, predicted, seconds):
    difference = round(100 * (predicted / seconds - 1), 1)
    return [name, "fitted" if is_fitted else "not fitted", f"{predicted * 1e6:.0f}", f"{seconds * 1e6:.0f}",
            f"{difference:+.1f} %" if difference else "0 %"]


HELD_HEAD = ["run", "", "predicted, µs", "measured", "difference"]


@table("model-two-steps-runs")
def runs_of_two_steps():
    scale_whole, passes, model = fit_of_two_steps()
    rows = [held(name, name in scale_whole.FITTED, scale_whole.pass_seconds(model, n, ranks, links()[0]), seconds)
            for name, (n, ranks, seconds) in passes.items()]
    return HELD_HEAD, rows, TWO_STEPS


@table("model-two-steps-fit")
def constants_of_two_steps():
    names = ["a launch", "a round", "a plane of a round", "a round of a slab between two"]
    return ["of", "µs"], [[name, f"{1e6 * value:.3g}"] for name, value in zip(names, fit_of_two_steps()[2])], TWO_STEPS


def fit_of_the_ring():
    import scale_model

    runs = record(RING)
    return scale_model, runs, scale_model.fit([its for key, its in runs.items() if key not in scale_model.NOT_FITTED])


@table("model-ring")
def model_of_the_ring():
    scale_model, runs, model = fit_of_the_ring()
    width = next(iter(runs.values()))["grid"]["pml_width"]
    rows = model_rows(lambda n, ranks, link: scale_model.step(model, n, width, ranks, link),
                      lambda n: scale_model.step(model, n, width, 1, links()[0]), links())
    return MODEL_HEAD, rows, [RING]


@table("model-ring-runs")
def runs_of_the_ring():
    scale_model, runs, model = fit_of_the_ring()
    rows = [held(name.replace("_", " "), name not in scale_model.NOT_FITTED, *scale_model.check(model, its, links()[0]))
            for name, its in runs.items()]
    return HELD_HEAD, rows, [RING]


@table("model-ring-fit")
def constants_of_the_ring():
    model = fit_of_the_ring()[2]
    regions = {"inner": "inner box", "z": "a layer across z", "y": "across y", "x": "across x"}
    rows = [[title, f"{1e6 * model[key][0]:.1f}", f"{1e12 * model[key][1]:.2f}"] for key, title in regions.items()]
    return ["launch of", "µs", "µs a million points"], rows, [RING]
