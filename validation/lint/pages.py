#!/usr/bin/env python3
"""Do the pages keep their limits, do their links lead somewhere, and are their commands heard?

    pages.py SOURCES [PROGRAM]

README.md has at most 150 lines, every other page 200; what stands in a folder `notes` is an archive without limit.
A link leads to a file and a heading that are there, a page that code names is there, and so is a script of a command.
PROGRAM hears every `minimod` command of a block: outputs go where nothing can be made, so that it ends behind the
check of its words (73), or at a file of the reader's own that is not there (66). One version stands everywhere."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = ("src", "kernels", "boundary", "models", "validation", "perf")
LONGEST, LONGEST_README = 200, 150
PAGE_IN_CODE = re.compile(r"(?<![$\w./-])\w[\w.-]*/[\w./-]*\.md\b")
HEARD = (0, 66, 73)
NOWHERE = "/dev/null/none/x"
ENDS_BY = {"run": ("-o", NOWHERE), "section": ("-o", f"{NOWHERE}.h5"), "merge": ("-o", f"{NOWHERE}.h5"),
           "tune": ("-o", f"{NOWHERE}.json"), "roofline": ("-o", NOWHERE), "bench": ("--json", f"{NOWHERE}.json"),
           "heat": ("--json", f"{NOWHERE}.json"), "verify": ("--json", f"{NOWHERE}.json"), "survey": ("--rate", "1"),
           "report": ("--json", f"{NOWHERE}.json")}
OUTPUTS = {"-o": 1, "--output": 1, "--json": 1, "--write": 1, "--plot": 1, "--csv": 1, "--ranks": 1,
           "--ranks-per-shot": 1, "--force": 0, "--no-install": 0}


def pages(sources):
    return sorted([*sources.glob("*.md"), *(page for top in TOP for page in (sources / top).rglob("*.md"))])


def without_code(text):
    """Links stand in prose, and headings, too."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.S | re.M)
    return re.sub(r"(?m)^ {4,}.*$", "", text)


def anchors(page):
    seen, found = {}, set()
    for heading in re.findall(r"(?m)^#+ (.+)$", without_code(page.read_text())):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        seen[slug] = seen.get(slug, -1) + 1
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
    return found


def faults_of_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        if not to.exists():
            yield f"{target}: is not there"
        elif anchor and anchor not in anchors(to):
            yield f"{target}: has no such heading"


def faults_of_length(page, sources):
    lines = page.read_text().count("\n")
    longest = LONGEST_README if page == sources / "README.md" else LONGEST
    if "notes" not in page.relative_to(sources).parts and lines > longest:
        yield f"{lines} lines, at most {longest}"


def commands(page):
    """Lines of blocks, without comments, those that a backslash continues in one."""
    text = re.sub(r"\\\n\s*", "", page.read_text())
    for fence in re.findall(r"(?ms)^ *```(?:sh|bash|console)?\n(.*?)^ *```", text):
        yield from (line.strip() for line in fence.split("\n"))
    indented = re.sub(r"(?ms)^( *)```.*?^\1```", "", text)
    yield from (line.strip() for line in re.findall(r"(?m)^ {4,}(.*)$", indented))


def words_of(command):
    try:
        return shlex.split(command, comments=True)
    except ValueError:  # prose or code
        return []


def calls(page):
    """The words behind `minimod` of each command that has it, and scripts."""
    for command in commands(page):
        if command.startswith("#"):
            continue
        for part in re.split(r"&&|\|", command):
            words = words_of(part)
            for i, word in enumerate(words):
                if word in ("minimod", "./minimod", "build/bin/minimod", "./build/bin/minimod"):
                    before = words[i - 1] if i else ""
                    if i == 0 or words[0] in ("mpirun", "srun") or re.fullmatch(r"[A-Z_]+=\S*", before):
                        yield part.strip(), word, words[i + 1:]
                    break
            if words and re.match(r"(validation|perf|src)/\S+\.(py|sh)$", words[0]):
                yield part.strip(), words[0], None


def harmless(words):
    """Words of a command that ends before it makes anything, and its name."""
    kept, skip = [], 0
    for word in words:
        name = word.split("=")[0]
        if skip:
            skip -= 1
        elif name in OUTPUTS:
            skip = OUTPUTS[name] if "=" not in word else 0
            if name == "--json" and words[0] in ("info", "kernels", "stencil"):
                kept.append(word)
                skip = 0
        else:
            kept.append(word)
    kept = [re.sub(r"\$\w+", "1", word) for word in kept]
    kept = [re.sub(r"^hip(?=:|$)", "cuda", word) for word in kept]  # a build has one kind of GPU
    name = kept[0] if kept and not kept[0].startswith("-") else "run"
    if name == "stencil" and kept[1] == "verify":
        kept = ["stencil", "info", "seven_point" if kept[2] == "all" else kept[2]]
    elif name == "stencil" and kept[1] == "run":
        kept += ["--write", f"{NOWHERE}.h5"]
    elif name in ENDS_BY and not {"--from", "--list"} & set(kept):
        option, value = ENDS_BY[name]
        kept += [option, value]
    if name == "tune" and not {"--emulate", "--stencil"} & set(kept):
        kept.append("--emulate")
    return name, kept


