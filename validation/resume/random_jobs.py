"""Random commands for kills.py: shots and surveys that end soon and write all kinds of files."""
import dataclasses
import fnmatch
import json
import os
import shutil
import subprocess

WAVELET = "--wavelet ricker:f=20"
GRID = (f"--device cpu --grid 24,20,26 --spacing 10 --pml-width 4 --steps 600 {WAVELET} "
        "--receivers line:0,70,20:150,70,20:6")
BOUNDARIES = ["", "--boundary cpml", "--boundary sponge", "--boundary cpml --precision double"]
CHECKPOINTS = ["1e-9", "0.01s", "0.05s", "0", "10min"]
SNAPSHOTS = "--snapshot-every 50steps --snapshot-stride 3"
SOURCES = ("x,y,z,amplitude,shot\n30,70,50,1,1\n90,40,80,-2,1\n60,70,50,1,2\n"
           "70,70,90,0.5,3\n100,30,60,1,3\n110,70,50,1,4\n")
ENVIRONMENT = {"SOURCE_DATE_EPOCH": "1700000000", "OMP_NUM_THREADS": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# A user's, which stand where the program writes.
BYSTANDERS = ["notes.txt", "shot_gather.checkpoint.h5", "shot_gather.checkpoint.2.h5",
              "shot_gather.snapshots.part70.h5", ".shot_gather.h5.1-00000000.tmp", ".shot_gather.h5.tmp", "survey.1"]
# Files with times, or orders of what was done, in them.
NOT_COMPARED = ["record.json", "survey/survey.json", "survey/journal"]
# Files that an interrupted run leaves beside finished ones.
MAY_STAY = ["*.checkpoint.[01].h5", "*.part*.h5", ".*.tmp", "*/.*.tmp", "*.lock", "survey/checkpoints/*"]


def matches(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def files_of(folder):
    """The bytes of all files below a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            try:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
            except FileNotFoundError:  # the file has gone meanwhile
                pass
    return found


@dataclasses.dataclass
class Job:
    program: str
    words: str  # words of the command
    launcher: list = dataclasses.field(default_factory=list)  # command before the program
    inputs: dict = dataclasses.field(default_factory=dict)  # files that it needs, or replaces
    is_survey: bool = False

    def command(self):
        return [*self.launcher, self.program, *self.words.split()]

    def prepare(self, folder):
        """An empty folder with the inputs and a user's files."""
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name, content in {**dict.fromkeys(BYSTANDERS, b"a user's\n"), **self.inputs}.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)

    def own_files(self, folder):
        """Names of what the command has made or replaced."""
        return sorted(name for name, content in files_of(folder).items()
                      if name not in BYSTANDERS and content != self.inputs.get(name))

    def has_mpirun(self):
        """Whether the program starts one, or is started by one."""
        return bool(self.launcher) or "--ranks " in self.words

    def most_errors(self):
        """Lines of error: a survey's last one is behind those of its workers."""
        return 4 if self.is_survey else 1

    def may_repeat(self):
        """Whether the finished command may be called again."""
        return self.is_survey or "--force" in self.words

    def reader(self, is_finished, chance):
        """A command that reads what this one has finished, its output last; none, perhaps, where this may be called
        again."""
        if not is_finished or (self.may_repeat() and chance.random() < 0.5):
            return ""
        if self.is_survey:
            return f"merge survey --output merged.{'sgy' if 'segy' in self.words else 'h5'}"
        if "hdf5" not in self.words:
            return ""
        has_wavelet = "--inject" not in self.words  # one
        fed = chance.choice(["--inject shot_gather.h5", "--wavelet shot_gather.h5"][:1 + has_wavelet])
        return f"{GRID.replace(WAVELET, fed)} --allow-dispersion --output read.h5"


def says_the_same(name, content, expected):
    """Whether a file is as it has to be; blanks of a configuration may be others."""
    if content == expected or matches(name, NOT_COMPARED):
        return True
    try:
        return name.endswith("configuration.json") and json.loads(content) == json.loads(expected)
    except ValueError:
        return False


def faults_of(folder, reference, before, is_ended):
    """Faults in the files of an ended, or of an interrupted command; `reference`: those of an undisturbed one,
    `before`: those that were there."""
    found, faults = files_of(folder), []
    for name, content in found.items():
        if name not in reference:
            if is_ended or not matches(name, MAY_STAY):
                faults.append(f"{name} is left behind")
        elif not says_the_same(name, content, reference[name]) and (is_ended or content != before.get(name)):
            faults.append(f"{name} differs")
    gone = set(reference if is_ended else before) - set(found)
    return faults + [f"{name} is missing" for name in sorted(gone)]


def mpirun():
    """The words by which a user starts two ranks."""
    said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True).stdout
    return ["mpirun", *(["--oversubscribe", "--bind-to", "none"] if "Open MPI" in said else []), "-n", "2"]


class RandomJobs:
    def __init__(self, program, ranks, place):
        self.program, self.ranks = program, ranks
        # A gather whose six traces are sources, and one that is to be replaced.
        self.gather = self.made(place, f"{GRID} --format hdf5,segy --output old".replace("--steps 600", "--steps 599"))

    def made(self, place, words):
        subprocess.run([self.program, *words.split()], cwd=place, env=os.environ | ENVIRONMENT, check=True,
                       capture_output=True)
        return files_of(os.path.join(place, "old"))

    def draw(self, chance):
        words = [GRID, chance.choice(BOUNDARIES), f"--checkpoint-every {chance.choice(CHECKPOINTS)}",
                 f"--format {chance.choice(['hdf5', 'segy', 'hdf5,segy'])}", chance.choice(["", SNAPSHOTS])]
        draw = self.survey if chance.random() < 0.4 else self.shot
        return draw(chance, words)

    def survey(self, chance, words):
        words += [chance.choice(["--sources line:30,70,50:110,70,50:4", "--sources sources.csv"]), "--output survey",
                  chance.choice(["", "--workers 2"])]
        if self.ranks > 1:
            words.append(f"--ranks-per-shot {self.ranks}")
        return Job(self.program, " ".join(words), [], {"sources.csv": SOURCES.encode()}, True)

    def shot(self, chance, words):
        inputs, launcher = {}, []
        if chance.random() < 0.3:
            words = [" ".join(words).replace(WAVELET, "--inject fed.h5")]
            inputs["fed.h5"] = self.gather["shot_gather.h5"]
        else:
            words.append(chance.choice(["--source 75,55,85", "--source 73,52,81", ""]))
        words.append(chance.choice(["", "--json record.json"]))
        if chance.random() < 0.2:
            words.append("--force")
            inputs |= self.gather
        if self.ranks > 1:
            launcher = chance.choice([[], mpirun()])
            words += [] if launcher else [f"--ranks {self.ranks}"]
        return Job(self.program, " ".join(words), launcher, inputs)
