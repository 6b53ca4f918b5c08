#!/usr/bin/env bash
# Run a sample: a program on the DPU and one on the host, both Java, that solve a task together.
#
#   scripts/sample.sh                      list the samples
#   scripts/sample.sh NAME [ARG...]        both programs on a private emulated device; ARG: for the host's program
#   scripts/sample.sh NAME dpu [ARG...]    only the DPU's program, until it is interrupted
#   scripts/sample.sh NAME host [ARG...]   only the host's program
#
# The last two find each other on the emulated device of this machine, or on a host and its DPU with DOCA installed.
# The sources are in src/test/java/samples/NAME, each with a README.
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/dev/lib/tools.sh"
. "$COMCH4J_ROOT/scripts/dev/lib/jar.sh"
sources=$COMCH4J_ROOT/src/test/java

list() {
  local readme
  for readme in "$sources"/samples/*/README.md; do
    printf '%-12s %s\n' "$(basename "${readme%/README.md}")" "$(sed -n 3p "$readme")"
  done
}

case ${1:-} in
  "") list; exit 0 ;;
  -h|--help) usage; exit 0 ;;
esac
sample=$1
shift
[ -f "$sources/samples/$sample/README.md" ] || die "no such sample: $sample ($(list | cut -d' ' -f1 | paste -sd ' '))"

# half SIDE ARG...: becomes the JVM of one side, which compiles the sources itself.
half() {
  local side=$1
  shift
  export DOCA_EMU_SIDE=${DOCA_EMU_SIDE:-$side}
  # shellcheck disable=SC2086  # options, to be split
  exec "$JDK/bin/java" --enable-native-access=ALL-UNNAMED ${COMCH4J_JAVA_OPTS:-} -cp "$jar$libraries" \
    "$sources/samples/$sample/${side^}.java" "$@"
}

# What a sample needs besides the JDK and the jar.
find_libraries() {
  local list=$COMCH4J_ROOT/target/sample-libraries.txt groups=io.grpc,io.netty,io.perfmark,com.google.guava
  local log=$COMCH4J_ROOT/target/logs/sample-libraries.log
  libraries=
  [ "$sample" = grpc ] || return 0
  if [ ! -s "$list" ] || [ "$COMCH4J_ROOT/pom.xml" -nt "$list" ]; then
    say "looking for gRPC"
    maven -q dependency:build-classpath -DincludeScope=test -DincludeGroupIds=$groups \
      -Dmdep.outputFile="$list" >"$log" 2>&1 || { cat "$log" >&2; die "Maven cannot find gRPC"; }
  fi
  libraries=:$(<"$list")
}

build
find_libraries
case ${1:-} in
  dpu|host) half "$@" ;;
esac

own_fabric sample
work=$(mktemp -d "${TMPDIR:-/tmp}/comch4j-sample.XXXXXX") || exit 1 # for what they make of themselves
COMCH4J_JAVA_OPTS="${COMCH4J_JAVA_OPTS:-} -Djava.io.tmpdir=$work"
dpu=''
clean_up() {
  trap - EXIT
  [ -z "$dpu" ] || kill "$dpu" 2>/dev/null
  wait
  rm -rf "$DOCA_EMU_DIR" "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

(half dpu) > >(sed -u 's/^/[dpu]  /') 2>&1 &
dpu=$!
(half host "$@") > >(sed -u 's/^/[host] /') 2>&1
