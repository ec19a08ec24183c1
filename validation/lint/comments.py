#!/usr/bin/env python3
"""comments.py ROOT: no comment begins with a word that stands in place of its subject.

Comments are `//`, `///` and `/* */`, `#`, and docstrings of Python, in the folders of sources below ROOT. A comment is a
run of lines; an empty line of it begins another, and so does each line behind code. Exit code 1 and a line for
each fault.
"""

import os
import re
import sys

BARE = set("of what that such which whose it its they their these those".split())
FOLDERS = ("src", "kernels", "boundary", "models", "validation", "perf")

STRING = r'"(?:\\.|[^"\\\n])*"|'
BLOCK = r'"""[\s\S]*?"""'
IN_C = re.compile(r'R"(\w*)\([\s\S]*?\)\1"|' + STRING +
                  r"(?<!\w)'(?:\\.|[^'\\\n])*'|(?P<comment>//[^\n]*|/\*[\s\S]*?\*/)")
IN_PYTHON = re.compile(rf"(?m:^)[ \t]*(?P<docstring>{BLOCK})|{BLOCK}|" + STRING +
                       r"'(?:\\.|[^'\\\n])*'|(?P<comment>#[^\n]*)")
ELSEWHERE = re.compile(r"\\.|" + STRING + r"'[^'\n]*'|(?<!\S)(?P<comment>#[^\n]*)")
PATTERNS = {".py": IN_PYTHON, **dict.fromkeys((".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".inc", ".in"), IN_C),
            **dict.fromkeys((".sh", ".cmake", ".txt", ".stencil", ""), ELSEWHERE)}

FIRST_WORD = re.compile(r"[-\s(\[\"']*([A-Za-z]+)(?=[\s,:]|$)")


def sources(root):
    """Paths of the sources, from the root."""
    yield from ("CMakeLists.txt", "minimod")
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            yield from (os.path.relpath(os.path.join(folder, name), root) for name in names)


def lines_of_comments(text, pattern):
    """Each line of each comment: row and column, both from 0, whether it stands behind code, and the line itself."""
    for match in pattern.finditer(text):
        if match.lastgroup:
            start = match.start(match.lastgroup)
            row, begin = text.count("\n", 0, start), text.rfind("\n", 0, start) + 1
            for i, line in enumerate(match[match.lastgroup].split("\n")):
                yield row + i, start - begin, i == 0 and bool(text[begin:start].strip()), line


def beginnings(text, pattern):
    """The first line of each comment: its number, and its words."""
    before = None
    for row, column, is_behind_code, line in lines_of_comments(text, pattern):
        words = line.strip('/*#"!<> \t')
        if words and (is_behind_code or before != (row - 1, column)):
            yield row + 1, words
        before = (row, column) if words else None


def main(root):
    faults = []
    for name in sorted(sources(root)):
        pattern = PATTERNS.get(os.path.splitext(name)[1])
        path = os.path.join(root, name)
        if pattern and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                for line, words in beginnings(file.read(), pattern):
                    first = FIRST_WORD.match(words)
                    if first and first[1].lower() in BARE:
                        faults.append(f"{name}:{line}: begins with '{first[1]}': {words}")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


sys.exit(main(sys.argv[1]))
