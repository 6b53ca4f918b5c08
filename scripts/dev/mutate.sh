#!/usr/bin/env bash
# Change the compiled code in one place at a time and check whether the tests notice (PIT). Takes hours for core and
# comch on two cores. The figures are in docs/contributing/testing.md; reports: target/pit-reports/.
#
#   scripts/dev/mutate.sh              packages core and comch
#   scripts/dev/mutate.sh PACKAGE…     these: core, comch, rpc, io, netty, channel, dpa, emulator, internal
#   scripts/dev/mutate.sh PATTERN…     only classes that match, e.g. 'io.github.comch4j.core.*'
#   scripts/dev/mutate.sh --limit N …  at most N changes in a class, spread over it
#
# For the C code, in minutes:
#
#   scripts/dev/mutate.sh --c [NAME…]  remove one guard at a time (scripts/dev/lib/guards.py), then invert it, and
#                                      each time run its test, which must fail
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
options=() of_c='' asked=()
while [ $# -gt 0 ]; do
  case $1 in
    --c) of_c=yes ;;
    -h|--help) usage; exit 0 ;;
    --limit)
      case ${2:-} in ''|*[!0-9]*) die "--limit needs a number" ;; esac
      options+=("-Dfeatures=+CLASSLIMIT(limit[$2])")
      shift ;;
    -*) die "no such option: $1 (--help lists them)" ;;
    *) asked+=("$1") ;;
  esac
  shift
done
if [ -n "$of_c" ]; then
  [ ${#options[@]} -eq 0 ] || die "--limit does not go with --c"
  need cmake cc make cmocka python3
  exec "$COMCH4J_ROOT/scripts/dev/lib/guards.py" mutate "${asked[@]}"
fi
[ ${#asked[@]} -gt 0 ] || asked=(core comch)
project=io.github.comch4j
classes=() tests=()
for each in "${asked[@]}"; do
  case $each in
    *.*) classes+=("$each") package=${each#"$project".} package=${package%%.*} ;;
    *)
      package=$each
      [ -d "$COMCH4J_ROOT/src/main/java/${project//.//}/$package" ] || die "no such package: $package"
      classes+=("$project.$package.*") ;;
  esac
  # Those that are for this package, not all that come by.
  case $package in
    core|comch) tests+=("$project."{core,comch,emulator}".*Test") ;;
    internal) tests+=("$project."{internal,core,comch,emulator}".*Test" "$project.io.Socket*Test") ;;
    # Needs libdoca_comm_channel, which the newest release lacks.
    channel) tests+=("$project.channel.*Test") options+=("-Dpit.library=$COMCH4J_ROOT/target/native/lib/2.7") ;;
    emulator) tests+=("$project."{emulator,dpa}".*Test") ;;
    *) tests+=("$project.$package.*Test") ;;
  esac
done
need jdk mvn cmake cc make
own_fabric pit
trap 'rm -rf "$DOCA_EMU_DIR"' EXIT
# PIT runs the tests on the Java that runs Maven.
export JAVA_HOME=$JDK
# As in pom.xml, for BufferListTest.
join() { local IFS=,; printf '%s' "$*"; }
maven -q -Ppit "${options[@]}" -DtargetClasses="$(join "${classes[@]}")" -DtargetTests="$(join "${tests[@]}")" \
  test-compile pitest:mutationCoverage
