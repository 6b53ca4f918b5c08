#!/usr/bin/env bash
# Run the fuzzers: one plays the peer of a server or client, one the peer of an endpoint; the others are for topology
# files, exported memory, and messages of records. Needs clang. New inputs are kept in target/c-fuzz/corpus. A finding
# ends the run, and its input is in target/c-fuzz.
#
#   scripts/dev/fuzz.sh [SECONDS [NAME]]   run each fuzzer, or only NAME, for SECONDS (600)
#   scripts/dev/fuzz.sh --minimise         copy what target/c-fuzz/corpus adds to the coverage to
#                                          src/test/c/fuzz/corpus
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
cd "$COMCH4J_ROOT"

minimise='' words=()
while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) usage; exit 0 ;;
    --minimise) minimise=yes ;;
    --*) die "no such option: $1 (--help lists them)" ;;
    *) words+=("$1") ;;
  esac
  shift
done
[ -z "$minimise" ] || no_more "${words[@]}"
no_more "${words[@]:2}"
seconds=${words[0]:-600} only=${words[1]:-}
all=(peer channel topology descriptor records)
case $seconds in
  *[!0-9]*|0*) die "SECONDS must be a number above 0, not '$seconds' (--help tells more)" ;;
esac
if [ -n "$only" ] && [[ " ${all[*]} " != *" $only "* ]]; then
  die "no such fuzzer: $only (${all[*]})"
fi

need cmake make
find_fuzzing_clang || die "$fuzzing_clang_missing."

build=target/c-fuzz
corpus=src/test/c/fuzz/corpus
cmake -S src/main/c -B $build -DCMAKE_C_COMPILER="$FUZZING_CLANG" -DCOMCH4J_FUZZ=ON -DCOMCH4J_WERROR=ON >/dev/null
cmake --build $build --parallel "$(nproc)" \
  --target "${all[@]/#/fuzz_}" >/dev/null

if [ -n "$minimise" ]; then
  for name in "${all[@]}"; do
    rm -rf "$build/minimised" && mkdir -p "$build/minimised" "$build/corpus/$name"
    # Few and short rather than all: what each run starts with.
    "$build/bin/fuzz_$name" -merge=1 -use_counters=0 "$build/minimised" $corpus/$name "$build/corpus/$name"
    rm -rf "${corpus:?}/$name" && mv "$build/minimised" "$corpus/$name"
    say "$corpus/$name: $(find "$corpus/$name" -type f | wc -l) inputs"
  done
  exit 0
fi

for name in ${only:-${all[@]}}; do
  say "fuzz_$name for $seconds seconds"
  mkdir -p "$build/corpus/$name"
  "$build/bin/fuzz_$name" -max_total_time="$seconds" -timeout=30 -max_len=800 -print_final_stats=1 \
    -artifact_prefix="$build/$name-" "$build/corpus/$name" "$corpus/$name" 2>&1 | tee "$build/$name.log" \
    | grep -E --line-buffered 'pulse|ERROR|SUMMARY|does not hold|^stat::|Test unit written' || true
  if grep -qE 'ERROR: |SUMMARY: ' "$build/$name.log"; then
    die "a finding: see $build/$name.log"
  fi
done
