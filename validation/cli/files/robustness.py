"""Bad files, a row a case: the exit code, one line that says what is wrong, little time and memory, nothing written or
changed, and no device touched: a file is refused before a GPU that is not there would be (69).

    python robustness.py PROGRAM

Wrong command lines and impossible physics are cases of refusal_test.cpp; readers alone, their files cut and flipped at
hundreds of places, of validation/unit.
"""
import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import traceback
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import h5py
import numpy as np

from bad_files import (BOX, JPEG, TEXT, closed, cut, damages, edited, hdf5, held_open, huge, in_closed_folder, instead,
                       linked, many_lines, planted, raw, segy, without)

PLOT = pathlib.Path(__file__).resolve().parents[3] / "src" / "pictures" / "plot_gather.py"
sys.path.insert(0, str(PLOT.parent))
import matplotlib  # noqa: E402, F401  and what else each picture would import again
from plotting import saving, section_picture, segy as plotted_segy, snapshots as plotted  # noqa: E402, F401

PROGRAM = os.path.abspath(sys.argv[1])
MOST_SECONDS, MOST_MEBIBYTES, LONGEST = 1, 256, 240
GPU = "--device cuda"  # not there in CI: a device that is touched ends with 69
SMALL = "--grid 24 --spacing 10 --pml-width 4 --steps 20 --dt 1e-3 --wavelet ricker:f=20"
SURVEY = f"{SMALL} --sources line:30,70,50:110,70,50:3 --output o --device cpu"
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}


class Case(NamedTuple):
    """`files` are bytes, or functions that make the file of a path."""
    code: int
    says: str
    command: str
    files: dict[str, Any] = {}
    limit: int = 0  # bytes of a file that the case may write; 0: any
    as_nobody: bool = False  # where root would be let in


# ---- cases

INPUTS = {  # options that read each file
    "m.h5": "--model m.h5", "m.sgy": "--model m.sgy",
    "m.bin": "--model m.bin --model-dims 9,10,11 --model-spacing 10",
    "w.txt": "--wavelet w.txt", "w.h5": "--wavelet w.h5:/w", "r.csv": "--receivers r.csv", "s.csv": "--sources s.csv",
    "r1.csv": "--sources line:0,0,0:100,0,0:2 --receivers r%d.csv", "c.toml": "--config c.toml",
    "w2.txt": "--sources sources.csv"}
BESIDE = {"r0.csv": b"0,0,0\n", "sources.csv": b"x,y,z,wavelet\n0,0,0,w2.txt\n"}


def cases_of_inputs():
    for name, options in INPUTS.items():
        command = f"{options} {GPU}"
        yield Case(66, name, command, BESIDE)
        yield Case(66, "directory", command, BESIDE | {f"{name}/x": b""})
        yield Case(77, name, command, BESIDE | {name: closed}, as_nobody=True)
        for content in (b"", JPEG, TEXT, huge):
            if content or name != "c.toml":  # no options are fine
                yield Case(65, name, command, BESIDE | {name: content})


def cases_of_models():
    model = f"--model m.h5 --pml-width 3 {GPU}"
    whole = "/m.h5"
    with tempfile.TemporaryDirectory() as folder:
        hdf5()(pathlib.Path(folder + whole))
        content = pathlib.Path(folder + whole).read_bytes()
    yield Case(65, "the file holds /v2", model, {"m.h5": hdf5(name="v2")})
    for change in damages("vp"):
        yield Case(65, "m.h5", model, {"m.h5": edited(content, change)})
    yield Case(65, "is open for writing elsewhere", model, {"m.h5": held_open})
    if h5py.version.hdf5_version_tuple[0] > 1:
        yield Case(65, "a newer HDF5", model, {"m.h5": hdf5(libver="latest", compression="gzip")})
    for value in (np.nan, np.inf, -5, 0, 1e-40):
        yield Case(65, "(3, 2, 1)", model, {"m.h5": hdf5(planted(value))})
    yield Case(65, "km/s", model, {"m.h5": hdf5(BOX / 1000)})
    for name, make in (("m.h5", hdf5(compression="gzip", chunks=(3, 5, 11))), ("m.sgy", segy), ("m.bin", raw)):
        for i in range(8):
            yield Case(65, name, f"{INPUTS[name]} {GPU}", {name: cut(make, (i + 0.5) / 8)})


