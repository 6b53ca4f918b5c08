#!/usr/bin/env python3
"""Hold the libraries of a folder to what NVIDIA's own library of DOCA 2.5.0108 was observed to answer.

    behaviour.py --probe PROGRAM --library FOLDER            compare
    behaviour.py --probe PROGRAM --library FOLDER --observed compare with no difference allowed, without a device
    behaviour.py --probe PROGRAM --library FOLDER --record STAND_IN.so  write behaviour-2.5.0108.tsv, of NVIDIA's
                                                             libraries only; a stand-in answers what devices can do
    behaviour.py --probe PROGRAM --library FOLDER --permissive
                                                             the permissive build, which ends where those do not check
    behaviour.py --probe PROGRAM --library FOLDER --differs  print the rows that behaviour-2.5-differs.tsv has to have

Each answer is the observed one, or behaviour-2.5-differs.tsv has it with the reason; a row of that table that is not
true any more is an error too. Where the process of a case ends in one of the two, its later calls are not compared.
"""
import argparse, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
OBSERVED = HERE / "behaviour-2.5.0108.tsv"
DIFFERS = HERE / "behaviour-2.5-differs.tsv"
CALLS = [HERE.parent / "c/probe" / f"{name}.calls" for name in ("makers", "core", "log", "cc", "channel", "argp", "dma")]
ERRORS = {line.split("\t")[3].removeprefix("DOCA_ERROR_")
          for line in open(HERE / "doca-2.5.tsv", encoding="utf-8") if line.split("\t")[0] == "enum"}
ENDS = re.compile(r"signal|hangs")


def rows(text):
    """Function and case to the rest of the line."""
    lines = (line.rstrip("\t").split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {(line[0], line[1]): line[2:] for line in lines}


def run(probe, folder, **variables):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as fabric:
        environment = dict(os.environ, DOCA_EMU_DIR=fabric, **variables)
        command = [probe, HERE / "doca-2.5.tsv", folder, *CALLS]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return rows(ran.stdout), ran.stderr


def case_of(key):
    """The case of a call, and its number in it. Cases with NULL are one for each function."""
    name, _, number = key[1].partition("/")
    return (key[0] if name.startswith("null:") else "", name), int(number or 0)


def without_device(answers):
    return {case_of(key)[0] for key, answer in answers.items() if answer[0] == "no device"}


def record(answers, with_stand_in):
    """The table: what needs no device as it was without one, the rest with a stand-in for it."""
    needs = without_device(answers)
    kept = {key: answer for key, answer in answers.items() if case_of(key)[0] not in needs}
    order = {key: i for i, key in enumerate(with_stand_in)}
    kept.update((key, answer) for key, answer in with_stand_in.items() if case_of(key)[0] in needs)
    header = "".join(line for line in open(OBSERVED, encoding="utf-8") if line.startswith("#"))
    keys = sorted(kept, key=lambda key: order.get(key, len(order)))
    OBSERVED.write_text(header + "".join("\t".join([*key, *kept[key]]) + "\n" for key in keys), "utf-8")


def ends(answers):
    found = {}
    for key, answer in answers.items():
        if ENDS.match(answer[0]) or ENDS.search(answer[-1]):
            case, number = case_of(key)
            found[case] = min(number, found.get(case, number))
    return found


def differences(observed, ours):
    """What is answered in another way: key to our answer."""
    observed_ends, our_ends = ends(observed), ends(ours)
    found = {}
    for key in dict.fromkeys([*observed, *ours]):
        case, number = case_of(key)
        last = min(table.get(case, number) for table in (observed_ends, our_ends))
        if number <= last and observed.get(key) != ours.get(key):
            found[key] = " ".join(ours.get(key, ["not called"])).strip()
    return found


def check_permissive(observed, known, ours, told):
    """What is wrong with the permissive build: it ends where NVIDIA's libraries fault or do not look, and says why."""
    wrong, ended = [], []
    for key in {**observed, **ours}:
        case, number = case_of(key)
        if number > min(table.get(case, number) for table in (ends(observed), ends(ours))):
            continue
        answer, real = (" ".join(table.get(key, ["not called"])).strip() for table in (ours, observed))
        allowed = {real, *known.get(key, [])[:1]}
        if answer.startswith("signal"):
            ended.append(key[0])
            if real in ERRORS:
                wrong.append(f"{key[0]}, {key[1]}: ended, but a real one answers {real}")
        elif answer not in allowed or real.startswith("signal") and known[key][1] != "log":
            wrong.append(f"{key[0]}, {key[1]}: {answer}, not {real}")
    said = [line.split(":")[0] for line in told.splitlines()]
    if sorted(said) != sorted(ended):
        wrong.append(f"{len(ended)} ends, but the lines about them are of: {' '.join(said)}")
    print(f"{len(ended)} ends in {len(set(ended))} functions")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--probe", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--record", metavar="STAND_IN")
    parser.add_argument("--observed", action="store_true")
    parser.add_argument("--permissive", action="store_true")
    parser.add_argument("--differs", action="store_true")
    arguments = parser.parse_args()
    ours, told = run(arguments.probe, arguments.library, **({"PROBE_STDERR": "1"} if arguments.permissive else {}))
    if arguments.record:
        record(ours, run(arguments.probe, arguments.library, LD_PRELOAD=arguments.record, PROBE_STAND_IN="1")[0])
        return 0
    observed, known = rows(OBSERVED.read_text("utf-8")), rows(DIFFERS.read_text("utf-8"))
    if arguments.permissive:
        wrong = check_permissive(observed, known, ours, told)
        print(*wrong, sep="\n", end="\n" if wrong else "")
        return 1 if wrong else 0
    if arguments.observed:
        needs, known = without_device(ours), {}
        observed, ours = ({k: a for k, a in t.items() if case_of(k)[0] not in needs} for t in (observed, ours))
    different = differences(observed, ours)
    if arguments.differs:
        for key, answer in different.items():
            print(*key, answer, known.get(key, ["", "?"])[1], sep="\t")
        return 0
    wrong = []
    for key in dict.fromkeys([*different, *known]):
        expected = known[key][0] if key in known else " ".join(observed.get(key, ["not called"]))
        answer = different.get(key, "as observed" if key in observed else "no such case")
        if answer != expected:
            wrong.append(f"{key[0]}, {key[1]}: {answer}, not {expected}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(observed)} answers observed: {len(observed) - len(different)} the same, {len(different)} differ, "
          f"{len(wrong)} without a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
