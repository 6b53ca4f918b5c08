#!/usr/bin/env python3
"""Check docs/functions.md against the libraries and the tables of DOCA's ABI, of all releases together.

    functions.py PAGE.md --table TABLE.tsv [--table ...] --library LIB.so [--library LIB2.so ...]

Every doca_* function that one of the libraries exports must have exactly one row, in the section of the header that
declares it; no row may be about anything else; each row must say "complete", or "differs" or "not supported" with a
reason; and the page's own count of them must be right. Prints what does not hold; exits 0 only when all does. Needs nm.
"""
import argparse, collections, re, subprocess, sys

# What is not DOCA's, by the beginning of its name.
EMULATOR_HEADERS = {"doca_emu_dpa_": "doca_emu_dpa.h", "doca_emu_": "doca_emu.h"}
ANSWER = re.compile(r"(?:(complete)(?:; .+)?|(differs|not supported): .+)")
COUNTS = re.compile(r"(\d+) functions: (\d+) complete, (\d+) differ, (\d+) not supported\.")


def exports(libraries):
    found = set()
    for library in libraries:
        out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        found |= {line.split()[-1].split("@")[0] for line in out.splitlines() if line.strip()}
    return {name for name in found if name.startswith("doca_")}


def headers(tables):
    lines = (line for table in tables for line in open(table, encoding="utf-8") if not line.startswith("#"))
    rows = (line.rstrip("\n").split("\t") for line in lines)
    return {row[2]: row[1] for row in rows if row[0] == "function"}


def page_rows(page):
    """(section, function, answer) of each row, and what cannot be read as one."""
    section, rows, problems = None, [], []
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("## "):
            section = line[3:].strip()
        elif line.startswith("| `"):
            match = re.fullmatch(r"\| `(\w+)` \| (.+) \|", line)
            if match:
                rows.append((section, *match.groups()))
            else:
                problems.append(f"line {number} is no row: {line}")
    return rows, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("--table", action="append", required=True)
    parser.add_argument("--library", action="append", required=True)
    arguments = parser.parse_args()
    page = open(arguments.page, encoding="utf-8").read()
    exported, declared = exports(arguments.library), headers(arguments.table)
    rows, problems = page_rows(page)

    listed = collections.Counter(name for _, name, _ in rows)
    problems += [f"{name} is exported and has no row" for name in sorted(exported - listed.keys())]
    problems += [f"{name} has a row and is not exported" for name in sorted(listed.keys() - exported)]
    problems += [f"{name} has {times} rows" for name, times in listed.items() if times > 1]
    kinds = collections.Counter()
    for section, name, answer in rows:
        own = next((own for start, own in EMULATOR_HEADERS.items() if name.startswith(start)), "no header")
        header = declared.get(name, own)
        if section != header:
            problems.append(f"{name} is declared by {header}, not by {section}")
        match = ANSWER.fullmatch(answer)
        if match:
            kinds[match.group(1) or match.group(2)] += 1
        else:
            problems.append(f"{name}: \"{answer}\" is neither complete, nor differs or not supported with a reason")
    counted = (sum(kinds.values()), kinds["complete"], kinds["differs"], kinds["not supported"])
    claimed = COUNTS.search(page)
    if claimed is None or tuple(map(int, claimed.groups())) != counted:
        problems.append("the page must say: %d functions: %d complete, %d differ, %d not supported." % counted)

    for problem in problems:
        print(problem)
    print(f"{len(rows)} rows for {len(exported)} exported functions, {len(problems)} problems")
    return 1 if problems or not exported else 0


if __name__ == "__main__":
    sys.exit(main())
