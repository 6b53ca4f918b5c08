#!/usr/bin/env python3
"""docs/functions.md: every function that the emulated libraries export, where it is in Java, which releases of DOCA
have it, and what differs from DOCA.

    functions.py check
    functions.py write      puts what is made in the page right

A section is about a header. Its heading and the prose below it are written by hand, and so is the order of sections;
what begins with "DOCA RELEASES." is made. Where a function is in Java, or why it is not, is in api-map.tsv: in its
own row, else in the first row whose pattern it fits. Functions without a binding have no row. What the emulated device
does is "complete" unless functions.tsv says more. The header of a function is that of DOCA's ABI tables, of all
releases together, and the release of a library is that of the folder it is in. Prints what does not hold; exits 0 only
when all does. Needs nm, and the libraries in target/native/lib, built with COMCH4J_RELEASES. ApiMapTest looks whether the
members exist.
"""
import collections, fnmatch, re, subprocess, sys, textwrap
from pathlib import Path

PAGE, NOTES, JAVA = Path("docs/functions.md"), Path("src/test/abi/functions.tsv"), Path("src/test/abi/api-map.tsv")
TABLES = [Path(f"src/test/abi/{table}.tsv") for table in (
    "doca-3.0", "doca-3.1-3.3", "doca-3.0-dpa-host", "doca-3.0-dpa-dev", "doca-3.3-argp", "doca-3.0-dma", "doca-2.5",
    "doca-2.6", "comm-channel-1.2")]
FOLDERS = {"3.0": "", "2.7": "2.7", "2.6": "2.6", "2.5": "2.5", "1.2": "1.2"}  # of target/native/lib

# What is not DOCA's, by the beginning of its name.
EMULATOR_HEADERS = {"doca_emu_dpa_": "doca_emu_dpa.h", "doca_emu_": "doca_emu.h"}
ANSWER = re.compile(r"(?:(complete)(?:; .+)?|(differs|not supported): .+)")
BOUND = re.compile(r'(?:findOrThrow|downcall|call)\("(doca_\w+)"')
REASON, UNBOUND = "not exposed: ", "no binding"
COUNTS = re.compile(r"\d+ functions: \d+ complete.*? not in Java\.", re.S)
MADE = re.compile(r"^DOCA [\d.]+ (?:and later|only|to [\d.]+)\.$.*?(?=^## |\Z)", re.M | re.S)


def exports():
    """The releases of each function."""
    found = collections.defaultdict(set)
    for release, folder in FOLDERS.items():
        if not any(Path("target/native/lib", folder).glob("libdoca_*.so")):
            sys.exit(f"no libraries of DOCA {release} in target/native/lib/{folder}: build with -DCOMCH4J_RELEASES=ON")
        for library in Path("target/native/lib", folder).glob("libdoca_*.so"):
            out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
            for line in filter(str.strip, out.stdout.splitlines()):
                name = line.split()[-1].split("@")[0]
                if name.startswith("doca_"):
                    found[name].add(release)
    return {name: releases for name, releases in found.items() if releases != {"2.7"}}  # names that 3.0 has not


