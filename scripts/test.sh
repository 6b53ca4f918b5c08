#!/usr/bin/env bash
# Build everything and run every test. Prints one line for each stage, what failed or was skipped, and at the end
# "N passed, N failed, N skipped". Exits 0 only if nothing failed. Logs: target/logs/.
#
#   scripts/test.sh              all stages
#   scripts/test.sh abi c java   only these: style, abi, c, aarch64, java, generations, jars, demo, site, containers,
#                                reliability, bench
#   scripts/test.sh --quick      a first check in at most five minutes on two cores: some tests in C and in Java, each
#                                shown as it runs
#   scripts/test.sh --setup      first install what is missing here, from the distribution; with any of the others;
#                                asks before, unless --yes (-y) is also given
#   scripts/test.sh sdk --library FOLDER
#                                the tests that need no card, on DOCA's own libraries (scripts/dev/sdk.sh)
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/dev/lib/tools.sh"

set_up=0 yes=0 for=all library='' stages=()
while [ $# -gt 0 ]; do
  case $1 in
    --setup) set_up=1 ;;
    -y|--yes) yes=1 ;;
    --quick) stages+=(quick) for=quick ;;
    --library) option_value "$1" $#; library=$2; shift ;;
    -h|--help) usage; exit 0 ;;
    style|abi|c|aarch64|java|generations|jars|demo|site|containers|reliability|bench|sdk) stages+=("$1") ;;
    -*) die "no such option: $1 (--help lists them)" ;;
    *)
      die "no such stage: $1" \
        "(style, abi, c, aarch64, java, generations, jars, demo, site, containers, reliability, bench)" ;;
  esac
  shift
