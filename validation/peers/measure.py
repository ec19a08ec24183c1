"""Runs all cases with minimod and the peers, prints the table, writes the record. compare.py calls it."""
import datetime
import importlib.metadata
import importlib.util
import itertools
import json
import os
import pathlib
import platform
import subprocess
import sys

import numpy as np

import cases
import minimod_traces

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = "minimod.peers/1"
PRECISIONS = ("float64", "float32")
# Greatest relative L2 of all traces of a case, and of a single one.
LIMIT_MINIMOD = {"overall": 1.5e-6, "worst": 3e-6}  # minimod against a peer in float64
LIMIT_PEERS = {"overall": 1e-6, "worst": 1e-6}  # the peers in float64 against each other: is the case the same?


def run_peer(peer, precision, case_file, folder):
    """[receiver, time] float64 of a peer, in a process of its own."""
    name = f"{peer}_{precision}"
    settings = {"DEVITO_LANGUAGE": "openmp", "DEVITO_LOGGING": "ERROR", "TMPDIR": str(folder)}
    with open(folder / f"{name}.log", "w") as log:
        subprocess.run([sys.executable, HERE / f"{peer}_traces.py", case_file, precision, folder / f"{name}.npy"],
                       check=True, stdout=log, stderr=subprocess.STDOUT, env=settings | os.environ)
    return np.load(folder / f"{name}.npy").astype(np.float64)


def differences(traces, reference):
    """Relative L2 over all traces, of the worst one and of each."""
    each = np.linalg.norm(traces - reference, axis=1) / np.linalg.norm(reference, axis=1)
    overall = np.linalg.norm(traces - reference) / np.linalg.norm(reference)
    return {"overall": float(overall), "worst": float(each.max()), "receivers": each.tolist()}


def compared(traces, name, reference, limit):
    """An entry of the record: `name` against `reference`, keys of `traces`; `limit` may be None."""
    entry = {"traces": name, "reference": reference, **differences(traces[name], traces[reference]), "limit": limit}
    entry["passed"] = None if limit is None else all(entry[figure] <= limit[figure] for figure in limit)
    return entry


def comparisons(traces, peers):
    """Comparisons held against a limit first, then what float32 alone does to the peers."""
    entries = [compared(traces, "minimod", f"{peer} float64", LIMIT_MINIMOD) for peer in peers]
    entries += [compared(traces, f"{one} float64", f"{other} float64", LIMIT_PEERS)
                for one, other in itertools.combinations(peers, 2)]
    entries += [compared(traces, f"{peer} float32", f"{peer} float64", None) for peer in peers]
    return entries


def run_case(case, job, peers):
    """The record of a case, with minimod as `job` says and the named peers."""
    folder = pathlib.Path(job["folder"]) / case.name
    folder.mkdir(exist_ok=True)
    case.save(folder / "case.npz")
    traces = {}
    traces["minimod"], facts = minimod_traces.run(job["program"], job["minimod_arguments"], case, folder)
    for peer, precision in itertools.product(peers, PRECISIONS):
        traces[f"{peer} {precision}"] = run_peer(peer, precision, folder / "case.npz", folder)
    return {"name": case.name, "points": case.points, "spacing": case.spacing, "dt": case.dt, "steps": case.steps,
            "free_surface": case.free_surface, "end": case.steps * case.dt, "edges_answer": cases.return_time(case),
            "receivers": case.receivers.tolist(), "source": case.source.tolist(), "minimod": facts,
            "comparisons": comparisons(traces, peers)}


def print_case(record):
    points = " x ".join(map(str, record["points"]))
    spacing = ", ".join(f"{h:g}" for h in record["spacing"])
    print(f"\n{record['name']}: {points} points of {spacing} m, {record['steps']} steps of {record['dt'] * 1e3:g} ms"
          f"{', free surface' if record['free_surface'] else ''}; ends at {record['end']:.4f} s, the edges answer "
          f"from {record['edges_answer']:.4f} s on")
    for entry in record["comparisons"]:
        verdict = {None: "", True: "ok", False: "TOO FAR"}[entry["passed"]]
        limit = entry["limit"]
        bounds = f"limits {limit['overall']:.0e} {limit['worst']:.0e}" if limit else ""
        print(f"  {entry['traces']:16} - {entry['reference']:16} all {entry['overall']:.2e}  "
              f"worst {entry['worst']:.2e}  {bounds:19} {verdict}".rstrip())


def versions():
    names = ("numpy", "devito", "sympy", "deepwave", "torch")
    found = {name: importlib.metadata.version(name) for name in names if importlib.util.find_spec(name)}
    return {"python": platform.python_version(), **found}


def main():
    job = json.loads(sys.argv[1])
    peers = [peer for peer in job["peers"] if peer not in job["unavailable"]]
    try:
        records = []
        for case in cases.all_cases():
            records.append(run_case(case, job, peers))
            print_case(records[-1])
    except subprocess.CalledProcessError as problem:
        program = " ".join(map(str, problem.cmd[:2]))
        sys.exit(f"{program} ended with {problem.returncode}; what it said is in a log under {job['folder']}")
    for peer, reason in job["unavailable"].items():
        print(f"not run: {peer}: {reason}")
    verdicts = [entry["passed"] for record in records for entry in record["comparisons"]
                if entry["passed"] is not None]
    record = {"schema": SCHEMA, "date": datetime.date.today().isoformat(), "versions": versions(),
              "not_run": job["unavailable"], "cases": records, "passed": bool(verdicts) and all(verdicts)}
    pathlib.Path(job["record"]).write_text(json.dumps(record, indent=1) + "\n")
    print(f"\n{sum(verdicts)} of {len(verdicts)} comparisons within their limits; record {job['record']}")
    sys.exit(0 if record["passed"] else 1)


if __name__ == "__main__":
    main()