def fields(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def emulated(exported):
    """What the emulated device does with each function, and what is wrong with the notes."""
    notes = {row[0]: row[1] for row in fields(NOTES)}
    problems = [f"{NOTES}: {name} is not exported" for name in sorted(notes.keys() - exported.keys())]
    problems += [f"{NOTES}: \"{note}\" of {name} is neither complete with a remark, nor differs or not supported with "
                 "a reason" for name, note in notes.items() if note == "complete" or not ANSWER.fullmatch(note)]
    return {name: notes.get(name, "complete") for name in exported}, problems


def in_java(exported):
    """Where each function is in Java, or why it is not, and what is wrong with the table."""
    bound = {name for path in Path("generated").rglob("*_h.java") for name in BOUND.findall(path.read_text("utf-8"))}
    own, patterns, problems = {}, {}, []
    for name, text in fields(JAVA):
        rows = patterns if "*" in name else own
        if name in rows:
            problems.append(f"{JAVA}: a second row of {name}")
        rows[name] = text
    problems += [f"{JAVA}: {name} is not in the bindings" for name in sorted(own.keys() - bound)]
    problems += [f"{name} has a binding, and no library exports it" for name in sorted(bound - exported.keys())]
    said, used = {name: UNBOUND for name in exported.keys() - bound}, set(own)
    for name in bound:
        pattern = next((each for each in patterns if fnmatch.fnmatchcase(name, each)), None)
        said[name] = own.get(name) or patterns.get(pattern)
        if name not in own:
            used.add(pattern)
        if said[name] is None:
            problems.append(f"{JAVA}: no row of {name}")
    problems += [f"{JAVA}: {pattern} fits no function" for pattern in patterns if pattern not in used]
    return said, problems


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


def since(releases):
    first, last = min(releases), max(releases)
    return f"{first} and later" if last == "3.0" else f"{first} only" if first == last else f"{first} to {last}"


def section(names, exported, said, java):
    """What is made of a header's functions: a table with a row for those that have the same members and remarks, and
    which functions are not in Java, by reason and remark."""
    usual = collections.Counter(since(exported[name]) for name in names).most_common(1)[0][0]
    lines = [f"DOCA {usual}.", ""]
    rows, absent = collections.defaultdict(list), collections.defaultdict(list)
    for name in names:
        release = since(exported[name])
        remarks = [] if release == usual else [release]
        remarks += [said[name].removeprefix("complete; ")] if said[name] != "complete" else []
        there = java[name] != UNBOUND and not java[name].startswith(REASON)
        (rows if there else absent)[java[name].removeprefix(REASON), "; ".join(remarks)].append(f"`{name}`")
    if rows:
        lines += ["| function | Java; remarks |", "|---|---|"]
        lines += [f"| {', '.join(those)} | {'; '.join(filter(None, texts))} |" for texts, those in rows.items()] + [""]
    if absent:
        lines += ["Not in Java:", ""]
        for (reason, remark), those in absent.items():
            item = f"* {reason}{remark and f' ({remark})'}: {', '.join(those)}"
            lines += textwrap.wrap(item, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        lines += [""]
    return "\n".join(lines) + "\n"


def written(page, found, exported, said, java):
    """The page as it should be, and the headers that it has no section of."""
    left, parts = dict(found), re.split(r"^(?=## )", page, flags=re.M)
    for place, part in enumerate(parts):
        header = part.split("\n", 1)[0].removeprefix("## ").strip()
        if header in left:
            text = section(left.pop(header), exported, said, java)
            parts[place] = MADE.sub(lambda _: text, part) if MADE.search(part) else part.rstrip() + "\n\n" + text
    kinds = collections.Counter(next(filter(None, ANSWER.fullmatch(answer).groups())) for answer in said.values())
    absent = sum(text == UNBOUND or text.startswith(REASON) for text in java.values())
    counts = (len(said), kinds["complete"], kinds["differs"], kinds["not supported"], absent)
    wanted = "%d functions: %d complete, %d differ, %d not supported; %d are not in Java." % counts
    return COUNTS.sub(wanted, "".join(parts).rstrip() + "\n"), left


def main():
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what not in ("check", "write"):
        sys.exit(__doc__)
    exported = exports()
    said, problems = emulated(exported)
    java, more = in_java(exported)
    problems += more + not_in_sources(exported)
    if not problems:
        page = PAGE.read_text(encoding="utf-8")
        wanted, left = written(page, sections(exported), exported, said, java)
        problems += [f"{PAGE}: no section for {header}" for header in left]
        if what == "write":
            PAGE.write_text(wanted, encoding="utf-8")
        elif page != wanted:
            have, want = collections.Counter(page.splitlines()), collections.Counter(wanted.splitlines())
            problems += [f"not in the page: {line}" for line in want - have]
            problems += [f"wrong in the page: {line}" for line in have - want]
            problems += ["rows of the page are not in the order of the tables"] if have == want else []
    print("\n".join(problems + [f"{len(exported)} exported functions, {len(problems)} problems"]))
    return 1 if problems or not exported else 0


if __name__ == "__main__":
    sys.exit(main())
