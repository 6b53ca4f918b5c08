#!/usr/bin/env python3
"""Guards: the places in src/main/c that stand between this process and a hostile or dead peer, a stranger, a leak, or
a sleep that nothing ends.

    guards.py check            each guard has a test, and each test its guard
    guards.py list             prints them: name, place, what is taken out, program and case of the test
    guards.py mutate [NAME...] takes out one guard at a time, then turns it round, and runs its test each time
                               (scripts/dev/mutate.sh --c)

A comment marks a guard, in front of what does not happen without it:

    if (/* guard: NAME */ claimed > limit || …)     an expression, which is 0 with the guard taken out,
    return /* guard: NAME=1 */ seals >= 0 && …;     or what the mark says,
    /* guard: NAME */ close(fd);                    or a statement, which is left out

An expression ends where the next && or || begins, or what is around it ends. Turned round, a bound is off by one
(< becomes <=), and any other condition means its contrary; statements and constants are taken out only.
src/test/c/guards.tsv has the test of each: the program, and the case in it that fails without the guard. A row that
begins with ~ has another one for the guard turned round, or a - and why nothing can fail then.
"""
import concurrent.futures
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = "src/main/c"
TABLE = ROOT / "src/test/c/guards.tsv"
BUILD = ROOT / "target/mutants"
MARK = re.compile(r"/\* guard: ([a-z0-9-]+)(?:=(\w+))? \*/\s*")
PATIENCE = 20  # seconds, for a test that hangs without the guard; or eight times what it takes with it


class Guard:
    def __init__(self, path, match, text):
        self.name, self.value = match.group(1), match.group(2) or "0"
        self.path, self.line = path, text.count("\n", 0, match.start()) + 1
        self.begin, self.at = match.start(), match.end()
        before = text[: match.start()].rstrip()
        while before.endswith("*/"):
            before = before[: before.rindex("/*")].rstrip()
        self.is_statement = before[-1:] in ";{})" or before.endswith("else")
        self.end = end_of(text, self.at, self.is_statement, f"{path}:{self.line}")
        self.what = " ".join(text[self.at : self.end].split())
        self.turned = None if self.is_statement else turned_round(text[self.at : self.end])


def end_of(text, at, is_statement, where):
    """Where the expression or statement that begins at `at` ends."""
    if is_statement and re.match(r"(if|for|while|do|switch)\b", text[at:]):
        raise SystemExit(f"{where}: mark the condition, not the statement")
    depth = 0
    while at < len(text):
        char = text[at]
        if char in "\"'":
            at = re.compile(r"(?:[^\\]|\\.)*?" + char, re.DOTALL).match(text, at + 1).end()
            continue
        if text.startswith("/*", at):
            at = text.index("*/", at) + 2
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and char == ";":
            break
        elif depth == 0 and not is_statement:
            if char in ",?:" or text.startswith(("&&", "||"), at) or (char == "|"):
                break
        at += 1
    return at


def turned_round(expression):
    """The expression with its bound off by one, or else its contrary; None for a constant."""
    if re.fullmatch(r"\w+", expression.strip()) and not expression.strip().islower():
        return None
    depth = at = 0
    while at < len(expression):
        depth += (expression[at] in "([{") - (expression[at] in ")]}")
        bound = re.compile(r"->|<<|>>|[<>]=?").match(expression, at)
        if bound and depth == 0 and bound.group()[:1] != "-" and bound.group() not in ("<<", ">>"):
            other = bound.group().rstrip("=") if bound.group().endswith("=") else bound.group() + "="
            return expression[:at] + other + expression[bound.end() :]
        at = bound.end() if bound else at + 1
    return f"!({expression})"