class Reader:
    """Who types the commands of a page in a folder that has the repository's models and stencils, and a shot."""

    def __init__(self, sources, program):
        self.sources, self.program = sources, program
        self.folder = tempfile.TemporaryDirectory()
        for name in ("models", "kernels"):
            os.symlink(sources / name, Path(self.folder.name) / name)
        text = (sources / "validation" / "CMakeLists.txt").read_text()
        self.labels = set(re.findall(r"\w+", re.search(r"CTest labels: ([^.]*)", text)[1]))
        self.helps = {}
        shot = ["--grid", "30", "--pml-width", "5", "--tmax", "2", "--snapshot-every", "0.1s", "--device", "cpu"]
        subprocess.run([program, *shot, "-o", "waves.h5"], cwd=self.folder.name, check=True, capture_output=True)

    def help_of(self, name):
        if name not in self.helps:
            words = [name, "--help"] if name != "run" else ["--help"]
            self.helps[name] = subprocess.run([self.program, *words], capture_output=True, text=True, check=False).stdout
        return self.helps[name]

    def fault(self, program, words):
        if words is None:
            return None if (self.sources / program).exists() else "is not there"
        if words[:1] == ["test"]:
            labels = [words[i + 1] for i, word in enumerate(words) if word == "-L"]
            return next((f"{label}: no label" for label in labels if label not in self.labels), None)
        if words[:1] in (["clean"], ["libraries"], ["--no-install"]):
            return None
        if words[:1] == ["plot"] and not {"--model", "--grid", "--sources", "--config"} & set(words):
            return self.ended([sys.executable, "-B", self.sources / "src/pictures/plot_gather.py", *words[1:]])
        name, kept = harmless(["section", *words[1:]] if words[:1] == ["plot"] else words)
        unheard = [word for word in words if word.startswith("--") and not heard(word, self.help_of(name))]
        if unheard and words[:1] != ["plot"] and (name, unheard) not in (("survey", ["--plot"]),):
            return f"{unheard[0]}: not an option of {name}"
        unknown = [kernel for kernel in kernels_of(name, kept) if self.ended([self.program, "kernels", kernel])]
        return f"{unknown[0]}: no kernel" if unknown else self.ended([self.program, *kept])

    def ended(self, call):
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        result = subprocess.run(call, cwd=self.folder.name, capture_output=True, text=True, timeout=100, check=False,
                                env=environment)
        return None if result.returncode in HEARD else f"{result.returncode}: {result.stderr.strip()[-300:]}"


def kernels_of(name, words):
    """Names behind --kernel, which outputs that cannot be made are refused before."""
    if name in ("stencil", "heat") or "--stencil" in words:
        return []
    lists = [words[i + 1] for i, word in enumerate(words[:-1]) if word in ("--kernel", "--pml-kernel")]
    return [kernel for kernel in ",".join(lists).split(",") if kernel not in ("", "auto", "all") and "*" not in kernel]


def heard(word, text):
    return re.search(rf"(?<![\w-]){re.escape(word.split('=')[0])}(?![\w-])", text)


def faults_of_code(sources):
    for top in (*TOP, "CMakeLists.txt"):
        files = [sources / top] if (sources / top).is_file() else (sources / top).rglob("*")
        for file in files:
            if file.suffix not in (".cpp", ".hpp", ".cu", ".cuh", ".h", ".py", ".sh", ".txt", ".cmake", ".toml"):
                continue
            if file.name.startswith("pages"):
                continue
            for page in PAGE_IN_CODE.findall(file.read_text(errors="replace")):
                if not (sources / page).exists():
                    yield f"{file.relative_to(sources)}: names {page}, which is not there"


def faults_of_version(sources):
    version = re.search(r"project\(minimod VERSION ([\d.]+)", (sources / "CMakeLists.txt").read_text())[1]
    for name, pattern in (("CITATION.cff", r"(?m)^version: (.*)$"), ("CHANGELOG.md", r"(?m)^## (\S+)"),
                          ("src/packaging/spack/packages/minimod/package.py", r'version\("(.*?)"\)')):
        says = re.search(pattern, (sources / name).read_text())[1]
        if says != version:
            yield f"{name}: version {says}, not {version}"


def main():
    sources = Path(sys.argv[1]).resolve()
    reader = Reader(sources, Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 else None
    faults, count = [*faults_of_code(sources), *faults_of_version(sources)], 0
    for page in pages(sources):
        found = [*faults_of_length(page, sources), *faults_of_links(page)]
        for command, program, words in calls(page) if reader else ():
            count += 1
            fault = reader.fault(program, words)
            if fault:
                found.append(f"{command}: {fault}")
        faults += [f"{page.relative_to(sources)}: {fault}" for fault in found]
    print("\n".join(faults) if faults else f"{len(pages(sources))} pages, {count} commands")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
