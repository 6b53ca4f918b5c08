#!/usr/bin/env python3
"""Check that functions which the linker gives another name in an older release have the same types there and since.

    renamed.py LIST.txt [LIST2.txt ...] --older TABLE.tsv --since TABLE.tsv

Each line of a list is the name in the older release and the name since. The types are those of the two tables of DOCA's
ABI, with what typedefs stand for; `doca_cc` and `doca_comch` are the same there, and so are const and not const, which
a caller does not notice. Prints what does not hold; exits 0 only when all does.
"""
import argparse, re, sys


def table(path):
    """The function types of a table by name, and what its typedefs stand for."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8") if not line.startswith("#")]
    functions = {row[2]: (row[4], row[5]) for row in rows if row[0] == "function"}
    typedefs = {row[2]: row[3] for row in rows if row[0] == "typedef"}
    return functions, typedefs


def parameter_type(parameter):
    """Without the parameter's name: the last word, unless it is the only one or belongs to a pointer to a function."""
    return re.sub(r"(?<=[\s*])\w+$", "", parameter.strip()).strip() if parameter != "void" else parameter


def shape(name, functions, typedefs):
    returned, parameters = functions[name]
    types = [returned] + [parameter_type(parameter) for parameter in parameters.split(",")]
    text = " | ".join(types)
    while (expanded := re.sub(r"\w+", lambda word: typedefs.get(word[0], word[0]), text)) != text:
        text = expanded
    text = re.sub(r"\bconst\b", "", text).replace("doca_comch", "doca_cc")
    return re.sub(r"\s+", " ", text).replace(" *", "*").strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+")
    parser.add_argument("--older", required=True)
    parser.add_argument("--since", required=True)
    arguments = parser.parse_args()
    older, since = table(arguments.older), table(arguments.since)
    pairs = [line.split() for path in arguments.lists for line in open(path, encoding="utf-8") if line[0] != "#"]
    faults = 0
    for former, name in pairs:
        if former not in older[0] or name not in since[0]:
            problem = "no such function in one of the tables"
        elif shape(former, *older) != shape(name, *since):
            problem = f"{shape(former, *older)}\n    {shape(name, *since)}"
        else:
            continue
        faults += 1
        print(f"{former}, {name}: {problem}")
    print(f"{len(pairs)} renamed functions, {faults} with other types")
    return 1 if faults or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