def cases_of_positions():
    sources, receivers = f"{SMALL} --sources s.csv {GPU}", f"{SMALL} --receivers r.csv {GPU}"
    for says, content in (
            ("holds no numbers", b"x,y,z\n"), ("s.csv:2:1: has 2 columns", b"x,y,z\n1,2\n"),
            ("s.csv:2:5: 'nan'", b"x,y,z\n1,2,nan\n"), ("s.csv:2:5: '1e999'", b"x,y,z\n1,2,1e999\n"),
            ("s.csv:3:1: shot 4 has", b"shot,x,y,z\n4,1,2,3\n4,1,2,3\n"),
            ("s.csv:2:7: '-1'", b"x,y,z,shot\n1,2,3,-1\n"),
            ("s.csv:2:7: '5000000000'", b"x,y,z,shot\n1,2,3,5000000000\n"),
            ("s.csv:2:7: ", b"x,y,z,wavelet\n1,2,3,ricker:f=nan\n"), ("s.csv:2", b'x,y,z,wavelet\n1,2,3,"w\n'),
            ("s.csv:2:5: '3\\x00'", b"x,y,z\n1,2,3\0\n"), ("s.csv:2:1: ", b"\xff\xfex\0,\0y\0,\0z\0\n\0"),
            ("s.csv:2: is longer", b"x,y,z\n" + b"1" * 5000), ("outside", b"1e300,1e300,1e300\n")):
        yield Case(65, says, sources, {"s.csv": content})
    for says, content in (("r.csv:1:1: has 2 columns", b"1,2\n"), ("r.csv:2:3: 'x'", b"1,2,3\n1,x,3\n"),
                          ("outside", b"1,2,300\n")):
        yield Case(65, says, receivers, {"r.csv": content})
    yield Case(66, "ww...", sources, {"s.csv": b"x,y,z,wavelet\n1,2,3," + b"w" * 4000})
    for option, takes in (("--sources", "4e+11 bytes"), ("--receivers", "2.4e+10 bytes")):
        for many in ("line:0,0,0:1,1,1:1000000000", "grid:0,0,0:1,1,1:1000,1000,1000"):
            yield Case(71, takes, f"{SMALL} {option} {many} {GPU}")
            yield Case(71, takes, f"survey {SMALL} {option} {many} {GPU}")
    yield Case(71, "without --receivers names", f"{SMALL} --sources line:10,10,10:50,10,10:300000 {GPU}".replace("24", "1000,24,24", 1))
    for option in ("--sources", "--receivers"):
        yield Case(71, "lines of", f"{SMALL} {option} p.csv {GPU}", {"p.csv": many_lines})
    for shots in ("5:3", "0:7", "6", "-1", "x"):
        yield Case(64, "--shots", f"{SMALL} --sources line:10,10,10:50,10,10:5 --shots {shots} {GPU}")
    # The longest messages: long names of files, and what stands in them.
    long, alone = f"{'d' * 200}/{'r' * 200}.csv", SMALL.replace("--wavelet ricker:f=20", "")
    for option, content in (("--receivers", b"1,2," + b"\xff" * 99), ("--sources", b"1,2," + b"\xff" * 99),
                            ("--sources", b"x,y,z,shot\n1,2,3," + b"\xff" * 99),
                            ("--sources", b"x,y,z,wavelet\n1,2,3," + b"\xff" * 99 + b'"'),
                            ("--config", b"\xff" * 99 + b" = 1\n"), ("--wavelet", b"1,2,3\n")):
        yield Case(65, "dd...", f"{alone} {option} {long} {GPU}", {long: b"\n" * 100 + content})


