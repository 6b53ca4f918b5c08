#!/usr/bin/env bash
# One server and its clients in several processes, which connect, send on both paths, leave and are killed, for as long
# as you like. Nothing may be left behind: handles, descriptors, memory maps, buffers. docs/contributing/testing.md says
# what is compared.
#
#   scripts/dev/soak.sh                         one minute, 64 clients
#   scripts/dev/soak.sh --minutes 120           the full run
#
#   scripts/dev/soak.sh --examples --minutes 60 the servers of the docs and the Javadoc, for an hour
#
#   --examples    instead, the example servers side by side, each with a client that is frozen and others that have
#                 2,000 messages in flight, that come in threes, and that send 2,000 and close
#   --minutes N   so many minutes
#   --clients N   so many clients at a time
#   --seed N      choose as a run with this seed did; what the processes make of it is up to the machine
#   --output FILE the table goes there too; by default target/logs/soak.txt
#
# Prints a table over time; exits 0 only when nothing is over the start and no payload was lost, doubled, torn or out of
# order.
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
