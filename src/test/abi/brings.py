#!/usr/bin/env python3
"""Check what headers bring with them: whoever includes one has what DOCA's own header of that name brings, too.

    brings.py TABLE.tsv --headers DIR [--also DIR] --folder NAME [--whole]

TABLE says which headers each one includes itself; what those include in turn comes with it. Each header of the folder
NAME is compiled alone, as C and as C++ (cc and c++, or CC and CXX), and the compiler lists what that read. With --whole
a header must not bring one of DOCA's that the table does not have: a program that builds here must build there. --also
is where other headers of DOCA lie. Prints what does not hold; exits 0 only when all does.
"""
import argparse, collections, os, re, subprocess, sys


def table(path, folder):
    """Of each header, what it includes itself."""
    own = collections.defaultdict(set)
    for line in open(path, encoding="utf-8"):
        if not line.startswith("#"):
            row = line.rstrip("\n").split("\t")
            if row[0] == folder:
                own[row[1]].add(row[2])
    return own


def closure(header, own):
    found, todo = set(), [header]
    while todo:
        for brought in own.get(todo.pop(), ()):
            if brought not in found:
                found.add(brought)
                todo.append(brought)
    return found - {header}


def read_with(compiler, header, folders):
    """The files that a program reads which includes nothing but this header."""
    run = subprocess.run([*compiler, "-DDOCA_ALLOW_EXPERIMENTAL_API", *(f"-I{folder}" for folder in folders), "-M", "-"],
                         input=f"#include <{header}>\n", capture_output=True, text=True, check=True)
    return {os.path.normpath(path) for path in re.sub(r"\\\n", " ", run.stdout).split()[1:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("--headers", required=True)
    parser.add_argument("--also", action="append", default=[])
    parser.add_argument("--folder", required=True)
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args()
    own, folders = table(arguments.table, arguments.folder), [arguments.headers, *arguments.also]
    compilers = [[os.environ.get("CC", "cc"), "-xc", "-std=c11"], [os.environ.get("CXX", "c++"), "-xc++", "-std=c++17"]]
    facts, problems = 0, []
    problems += [f"no {header}" for header in sorted(own) if not any(
        os.path.exists(os.path.join(folder, header)) for folder in folders)]
    for header in sorted(own.keys() & set(os.listdir(arguments.headers)) if arguments.whole else own):
        for compiler in compilers:
            read = read_with(compiler, header, folders)
            wanted = closure(header, own)
            facts += len(wanted)
            problems += [f"{compiler[1]}: {header} does not bring {brought}" for brought in sorted(wanted)
                         if not any(path.endswith("/" + brought) for path in read)]
            names = {os.path.basename(path) for path in read}
            more = {name for name in names if name.startswith("doca_")} - wanted - {header}
            if arguments.whole:
                problems += [f"{compiler[1]}: {header} brings {brought}, which DOCA's does not" for brought in sorted(more)]
    if arguments.whole:
        here = {name for name in os.listdir(arguments.headers) if name.startswith("doca_") and name.endswith(".h")}
        known = set(own).union(*own.values())
        problems += [f"{header} is not in the table" for header in sorted(here - known)]
    for problem in problems:
        print(problem)
    print(f"{len(own)} headers bring {facts} others, {len(problems)} problems")
    return 1 if problems or not own else 0


if __name__ == "__main__":
    sys.exit(main())