def cases_of_options():
    """Lines that CLI11 would pass over are refused, too."""
    for line, content in (
            (1, b"stepps = 3\n"), (1, b"= 3\n\n"), (2, b"steps = 3\nsteps = 4\n"),
            (1, b"[time]\nsteps = 3\n"), (1, b"record-dt\n"), (1, b"dt\n"), (2, b"\n=\n"),
            (3, b"# dt\n\ndt\n"), (1, b"'''\nx\n'''\n"),
            (1, b"a." * 300 + b"b = 1\n"), (1, b"record-dt = [[[1]]]\n"), (1, b"record-dt = 1979-05-27\n"),
            (1, b"free-surface = 1\n"), (1, b"shots = '5:3'\n"), (1, b"snapshot-every = '0s'\n"), (1, b"help = true\n"),
            (3, b"record-dt = [\n]\n0\n"), (1, b"record-dt = " + b"1," * 30000)):
        yield Case(65, f"c.toml:{line}: ", f"{SMALL} --config c.toml {GPU}", {"c.toml": content})
    for content in (b"record-dt = \"unfinished\n", b"[" * 60000, b"\0\0\0\n", b"\xff\xfe=\n", b"x = \"\\U99999999\"\n"):
        yield Case(65, "c.toml", f"{SMALL} --config c.toml {GPU}", {"c.toml": content})
    yield Case(65, "larger than 64 KiB", f"--config c.toml {GPU}", {"c.toml": b"#" * 70000})


