#!/usr/bin/env bash
# Build and run the benchmarks: C and Java in turn on the same libraries. Prints a table with ratios, and for each
# performance bar of the project whether it holds. Results: target/bench/results.json; logs beside it.
#
#   scripts/bench.sh --quick   the bars and the most important figures, in 15 minutes (longer if a hypervisor moves
#                              the cores)
#   scripts/bench.sh           everything; first prints how long it takes
#
#   --peers            also Aeron IPC, Unix-domain sockets, and UCX shared memory if ucx_perftest is installed; then
#                      comch relay beside two socat processes, if socat and Redis are installed
#   --library WHICH    emulated (default, built now), system (the DOCA SDK), or a folder with the libraries
#   --side SIDE        server or client: one half of each measurement that works between two machines, on the DPU and
#                      on the host; start both with the same other options
#   --dpu ADDRESS      the DPU's device (default 0000:03:00.0)
#   --function ADDRESS the host's function (default 0000:b1:00.0)
#   --only TEXT        only measurements whose name contains TEXT, e.g. "fast 64"
#   --list             list the measurements, and how long they take
#   --plot             also measure what the plots of docs/performance-figures.md show, and draw them
#                      (scripts/dev/bench-plot.py)
#   -h, --help         print this text
#
# Ctrl-C stops and prints the table of what has been measured so far.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/dev/lib/tools.sh"

library=emulated plot= listing= relay=
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) usage; exit 0 ;;
    --library)
      option_value "$1" $#
      library=$2
      case $2 in
        emulated|system) ;;
        *) library=$(cd -- "$2" 2>/dev/null && pwd) || die "no such folder: $2" ;;
      esac
      shift ;;
    --plot) plot=yes; arguments+=("$1") ;;
    --list) listing=yes; arguments+=("$1") ;;
    --quick) arguments+=("$1") ;;
    --peers) relay=${relay:-yes}; arguments+=("$1") ;;
    --only) option_value "$1" $#; relay=no; arguments+=("$1" "$2"); shift ;;
    --side|--dpu|--function) option_value "$1" $#; arguments+=("$1" "$2"); shift ;;
    *) die "no such option: $1 (see --help)" ;;
  esac
  shift
done
cd "$COMCH4J_ROOT"
need python3
if [ -n "$listing" ]; then
  exec python3 scripts/dev/lib/bench.py "${arguments[@]}"
fi
need jdk mvn cmake cc make
command -v pkg-config >/dev/null 2>&1 || die "pkg-config is missing: apt-get install pkg-config"

out=$COMCH4J_ROOT/target/bench
mkdir -p "$out"
log=$out/build.log

# quietly COMMAND...: shows its output only when it fails.
quietly() {
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; die "the build failed: see $log"; }
}

say "building"
case $library in
  emulated)
    quietly scripts/install-emulator.sh "$out/sdk"
    folder=$out/sdk/lib java_library=$out/sdk/lib
    export PKG_CONFIG_PATH=$out/sdk/lib/pkgconfig ;;
  system)
    folder= java_library=system
    for pkg in /opt/mellanox/doca/lib/*/pkgconfig /opt/mellanox/doca/lib64/pkgconfig; do
      [ ! -d "$pkg" ] || export PKG_CONFIG_PATH=$pkg${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    done ;;
  *)
    folder=$library java_library=$library
    export PKG_CONFIG_PATH=$folder/pkgconfig ;;
esac
# The kernel of the round trips over MsgQ; without DPACC there are none.
dpacc=$(command -v dpacc || true)
[ "$library" != emulated ] || dpacc=$out/sdk/bin/dpacc
rm -f "$out/dpa_kernel.so"
kernel=src/main/resources/io/github/comch4j/cli/perf/kernel.c
[ -z "$dpacc" ] || quietly "$dpacc" "$kernel" -o "$out/dpa_kernel.so" --app-name=bench_kernel -O2
quietly cmake -S src/jmh/c -B "$out/c" -DCMAKE_BUILD_TYPE=Release
quietly cmake --build "$out/c" --parallel "$(nproc)"
quietly maven -q -Pjmh -Dmaven.compiler.failOnWarning=false test-compile dependency:build-classpath \
  -Dmdep.outputFile="$out/classpath" -Dmdep.includeScope=test

own_fabric bench
trap 'rm -rf "$DOCA_EMU_DIR"' EXIT
[ -z "$folder" ] || export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# What was measured is drawn also when a measurement failed.
status=0
rm -f "$out/results.json"
classpath=$COMCH4J_ROOT/target/classes:$COMCH4J_ROOT/target/test-classes:$(cat "$out/classpath")
python3 scripts/dev/lib/bench.py "${arguments[@]}" --out "$out" --c "$out/c/bench" --java "$JDK/bin/java" \
  --classpath "$classpath" \
  --java-library "$java_library" || status=$?
[ -z "$plot" ] || [ ! -e "$out/results.json" ] || python3 scripts/dev/bench-plot.py "$out/results.json" docs/images
if [ "$relay" = yes ] && [ $library = emulated ]; then
  COMCH4J_CLASSPATH=$classpath scripts/dev/relay.sh speed streams || status=$?
fi
exit $status
