#!/usr/bin/env python3
"""docs/api-map.md: every function that the bindings have, and where it is in Java or why it is not.

    api_map.py check
    api_map.py write      puts the rows and the counts of the page right

The page's prose, and the order of its sections, are written by hand; a section is about a header, and has its
functions in the order of their declarations. What is said of a function is in api-map.tsv: in its own row, else in the
first row whose pattern it fits. Prints what does not hold; exits 0 only when all does. ApiMapTest looks whether the
members that the page names exist.
"""
import fnmatch, re, sys
from pathlib import Path

from page import run, with_rows

PAGE, TABLE = Path("docs/api-map.md"), Path("src/test/abi/api-map.tsv")
BOUND = re.compile(r'(?:findOrThrow|downcall|call)\("(doca_\w+)"')
COUNTS = re.compile(r"\d+ functions: \d+ are there, \d+ are not\.")


def bound():
    """The functions of the bindings."""
    return {name for path in Path("generated").rglob("*_h.java") for name in BOUND.findall(path.read_text("utf-8"))}


def declared(header):
    """The functions of a header, of all releases together, in their order."""
    paths = [path for path in (Path("headers", header), Path("headers/2.6", header), Path("headers/2.5", header))
             if path.exists()]
    return list(dict.fromkeys(name for path in paths for name in re.findall(r"\b(doca_\w+)\(", path.read_text("utf-8"))))


def answers(functions):
    """What is said of each function, and what is wrong with the table."""
    own, patterns, problems = {}, {}, []
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, text = line.split("\t")
        rows = patterns if "*" in name else own
        if name in rows:
            problems.append(f"{TABLE}: a second row of {name}")
        rows[name] = text
    problems += [f"{TABLE}: {name} is not in the bindings" for name in sorted(own.keys() - functions)]
    said, used = {}, set(own)
    for name in functions:
        pattern = next((each for each in patterns if fnmatch.fnmatchcase(name, each)), None)
        said[name] = own.get(name) or patterns.get(pattern)
        if name not in own:
            used.add(pattern)
        if said[name] is None:
            problems.append(f"{TABLE}: no row of {name}")
    problems += [f"{TABLE}: {pattern} fits no function" for pattern in patterns if pattern not in used]
    return said, problems


def written(page, said):
    """The page as it should be, and the functions that have no place in it."""
    left = dict(said)
    page = with_rows(page, ("function", "Java"), lambda header: [
        f"| `{name}` | {left.pop(name)} |" for name in declared(header) if name in left])
    absent = sum(text.startswith("not exposed: ") for text in said.values())
    return COUNTS.sub(f"{len(said)} functions: {len(said) - absent} are there, {absent} are not.", page), left


def main():
    functions = bound()

    def made(page):
        said, problems = answers(functions)
        if problems:
            return None, problems
        wanted, left = written(page, said)
        return wanted, [f"{PAGE}: no section for {name}" for name in left]

    return run(__doc__, PAGE, (len(functions), "bound"), made, "declarations")


if __name__ == "__main__":
    sys.exit(main())
