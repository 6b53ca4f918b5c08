#!/usr/bin/env python3
"""Make the guards of the permissive build: a function in front of each that unchecked.tsv has a line for.

    guards.py PREFIX --rules unchecked.tsv --table doca-3.0.tsv... --headers REGEX --include FILE... [--only TABLE]

Writes PREFIX.c, the guards; PREFIX.h, which gives the guarded functions of the device other names; and PREFIX.txt, a
list of them. The tables of DOCA's ABI have the prototypes, the first that knows a function. --headers chooses a
library's functions.
"""
import argparse, pathlib, re, sys

POINTER = re.compile(r"\*|_cb_t\b|_handler\b")


def parameters(text):
    """(whole, name, is a pointer) of each."""
    if text == "void":
        return []
    parts = [part.strip() for part in re.split(r",(?![^()]*\))", text)]
    return [(part, re.search(r"(\w+)(\[\w*\])?$|\.\.\.$", part).group(1), bool(POINTER.search(part))) for part in parts]


def functions(tables, headers):
    """Name to return type and parameters."""
    found = {}
    for table in tables:
        for line in pathlib.Path(table).read_text("utf-8").splitlines():
            row = line.split("\t")
            if row[0] == "function" and re.fullmatch(headers, row[1]) and row[3] != "inline":
                found.setdefault(row[2], (row[4], parameters(row[5])))
    return found


def rules(path):
    for line in pathlib.Path(path).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def quoted(text):
    return '"' + text.replace('"', '\\"') + '"'


def guard(name, returns, params, lines):
    """The C of one guard; `lines` are the rules that fit."""
    before, after = [], []
    for when, what in lines:
        condition = re.search(r"if \((.*)\)$", when)
        condition = condition and condition.group(1)
        codes = [word for word in re.sub(r"if \(.*", "", when).split()]
        if codes == ["NULL"]:
            for _, param, is_pointer in params:
                if is_pointer and param and re.fullmatch(what, param):
                    before.append(f"\tif ({param} == NULL)\n\t\tguard_end({quoted(name)}, \"{param} is NULL\");\n")
        elif codes:
            tests = " || ".join(f"result == DOCA_ERROR_{code}" for code in codes)
            tests = f"({tests}) && ({condition})" if condition else tests
            after.append(f"\tif ({tests})\n\t\tguard_end({quoted(name)}, {quoted(what)});\n")
        else:
            before.append(f"\tif ({condition})\n\t\tguard_end({quoted(name)}, {quoted(what)});\n")
    assert not after or returns == "doca_error_t", name
    whole = ", ".join(part for part, _, _ in params) or "void"
    arguments = ", ".join(param for _, param, _ in params if param)
    body = "".join(before)
    if params and params[-1][0] == "...":
        last = params[-2][1]
        body += f"\tuint64_t more[GUARD_MORE];\n\tGUARD_READ_MORE(more, {last});\n"
        arguments += ", GUARD_PASS_MORE(more)"
    # Submit has two kinds of refusals, which only the reason tells apart.
    if "guard_is_of_peer" in "".join(after):
        body = "\tguard_forget();\n" + body
    call = f"strict_{name}({arguments})"
    if returns == "void":
        body += f"\t{call};\n"
    elif after:
        body += f"\tdoca_error_t result = {call};\n" + "".join(after) + "\treturn result;\n"
    else:
        body += f"\treturn {call};\n"
    space = "" if returns.endswith("*") else " "
    return (f"{returns}{space}strict_{name}({whole}) __attribute__((visibility(\"hidden\")));\n"
            f"GUARD {returns}{space}{name}({whole})\n{{\n{body}}}\n\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix")
    parser.add_argument("--rules", required=True)
    parser.add_argument("--table", action="append", required=True)
    parser.add_argument("--headers", required=True)
    parser.add_argument("--only", help="a table: the functions of this release alone")
    parser.add_argument("--include", action="append", default=[])
    arguments = parser.parse_args()
    known = functions(arguments.table, arguments.headers)
    if arguments.only:
        release = functions([arguments.only], arguments.headers)
        known = {name: known[name] for name in release if name in known}
    fitting = {}
    for pattern, when, what in rules(arguments.rules):
        for name in known:
            if re.fullmatch(pattern, name):
                fitting.setdefault(name, []).append((when, what))
    names = sorted(fitting)
    text = "/* Made by guards.py. */\n" + "".join(f'#include "{header}"\n' for header in arguments.include) + "\n"
    text += "".join(guard(name, *known[name], fitting[name]) for name in names)
    for suffix, content in ((".c", text), (".txt", "".join(f"{name}\n" for name in names)),
                            (".h", "".join(f"#define {name} strict_{name}\n" for name in names))):
        file = pathlib.Path(arguments.prefix + suffix)
        if not file.exists() or file.read_text("utf-8") != content:
            file.write_text(content, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
