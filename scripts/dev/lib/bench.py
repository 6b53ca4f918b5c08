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
FLAT_SIZES = [256, 1024, 4096, 65536]  # beside 64
SOCKET_SIZES = (64, 1024, 4072)  # a message has a header of 8 bytes, and 4080 in all
# In C a message in a slot is a message in a buffer: one that was free last, but in the work "flat" each in its turn.
C_WORKS = {"flat-rtt": "fast-rtt", "flat-last": "fast"}
C_PROGRAMS = ("c", "batched", "memcpy")  # batched: C by way of the batch library, as Java goes
CONNECTIONS = [1, 8, 64, 256, 511]
DMA_SIZES = [64, 512, 4096, 65536, 1 << 20, 8 << 20]
DMA_BARS = [(4096, 1), (4096, 32), (1 << 20, 1), (1 << 20, 32)]
JAVA_START = 0.9  # seconds that a JVM takes beside its warm-up and measurement
# A heap whose pages are all there: where a hypervisor gives pages late, a heap that grows would be what is measured.
HEAP_OPTIONS = ["-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"]
AERON_OPTIONS = ["-Dagrona.disable.bounds.checks=true"]  # as its makers measure it
BUSY = 0.10  # share of the processors that others may use
TIMEOUT = 60  # of one run, seconds
MOVED = 1.5  # cores whose distance differs by this factor have moved
ATTEMPTS = 6  # at a figure during which the cores stay where they are, and at a round with all of its figures
WAIT_PAUSES = (0, 1000, 20000)  # microseconds
PATIENCE = 8  # seconds to wait for them where they mostly are
ROUNDS = 3  # of a bar
CLOSE = 5  # of a bar to which the figures are close: one JVM compiles the same program a little better than another


class Case:
    """One work with its parameters, measured in `repeats` rounds, in each by all of `impls`."""

    def __init__(
        self,
        work,
        form,
        size=64,
        depth=256,
        connections=1,
        repeats=1,
        impls=("c", "java"),
        bar=False,
        producers=1,
        pause=None,
    ):
        self.work, self.form, self.size, self.depth, self.connections = work, form, size, depth, connections
        self.producers, self.pause = producers, pause  # microseconds, of a thread that asks
        self.repeats, self.impls, self.bar = repeats, list(impls), bar

    def has_one_thread(self):
        """Whether the distance between the cores does not matter. A kernel on the DPA has a thread of its own."""
        return self.form == "one" and self.work != "msgq-rtt"

    def name(self):
        text = self.work
        if self.work == "idle":
            return f"idle {self.connections} connections"
        if self.work == "rpc":
            return (
                f"rpc {size_name(self.size)} {self.connections} caller{'s' if self.connections > 1 else ''} {self.form}"
            )
        if self.work in ("echo", "socket"):
            return f"{self.work} {size_name(self.size)} {self.form}"
        if self.pause is not None:
            return f"{self.work.replace('-', ' ')} pause {self.pause // 1000} ms {self.form}"
        if self.work in ("setup", "first", "allocation"):
            return text
        several = f" {self.producers} producers" if self.producers > 1 else ""
        return f"{text} {size_name(self.size)} depth {self.depth}{several} {self.form}"


