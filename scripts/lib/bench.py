#!/usr/bin/env python3
"""Runs the benchmarks that scripts/bench.sh has built, prints the table and the bars, writes the JSON."""
import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import time

SIZES = {"fast": [64, 256, 1024, 4080, 65536, 1048576], "control": [64, 256, 1024, 4080]}
CONNECTIONS = [1, 8, 64, 256, 511]
JAVA_START = 0.9  # seconds that a JVM takes beside its warm-up and measurement
BUSY = 0.10  # share of the processors that others may use
TIMEOUT = 60  # of one run, seconds


class Case:
    """One work with its parameters, measured `repeats` times by each of `impls` in turns."""

    def __init__(self, work, form, size=64, depth=256, connections=1, repeats=1, impls=("c", "java"), bar=False):
        self.work, self.form, self.size, self.depth, self.connections = work, form, size, depth, connections
        self.repeats, self.impls, self.bar = repeats, list(impls), bar

    def name(self):
        text = self.work
        if self.work == "idle":
            return f"idle {self.connections} connections"
        if self.work in ("setup", "first", "allocation"):
            return text
        return f"{text} {size_name(self.size)} depth {self.depth} {self.form}"


def size_name(size):
    for unit, name in ((1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


def depth_for(size, depth):
    """Large messages: no more memory than a last-level cache's multiple."""
    return min(depth, 32) if size >= 65536 else depth


def cases_quick(peers):
    aeron, unix, ucx = (["aeron"], ["unix"], ["ucx"]) if peers else ([], [], [])
    both = ["c", "java"]
    bars = [
        Case("fast", "threads", repeats=3, impls=both + aeron, bar=True),
        Case("fast", "processes", repeats=3, impls=both + ucx, bar=True),
        Case("fast-rtt", "processes", depth=32, repeats=3, impls=both + ucx, bar=True),
        Case("fast", "processes", size=1 << 20, depth=32, repeats=3, impls=both + ["memcpy"], bar=True),
        Case("control", "threads", repeats=3, impls=both, bar=True),
        Case("control", "threads", size=4080, repeats=3, impls=both, bar=True),
        Case("idle", "one", connections=1, repeats=2, bar=True),
        Case("idle", "one", connections=511, repeats=2, bar=True),
        Case("allocation", "one", impls=["jmh"]),
    ]
    more = [Case(work, "threads", size=size) for work in ("fast", "control") for size in (256, 1024, 4080)
            if not (work == "control" and size == 4080)]
    more += [Case("fast", "processes", size=65536, depth=32), Case("ops", "one"), Case("setup", "one"), Case("first", "processes")]
    if peers:
        more += [Case("unix", "threads", impls=unix), Case("unix-rtt", "processes", impls=unix), Case("aeron-rtt", "processes", impls=aeron)]
    return bars + more


def cases_full(peers):
    cases = cases_quick(peers)
    have = {case.name() for case in cases}

    def add(case):
        if case.name() not in have:
            have.add(case.name())
            cases.append(case)

    for work, sizes in SIZES.items():
        for size in sizes:
            for form in ("threads", "processes", "one"):
                for depth in (256, 32, 1):
                    if form == "processes" and depth == 1:
                        continue  # that is ping-pong
                    add(Case(work, form, size=size, depth=depth_for(size, depth)))
    for work in ("fast-rtt", "control-rtt"):
        for size in (64, 4080):
            for form in ("threads", "processes"):
                add(Case(work, form, size=size, depth=32))
    for connections in CONNECTIONS:
        add(Case("idle", "one", connections=connections))
    if peers:
        for size in SIZES["fast"]:
            for peer in ("aeron", "unix"):
                for form in ("threads", "processes"):
                    add(Case(peer, form, size=size, impls=[peer]))
            add(Case("ucx", "processes", size=size, impls=["ucx"]))
        for form in ("threads", "processes"):
            add(Case("aeron-rtt", form, impls=["aeron"]))
            add(Case("unix-rtt", form, impls=["unix"]))
    return cases


def cases_between_machines():
    """What has a half on each machine."""
    cases = [Case(work, "processes", size=size, depth=depth_for(size, 256)) for work, sizes in SIZES.items() for size in sizes]
    return cases + [Case(work, "processes", size=64, depth=32) for work in ("fast-rtt", "control-rtt")]


class Runner:
    def __init__(self, options):
        self.o = options
        self.quick = options.quick
        self.results = []
        self.distances = []  # of the cores, ns, from the first measurement to the last
        self.number = 0

    def times(self, impl):
        """Seconds of warm-up and of measurement."""
        seconds = 1.0 if self.quick else 3.0
        if impl in ("c", "memcpy"):
            return (0.3 if self.quick else 0.5), seconds
        return 3.0, seconds  # what a JIT compiler needs; after 1.2 s it was not through

    def estimate(self, case):
        total = 0.0
        for impl in case.impls:
            warmup, seconds = self.times(impl)
            if impl == "jmh":
                total += 13 if self.quick else 50
            elif case.work == "first":
                total += 1.5
            elif impl == "ucx":
                total += seconds + 1.5
            else:
                start = 0.1 if impl in ("c", "memcpy") else JAVA_START * (1.5 if case.form == "processes" else 1)
                total += warmup + seconds + start + 0.2
        return total * case.repeats

    # ---- one run

    def spawn(self, command, env=None):
        """Runs a command and returns its stdout; what it wrote to stderr goes to the log."""
        log = open(os.path.join(self.o.out, "run.log"), "a")
        log.write("$ " + " ".join(c if len(c) < 200 else "…" for c in command) + "\n")
        log.flush()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
                                   env={**os.environ, **(env or {})})
        try:
            out, _ = process.communicate(timeout=TIMEOUT)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)  # it and its child, a session of their own
            process.wait()
            raise
        finally:
            log.close()
        if process.returncode != 0:
            raise RuntimeError(f"ended with {process.returncode}, see {self.o.out}/run.log")
        return out

    def arguments(self, case, impl, work=None):
        warmup, seconds = self.times(impl)
        form = self.o.side or case.form
        self.name = f"bench-{self.number}"
        return [work or case.work, "--form", form, "--size", str(case.size), "--depth", str(case.depth), "--warmup", str(warmup),
                "--seconds", str(seconds), "--connections", str(case.connections), "--name", self.name, "--dpu", self.o.dpu,
                "--function", self.o.function]

    def java(self, arguments, more=()):
        return [self.o.java, "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Xms256m",
                f"-Dcomch4j.library={self.o.java_library}", *more, "-cp", self.o.classpath, "io.github.comch4j.bench.Bench", *arguments]

    def run(self, case, impl):
        self.number += 1
        if impl == "c":
            out = self.spawn([self.o.c, *self.arguments(case, impl)])
        elif impl == "memcpy":
            out = self.spawn([self.o.c, *self.arguments(case, impl, "memcpy")])
        elif impl == "java":
            out = self.spawn(self.java(self.arguments(case, impl)))
        elif impl in ("aeron", "unix"):
            work = impl + ("-rtt" if case.work.endswith("-rtt") else "")
            out = self.spawn(self.java(self.arguments(case, impl, work)))
        elif impl == "ucx":
            out = self.ucx(case)
        else:
            out = self.jmh()
        rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        for row in rows:
            if impl not in ("c", "java"):
                row["impl"] = impl
            row["case"] = case.name()
            self.results.append(row)
        return rows

    def ucx(self, case):
        """ucx_perftest over shared memory: tag_bw, or tag_lat for a ping-pong. It counts messages, so a short run tells how many."""
        latency = case.work.endswith("-rtt")
        few = 20_000 if latency else 100_000 if case.size <= 4096 else 2_000
        began = time.monotonic()
        self.perftest(case, latency, few)
        rate = few / max(time.monotonic() - began - 0.3, 0.01)  # connecting takes a moment
        last = self.perftest(case, latency, int(max(few, rate * self.times("ucx")[1])))
        row = {"impl": "ucx", "work": case.work, "form": "processes", "size": case.size, "depth": 0}
        if latency:
            row.update(value=float(last[1]) * 1000, unit="ns/half", raw_p50=2 * float(last[1]) * 1000)
        else:
            row.update(value=float(last[7]), unit="msg/s", bytes_per_s=float(last[7]) * case.size)
        return json.dumps(row)

    def perftest(self, case, latency, count):
        """The last line: iterations, half round trip (median, average, overall) in µs, MB/s twice, messages/s twice."""
        self.number += 1
        command = ["ucx_perftest", "-t", "tag_lat" if latency else "tag_bw", "-s", str(case.size), "-n", str(count), "-w", str(count // 10),
                   "-f", "-v", "-p", str(20000 + self.number % 10000)]
        env = {**os.environ, "UCX_TLS": "shm,self"}
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        try:
            time.sleep(0.2)
            done = subprocess.run([command[0], "127.0.0.1", *command[1:]], env=env, capture_output=True, text=True, timeout=30)
            server.wait(timeout=10)
        finally:
            if server.poll() is None:
                server.kill()
                server.wait()
        figures = [line.split(",") for line in done.stdout.splitlines() if line and line[0].isdigit() and line.count(",") >= 7]
        if done.returncode != 0 or not figures:
            raise RuntimeError("ucx_perftest failed: " + (done.stderr or done.stdout)[-200:])
        return figures[-1]

    def jmh(self):
        """Allocation of a message on either path."""
        report = os.path.join(self.o.out, "jmh.json")
        short = ["-f", "1", "-wi", "3", "-i", "2", "-w", "1", "-r", "1"] if self.quick else ["-f", "2", "-wi", "5", "-i", "3", "-w", "1", "-r", "1"]
        self.spawn([self.o.java, "-cp", self.o.classpath, "org.openjdk.jmh.Main", "MessageBenchmark", "-p", "size=64", "-p", "depth=256",
                    "-prof", "gc", "-rf", "json", "-rff", report, *short, "-jvmArgsAppend", f"-Dcomch4j.library={self.o.java_library}"])
        lines = []
        for result in json.load(open(report)):
            path = result["benchmark"].rsplit(".", 1)[1]
            lines.append(json.dumps({"impl": "jmh", "work": "allocation", "form": "one", "op": path, "size": 64, "depth": 256,
                                     "value": result["secondaryMetrics"]["gc.alloc.rate.norm"]["score"], "unit": "B/msg",
                                     "ns": result["primaryMetric"]["score"]}))
        return "\n".join(lines)

    def look_at_cores(self):
        """How long a word needs from one core to another and back. Virtual machines move their cores; figures of different distances do not compare."""
        try:
            self.distances.append(json.loads(self.spawn([self.o.c, "cores", "--seconds", "0.05"]))["value"])
        except (RuntimeError, ValueError, subprocess.TimeoutExpired, OSError):
            pass  # a figure less

    # ---- all of them

    def run_all(self, cases):
        total = sum(map(self.estimate, cases))
        done, failures = 0.0, []
        began = time.monotonic()
        print(f"{len(cases)} measurements, about {minutes(total)}", flush=True)
        for index, case in enumerate(cases, 1):
            rest = (total - done) * (time.monotonic() - began) / done if done > 10 else total - done
            print(f"[{index}/{len(cases)}] {case.name()} ({', '.join(case.impls)}), {minutes(rest)} left", flush=True)
            for _ in range(case.repeats):  # in turns: what disturbs one disturbs the others
                if case.bar:
                    self.look_at_cores()
                for impl in case.impls:
                    try:
                        self.run(case, impl)
                    except (RuntimeError, subprocess.TimeoutExpired, OSError) as e:
                        failures.append(f"{case.name()} ({impl}): {e}")
                        print("    failed:", failures[-1], flush=True)
            done += self.estimate(case)
        self.look_at_cores()
        return failures


def minutes(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 0):.0f} s"


