#!/usr/bin/env bash
# Run one server and its clients in several processes, which connect, send on both paths, leave and are killed, for as
# long as you like. They must leave nothing behind: handles, descriptors, memory maps, buffers.
# docs/contributing/testing.md lists what is compared.
#
#   scripts/dev/soak.sh                         one minute, 64 clients
#   scripts/dev/soak.sh --minutes 120           the full run
#
#   scripts/dev/soak.sh --examples --minutes 60 the servers of the docs and the Javadoc, for an hour
#
#   --examples    instead, the example servers side by side, each with a client that is frozen and others that have
#                 2,000 messages in flight, that come in threes, and that send 2,000 and close
#   --minutes N   number of minutes
#   --clients N   number of clients at a time
#   --seed N      repeat the choices of the run with this seed; the timing still depends on the machine
#   --output FILE also write the table to FILE (target/logs/soak.txt)
#
# Prints a table over time; exits 0 only if nothing exceeds its value at the start and no payload was lost, doubled,
# torn or out of order.
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
cd "$COMCH4J_ROOT" || exit 1

seconds=60 test=SoakIT output=target/logs/soak.txt options=()
while [ $# -gt 0 ]; do
  case $1 in
    --minutes|--clients|--seed)
      [ $# -ge 2 ] || die "$1 needs a number"
      case $2 in ''|*[!0-9]*) die "$1 needs a number, not $2" ;; esac
      case $1 in
        --minutes) seconds=$((60 * $2)) ;;
        --clients) options+=("-Dsoak.clients=$2") ;;
        --seed) options+=("-Dsoak.seed=$2") ;;
      esac
      shift ;;
    --examples) test=ExampleServersIT ;;
    --output)
      [ $# -ge 2 ] || die "$1 needs a file"
      output=$2
      shift ;;
    -h|--help) usage; exit 0 ;;
    *) die "no such option: $1 (--help lists them)" ;;
  esac
  shift
done
[ "$seconds" -gt 0 ] || die "nothing to do"

need jdk mvn cmake cc make
own_fabric soak
trap 'rm -rf "$DOCA_EMU_DIR"' EXIT

log=target/logs/soak-run.log
mkdir -p "${log%/*}"
maven verify -Dunit.skip=true -Dfork.seconds=0 -Dmaven.javadoc.skip=true -Dmaven.source.skip=true \
  -Dgroups=reliability -DexcludedGroups= \
  -Dit.reports="$COMCH4J_ROOT/target/soak-reports" -Dit.test="$test" \
  -Dit.jvm="-Xms256m -Xmx256m -XX:+AlwaysPreTouch -XX:+UseSerialGC" \
  -Dsoak.seconds="$seconds" -Dexamples.seconds="$seconds" "${options[@]}" 2>&1 \
  | tee "$log" | sed -un 's/^soak: //p' | tee "$output"
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] || die "something is wrong: see $log"