def size_name(size):
    for unit, name in ((1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


def kernel_of(out):
    """The kernel on the DPA of msgq-rtt, where there is a DPACC."""
    return os.path.abspath(os.path.join(out, "dpa_kernel.so"))


def depth_for(size, depth):
    """Large messages: no more memory than a last-level cache's multiple."""
    return min(depth, 32) if size >= 65536 else depth


def dma_case(size, depth):
    """Copies by DMA; beside those of 1 MiB, a processor's own."""
    memcpy = ["memcpy"] if size == 1 << 20 else []
    return Case("dma", "one", size=size, depth=depth, repeats=ROUNDS, impls=["c", "java", *memcpy], bar=True)


def wait_cases():
    """One thread that asks, waits for the answer and pauses, beside the same over a Unix-domain socket."""
    return [
        Case(work, "processes", impls=["java", "unix"], pause=pause)
        for work in ("wait-call", "wait-socket", "wait-stream")
        for pause in WAIT_PAUSES
    ]


def cases_quick(peers):
    aeron, unix, ucx = (["aeron"], ["unix"], ["ucx"]) if peers else ([], [], [])
    both = ["c", "java"]
    bars = [
        Case("flat", "threads", repeats=CLOSE, impls=both + ["batched"] + aeron, bar=True),
        Case("flat", "processes", repeats=ROUNDS, impls=both + ["batched"] + aeron + ucx, bar=True),
        Case("flat-last", "threads", repeats=CLOSE, impls=both, bar=True),
        Case("flat-last", "processes", repeats=CLOSE, impls=both, bar=True),
        Case("packed", "threads", repeats=CLOSE, impls=both + aeron, bar=True),
        Case("packed", "processes", repeats=ROUNDS, impls=both + aeron, bar=True),
        Case("flat-rtt", "processes", depth=32, repeats=ROUNDS, impls=both + aeron + ucx, bar=True),
        Case("lines-rtt", "threads", depth=1, repeats=ROUNDS, impls=both, bar=True),
        Case("least-rtt", "threads", depth=32, repeats=ROUNDS, impls=["c"], bar=True),
        Case("fast", "threads", repeats=ROUNDS, impls=both, bar=True),
        Case("fast", "processes", size=1 << 20, depth=32, repeats=CLOSE, impls=both + ["memcpy"], bar=True),
        Case("control", "threads", repeats=ROUNDS, impls=both, bar=True),
        Case("control", "threads", size=4080, repeats=ROUNDS, impls=both, bar=True),
        Case("idle", "one", connections=1, repeats=2, bar=True),
        Case("idle", "one", connections=511, repeats=2, bar=True),
        Case("rpc", "processes", connections=1000, repeats=ROUNDS, impls=["java", "unix"], bar=True),
        Case("rpc", "processes", connections=1, repeats=ROUNDS, impls=["java", "unix"], bar=True),
        Case("echo", "processes", repeats=ROUNDS, impls=["java", "unix"], bar=True),
        *(
            Case("socket", "processes", size=size, repeats=ROUNDS, impls=["java", "unix"], bar=True)
            for size in SOCKET_SIZES
        ),
        Case("allocation", "one", impls=["jmh"]),
        *(dma_case(size, depth) for size, depth in DMA_BARS),
    ]
    bars += [
        Case("flat", "threads", size=size, depth=depth_for(size, 256), repeats=CLOSE, bar=True) for size in FLAT_SIZES
    ]
    more = [
        Case(work, "threads", size=size)
        for work in ("fast", "control")
        for size in (256, 1024, 4080)
        if not (work == "control" and size == 4080)
    ]
    more += [
        Case("fast", "processes"),
        Case("fast-rtt", "processes", depth=32),
        Case("fast", "processes", size=65536, depth=32),
        Case("ops", "one"),
        Case("setup", "one"),
        Case("first", "processes", repeats=ROUNDS, impls=both + ["aot", "unix"]),
    ]
    more += [Case("rpc", "processes", size=1 << 20, connections=callers, impls=["java", "unix"]) for callers in (1, 8)]
    more += wait_cases()
    more += [Case("msgq-rtt", "one", depth=32, impls=both), Case("fast-rtt", "threads", depth=32)]
    if peers:
        more += [Case("unix", "threads", impls=unix), Case("unix-rtt", "processes", impls=unix)]
    return bars + more


def merged(cases):
    """Each name once: the first of that name."""
    by_name = {}
    for case in cases:
        by_name.setdefault(case.name(), case)
    return list(by_name.values())


def cases_plotted(peers):
    """What the plots of docs/performance-figures.md show."""
    cases = []
    for form in ("threads", "processes"):
        for work, sizes in SIZES.items():
            cases += [Case(work, form, size=size, depth=depth_for(size, 256)) for size in sizes]
        cases += [Case("flat", form, size=size, depth=depth_for(size, 256)) for size in SIZES["fast"]]
    cases += [Case(work, "processes", depth=32) for work in ("fast-rtt", "flat-rtt", "control-rtt")]
    cases += [Case("idle", "one", connections=connections) for connections in CONNECTIONS]
    if peers:
        for size in SIZES["fast"]:
            cases += [
                Case(peer, form, size=size, impls=[peer])
                for peer in ("aeron", "unix")
                for form in ("threads", "processes")
            ]
            cases.append(Case("ucx", "processes", size=size, impls=["ucx"]))
        cases += [Case(f"{peer}-rtt", "processes", impls=[peer]) for peer in ("aeron", "unix")]
    return cases


def cases_full(peers):
    cases = cases_quick(peers) + cases_plotted(peers)
    add = cases.append
    for work, sizes in SIZES.items():
        for size in sizes:
            for form in ("threads", "processes", "one"):
                for depth in (256, 32, 1):
                    if form == "processes" and depth == 1:
                        continue  # that is ping-pong
                    add(Case(work, form, size=size, depth=depth_for(size, depth)))
    for size in [8, 16, 32, *SIZES["fast"]]:
        for form in ("threads", "processes", "one"):
            add(Case("flat", form, size=size, depth=depth_for(size, 256)))
    for producers in (2, 3, 4):
        for form in ("threads", "processes"):
            add(Case("flat", form, producers=producers))
    for size in (8, 16, 32, 128, 256, 1024):
        for form in ("threads", "processes"):
            add(Case("packed", form, size=size))
    for work in ("fast-rtt", "flat-rtt", "control-rtt"):
        for size in (64, 4080):
            for form in ("threads", "processes"):
                add(Case(work, form, size=size, depth=32))
    cases += [dma_case(size, depth) for size in DMA_SIZES for depth in (1, 32)]
    if peers:
        cases += [Case(f"{peer}-rtt", "threads", impls=[peer]) for peer in ("aeron", "unix")]
    return cases


def cases_between_machines():
    """What has a half on each machine."""
    cases = [
        Case(work, "processes", size=size, depth=depth_for(size, 256))
        for work, sizes in SIZES.items()
        for size in sizes
    ]
    return cases + [Case(work, "processes", size=64, depth=32) for work in ("fast-rtt", "control-rtt")]


class Runner:
    def __init__(self, options):
        self.o = options
        self.quick = options.quick
        self.results = []
        self.cached = None  # the file of first_from_cache, once it is there
        self.distances = []  # of the cores, ns, from the first look to the last
        self.moved = 0  # figures during which the cores moved
        self.failures = []
        self.number = 0
        self.round = 0

    def times(self, impl, bar=False):
        """Seconds of warm-up and of measurement."""
        seconds = 3.0 if bar and not self.quick else 1.0
        if impl in C_PROGRAMS:
            return (0.3 if self.quick else 0.5), seconds
        return 3.0, seconds  # what a JIT compiler needs; after 1.2 s it was not through

    def estimate(self, case):
        total = 0.0
        for impl in case.impls:
            warmup, seconds = self.times(impl, case.bar)
            if impl == "jmh":
                total += 13 if self.quick else 50
            elif case.work == "first":
                total += 1.5
            elif impl == "ucx":
                total += seconds + 1.5
            else:
                start = 0.1 if impl in C_PROGRAMS else JAVA_START * (1.5 if case.form == "processes" else 1)
                total += warmup + seconds + start + 0.2
        return total * case.repeats

    # ---- one run

    def spawn(self, command, env=None):
        """Runs a command and returns its stdout; what it wrote to stderr goes to the log."""
        log = open(os.path.join(self.o.out, "run.log"), "a")
        log.write("$ " + " ".join(c if len(c) < 200 else "…" for c in command) + "\n")
        log.flush()
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
            env={**os.environ, **(env or {})},
        )
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
        warmup, seconds = self.times(impl, case.bar)
        form = self.o.side or case.form
        self.name = f"bench-{self.number}"
        return [
            work or case.work,
            "--form",
            form,
            "--size",
            str(case.size),
            "--depth",
            str(case.depth),
            "--warmup",
            str(warmup),
            "--seconds",
            str(seconds),
            "--connections",
            str(case.connections),
            "--producers",
            str(case.producers),
            "--name",
            self.name,
            "--dpu",
            self.o.dpu,
            "--function",
            self.o.function,
            *([] if case.pause is None else ["--pause", str(case.pause)]),
        ]

    def java(self, arguments, more=(), classpath=None):
        return [
            self.o.java,
            "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            *(["-Xms256m"] if arguments[0].startswith("first") else HEAP_OPTIONS),
            f"-Dcomch4j.library={self.o.java_library}",
            f"-Dcomch4j.bench.kernel={kernel_of(self.o.out)}",
            f"-Dcomch4j.bench.lines={os.path.join(os.path.dirname(os.path.abspath(self.o.c)), 'libbench_lines.so')}",
            *AERON_OPTIONS,
            *more,
            "-cp",
            classpath or self.o.classpath,
            "io.github.comch4j.bench.Bench",
            *arguments,
        ]

    def run(self, case, impl):
        self.number += 1
        if impl == "c":
            more = ["--kernel", kernel_of(self.o.out)] if case.work == "msgq-rtt" else []
            out = self.spawn([self.o.c, *self.arguments(case, impl, C_WORKS.get(case.work)), *more])
        elif impl in ("batched", "memcpy"):
            out = self.spawn([self.o.c, *self.arguments(case, impl, impl)])
        elif impl == "java":
            out = self.spawn(self.java(self.arguments(case, impl)))
        elif impl == "aot":
            out = self.first_from_cache(case)
        elif impl in ("aeron", "unix"):
            work = (
                "wait-unix"
                if case.pause is not None
                else case.work + "-unix"
                if case.work in ("rpc", "echo", "socket", "first")
                else impl + ("-rtt" if case.work.endswith("-rtt") else "")
            )
            out = self.spawn(self.java(self.arguments(case, impl, work)))
        elif impl == "ucx":
            out = self.ucx(case)
        else:
            out = self.jmh()
        rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        for row in rows:
            if impl not in ("c", "java"):
                row["impl"] = impl
            if impl == "c" and case.work in C_WORKS:
                row["work"] = case.work + ("-sender" if row["work"].endswith("-sender") else "")
            row["case"] = case.name()
        return rows

    def first_from_cache(self, case):
        """The first message of a JVM with a cache of classes and linked code, of a run like it; from JDK 25 on."""
        arguments = self.arguments(case, "aot")
        jars = self.jars()
        cache = os.path.abspath(os.path.join(self.o.out, "first.aot"))
        if self.cached != cache:
            self.spawn(self.java(arguments, [f"-Dcomch4j.bench.child=-XX:AOTCacheOutput={cache}"], jars))
            self.cached = cache
        return self.spawn(self.java(arguments, [f"-Dcomch4j.bench.child=-XX:AOTCache={cache}"], jars))

    def jars(self):
        """The class path with jars in the place of folders: a cache takes nothing from folders."""
        entries = []
        for number, entry in enumerate(self.o.classpath.split(os.pathsep)):
            if os.path.isdir(entry):
                jar = os.path.abspath(os.path.join(self.o.out, f"classes-{number}.jar"))
                if not self.cached:
                    program = os.path.join(os.path.dirname(self.o.java), "jar")
                    self.spawn([program, "--create", "--no-compress", "--file", jar, "-C", entry, "."])
                entry = jar
            entries.append(entry)
        return os.pathsep.join(entries)

    def ucx(self, case):
        """ucx_perftest over shared memory: tag_bw, or tag_lat for a ping-pong.

        It counts messages, so a short run tells how many.
        """
        latency = case.work.endswith("-rtt")
        few = 20_000 if latency else 100_000 if case.size <= 4096 else 2_000
        began = time.monotonic()
        self.perftest(case, latency, few)
        rate = few / max(time.monotonic() - began - 0.3, 0.01)  # connecting takes a moment
        last = self.perftest(case, latency, int(max(few, rate * self.times("ucx", case.bar)[1])))
        row = {"impl": "ucx", "work": case.work, "form": "processes", "size": case.size, "depth": 0}
        if latency:
            row.update(value=float(last[1]) * 1000, unit="ns/half", raw_p50=2 * float(last[1]) * 1000)
        else:
            row.update(value=float(last[7]), unit="msg/s", bytes_per_s=float(last[7]) * case.size)
        return json.dumps(row)

    def perftest(self, case, latency, count):
        """The last line: iterations, half round trip (median, average, overall, µs), MB/s twice, messages/s twice."""
        self.number += 1
        command = [
            "ucx_perftest",
            "-t",
            "tag_lat" if latency else "tag_bw",
            "-s",
            str(case.size),
            "-n",
            str(count),
            "-w",
            str(count // 10),
            "-f",
            "-v",
            "-p",
            str(20000 + self.number % 10000),
        ]
        env = {**os.environ, "UCX_TLS": "shm,self"}
        server = subprocess.Popen(bound(0) + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        try:
            time.sleep(0.2)
            done = subprocess.run(
                [*bound(1), command[0], "127.0.0.1", *command[1:]], env=env, capture_output=True, text=True, timeout=30
            )
            server.wait(timeout=10)
        finally:
            if server.poll() is None:
                server.kill()
                server.wait()
        figures = [
            line.split(",") for line in done.stdout.splitlines() if line and line[0].isdigit() and line.count(",") >= 7
        ]
        if done.returncode != 0 or not figures:
            raise RuntimeError("ucx_perftest failed: " + (done.stderr or done.stdout)[-200:])
        return figures[-1]

    def jmh(self):
        """Allocation of a message on either path."""
        report = os.path.join(self.o.out, "jmh.json")
        short = (
            ["-f", "1", "-wi", "3", "-i", "2", "-w", "1", "-r", "1"]
            if self.quick
            else ["-f", "2", "-wi", "5", "-i", "3", "-w", "1", "-r", "1"]
        )
        self.spawn(
            [
                self.o.java,
                "-cp",
                self.o.classpath,
                "org.openjdk.jmh.Main",
                "MessageBenchmark",
                "-p",
                "size=64",
                "-p",
                "depth=256",
                "-prof",
                "gc",
                "-rf",
                "json",
                "-rff",
                report,
                *short,
                "-jvmArgsAppend",
                f"-Dcomch4j.library={self.o.java_library}",
            ]
        )
        lines = []
        for result in json.load(open(report)):
            path = result["benchmark"].rsplit(".", 1)[1]
            lines.append(
                json.dumps(
                    {
                        "impl": "jmh",
                        "work": "allocation",
                        "form": "one",
                        "op": path,
                        "size": 64,
                        "depth": 256,
                        "value": result["secondaryMetrics"]["gc.alloc.rate.norm"]["score"],
                        "unit": "B/msg",
                        "ns": result["primaryMetric"]["score"],
                    }
                )
            )
        return "\n".join(lines)

    def look_at_cores(self, before=None):
        """How long a word needs from one core to another and back, ns, or None.

        A second look if it is not as before: others may have been at work.
        """
        looks = []
        try:
            while not looks or len(looks) == 1 and have_moved([before, *looks]):
                looks.append(json.loads(self.spawn([self.o.c, "cores", "--seconds", "0.05"]))["value"])
            self.distances.append(min(looks))
            return self.distances[-1]
        except (RuntimeError, ValueError, subprocess.TimeoutExpired, OSError):
            return None  # a figure less

    def await_cores(self, distance=None):
        """At that distance, or where they have been most of the time, if they come back there soon."""
        wanted = distance or (statistics.median_low(self.distances) if self.distances else None)
        deadline = time.monotonic() + PATIENCE
        while True:
            now = self.look_at_cores(wanted)
            if not have_moved([wanted, now]) or time.monotonic() > deadline:
                return now
            time.sleep(0.3)

    def attempt(self, case, impl):
        try:
            return self.run(case, impl)
        except (RuntimeError, subprocess.TimeoutExpired, OSError) as e:
            self.fail(f"{case.name()} ({impl}): {e}")
            return []

    def fail(self, what):
        self.failures.append(what)
        print("    failed:", what, flush=True)

    def measure(self, case, impl, distance):
        """The implementation's rows, and where the cores were then, or None: they do not stay at that distance.

        They are there when it begins.
        """
        for _ in range(ATTEMPTS):
            rows = self.attempt(case, impl)
            after = self.look_at_cores(distance)
            if not have_moved([distance, after]):
                return rows, after
            self.moved += 1
            if have_moved([distance, self.await_cores(distance)]):
                break
        return None

    def run_round(self, case):
        """Measures each of the case's implementations once.

        Virtual machines move their cores, and figures of different distances do not compare: then once more.
        """
        if case.has_one_thread():
            self.end_round([row for impl in case.impls for row in self.attempt(case, impl)], None)
            return
        for _ in range(ATTEMPTS):
            distance = self.await_cores()
            rows, distances = [], [distance]
            for impl in case.impls:
                measured = self.measure(case, impl, distance)
                if measured is None:
                    break
                rows += measured[0]
                distances.append(measured[1])
            else:
                known = [d for d in distances if d is not None]
                self.end_round(rows, statistics.median(known) if known else None)
                return
        self.fail(f"{case.name()}: the cores moved each time")

    def end_round(self, rows, distance):
        self.round += 1
        for row in rows:
            row["round"] = self.round
            row["cores_ns"] = distance
        self.results += rows

    # ---- all of them

    def run_all(self, cases):
        total = sum(map(self.estimate, cases))
        done = 0.0
        began = time.monotonic()
        print(
            f"{len(cases)} measurements, about {minutes(total)}; longer where a hypervisor moves the cores", flush=True
        )
        for index, case in enumerate(cases, 1):
            rest = (total - done) * (time.monotonic() - began) / done if done > 10 else total - done
            print(f"[{index}/{len(cases)}] {case.name()} ({', '.join(case.impls)}), {minutes(rest)} left", flush=True)
            for _ in range(case.repeats):  # in turns: what disturbs one disturbs the others
                self.run_round(case)
            done += self.estimate(case)


def bound(side):
    """What binds a command to the processor of that side, as the C and Java programs bind themselves."""
    processors = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(processors[side])] if len(processors) > 1 and shutil.which("taskset") else []


def have_moved(distances):
    known = [d for d in distances if d is not None]
    return len(known) > 1 and max(known) > MOVED * min(known)


def minutes(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 0):.0f} s"


# ---- what came out


def distances_of(rows):
    """Those that are known."""
    return [row["cores_ns"] for row in rows if row.get("cores_ns")]


def by_distance(rows):
    """Rows in groups by the distance of the cores, the largest group first: [(distance, rows)]."""
    groups = []
    for row in sorted(rows, key=lambda r: r.get("cores_ns") or 0):
        distance = row.get("cores_ns")
        if groups and not have_moved([groups[-1][-1].get("cores_ns"), distance]):
            groups[-1].append(row)
        else:
            groups.append([row])

    def distance_of(group):
        known = distances_of(group)
        return statistics.median(known) if known else None

    return [(distance_of(group), group) for group in sorted(groups, key=len, reverse=True)]


class Figures:
    def __init__(self, results):
        self.results = results

    def median(self, impl, work, form, field="value", **more):
        wanted = {"impl": impl, "work": work, "form": form, **more}
        values = [
            r[field]
            for r in self.results
            if r.get("producers", 1) == 1 and all(r.get(k) == v for k, v in wanted.items())
        ]
        return statistics.median(values) if values else None

    def compare(self, impl, other, how, case, field="value"):
        """The median over the rounds of a case, of what `how` makes of both figures of a round.

        [(distance, median)], the most frequent distance first.
        """
        rows = {
            who: {
                r["round"]: r
                for r in self.results
                if r["impl"] == who and r["case"] == case and not r["work"].endswith("-sender")
            }
            for who in (impl, other)
        }
        both = [
            {"cores_ns": r["cores_ns"], "value": how(r[field], rows[other][number][field])}
            for number, r in rows[impl].items()
            if number in rows[other]
        ]
        return [(distance, statistics.median(r["value"] for r in group)) for distance, group in by_distance(both)]


def bars(figures):
    """The bars of the design: what, measured, its limit, whether it holds (None: not measured)."""
    list_ = []

    def bar(what, values, sense, limit, unit="x"):
        """`values`: [(distance, value)]. It holds when it does so at each distance that was met.

        No limit: it is only said.
        """
        each = [
            {"cores_ns": d, "value": v, "holds": None if limit is None else v >= limit if sense == ">=" else v <= limit}
            for d, v in values
            if v is not None
        ]
        list_.append(
            {
                "bar": what,
                "value": each[0]["value"] if each else None,
                "sense": sense,
                "limit": limit,
                "unit": unit,
                "holds": all(e["holds"] for e in each) if each and limit is not None else None,
                "at": each,
            }
        )

    def ratio(a, b):
        return None if a is None or not b else a / b

    def compare(impl, other, case, how=ratio, **more):
        return figures.compare(impl, other, how, case.name(), **more)

    for form in ("threads", "processes"):
        flat, last, packed = Case("flat", form), Case("flat-last", form), Case("packed", form)
        bar(f"flat 64 B, each slot in its turn, two {form}: Java / C", compare("java", "c", flat), ">=", 0.85)
        bar(f"flat 64 B, slots still in the caches, two {form}: Java / C", compare("java", "c", last), ">=", 0.85)
        bar(f"packed 64 B, two {form}: Java / C", compare("java", "c", packed), ">=", 0.90)
        bar(f"packed 64 B, two {form}: Java / Aeron IPC", compare("java", "aeron", packed), ">=", 1.3)
        bar(f"flat 64 B, two {form}: Java / Aeron IPC", compare("java", "aeron", flat), ">=", None)
        bar(f"flat 64 B, two {form}: C by way of the batch library / C", compare("batched", "c", flat), ">=", None)
    bar(
        "flat 64 B, each slot in its turn, two processes: Java / UCX tag_bw",
        compare("java", "ucx", Case("flat", "processes")),
        ">=",
        2.0,
    )
    bar("flat 64 B, two processes: C / UCX tag_bw", compare("c", "ucx", Case("flat", "processes")), ">=", None)
    ping = Case("flat-rtt", "processes", depth=32)
    bar("half a round trip, 64 B, two processes: Java / UCX tag_lat", compare("java", "ucx", ping), "<=", 0.85)
    bar("half a round trip, 64 B, two processes: Java / Aeron IPC", compare("java", "aeron", ping), "<=", 1.05)
    bar(
        "half a round trip, 64 B, two processes: Java - C",
        compare("java", "c", ping, lambda a, b: a - b),
        "<=",
        40,
        "ns",
    )
    bar("half a round trip, 64 B, two processes: C / Aeron IPC", compare("c", "aeron", ping), "<=", 0.9)
    for size in FLAT_SIZES:
        bar(
            f"flat {size_name(size)}, two threads: Java / C",
            compare("java", "c", Case("flat", "threads", size=size, depth=depth_for(size, 256))),
            ">=",
            0.90,
        )
    bar("buffers 64 B, two threads: Java / C", compare("java", "c", Case("fast", "threads")), ">=", None)
    bar(
        "buffers 1 MiB, two processes: Java / memcpy, bytes/s",
        compare("java", "memcpy", Case("fast", "processes", size=1 << 20, depth=32), field="bytes_per_s"),
        ">=",
        0.85,
    )
    for size, depth in DMA_BARS:
        dma, flight = dma_case(size, depth), "one in flight" if depth == 1 else f"{depth} in flight"
        bar(f"DMA {size_name(size)}, {flight}: Java / C", compare("java", "c", dma), ">=", 0.90)
        if "memcpy" in dma.impls:
            bar(f"DMA {size_name(size)}, {flight}: Java / memcpy", compare("java", "memcpy", dma), ">=", 0.90)
    for size in (64, 4080):
        bar(
            f"control {size} B, two threads: Java / C",
            compare("java", "c", Case("control", "threads", size=size)),
            ">=",
            0.90,
        )
    bar(
        "calls of 1000 callers, two processes: Java / Unix-domain socket",
        compare("java", "unix", Case("rpc", "processes", connections=1000)),
        ">=",
        1.5,
    )
    bar(
        "one caller, median of a call: Java / Unix-domain socket",
        compare("java", "unix", Case("rpc", "processes", connections=1)),
        "<=",
        1.0,
    )
    bar(
        "echo of an endpoint's blocking receives, median: Java / Unix-domain socket",
        compare("java", "unix", Case("echo", "processes")),
        "<=",
        1.0,
    )
    for case in wait_cases():
        # A socket of java.net has a loop of Netty's between it and the engine.
        limit = 3.0 if case.work == "wait-stream" else 1.5 if case.pause else 0.5 if case.work == "wait-call" else 1.0
        what = f"{case.work.replace('-', ' ')}, pause of {case.pause // 1000} ms"
        bar(f"{what}, median: Java / Unix-domain socket", compare("java", "unix", case), "<=", limit)
        bar(
            f"{what}, processor time: Java / Unix-domain socket",
            compare("java", "unix", case, field="processor"),
            "<=",
            2.0,
        )
    for size in SOCKET_SIZES:
        bar(
            f"sockets, blocking sends of one thread, {size_name(size)}: Java / Unix-domain socket",
            compare("java", "unix", Case("socket", "processes", size=size)),
            ">=",
            1.0,
        )
    f = figures.median
    # What the two threads themselves count after the warm-up, which is not all of it when a compiler is late: an
    # object of 16 bytes in one of 160 messages would be more. JMH, in the table, adds what its harness allocates.
    for path in ("fast", "flat", "packed", "control"):
        ends = [
            f("java", work, "threads", field="allocated_per_msg", size=64, depth=256)
            for work in (path, f"{path}-sender")
        ]
        bar(
            f"heap allocation, {path}, the busier thread",
            [] if None in ends else [(None, max(ends))],
            "<=",
            0.1,
            "B/msg",
        )
    for impl, name in (("c", "C"), ("java", "Java")):
        bar(
            f"progress with 511 idle connections / with 1, {name}",
            [(None, ratio(f(impl, "idle", "one", connections=511), f(impl, "idle", "one", connections=1)))],
            "<=",
            1.5,
        )
    return list_


def amount(value, unit):
    if value is None:
        return "-"
    if unit in ("msg/s", "connections/s", "calls/s"):
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
        name = row["case"] + (f" {row['op']}" if row.get("op") else "")
        again = figures_again(results, row["case"])
        rows = [
            r
            for r in results
            if r["case"] == row["case"] and r.get("op") == row.get("op") and not r["work"].endswith("-sender")
        ]
        for distance, group in by_distance(rows):
            cells = {}
            for impl in ("c", "java", "batched", "aot", "aeron", "unix", "ucx", "memcpy", "jmh"):
                values = [r["value"] for r in group if r["impl"] == impl]
                if values:
                    cells[impl] = statistics.median(values)
            ratio = f"{cells['java'] / cells['c']:.2f}" if cells.get("c") and cells.get("java") else ""
            others = ", ".join(
                f"{impl} {amount(v, row['unit'])}" for impl, v in cells.items() if impl not in ("c", "java")
            )
            lines.append(
                (
                    name,
                    "" if distance is None else f"{distance:.0f} ns",
                    amount(cells.get("c"), row["unit"]),
                    amount(cells.get("java"), row["unit"]),
                    ratio,
                    others,
                    again,
                )
            )
    width = max([len(line[0]) for line in lines], default=10)
    print(f"\n{'':{width}}  {'cores':>6}  {'C':>11}  {'Java':>11}  Java/C  refused/msg C, Java; others")
    for name, cores, c, java, ratio, others, again in lines:
        print(
            f"{name:{width}}  {cores:>6}  {c:>11}  {java:>11}  {ratio:>6}  {'; '.join(x for x in (again, others) if x)}"
        )
    return figures


def figures_again(results, case):
    parts = []
    for impl in ("c", "java"):
        values = [
            r["value"] for r in results if r["impl"] == impl and r["case"] == case and r["work"].endswith("-sender")
        ]
        if values:
            parts.append(f"{statistics.median(values):.2g}")
    return ", ".join(parts)


def print_distances(runner):
    if runner.distances:
        print(
            f"\ncores: how long a word needs between them and back, {min(runner.distances):.0f} to"
            f" {max(runner.distances):.0f} ns. Lines of different distances do not compare. {runner.moved} figures"
            " during which they moved were discarded."
        )


def print_bars(list_, others):
    width = max(len(b["bar"]) for b in list_)
    print("\nbars (medians of this run)")
    if others > BUSY:
        # Ours yields when it waits in vain, UCX does not: shared processors distort the ratios, too.
        print(f"  NO VERDICTS: others used {others:.0%} of the processors. Run it again on an idle machine.")
    for b in list_:
        for each in b["at"] or [{"value": None, "holds": None, "cores_ns": None}]:
            verdict = {
                True: "holds",
                False: "DOES NOT HOLD",
                None: "not measured" if each["value"] is None else "only said",
            }[each["holds"]]
            if others > BUSY and each["holds"] is not None:
                b["holds"] = each["holds"] = None
                verdict = "void"
            value = "-" if each["value"] is None else f"{each['value']:.2f}"
            cores = "" if each["cores_ns"] is None else f"{each['cores_ns']:.0f} ns"
            limit = "" if b["limit"] is None else f"{'≥' if b['sense'] == '>=' else '≤'} {b['limit']:g}"
            print(f"  {b['bar']:{width}}  {cores:>6}  {value:>8} {b['unit']:<5}  {limit:<7}  {verdict}")


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
    parser.add_argument("--plot", action="store_true")
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
        cases = merged(cases + (cases_plotted(options.peers) if options.plot else []))
    cases = [case for case in cases if options.only in case.name()]
    if options.out and not os.path.exists(kernel_of(options.out)):
        cases = [case for case in cases if case.work != "msgq-rtt"]
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
    try:
        runner.run_all(cases)
    except KeyboardInterrupt:
        runner.fail("interrupted: what follows is of the rounds before")
    others = max(others, busy())
    figures = table(runner.results)
    list_ = bars(figures)
    print_distances(runner)
    if not options.side:
        print_bars(list_, others)
    with open(os.path.join(options.out, "results.json"), "w") as file:
        json.dump(
            {
                "machine": machine(),
                "busy_with_others": others,
                "quick": options.quick,
                "date": time.strftime("%Y-%m-%d"),
                "cores_ns": runner.distances,
                "figures_discarded": runner.moved,
                "bars": list_,
                "failures": runner.failures,
                "results": runner.results,
            },
            file,
            indent=1,
        )
    for failure in runner.failures:
        print("failed:", failure)
    print(f"\nwritten: {os.path.relpath(options.out)}/results.json")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