# ---- what came out


class Figures:
    def __init__(self, results):
        self.results = results

    def rows(self, impl, work, form, **more):
        return [r for r in self.results if r["impl"] == impl and r["work"] == work and r["form"] == form
                and all(r.get(k) == v for k, v in more.items())]

    def median(self, impl, work, form, field="value", **more):
        values = [r[field] for r in self.rows(impl, work, form, **more)]
        return statistics.median(values) if values else None


def bars(figures):
    """The bars of the design: what, measured, its limit, whether it holds (None: not measured)."""
    f = figures.median
    list_ = []

    def bar(what, value, sense, limit, unit="x"):
        holds = None if value is None else (value >= limit if sense == ">=" else value <= limit)
        list_.append({"bar": what, "value": value, "sense": sense, "limit": limit, "unit": unit, "holds": holds})

    def ratio(a, b):
        return None if a is None or not b else a / b

    threads = dict(form="threads", size=64, depth=256)
    processes = dict(form="processes", size=64)
    java = f("java", "fast", **threads)
    bar("fast 64 B, two threads: Java / C", ratio(java, f("c", "fast", **threads)), ">=", 0.90)
    bar("fast 64 B, two threads: Java / Aeron IPC", ratio(java, f("aeron", "aeron", form="threads", size=64)), ">=", 1.0)
    ucx = f("ucx", "fast", **processes)
    bar("fast 64 B, two processes: Java / UCX tag_bw", ratio(f("java", "fast", depth=256, **processes), ucx), ">=", 2.0)
    bar("fast 64 B, two processes: C / UCX tag_bw", ratio(f("c", "fast", depth=256, **processes), ucx), ">=", 2.0)
    lat = {impl: f(impl, "fast-rtt", **processes) for impl in ("java", "c", "ucx")}
    bar("ping-pong 64 B, half round trip: Java / UCX tag_lat", ratio(lat["java"], lat["ucx"]), "<=", 1.0)
    bar("ping-pong 64 B, half round trip: C / UCX tag_lat", ratio(lat["c"], lat["ucx"]), "<=", 1.0)
    bar("ping-pong 64 B, half round trip: Java - C", None if None in (lat["java"], lat["c"]) else lat["java"] - lat["c"], "<=", 100, "ns")
    big = dict(form="processes", size=1 << 20)
    bar("fast 1 MiB, two processes: Java / memcpy, bytes/s",
        ratio(f("java", "fast", field="bytes_per_s", **big), f("memcpy", "memcpy", field="bytes_per_s", **big)), ">=", 0.85)
    for size in (64, 4080):
        control = dict(form="threads", size=size, depth=256)
        bar(f"control {size} B, two threads: Java / C", ratio(f("java", "control", **control), f("c", "control", **control)), ">=", 0.80)
    # What the two threads themselves count after the warm-up, which is not all of it when a compiler is late: an object of 16 bytes in one of
    # 160 messages would be more. JMH, in the table, adds what its own harness allocates.
    for path in ("fast", "control"):
        ends = [f("java", work, "threads", field="allocated_per_msg", size=64, depth=256) for work in (path, f"{path}-sender")]
        bar(f"heap allocation, {path}, the busier thread", None if None in ends else max(ends), "<=", 0.1, "B/msg")
    for impl, name in (("c", "C"), ("java", "Java")):
        bar(f"progress with 511 idle connections / with 1, {name}",
            ratio(f(impl, "idle", "one", connections=511), f(impl, "idle", "one", connections=1)), "<=", 1.5)
    return list_