def all_guards():
    found = []
    for path in sorted((ROOT / SOURCES).rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        found += [Guard(path.relative_to(ROOT), match, text) for match in MARK.finditer(text)]
    return found


def all_tests():
    rows = (line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {name: (program, case) for name, program, case in rows}


def way(tests, name):
    """The test of a guard that is turned round."""
    return tests.get(f"~{name}", tests[name])


def cases():
    """The functions that are tests, by the folder of src/test/c that they are in."""
    found = {}
    for path in (ROOT / "src/test/c").glob("*/*.c"):
        for case in re.findall(r"^static void (\w+)\(void \*\*state\)", path.read_text(encoding="utf-8"), re.M):
            found.setdefault(case, set()).add(path)
    return found


def show():
    tests = all_tests()
    for guard in all_guards():
        print(f"{guard.name}\t{guard.path}:{guard.line}\t{guard.what}\t{': '.join(tests.get(guard.name, ['no test']))}")
    return 0


def check():
    guards, tests, known, faults = all_guards(), all_tests(), cases(), []
    names = [guard.name for guard in guards]
    faults += [f"two guards are called {name}" for name in sorted(set(names)) if names.count(name) > 1]
    faults += [f"{g.path}:{g.line}: guard {g.name} has no test in {TABLE.name}" for g in guards if g.name not in tests]
    faults += [f"{TABLE.name}: no guard is called {name}" for name in tests if name.lstrip("~") not in names]
    faults += [f"{TABLE.name}: there is no test {case}" for program, case in tests.values()
               if program != "-" and case not in known]
    print("\n".join(faults + [f"{len(guards)} guards, {len(faults)} faults"]))
    return 1 if faults else 0


# ---- taking them out ----

SWITCH = """/* Which guard is taken out, or turned round: COMCH4J_GUARD_OUT, and the same with a ~ in front. */
#include <stdlib.h>
#include <string.h>
static inline const char *guard_changed(void)
{
	static const char *changed;
	if (changed == NULL && (changed = getenv("COMCH4J_GUARD_OUT")) == NULL)
		changed = "";
	return changed;
}
static inline int guard_is_out(const char *name)
{
	return strcmp(guard_changed(), name) == 0;
}
static inline int guard_is_turned(const char *name)
{
	return guard_changed()[0] == '~' && strcmp(guard_changed() + 1, name) == 0;
}
"""


def with_switches(path, text):
    """The source with all guards able to be taken out."""
    for match in reversed(list(MARK.finditer(text))):
        guard = Guard(path, match, text)
        inner = text[guard.at : guard.end]
        if guard.is_statement:
            guard.end += 1
            switch = f'{{ if (!guard_is_out("{guard.name}")) {{ {inner}; }} }}'
        else:
            turned = f'guard_is_turned("{guard.name}") ? ({guard.turned}) : ' if guard.turned else ""
            switch = f'(guard_is_out("{guard.name}") ? ({guard.value}) : {turned}({inner}))'
        text = text[: guard.begin] + switch + text[guard.end :]
    return text


def put(path, text):
    """Writes a file if it is to change, so that it is not compiled again otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != text:
        path.write_bytes(text)


def make_tree(tree):
    wanted = set()
    for folder in ("headers", SOURCES, "src/test/c", "src/test/abi", "scripts"):
        for path in (p for p in (ROOT / folder).rglob("*") if p.is_file() and "corpus" not in p.parts):
            name = path.relative_to(ROOT)
            text = path.read_bytes()
            if folder == SOURCES and path.suffix in (".c", ".h"):
                text = with_switches(name, text.decode()).encode()
            put(tree / name, text)
            (tree / name).chmod(path.stat().st_mode)
            wanted.add(tree / name)
    put(tree / "guard.h", SWITCH.encode())
    for path in tree.rglob("*"):
        if path.is_file() and path not in wanted and path.name != "guard.h":
            path.unlink()


def build(programs):
    tree, folder = BUILD / "tree", BUILD / "build"
    make_tree(tree)
    log = BUILD / "build.log"
    jobs = str(os.cpu_count())
    commands = [
        ["cmake", "-S", tree / SOURCES, "-B", folder, "-DCOMCH4J_TESTS=ON", "-DCMAKE_BUILD_TYPE=None",
         "-DCOMCH4J_SANITIZE=address,undefined", f"-DCMAKE_C_FLAGS=-O1 -g -w -include {tree / 'guard.h'}"],
        ["cmake", "--build", folder, "--parallel", jobs, "--target", *sorted(programs)],
    ]
    with open(log, "w", encoding="utf-8") as out:
        for command in commands:
            if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode != 0:
                raise SystemExit(f"the build with switches failed: {log}")
    return folder / "bin"


def run(bin_folder, guard, program, case, patience):
    """How one test ends: passed, failed, hung or skipped."""
    fabric = tempfile.mkdtemp(prefix="doca-emu-guards-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    environment = dict(os.environ, DOCA_EMU_DIR=fabric, COMCH4J_TEST_ONLY=case, COMCH4J_GUARD_OUT=guard,
                       ASAN_OPTIONS="detect_leaks=1")
    try:
        test = subprocess.Popen([bin_folder / program], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, start_new_session=True, cwd=BUILD)
        try:
            output = test.communicate(timeout=patience)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(test.pid, 9)
            output = test.communicate()[0].decode(errors="replace")
            return "hung", output
    finally:
        shutil.rmtree(fabric, ignore_errors=True)
    if test.returncode != 0:
        return "failed", output
    if "[  SKIPPED ]" in output:
        return "skipped", output
    if "[       OK ] " + case not in output:
        return "did not run", output
    return "passed", output


@functools.lru_cache(maxsize=None)
def with_all_guards(bin_folder, program, case):
    """How the test ends, and how many seconds it takes."""
    begun = time.monotonic()
    end, _ = run(bin_folder, "", program, case, 10 * PATIENCE)
    return end, time.monotonic() - begun


def try_one(bin_folder, name, program, case):
    plain, seconds = with_all_guards(bin_folder, program, case)
    if plain != "passed":
        return "skipped" if plain == "skipped" else f"NOT TRIED: with the guard it {plain}"
    end, output = run(bin_folder, name, program, case, max(PATIENCE, 8 * seconds))
    (BUILD / "logs").mkdir(exist_ok=True)
    (BUILD / "logs" / f"{name}.log").write_text(output, encoding="utf-8")
    return {"failed": "killed", "hung": "killed (hung)", "passed": "SURVIVED"}.get(end, end)


def mutate(names):
    """Both ways, or with ~NAME the guard turned round only."""
    tests = all_tests()
    ways = {}
    for guard in all_guards():
        if not names or guard.name in names:
            ways[guard.name] = tests[guard.name]
        turned = f"~{guard.name}"
        if (guard.name in ways or turned in names) and guard.turned and way(tests, guard.name)[0] != "-":
            ways[turned] = way(tests, guard.name)
    unknown = [name for name in names if name not in ways]
    if unknown:
        raise SystemExit(f"no such guard, or none that is tried: {', '.join(unknown)}")
    BUILD.mkdir(parents=True, exist_ok=True)
    bin_folder = build({program for program, _ in ways.values()})
    bad = killed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        trials = {pool.submit(try_one, bin_folder, name, *ways[name]): name for name in ways}
        for trial in concurrent.futures.as_completed(trials):
            name, verdict = trials[trial], trial.result()
            print(f"{verdict:14} {name}: {' '.join(ways[name])}", flush=True)
            bad += verdict != "skipped" and not verdict.startswith("killed")
            killed += verdict.startswith("killed")
    turned = sum(name[0] == "~" for name in ways)
    print(f"{len(ways) - turned} guards taken out and {turned} turned round (~): "
          f"{killed} killed, {bad} not, {len(ways) - killed - bad} skipped")
    return 1 if bad else 0


def main():
    match sys.argv[1:]:
        case ["check"]:
            return check()
        case ["list"]:
            return show()
        case ["mutate", *names]:
            return mutate(names)
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