def cases_of_merge(survey):
    shots = {name: survey[name] for name in ("o/shots/shot_00001.h5", "o/shots/shot_00002.h5")}
    name, whole = list(shots.items())[1]
    for output in ("x.h5", "x.sgy"):
        command = f"merge o -o {output}"
        for content in (b"", TEXT, JPEG, huge, *(whole[:len(whole) * i // 4] for i in (1, 2, 3)),
                        *(edited(whole, change) for change in damages("traces")), edited(whole, without("receivers")),
                        edited(whole, without("wavelet")), edited(whole, instead("source", data=np.zeros((1, 2))))):
            yield Case(65, "shot_00002.h5", command, shots | {name: content})
        yield Case(65, "journal says of shot 2", command, survey | {name: shots["o/shots/shot_00001.h5"]})
        yield Case(66, "shot_00001.h5", command, {"o": b""})
        yield Case(66, "o/journal", command, shots | {"o/journal/x": b""})
        yield Case(73, "not a ", f"{command} --force", shots | {output: TEXT})
        yield Case(73, "directory", command, shots | {f"{output}/x": b""})
        yield Case(74, output, command, shots, limit=4096)
        yield Case(77, "closed", command.replace("x.", "closed/x."), shots | {"closed/x": in_closed_folder},
                   as_nobody=True)


def cases_of_folders(survey):
    """Files in a survey's folder, or beside a gather, are no one's to replace."""
    def but(name, content):
        return {key: value for key, value in survey.items()
                if not key.startswith(f"o/{name.removesuffix('/x')}")} | {f"o/{name}": content}

    configuration = json.loads(survey["o/configuration.json"])
    yield Case(73, "'o'", SURVEY, {"o": TEXT})
    yield Case(73, "no survey", SURVEY, {"o/notes.txt": TEXT})
    for content in (b"", TEXT, JPEG, huge, b"[" * 100000, json.dumps(configuration | {"schema": 7}).encode(),
                    json.dumps(configuration | {"configuration": 7}).encode()):
        yield Case(73, "no survey", SURVEY, but("configuration.json", content))
    yield Case(73, "no survey", SURVEY, but("configuration.json/x", b""))
    yield Case(73, "survey.json", SURVEY, but("survey.json", TEXT))
    yield Case(73, "survey.json", SURVEY, but("survey.json/x", b""))
    yield Case(73, ".lock", SURVEY, but(".lock/x", b""))
    yield Case(73, "o/shots", SURVEY, but("shots", TEXT))
    yield Case(66, "o/journal", SURVEY, but("journal/x", b""))
    yield Case(77, "closed", SURVEY.replace("output o", "output closed/o"), {"closed/x": in_closed_folder},
               as_nobody=True)
    snapshots = f"{SMALL} --snapshot-every 5steps {GPU}"
    yield Case(77, "closed", f"{snapshots} --output closed/a.h5", {"closed/x": in_closed_folder}, as_nobody=True)
    yield Case(73, "a.snapshots.h5", f"{snapshots} --output a.h5 --force", {"a.snapshots.h5": TEXT})
    for name in ("a.checkpoint.0.h5", "a.checkpoint.1.h5"):
        for content in (TEXT, JPEG, huge):
            yield Case(73, "not a checkpoint", f"{SMALL} --output a.h5 --force {GPU}", {name: content})
        yield Case(73, "directory", f"{SMALL} --output a.h5 {GPU}", {f"{name}/x": b""})


def cases_of_names_taken(survey):
    """A folder has the name of a file to be made: found before anything is computed."""
    measured = "--device cpu --kernel kokkos --grid 400 --no-counters --output r"
    for name, command in (
            ("shot_gather.h5", f"{SMALL} {GPU}"), ("o/shot_gather.sgy", f"{SMALL} --output o --format segy {GPU}"),
            ("r.json", f"{SMALL} --json r.json {GPU}"), ("sections.h5", f"section {SMALL}"),
            *((f"a.{name}", f"{SMALL} --snapshot-every 5steps --output a.h5 {GPU}")
              for name in ("snapshots.h5", "snapshots.xdmf", "snapshots.part3.h5", "checkpoint.0.h5")),
            *((f"r/{name}", f"roofline {measured}")
              for name in ("roofline.json", "roofline.svg", "roofline.png", "table3.csv", "table4.csv", "tables.txt")),
            *((name, f"bench --device cpu --grid 400 {option} {name}")
              for name, option in (("b.json", "--json"), ("b.csv", "--csv"))),
            ("b.csv", "bench --stencil zhang_7 --device cpu --csv b.csv"),
            ("h.json", "heat --device cpu --json h.json"), ("v.json", "verify --device cpu --json v.json"),
            ("p/green.json", "verify green --device cpu --plot p"), ("p/green.png", "verify green --device cpu --plot p"),
            ("t.json", "tune --kernel smem_partial --emulate --grid 24 --output t.json"),
            ("f.h5", "stencil run zhang_7 --device cpu --write f.h5")):
        yield Case(73, "directory", command, {f"{name}/x": b""})
    todo = {name: content for name, content in survey.items() if "shot_00002" not in name}
    for name in ("shots/shot_00002.h5", "checkpoints/shot_00002.0.h5", "checkpoints/shot_00002.1.h5"):
        yield Case(73, "directory", SURVEY, todo | {f"o/{name}/x": b""})
        if name.startswith("checkpoints"):  # a shot that the journal's `shots` has is damaged, to be made again
            yield Case(73, "not a", SURVEY, todo | {f"o/{name}": TEXT})
    yield Case(73, "directory", f"{SURVEY} --format hdf5,segy", todo | {"o/shots/shot_00002.sgy/x": b""})


def cases_of_plot(survey, snapshots, merged):
    gather = survey["o/shots/shot_00001.h5"]
    for name, whole, values in (("g.h5", gather, "traces"), ("s.snapshots.h5", snapshots, "wavefield"),
                                ("m.h5 --shot 2", merged, "traces")):
        command, name = f"plot {name} -o x.png", name.split()[0]
        yield Case(66, name, command)
        yield Case(66, name, command, {f"{name}/x": b""})
        for content in (b"", TEXT, JPEG, huge, *(whole[:len(whole) * i // 4] for i in (1, 2, 3)),
                        *(edited(whole, change) for change in damages(values)), edited(whole, without("time")),
                        edited(whole, linked("time")), edited(whole, instead("source", data=np.zeros((1, 2))))):
            yield Case(65, name, command, {name: content})
        yield Case(73, "x.png", command, {name: whole, "x.png/x": b""})
    for content in (b"", TEXT, JPEG, huge):
        yield Case(65, "g.sgy", "plot g.sgy -o x.png", {"g.sgy": content})
    for name, values in (("first_trace", [0, 1, 9]), ("trace_count", [1, 1, 1]), ("trace_count", [-1, 99, 1]),
                         ("first_source", [0, 1, 99]), ("shot_id", [1, 2])):
        yield Case(65, "m.h5", "plot m.h5 --shot 2 -o x.png",
                   {"m.h5": edited(merged, instead(name, data=np.array(values)))})
    yield Case(64, "3 shots, 1 to 3", "plot m.h5 -o x.png", {"m.h5": merged})
    yield Case(64, "3 shots, 1 to 3", "plot o -o x.png", survey)
    yield Case(65, "shot_00002.h5", "plot o -o x.png --common-offset 0", survey | {"o/shots/shot_00002.h5": JPEG})
    yield Case(66, "no shots/", "plot o -o x.png", {"o/notes.txt": TEXT})


# ---- ends of commands

def state_of(folder):
    """Kind and content of each entry."""
    state = {}
    for path in sorted(folder.rglob("*")):
        entry = path.lstat()
        is_small = path.is_file() and entry.st_size < 1 << 24
        state[str(path.relative_to(folder))] = (entry.st_mode, path.read_bytes() if is_small else b"")
    return state


def usage_of(case, folder, out, err):
    """The exit code, and what the process used. A child of this one, which has read the libraries, draws for `plot`."""
    words = case.command.split()
    if words[0] != "plot":
        limited = ["prlimit", f"--fsize={case.limit}"] if case.limit else []
        running = subprocess.Popen([*limited, PROGRAM, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, env=ENVIRONMENT, **(NOBODY if case.as_nobody else {}))
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        return running.returncode, used
    process = os.fork()
    if process == 0:
        code = 1
        try:
            os.chdir(folder)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.argv = [str(PLOT), *words[1:]]
            runpy.run_path(str(PLOT), run_name="__main__")
            code = 0
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status, used = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), used


def faults_of(case):
    """None where the case is refused as it must be."""
    with tempfile.TemporaryDirectory() as temporary, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        folder = pathlib.Path(temporary)
        folder.chmod(0o755)
        for name, content in case.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content) if isinstance(content, bytes) else content(path)
        before = state_of(folder)
        code, used = usage_of(case, folder, out, err)
        after = state_of(folder)
        out.seek(0)
        err.seek(0)
        said, line = out.read().decode(), err.read().decode()
    seconds, mebibytes = used.ru_utime + used.ru_stime, used.ru_maxrss >> 10
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    faults = {
        f"ends with {code}, not {case.code}": code != case.code,
        f"is no line of at most {LONGEST} characters but {len(line) - 1}":
            not line.startswith("minimod: error: ") or line.count("\n") != 1 or len(line) > LONGEST + 1,
        f"does not say {case.says!r}": case.says not in line,
        f"says {said[:60]!r} first": said != "",
        f"takes {seconds:.2f} s, {mebibytes} MiB": seconds > MOST_SECONDS or mebibytes > MOST_MEBIBYTES,
        f"changes {changed}": bool(changed)}
    return [f"{case.command[:150]} with {', '.join(case.files)[:150]} {fault}: {line[:400]}"
            for fault, is_there in faults.items() if is_there]


def made_files():
    """Files of a survey of three shots, the snapshots of a shot, and the survey merged. Nobody reads what they say,
    which ends no run."""
    reading, writing = os.pipe()
    os.close(reading)
    with tempfile.TemporaryDirectory() as folder:
        for options in (SURVEY, f"{SMALL} --snapshot-every 5steps --device cpu --output a.h5", "merge o -o m.h5"):
            subprocess.run([PROGRAM, *options.split()], cwd=folder, check=True, env=ENVIRONMENT, stdout=writing,
                           stderr=subprocess.DEVNULL)
        os.close(writing)
        files = {str(path.relative_to(folder)): path.read_bytes()
                 for path in pathlib.Path(folder).rglob("*") if path.is_file()}
        return {name: files[name] for name in files if name.startswith("o/")}, files["a.snapshots.h5"], files["m.h5"]


def check_journals(survey):
    """A journal that says nothing right, however it is damaged: the shots are done again."""
    def line(said):
        words = json.dumps(said)
        return f"{words} {zlib.crc32(words.encode()):08x}\n".encode()

    shot = json.loads(survey["o/journal"].split(b"\n")[1].rsplit(b" ", 1)[0])
    wrong = [[], {}, {"planned": 7}, {"planned": ["x"]}, shot | {"shot": "x"}, shot | {"files": 3}, shot | {"files": [{"name": 3}]},
             shot | {"files": [shot["files"][0] | {"crc32": "zz"}]}]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, content in survey.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        (folder / "o/journal").write_bytes(b"".join(map(line, wrong)) + b"x" * 100000 + b"\n" + survey["o/journal"])
        (folder / "o/survey.json").write_bytes(b'{"schema": "minimod.survey/1", "rows": [{"shot": 1}, 7]}')
        done = subprocess.run([PROGRAM, *SURVEY.split()], cwd=folder, text=True, capture_output=True, env=ENVIRONMENT)
        assert done.returncode == 0 and "3 done before" in done.stdout, done.stdout + done.stderr


def check_full_disk():
    """A shot that the disk does not take leaves those before it, and the same command goes on."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "r1.csv").write_bytes(b"10,10,10\n")
        np.savetxt(folder / "r2.csv", np.random.default_rng(1).uniform(0, 150, (6000, 3)), delimiter=",")
        command = [PROGRAM, *SURVEY.replace("50:3", "50:2").split(), "--receivers", "r%d.csv"]
        limited = subprocess.run(["prlimit", "--fsize=100000", *command], cwd=folder, env=ENVIRONMENT,
                                 capture_output=True)
        assert limited.returncode == 74, (limited.returncode, limited.stderr)
        assert [path.name for path in (folder / "o/shots").iterdir()] == ["shot_00001.h5"]
        with h5py.File(folder / "o/shots/shot_00001.h5") as file:
            assert file["traces"][:].shape[0] == 1
        done = subprocess.run(command, cwd=folder, text=True, capture_output=True, env=ENVIRONMENT)
        assert done.returncode == 0 and "1 done before" in done.stdout, done.stdout + done.stderr


def nobody_may_run():
    try:
        subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, cwd=tempfile.gettempdir(), **NOBODY)
        return True
    except (OSError, subprocess.CalledProcessError):
        print("nobody may not run the program here: cases of permissions are left out")
        return False


def main():
    survey, snapshots, merged = made_files()
    plots = list(cases_of_plot(survey, snapshots, merged))
    runs = [*cases_of_inputs(), *cases_of_models(), *cases_of_positions(), *cases_of_options(), *cases_of_merge(survey),
            *cases_of_folders(survey), *cases_of_names_taken(survey)]
    if not nobody_may_run():
        runs = [case for case in runs if not case.as_nobody]
    faults = [fault for case in plots for fault in faults_of(case)]  # before there are threads
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(faults_of, runs):
            faults += found
    print(*faults, f"{len(plots) + len(runs)} cases, {len(faults)} faults", sep="\n")
    check_journals(survey)
    check_full_disk()
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