def amount(value, unit):
    if value is None:
        return "-"
    if unit in ("msg/s", "connections/s"):
        return f"{value / 1e6:.2f} M/s" if value >= 1e6 else f"{value / 1e3:.1f} k/s"
    if unit.startswith("ns"):
        return f"{value:.0f} ns" if value >= 100 else f"{value:.1f} ns"
    return f"{value:.3g} {unit}"


def table(results):
    figures = Figures(results)
    seen, lines = set(), []
    for row in results:
        if row["work"].endswith("-sender"):
            continue
        key = (row["case"], row.get("op"))
        if key in seen:
            continue
        seen.add(key)
        cells = {}
        for impl in ("c", "java", "aeron", "unix", "ucx", "memcpy", "jmh"):
            values = [r["value"] for r in results if r["impl"] == impl and r["case"] == row["case"] and r.get("op") == row.get("op")
                      and not r["work"].endswith("-sender")]
            if values:
                cells[impl] = statistics.median(values)
        ratio = f"{cells['java'] / cells['c']:.2f}" if cells.get("c") and cells.get("java") else ""
        others = ", ".join(f"{impl} {amount(v, row['unit'])}" for impl, v in cells.items() if impl not in ("c", "java"))
        name = row["case"] + (f" {row['op']}" if row.get("op") else "")
        again = figures_again(results, row["case"])
        lines.append((name, amount(cells.get("c"), row["unit"]), amount(cells.get("java"), row["unit"]), ratio, others, again))
    width = max([len(line[0]) for line in lines], default=10)
    print(f"\n{'':{width}}  {'C':>11}  {'Java':>11}  Java/C  refused/msg C, Java; others")
    for name, c, java, ratio, others, again in lines:
        print(f"{name:{width}}  {c:>11}  {java:>11}  {ratio:>6}  {'; '.join(x for x in (again, others) if x)}")
    return figures