done
[ $yes -eq 0 ] || [ $set_up -eq 1 ] || die "--yes goes with --setup"
[[ ${#stages[@]} -le 1 || " ${stages[*]} " != *" quick "* ]] || die "--quick is alone"
[[ ${#stages[@]} -le 1 || " ${stages[*]} " != *" sdk "* ]] || die "sdk is alone"
if [ "${stages[*]}" = sdk ]; then
  [ -n "$library" ] || die "sdk needs --library FOLDER"
  [ $set_up -eq 0 ] || die "--setup does not go with sdk"
  exec "$COMCH4J_ROOT/scripts/dev/sdk.sh" "$library"
fi
cd "$COMCH4J_ROOT" || exit 1
[ -z "$library" ] || die "--library goes with sdk"
[ ${#stages[@]} -gt 0 ] || stages=(style abi c aarch64 java generations jars demo site containers reliability bench)

if [ $set_up -eq 1 ]; then
  . scripts/dev/lib/setup.sh
  setup $for $yes
fi
need jdk mvn cmake cc c++ make cmocka python3
say "JDK $(jdk_release "$JDK") in $JDK; $(cmake --version | head -n 1); $CC $($CC -dumpversion)"

logs=$COMCH4J_ROOT/target/logs
mkdir -p "$logs"

own_fabric unit
unit_fabrics=$DOCA_EMU_DIR # of the JVMs of unit tests
own_fabric test
trap 'rm -rf "$DOCA_EMU_DIR" "$unit_fabrics"' EXIT

passed=0 failed=0 skipped=0
remarks=()
names=$logs/names.txt # of tests of Java: which ran, and which were left out
: >"$names"

# How many tests a stage has at least: fewer, and some were lost on the way.
declare -A floors=(
  ["C tests"]=500 ["C tests, address and UB sanitizers"]=500
  ["C tests, thread sanitizer"]=500 ["C tests, aarch64 in qemu-user"]=500
  ["Java: unit tests"]=1000 ["Java: two-process tests"]=120
  ["Java: tests on DOCA 2.5's functions"]=500 ["Java: tests on DOCA 2.6's functions"]=350
  ["Java: tests on a strict machine"]=150
  ["Java: tests on DOCA 2.7's functions"]=150 ["Java: two-process tests on DOCA 2.5's functions"]=6
)

# record NAME PASSED FAILED SKIPPED: add to the totals and print the stage's line.
record() {
  passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
  printf '%-36s %5d passed  %3d failed  %3d skipped  %4ds\n' "$1" "$2" "$3" "$4" $((SECONDS - began))
}

# show_log FILE: the end of a log, when a stage failed.
show_log() {
  printf -- '--- the end of %s\n' "${1#"$COMCH4J_ROOT"/}"
  tail -n 60 "$1" | sed 's/\x1b\[[0-9;]*m//g; s/^/    /'
  printf -- '---\n'
}

# check NAME COMMAND...: a stage that is one check. The last line that it prints is worth showing.
check() {
  local name=$1 log
  shift
  began=$SECONDS
  log=$logs/${name//[^A-Za-z0-9]/-}.log
  if "$@" >"$log" 2>&1; then
    record "$name" 1 0 0
    tail -n 1 "$log" | sed 's/\x1b\[[0-9;]*m//g; s/^/    /'
  else
    record "$name" 0 1 0
    remarks+=("failed: $name")
    show_log "$log"
  fi
}

# skip NAME WHY: a stage that cannot be run here.
skip() {
  began=$SECONDS
  record "$1" 0 0 1
  remarks+=("skipped: $1: $2")
}

# count NAME REPORT...: a stage with reports of its tests. Returns whether they exist and nothing in them failed.
count() {
  local name=$1 lines p=0 f=0 s=0 existing=() report
  shift
  for report in "$@"; do
    [ -f "$report" ] && existing+=("$report")
  done
  if [ ${#existing[@]} -gt 0 ] && lines=$(scripts/dev/lib/counts.py --names "$names" "${existing[@]}"); then
    read -r p f s <<<"$lines"
    while IFS= read -r line; do
      [ -z "$line" ] || remarks+=("${line%%:*}: $name:${line#*:}")
    done < <(tail -n +2 <<<"$lines")
  fi
  if [ $((p + f + s)) -eq 0 ]; then
    f=1
    remarks+=("failed: $name: no test ran")
  elif [ $((p + f + s)) -lt "${floors[$name]:-1}" ]; then
    f=$((f + 1))
    remarks+=("failed: $name: $((p + f + s - 1)) tests, of ${floors[$name]} at least")
  fi
  record "$name" "$p" "$f" "$s"
  [ "$f" -eq 0 ]
}

# c_tests NAME FOLDER SANITIZERS [OPTION...]: build the C part with its tests in target/FOLDER and run them, as many at
# a time as $programs says, or as there are processors.
c_tests() {
  local name=$1 build=target/$2 log=$logs/$2.log sanitizers=$3 status=0
  shift 3
  began=$SECONDS
  rm -rf "$build/tests.xml" "$build/Testing"
  [ ! -d "$build" ] || find "$build" -name '*.gcda' -delete
  {
    cmake -S src/main/c -B "$build" -DCOMCH4J_TESTS=ON -DCOMCH4J_WERROR=ON -DCOMCH4J_SANITIZE="$sanitizers" "$@" \
      && cmake --build "$build" --parallel "$(nproc)" \
      && ctest --test-dir "$build" --parallel "${programs:-$(nproc)}" -T Test --no-compress-output --output-on-failure \
           --no-tests=error --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
           --output-junit "$COMCH4J_ROOT/$build/tests.xml"
  } >"$log" 2>&1 || status=$?
  # The report of -T says how programs have ended.
  if count "$name" "$build/tests.xml" "$build"/Testing/*/Test.xml; then
    [ "$status" -eq 0 ] && return
    record "$name: ctest" 0 1 0
    remarks+=("failed: $name: ctest ended with $status")
  elif [ -f "$build/tests.xml" ]; then
    scripts/dev/lib/counts.py --output "$build/tests.xml" | sed 's/\x1b\[[0-9;]*m//g'
    return
  fi
  show_log "$log"
}

# Whether programs built with these sanitizers start here: the runtime may be missing, or the kernel's address-space
# layout too random.
sanitizer_works() {
  local probe=$logs/sanitizer-probe
  printf 'int main(void) { return 0; }\n' >"$probe.c"
  "$CC" -fsanitize="$1" "$probe.c" -o "$probe" >"$probe.log" 2>&1 && "$probe" >>"$probe.log" 2>&1
}

stage_abi() {
  local table=src/test/abi/doca-3.0.tsv only
  # By name: a header that is lost must fail here. doca_compat.h and doca_common_defines.h have no facts of their own.
  only=$(printf 'doca_%s.h,' buf buf_inventory buf_pool comch comch_consumer comch_msgq comch_producer compat ctx dev \
    error log mmap pe types version)
  only=${only%,}
  check "ABI: headers" python3 src/test/abi/check.py $table --headers headers --only "$only"
  check "ABI: headers of the DPA" headers_of_the_dpa
  check "ABI: headers, what is new since 3.1" headers_since_3_1
  check "ABI: headers of DMA and the parser" headers_of_neighbours
  check "ABI: each header alone, C and C++" bash src/test/abi/headers_alone.sh
  check "ABI: what headers bring with them" what_headers_bring
  check "ABI: each header of DPA programs alone" bash src/test/abi/headers_alone.sh headers/dpa
  check "ABI: build of the libraries" native_libraries
  check "ABI: exports" python3 src/test/abi/check.py $table --library target/native/lib/libdoca_common.so \
    --library target/native/lib/libdoca_comch.so --only "$only"
  check "ABI: version node of the exports" python3 src/test/abi/symbols.py --only-node DOCA_3.0 \
    --library target/native/lib/libdoca_common.so --library target/native/lib/libdoca_comch.so \
    --library target/native/lib/libdoca_dpa.so --library target/native/lib/libdoca_argp.so \
    --library target/native/lib/libdoca_dma.so
  check "ABI: exports of DMA and the parser" exports_of_neighbours target/native/lib
  check "ABI: exports for the DPA" exports_for_the_dpa target/native/lib
  check "ABI: exports, what is new since 3.1" python3 src/test/abi/check.py src/test/abi/doca-3.1-3.3.tsv \
    --library target/native/lib/libdoca_common.so --library target/native/lib/libdoca_dpa.so
  check "ABI: a program with all the headers, C and C++" sh src/test/abi/sdk_user.sh target/native/lib
  abi_of_older_releases
  check "SDK folders: what programs find there" sh src/test/abi/installed.sh
  check "Order of the emulator's folders" scripts/dev/lib/layers.py
  check "Guards, each with its test" scripts/dev/lib/guards.py check
  check "ABI: docs/functions.md" python3 src/test/abi/functions.py check
}

# What is of the device goes by the headers for it.
headers_since_3_1() {
  local table=src/test/abi/doca-3.1-3.3.tsv
  python3 src/test/abi/check.py $table --headers headers \
    --only doca_dev.h,doca_buf_inventory.h,doca_mmap.h,doca_clock.h,doca_mmap_advise.h \
    && python3 src/test/abi/check.py $table --headers headers/dpa --only doca_dpa_dev.h
}

what_headers_bring() {
  local brings="python3 src/test/abi/brings.py src/test/abi/brings.tsv"
  $brings --headers headers --folder . --whole \
    && $brings --headers headers/dpa --also headers --folder dpa --whole \
    && $brings --headers headers/2.5 --folder 2.5 \
    && $brings --headers headers/2.6 --folder 2.5
}

headers_of_neighbours() {
  python3 src/test/abi/check.py src/test/abi/doca-3.3-argp.tsv --headers headers \
    && python3 src/test/abi/check.py src/test/abi/doca-3.0-dma.tsv --headers headers
}

exports_of_neighbours() { # folder
  python3 src/test/abi/check.py src/test/abi/doca-3.3-argp.tsv --library "$1/libdoca_argp.so" \
    && python3 src/test/abi/check.py src/test/abi/doca-3.0-dma.tsv --library "$1/libdoca_dma.so"
}

# Of sync events and buffer arrays the table has what DPA programs need.
headers_of_the_dpa() {
  python3 src/test/abi/check.py src/test/abi/doca-3.0.tsv --headers headers --only doca_dpa.h \
    && python3 src/test/abi/check.py src/test/abi/doca-3.0-dpa-host.tsv --headers headers \
    && python3 src/test/abi/check.py src/test/abi/doca-3.0-dpa-dev.tsv --headers headers/dpa
}

exports_for_the_dpa() { # folder
  python3 src/test/abi/check.py src/test/abi/doca-3.0.tsv --library "$1/libdoca_dpa.so" --only doca_dpa.h \
    && python3 src/test/abi/check.py src/test/abi/doca-3.0-dpa-host.tsv --library "$1/libdoca_common.so" \
    && python3 src/test/abi/check.py src/test/abi/doca-3.0-dpa-dev.tsv \
      --library "$1/libdoca_dpa.so" --library "$1/libdoca_comch.so"
}

abi_of_older_releases() {
  local table=src/test/abi/doca-2.5.tsv lib=target/native/lib/2.5 core cc endpoints=doca_comm_channel.h
  local argp=doca_argp.h dma=doca_dma.h
  local newest=src/test/abi/doca-3.0.tsv lists=src/main/c/emulator/releases
  core=$(printf 'doca_%s.h,' buf buf_inventory buf_pool ctx dev error log mmap pe types version)
  core=${core%,}
  cc=doca_cc.h,doca_cc_consumer.h,doca_cc_producer.h
  check "ABI of 2.5: headers" python3 src/test/abi/check.py $table --headers headers/2.5 \
    --only "$core,$cc,$endpoints,$argp,$dma"
  check "ABI of 2.5: each header alone, C and C++" bash src/test/abi/headers_alone.sh headers/2.5
  check "ABI of 2.5: exports" exports_of_2 $table $lib
  check "ABI of 2.5: functions with another name" python3 src/test/abi/renamed.py \
    $lists/renamed-2.5.txt $lists/renamed-cc.txt $lists/renamed-cc-2.5.txt --older $table --since $newest
  table=src/test/abi/doca-2.6.tsv lib=target/native/lib/2.6
  check "ABI of 2.6: headers" python3 src/test/abi/check.py $table --headers headers/2.6 \
    --only "$core,$cc,$endpoints,$argp,$dma"
  check "ABI of 2.6: each header alone, C and C++" bash src/test/abi/headers_alone.sh headers/2.6
  check "ABI of 2.6: exports" exports_of_2 $table $lib
  check "ABI of 2.6: functions with another name" python3 src/test/abi/renamed.py \
    $lists/renamed-cc.txt $lists/renamed-cc-2.6.txt --older $table --since $newest
  # Comm Channel of 1.2, with what its programs use of the log.
  table=src/test/abi/comm-channel-1.2.tsv lib=target/native/lib/1.2
  check "ABI of 1.2: headers" python3 src/test/abi/check.py $table --headers headers/1.2
  check "ABI of 1.2: each header alone, C and C++" bash src/test/abi/headers_alone.sh headers/1.2
  check "ABI of 1.2: exports" python3 src/test/abi/symbols.py $table \
    --node experimental=EXPERIMENTAL --library "$lib/libdoca_comm_channel.so=$endpoints,doca_error.h,doca_log.h"
}

# exports_of_2 TABLE FOLDER: the libraries of DOCA 2.5 or 2.6, which have the same version nodes.
exports_of_2() {
  python3 src/test/abi/symbols.py "$1" --node stable=DOCA_2 --node experimental=EXPERIMENTAL \
    --library "$2/libdoca_common.so=$core" --library "$2/libdoca_cc.so=$cc" \
    --library "$2/libdoca_comm_channel.so=$endpoints" --library "$2/libdoca_argp.so=$argp" \
    --library "$2/libdoca_dma.so=$dma"
}

# As Maven builds them.
native_libraries() {
  cmake -S src/main/c -B target/native -DCMAKE_BUILD_TYPE=Release -DCOMCH4J_RELEASES=ON \
    && cmake --build target/native --parallel "$(nproc)"
}

# .clang-tidy says what is looked for.
clang_tidy() {
  cmake -S src/main/c -B target/c-tidy -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    && find src/main/c -name '*.c' -print0 | sort -z | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p target/c-tidy
}

stage_c() {
  if command -v clang-tidy >/dev/null 2>&1; then
    check "C: clang-tidy" clang_tidy
  else
    skip "C: clang-tidy" "clang-tidy is missing (apt-get install clang-tidy)"
  fi
  # The table of faults is whole here, a quarter of it in the others (COMCH4J_TEST_QUARTER). Here programs wait for more
  # than half of the time.
  local programs
  programs=$((2 * $(nproc)))
  if command -v gcov >/dev/null 2>&1 && [ "${CC##*/}" != clang ]; then
    c_tests "C tests" c-plain "" -DCOMCH4J_RELEASES=ON -DCOMCH4J_COVERAGE=ON
    check "C tests: coverage" scripts/dev/lib/coverage.py target/c-plain 90
  else
    c_tests "C tests" c-plain "" -DCOMCH4J_RELEASES=ON
    skip "C tests: coverage" "needs gcc and gcov"
  fi
  programs=$(nproc)
  COMCH4J_TEST_QUARTER=0 c_tests "C tests, permissive device" c-permissive "" -DCOMCH4J_PERMISSIVE=ON
  if sanitizer_works address,undefined; then
    COMCH4J_TEST_QUARTER=1 c_tests "C tests, address and UB sanitizers" c-asan address,undefined
  else
    check "C tests, address and UB sanitizers" \
      die "programs built with -fsanitize=address,undefined do not run here: on Fedora, dnf install libasan libubsan;" \
      "see target/logs/sanitizer-probe.log"
  fi
  if sanitizer_works thread; then
    COMCH4J_TEST_QUARTER=2 c_tests "C tests, thread sanitizer" c-tsan thread
  else
    skip "C tests, thread sanitizer" "programs built with -fsanitize=thread do not run here"
  fi
  if find_fuzzing_clang; then
    c_tests "C fuzzers, a short run" c-fuzz "" -DCMAKE_C_COMPILER="$FUZZING_CLANG" -DCOMCH4J_TESTS=OFF -DCOMCH4J_FUZZ=ON
  else
    skip "C fuzzers, a short run" "$fuzzing_clang_missing"
  fi
}

# For the DPU's Arm cores, as far as qemu-user goes. COMCH4J_CROSS_ROOT may name a folder with cmocka for aarch64,
# COMCH4J_CROSS_JAVA one with Java.
stage_aarch64() {
  local name="C tests, aarch64 in qemu-user" root=${COMCH4J_CROSS_ROOT:-$COMCH4J_ROOT/target/cmocka-aarch64} missing=''
  command -v qemu-aarch64-static >/dev/null 2>&1 ||
    missing="qemu-aarch64-static is missing (apt-get install qemu-user-static)"
  command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 ||
    missing="aarch64-linux-gnu-gcc is missing (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
  if [ -z "$missing" ] && ! scripts/dev/lib/cross-cmocka.sh "$root" >"$logs/cross-cmocka.log" 2>&1; then
    missing="no cmocka for aarch64: set COMCH4J_CROSS_ROOT to a folder with it"
  fi
  if [ -n "$missing" ]; then
    skip "$name" "$missing"
    return
  fi
  COMCH4J_TEST_LAUNCHER="qemu-aarch64-static -L /usr/aarch64-linux-gnu" c_tests "$name" c-aarch64 "" \
    -DCMAKE_TOOLCHAIN_FILE="$COMCH4J_ROOT/src/main/c/cmake/aarch64-linux-gnu.cmake" -DCOMCH4J_CROSS_ROOT="$root"
  name="Java smoke test, aarch64 in qemu-user" root=${COMCH4J_CROSS_JAVA:-$COMCH4J_ROOT/target/java-aarch64}
  if scripts/dev/lib/cross-java.sh "$root" >"$logs/cross-java.log" 2>&1; then
    check "$name" java_on_aarch64 "$root"
  else
    skip "$name" "no Java for aarch64 can be had: see target/logs/cross-java.log"
  fi
}

# Server and client in one process, in a Java for aarch64; it takes a minute or so, interpreted twice.
java_on_aarch64() {
  local root=$1 folder=$COMCH4J_ROOT/target/smoke-aarch64
  maven -q -Dmaven.test.skip=true compile || return 1
  mkdir -p "$folder/native/linux-aarch64"
  cp target/c-aarch64/lib/*.so "$folder/native/linux-aarch64/" || return 1
  "$JDK/bin/javac" --release 22 -cp target/classes -d "$folder" \
    src/test/java/io/github/comch4j/SmokeProgram.java || return 1
  COMCH4J_LIBRARY=emulated timeout 600 qemu-aarch64-static -L "$root" \
    "$root/usr/lib/jvm/java-25-openjdk-arm64/bin/java" -XX:+UseSerialGC \
    --enable-native-access=ALL-UNNAMED -cp "$folder:target/classes" io.github.comch4j.SmokeProgram
}

# Spotless reads the sources with the compiler of the JDK that Maven runs on.
java_style() {
  JAVA_HOME=$JDK maven -q spotless:check
}

c_style() {
  find src -name '*.[ch]' -print0 | sort -z | xargs -0 "$CLANG_FORMAT" --dry-run --Werror
}

# "JAVA_HOME=$JDK mvn spotless:apply" and "find src -name '*.[ch]' | xargs clang-format-14 -i" make it so.
stage_style() {
  check "Style: Java" java_style
  if find_clang_format; then
    check "Style: C" c_style
  else
    skip "Style: C" "clang-format 14 is missing (apt-get install clang-format-14)"
  fi
  check "Style: drawings of the manual" scripts/dev/drawings.py --check
  check "Style: width" scripts/dev/lib/width.py scripts src/main src/jmh \
    docs README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md
}

# maven_tests ARG...: Maven with two JVMs of unit tests beside each other (profile "forks"), each with a fabric of its
# own. Then Maven looks for tests in its own JVM, which must be as new as they are.
maven_tests() {
  JAVA_HOME=$JDK maven -Dtest.fabric="$unit_fabrics" "$@"
}

stage_java() {
  local status=0 tests=0 profiles=coverage,lint
  began=$SECONDS
  rm -rf target/surefire-reports target/failsafe-reports target/site/jacoco target/jacoco.exec
  # Compiled anew: what was compiled before, perhaps without lint, is not looked at again.
  rm -rf target/classes target/test-classes target/maven-status
  if [ "$(jdk_release "$JDK")" -gt $COMCH4J_JDK_LINTED ]; then
    profiles=coverage
    skip "Java: Error Prone" "not tried with a JDK newer than $COMCH4J_JDK_LINTED"
  fi
  maven_tests verify -P$profiles >"$logs/maven.log" 2>&1 || status=$?
  count "Java: unit tests" target/surefire-reports/TEST-*.xml || tests=1
  count "Java: two-process tests" target/failsafe-reports/TEST-*.xml || tests=1
  # What else Maven does: compile without warnings of javac and Error Prone, pack, check the Javadoc.
  if [ "$status" -eq 0 ]; then
    record "Java: build and Javadoc" 1 0 0
  elif [ "$tests" -eq 0 ]; then
    record "Java: build and Javadoc" 0 1 0
    remarks+=("failed: Java: build and Javadoc")
  fi
  [ $((status + tests)) -eq 0 ] || show_log "$logs/maven.log"
  # Without generated/; the tests' child processes count. No data where tests failed: Maven has stopped before.
  if [ -f target/site/jacoco/jacoco.xml ] || [ "$status" -eq 0 ]; then
    check "Java: coverage" scripts/dev/lib/java-coverage.py target/site/jacoco/jacoco.xml 90
  fi
}

# generation RELEASE TWO_PROCESS_TESTS TESTS...: these tests on libraries that have the functions of an older release
# only, and these two-process tests, or none.
generation() {
  local release=$1 its=$2 status=0 tests=0 goal=test
  local name="tests on DOCA $release's functions" reports=$COMCH4J_ROOT/target/generation-$release
  shift 2
  local unit=("${@/#/io/github/comch4j/}")
  began=$SECONDS
  rm -rf "$reports" "$reports-its"
  [ -z "$its" ] || goal=verify
  maven_tests $goal -Dcomch4j.library="$COMCH4J_ROOT/target/native/lib/$release" -Dunit.reports="$reports" \
    -Dtest="$(IFS=,; printf '%s' "${unit[*]}"),FeaturesTest" \
    -Dit.test="$its" -Dit.reports="$reports-its" -Dmaven.javadoc.skip=true -Dmaven.source.skip=true \
    >"$logs/generation-$release.log" 2>&1 || status=$?
  count "Java: $name" "$reports"/TEST-*.xml || tests=1
  if [ -n "$its" ] && [ "$tests" -eq 0 ]; then
    began=$SECONDS
    count "Java: two-process $name" "$reports-its"/TEST-*.xml || tests=1
  fi
  [ $((status + tests)) -gt 0 ] || return
  if [ "$tests" -eq 0 ]; then
    record "Java: $name: Maven" 0 1 0
    remarks+=("failed: Java: $name: Maven ended with $status")
  fi
  show_log "$logs/generation-$release.log"
}

# Those that call DOCA; above them nothing knows a function.
calling=({comch,core,dma,transfer,internal/{call,life,load,transport}}'/*Test')
behaviour=("${calling[@]}" {emulator,io,management,micrometer,rpc,channel}'/*Test')

# The endpoint API is in the libraries of 2.5, and not in those that other tests load.
stage_generations() {
  generation 2.5 'io/github/comch4j/channel/*IT' "${behaviour[@]}"
  generation 2.6 '' "${calling[@]}"
  # It differs from 3.0 by four names and two functions.
  generation 2.7 '' internal/{call,load}'/*Test' comch/{ControlPath,FastPath,ImmediateReceive}Test
  permissive
  strict
}

# The tests of Comch, and the samples in C, on a strict machine (docs/emulator.md): what rests on a favour of the
# emulation is found.
strict() {
  local name="Java: tests on a strict machine" status=0 tests=0 reports=$COMCH4J_ROOT/target/strict
  began=$SECONDS
  rm -rf "$reports" "$reports-its"
  DOCA_EMU_STRICT=1 maven_tests verify -Dunit.reports="$reports" -Dit.reports="$reports-its" \
    -Dtest='io/github/comch4j/comch/*Test' -Dit.test=SamplesInCIT \
    -Dmaven.javadoc.skip=true -Dmaven.source.skip=true >"$logs/strict.log" 2>&1 || status=$?
  count "$name" "$reports"/TEST-*.xml || tests=1
  count "Java: samples in C on a strict machine" "$reports-its"/TEST-*.xml || tests=1
  [ $((status + tests)) -gt 0 ] || return
  if [ "$tests" -eq 0 ]; then
    record "$name: Maven" 0 1 0
    remarks+=("failed: $name: Maven ended with $status")
  fi
  show_log "$logs/strict.log"
}

# On a device that ends the process where a real one does not look: who leans on its checks is found.
permissive() {
  local build=target/native-permissive name="Java: tests on the permissive device" status=0
  local reports=$COMCH4J_ROOT/target/permissive
  began=$SECONDS
  rm -rf "$reports"
  {
    cmake -S src/main/c -B $build -DCMAKE_BUILD_TYPE=Release -DCOMCH4J_PERMISSIVE=ON \
      && cmake --build $build --parallel "$(nproc)" \
      && maven_tests test -Dcomch4j.library="$COMCH4J_ROOT/$build/lib" -Dunit.reports="$reports" \
           -Dtest="$(printf 'io/github/comch4j/%s/*Test,' core comch dma dpa)EveryMethodIT"
  } >"$logs/permissive.log" 2>&1 || status=$?
  if count "$name" "$reports"/TEST-*.xml; then
    [ "$status" -eq 0 ] && return
    record "$name: Maven" 0 1 0
    remarks+=("failed: $name: Maven ended with $status")
  fi
  show_log "$logs/permissive.log"
}

stage_jars() {
  check "Jars: the same from two folders" scripts/dev/reproducible.sh
  local name="Jars: a release, and programs that use it" tool
  for tool in gpg aarch64-linux-gnu-gcc git; do
    if ! command -v $tool >/dev/null 2>&1; then
      skip "$name" "$tool is missing (scripts/test.sh --setup)"
      return
    fi
  done
  check "$name" scripts/dev/release-check.sh
}

stage_demo() {
  local file=$DOCA_EMU_DIR/demo.bin
  head -c 10000001 /dev/urandom >"$file"
  check "Demo: 10 MB in chunks of 64 KiB" scripts/demo.sh --chunk 64k "$file"
  rm -f "$file"
  check "Demo: a sample by its script" scripts/sample.sh filedrop
}

# from_npm NAME LOG COMMAND...: a check whose programs come from npm, and may be missing.
from_npm() {
  local name=$1 log=$logs/$2
  shift 2
  began=$SECONDS
  if ! "$@" >"$log" 2>&1; then
    record "$name" 0 1 0
    remarks+=("failed: $name")
    show_log "$log"
  elif grep -q '^skipped: ' "$log"; then
    skip "$name" "$(sed -n 's/^skipped: //p' "$log")"
  else
    record "$name" 1 0 0
    printf '    %s\n' "$(tail -n 1 "$log")"
  fi
}

stage_site() {
  from_npm "Prose of the manual and the Javadoc" prose.log scripts/dev/prose.sh
  from_npm "Site of the manual" site.log scripts/dev/site.sh --check --no-javadoc
}

# it_group NAME GROUP OPTION...: the integration tests that bear this tag.
it_group() {
  local name=$1 group=$2 status=0
  shift 2
  began=$SECONDS
  rm -rf "target/$group-reports"
  maven verify -Dunit.skip=true -Dmaven.javadoc.skip=true -Dmaven.source.skip=true -Dgroups="$group" -DexcludedGroups= \
    -Dit.reports="$COMCH4J_ROOT/target/$group-reports" "$@" >"$logs/$group.log" 2>&1 || status=$?
  if count "$name" "target/$group-reports"/TEST-*.xml; then
    [ "$status" -eq 0 ] && return
    record "$name: Maven" 0 1 0
    remarks+=("failed: $name: Maven ended with $status")
  fi
  show_log "$logs/$group.log"
}

# find_containers STAGE: where the container engine is; fails where there must be one and is none.
find_containers() {
  local engine
  if engine=$(scripts/dev/container-engine.sh 2>"$logs/container-engine.log"); then
    eval "$engine"
    return
  fi
  began=$SECONDS
  record "$1" 0 1 0
  remarks+=("failed: $1: $(<"$logs/container-engine.log")")
  return 1
}

stage_containers() {
  find_containers "Java and C in containers" || return
  it_group "Java and C in containers" containers
}

# A hundred rounds of kills, a short load and a short soak; scripts/dev/reliability.sh and scripts/dev/soak.sh do them
# at length.
stage_reliability() {
  find_containers "Kills and load" || return
  it_group "Kills and load" reliability -Dit.jvm="-Xms256m -Xmx256m -XX:+AlwaysPreTouch"
  sed -n 's/^\(kills\|load\|matrix\|wrong\): /    &/p; s/^soak: .*over the start/    &/p' "$logs/reliability.log"
}

# The benchmarks are compiled, and one of them runs for a second. The last stage: Maven compiles the tests anew, with
# these.
stage_bench() {
  if ! command -v pkg-config >/dev/null 2>&1; then
    skip "Benchmarks: one of a second" "pkg-config is missing (apt-get install pkg-config)"
    return
  fi
  check "Benchmarks: one of a second" scripts/bench.sh --only first
}

# Not among the stages of a whole run, which has all of it. Each program and class is shown as it ends or begins.
# In C: without those that wait or kill for long, and without the variants of a program.
stage_quick() {
  local build=target/c-plain reports=$COMCH4J_ROOT/target/quick log=$logs/quick.log status
  began=$SECONDS
  say "C: building"
  rm -f "$build/quick.xml"
  {
    cmake -S src/main/c -B $build -DCOMCH4J_TESTS=ON -DCOMCH4J_WERROR=ON -DCOMCH4J_SANITIZE= &&
      cmake --build $build --parallel "$(nproc)"
  } >"$log" 2>&1 &&
    ctest --test-dir $build --parallel "$(nproc)" --output-on-failure --no-tests=error \
      -R '^(common|comch|batch)_' -E '_(asleep|strict|threads|processes|pairing|standstill|prefixes|fault_table)$' \
      --output-junit "$COMCH4J_ROOT/$build/quick.xml" 2>&1 | tee -a "$log" |
    sed -un 's/^ *[0-9]*\/[0-9]* Test.*#/  C: /p'
  status=$?
  count "First tests in C" "$build/quick.xml" && [ $status -eq 0 ] || show_log "$log"
  began=$SECONDS
  say "Java: compiling"
  rm -rf "$reports"
  maven test -Dunit.reports="$reports" \
    -Dtest='io/github/comch4j/core/*Test,ControlPathTest,FastPathTest,PackagesTest,ExamplesTest' 2>&1 | tee "$log" |
    sed -un 's/^\[INFO\] Running /  Java: /p'
  status=$?
  count "First unit tests in Java" "$reports"/TEST-*.xml && [ $status -eq 0 ] || show_log "$log"
}

for stage in "${stages[@]}"; do
  "stage_$stage"
done

# What one stage's libraries lack, another's have.
if [[ " ${stages[*]} " == *" java "* && " ${stages[*]} " == *" generations "* ]]; then
  check "Java: tests that ran in no stage" scripts/dev/lib/counts.py --nowhere "$names"
fi

say
[ ${#remarks[@]} -eq 0 ] || printf '%s\n' "${remarks[@]}"
say "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
