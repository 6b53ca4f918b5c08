#!/usr/bin/env python3
"""docs/functions.md: every function that the emulated libraries export, in which of them it is, and what it does.

    functions.py check
    functions.py write      puts the rows and the counts of the page right

The page's prose, and the order of its sections, are written by hand; a section is about a header. What is said of a
function is "complete" unless functions.tsv says more. Its header is that of DOCA's ABI tables, of all releases
together, and the release of a library is that of the folder it is in. Prints what does not hold; exits 0 only when all
does. Needs nm, and the libraries in target/native/lib.
"""
import collections, re, subprocess, sys
from pathlib import Path

from page import run, with_rows

PAGE, NOTES = Path("docs/functions.md"), Path("src/test/abi/functions.tsv")
TABLES = [Path(f"src/test/abi/{table}.tsv") for table in (
    "doca-3.0", "doca-3.1-3.3", "doca-3.0-dpa-host", "doca-3.0-dpa-dev", "doca-3.3-argp", "doca-3.0-dma", "doca-2.5",
    "doca-2.6", "comm-channel-1.2")]
FOLDERS = {"3.0": "", "2.6": "2.6", "2.5": "2.5", "1.2": "1.2"}  # of target/native/lib

# What is not DOCA's, by the beginning of its name.
EMULATOR_HEADERS = {"doca_emu_dpa_": "doca_emu_dpa.h", "doca_emu_": "doca_emu.h"}
ANSWER = re.compile(r"(?:(complete)(?:; .+)?|(differs|not supported): .+)")
COUNTS = re.compile(r"\d+ functions: \d+ complete, \d+ differ, \d+ not supported\.")


def exports():
    """The releases of each function."""
    found = collections.defaultdict(set)
    for release, folder in FOLDERS.items():
        for library in Path("target/native/lib", folder).glob("libdoca_*.so"):
            out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
            for line in filter(str.strip, out.stdout.splitlines()):
                name = line.split()[-1].split("@")[0]
                if name.startswith("doca_"):
                    found[name].add(release)
    return found


def fields(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def answers(exported):
    """What is said of each function, and what is wrong with the notes."""
    notes = {row[0]: row[1] for row in fields(NOTES)}
    problems = [f"{NOTES}: {name} is not exported" for name in sorted(notes.keys() - exported.keys())]
    problems += [f"{NOTES}: \"{note}\" of {name} is neither complete with a remark, nor differs or not supported with a "
                 "reason" for name, note in notes.items() if note == "complete" or not ANSWER.fullmatch(note)]
    return {name: notes.get(name, "complete") for name in exported}, problems


def not_in_sources(exported):
    """Functions whose names are put together somewhere, so that who searches the sources does not find them."""
    emulator = Path("src/main/c/emulator")
    sources = [*emulator.rglob("*.[ch]"), *emulator.glob("releases/renamed*.txt")]
    words = {word for path in sources for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    return [f"{emulator}: the name of {name} is written out in no file" for name in sorted(exported.keys() - words)]


def sections(exported):
    """The functions of each header, in the order of the tables."""
    declared = {row[2]: row[1] for table in TABLES for row in fields(table) if row[0] == "function"}
    order = {name: place for place, name in enumerate(declared)}
    found = collections.defaultdict(list)
    for name in sorted(exported, key=lambda name: (order.get(name, len(order)), name)):
        own = next((own for start, own in EMULATOR_HEADERS.items() if name.startswith(start)), "no header")
        found[declared.get(name, own)].append(name)
    return found


def written(page, found, exported, said):
    """The page as it should be, and the headers that it has no section of."""
    left = dict(found)
    page = with_rows(page, ("function", "in", "here"), lambda header: [
        f"| `{name}` | {', '.join(sorted(exported[name]))} | {said[name]} |" for name in left.pop(header, [])])
    kinds = collections.Counter(next(filter(None, ANSWER.fullmatch(answer).groups())) for answer in said.values())
    counts = (len(said), kinds["complete"], kinds["differs"], kinds["not supported"])
    return COUNTS.sub("%d functions: %d complete, %d differ, %d not supported." % counts, page), left


def main():
    exported = exports()

    def made(page):
        said, problems = answers(exported)
        problems += not_in_sources(exported)
        if problems:
            return None, problems
        wanted, left = written(page, sections(exported), exported, said)
        return wanted, [f"{PAGE}: no section for {header}" for header in left]

    return run(__doc__, PAGE, (len(exported), "exported"), made, "tables")


if __name__ == "__main__":
    sys.exit(main())
