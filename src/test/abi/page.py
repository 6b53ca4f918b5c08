"""A page of docs/ whose rows are made; its prose, and the order of its sections, are written by hand."""
import collections, sys


def with_rows(page, columns, rows_of):
    """The page with other rows: rows_of(what stands behind "## ") are a section's; a section without any stays."""
    lines, rows = [], []
    for line in page.splitlines():
        if line.startswith("## "):
            rows = rows_of(line[3:].strip())
        if line.startswith(f"| {columns[0]} |"):
            lines += [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *rows]
        elif not rows or not line.startswith("|"):
            lines.append(line)
    return "\n".join(lines) + "\n"


def differences(page, wanted, order):
    have, want = collections.Counter(page.splitlines()), collections.Counter(wanted.splitlines())
    problems = [f"not in the page: {line}" for line in want - have]
    problems += [f"wrong in the page: {line}" for line in have - want]
    if not problems and page != wanted:
        problems.append(f"rows of the page are not in the order of the {order}")
    return problems


def run(usage, path, functions, made, order):
    """Checks or writes the page at `path`; made(page): the page as it should be, None if it cannot be made, and what
    does not hold. `functions`: how many there are of what, for the last line."""
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what not in ("check", "write"):
        sys.exit(usage)
    page = path.read_text(encoding="utf-8")
    wanted, problems = made(page)
    if wanted is not None and what == "write":
        path.write_text(wanted, encoding="utf-8")
    elif wanted is not None:
        problems += differences(page, wanted, order)
    for problem in problems:
        print(problem)
    number, kind = functions
    print(f"{number} {kind} functions, {len(problems)} problems")
    return 1 if problems or not number else 0