def figures_again(results, case):
    parts = []
    for impl in ("c", "java"):
        values = [r["value"] for r in results if r["impl"] == impl and r["case"] == case and r["work"].endswith("-sender")]
        if values:
            parts.append(f"{statistics.median(values):.2g}")
    return ", ".join(parts)


def print_distances(distances):
    if distances:
        moved = max(distances) > 1.5 * min(distances)
        print(f"\nbetween two cores and back: {min(distances):.0f} to {max(distances):.0f} ns"
              + ("; the cores have moved, and not all figures of this run compare with each other" if moved else ""))


def print_bars(list_, others):
    width = max(len(b["bar"]) for b in list_)
    print("\nbars (medians of this run)")
    if others > BUSY:
        # Ours yields when it waits in vain, UCX does not: shared processors distort the ratios, and not only the figures.
        print(f"  NO VERDICTS: others used {others:.0%} of the processors. Run it again on an idle machine.")
    for b in list_:
        verdict = {True: "holds", False: "DOES NOT HOLD", None: "not measured"}[b["holds"]]
        if others > BUSY and b["holds"] is not None:
            b["holds"], verdict = None, "void"
        value = "-" if b["value"] is None else f"{b['value']:.2f}"
        print(f"  {b['bar']:{width}}  {value:>8} {b['unit']:<5}  {'≥' if b['sense'] == '>=' else '≤'} {b['limit']:<5g}  {verdict}")


