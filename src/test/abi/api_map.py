#!/usr/bin/env python3
"""docs/api-map.md: every function that the bindings have, and where it is in Java or why it is not.

    api_map.py check
    api_map.py write      puts the rows and the counts of the page right

The page's prose, and the order of its sections, are written by hand; a section is about a header, and has its
functions in the order of their declarations. What is said of a function is in api-map.tsv: in its own row, else in the
first row whose pattern it fits. Prints what does not hold; exits 0 only when all does. ApiMapTest looks whether the
members that the page names exist.
"""
import collections, fnmatch, re, sys
from pathlib import Path

PAGE, TABLE = Path("docs/api-map.md"), Path("src/test/abi/api-map.tsv")
BOUND = re.compile(r'(?:findOrThrow|downcall)\("(doca_\w+)"')
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
    left, lines, rows = dict(said), [], []
    for line in page.splitlines():
        if line.startswith("## "):
            names = [name for name in declared(line[3:].strip()) if name in left]
            rows = [f"| `{name}` | {left.pop(name)} |" for name in names]
        if line.startswith("| function |"):
            lines += ["| function | Java |", "|---|---|", *rows]
        elif not rows or not line.startswith("|"):
            lines.append(line)
    absent = sum(text.startswith("not exposed: ") for text in said.values())
    counts = f"{len(said)} functions: {len(said) - absent} are there, {absent} are not."
    return COUNTS.sub(counts, "\n".join(lines) + "\n"), left


def main():
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what not in ("check", "write"):
        sys.exit(__doc__)
    page, functions = PAGE.read_text("utf-8"), bound()
    said, problems = answers(functions)
    if not problems:
        wanted, left = written(page, said)
        problems = [f"{PAGE}: no section for {name}" for name in left]
        if what == "write":
            PAGE.write_text(wanted, "utf-8")
        else:
            have, want = collections.Counter(page.splitlines()), collections.Counter(wanted.splitlines())
            problems += [f"not in the page: {line}" for line in want - have]
            problems += [f"wrong in the page: {line}" for line in have - want]
            if not problems and page != wanted:
                problems.append("rows of the page are not in the order of the declarations")
    for problem in problems:
        print(problem)
    print(f"{len(functions)} bound functions, {len(problems)} problems")
    return 1 if problems or not functions else 0


if __name__ == "__main__":
    sys.exit(main())
