#!/usr/bin/env bash
# Run the tests that need no card on the DOCA libraries in a folder:
#
#   scripts/dev/sdk.sh FOLDER
#
# These are the probe of DOCA's functions, compared with the recorded answers of NVIDIA's libraries if they are those of
# 2.5.0108; `comch info`; and the Java tests of Core, except those that need a device. Without such a folder the script
# reports that and ends. If sourced, it defines the function sdk, for scripts/test.sh.
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"

# Those that call DOCA and make objects without a device; DevicesTest is about the emulated ones.
sdk_java_tests=(core/MemoryTest core/ProgressEngineTest core/BackOffTest core/BufferPoolTest core/EventLoopTest
  core/DocaLogTest core/PciAddressTest core/AfterCloseTest DocaErrorTest FeaturesTest
  internal/call/CallsTest internal/call/LogCallsTest internal/call/LoggedErrorsTest internal/call/PagesTest
  internal/life/LeaksTest internal/life/ResourceTest internal/life/SleepLimitTest internal/load/SymbolsTest
  internal/load/GenerationsTest 'internal/transport/*Test')

# sdk_probe FOLDER: the probe, on the table of the release that the folder has.
sdk_probe() {
  local folder=$1 build=$COMCH4J_ROOT/target/c-plain abi=$COMCH4J_ROOT/src/test/abi table=3.0 version answers
  cmake -S "$COMCH4J_ROOT/src/main/c" -B "$build" -DCOMCH4J_TESTS=ON >/dev/null &&
    cmake --build "$build" --target probe --parallel "$(nproc)" >/dev/null || return
  if [ ! -e "$folder/libdoca_comch.so.2" ]; then
    table=2.6
    ! nm -D "$folder/libdoca_cc.so.2" | grep -qw doca_cc_cap_is_consumer_supported || table=2.5
  fi
  answers=$("$build/bin/probe" "$abi/doca-$table.tsv" "$folder" "$COMCH4J_ROOT"/src/test/c/probe/*.calls 2>&1) || return
  awk -F '\t' '$3 ~ /^(signal|hangs)/ || $4 ~ /signal|hangs/ { ends++ } $3 == "absent" { absent++ }
    $3 == "no device" { device++ }
    END { printf "%d answers; %d ends of a process, %d functions absent, %d cases need a device\n",
      NR, ends, absent, device }' <<<"$answers"
  version=$(sdk_comch "$folder" info | sed -n 's/^DOCA: *//p')
  [ "$version" != 2.5.0108 ] ||
    python3 "$abi/behaviour.py" --probe "$build/bin/probe" --library "$folder" --observed
}

# sdk_comch FOLDER ARGUMENT...: the command line on these libraries.
sdk_comch() {
  local folder=$1 target=$COMCH4J_ROOT/target
  shift
  "$JDK/bin/java" --enable-native-access=ALL-UNNAMED -cp "$target/classes:$target/tool/lib/*" \
    -Dcomch4j.library="$folder" io.github.comch4j.cli.Comch "$@"
}

# sdk_java FOLDER REPORTS: what needs a device there fails for the want of it, and is left out.
sdk_java() {
  local folder=$1 reports=$2 tests
  rm -rf "$reports"
  tests=$(IFS=,; printf '%s' "${sdk_java_tests[*]/#/io/github/comch4j/}")
  maven ${COMCH4J_MAVEN_OPTIONS:-} test -Dtest="$tests" -Dunit.reports="$reports" -Dcomch4j.library="$folder" \
    -Dcomch4j.test.sdk=true -Djunit.jupiter.extensions.autodetection.enabled=true
}

# sdk FOLDER: all of it. The libraries may need others that are beside them.
sdk() {
  local folder reports=$COMCH4J_ROOT/target/sdk-reports status=0
  if [ -z "${1:-}" ] || ! folder=$(cd -- "$1" 2>/dev/null && pwd) || [ ! -e "$folder/libdoca_common.so.2" ]; then
    say "skipped: no DOCA libraries in ${1:-any folder}"
    return 0
  fi
  export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  mkdir -p "$COMCH4J_ROOT/target/logs"
  say "Java:"
  sdk_java "$folder" "$reports" >"$COMCH4J_ROOT/target/logs/sdk.log" 2>&1 || status=1
  "$COMCH4J_ROOT/scripts/dev/lib/counts.py" "$reports"/TEST-*.xml || status=1
  [ "$status" -eq 0 ] || tail -n 40 "$COMCH4J_ROOT/target/logs/sdk.log"
  say "comch info:"
  sdk_comch "$folder" info || status=1
  say "The probe:"
  sdk_probe "$folder" || status=1
  return "$status"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  case ${1:-} in
    -h|--help) usage; exit 0 ;;
    -*) die "no such option: $1 (--help lists them)" ;;
  esac
  no_more "${@:2}"
  need jdk mvn cmake cc make cmocka python3
  own_fabric sdk
  trap 'rm -rf "$DOCA_EMU_DIR"' EXIT
  sdk "${1:-}"
fi