def busy():
    """How much of the machine others use: the share of processor time of one second in which this program sleeps."""
    def times():
        with open("/proc/stat") as file:
            fields = [int(x) for x in file.readline().split()[1:]]
        return sum(fields[:8]), fields[3] + fields[4]  # all; idle and waiting for input

    all_before, idle_before = times()
    time.sleep(1)
    all_after, idle_after = times()
    return 1 - (idle_after - idle_before) / max(1, all_after - all_before)


def machine():
    model = "unknown"
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {"cpu": model, "cpus": os.cpu_count(), "kernel": platform.release(), "arch": platform.machine()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--side", choices=("server", "client"))
    parser.add_argument("--dpu", default="0000:03:00.0")
    parser.add_argument("--function", default="0000:b1:00.0")
    for name in ("out", "c", "java", "classpath", "java-library"):
        parser.add_argument("--" + name)
    options = parser.parse_args()
    if options.side:
        cases = cases_between_machines()
    else:
        cases = (cases_quick if options.quick else cases_full)(options.peers)
    cases = [case for case in cases if options.only in case.name()]
    if not shutil.which("ucx_perftest"):
        if options.peers:
            print("ucx_perftest is not installed (Debian: ucx-utils): without UCX")
        for case in cases:
            case.impls = [impl for impl in case.impls if impl != "ucx"]
        cases = [case for case in cases if case.impls]
    runner = Runner(options)
    if options.list:
        for case in cases:
            print(f"{case.name():40} {', '.join(case.impls):20} {case.repeats} x  {minutes(runner.estimate(case))}")
        print("together", minutes(sum(map(runner.estimate, cases))))
        return 0
    others = busy()
    if others > BUSY:
        print(f"this machine is not idle ({others:.0%} busy): there will be figures, but no verdicts")
    open(os.path.join(options.out, "run.log"), "w").close()
    failures = runner.run_all(cases)
    others = max(others, busy())
    figures = table(runner.results)
    list_ = bars(figures)
    print_distances(runner.distances)
    if not options.side:
        print_bars(list_, others)
    with open(os.path.join(options.out, "results.json"), "w") as file:
        json.dump({"machine": machine(), "busy_with_others": others, "quick": options.quick, "date": time.strftime("%Y-%m-%d"),
                   "cores_ns": runner.distances, "bars": list_, "failures": failures, "results": runner.results}, file, indent=1)
    for failure in failures:
        print("failed:", failure)
    print(f"\nwritten: {os.path.relpath(options.out)}/results.json")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
