#!/usr/bin/env bash
# Kill either side of a connection at random points, repeatedly; load a server with 256 clients; restart a server under
# 1,000 callers; and try every way to send under every fault. docs/contributing/testing.md lists the checks.
#
#   scripts/dev/reliability.sh                  100 rounds, and ten seconds of load
#   scripts/dev/reliability.sh --full           2000 rounds, and ten minutes
#   scripts/dev/reliability.sh OPTION...
#
#   --rounds N    number of rounds; 0: no kills
#   --seconds N   seconds of load; 0: none
#   --restarts N  number of restarts, and of kills, of a server under 1,000 callers; 0: none (4)
#   --service N   seconds of kills and stops of the program of docs/service.md; 0: none (180)
#   --waiters N   seconds of threads that wait, time out and are interrupted over one engine; 0: none (20)
#   --cells N     every Nth cell of the matrix of paths and faults; 0: none (1)
#   --seed N      repeat the choices of the run with this seed; the timing still depends on the machine
#   --phase N     kill in this phase only: 2 connecting, 3 control traffic, 4 fast-path traffic, 5 teardown
#   --share N     percentage of victims that are containers, if there is a Docker engine
#   --verbose     a line for each round
#   --containers  as root: install and start a Docker engine if none answers, and fail if there can be none
#
# If scripts/dev/container-engine.sh finds a Docker engine, one victim in ten by default, and half of the clients, are
# in containers. Prints figures; exits 0 only if nothing was wrong.
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
cd "$COMCH4J_ROOT" || exit 1

rounds=100 seconds=10 restarts=4 cells=1 service=180 waiters=20 containers='' options=()
while [ $# -gt 0 ]; do
  case $1 in
    --full) rounds=2000 seconds=600 restarts=20 service=1200 waiters=600 ;;
    --containers) containers=--provide ;;
    --verbose) options+=(-Dreliability.verbose=true) ;;
    --rounds|--seconds|--restarts|--service|--waiters|--cells|--seed|--phase|--share)
      [ $# -ge 2 ] || die "$1 needs a number"
      case $2 in ''|*[!0-9]*) die "$1 needs a number, not $2" ;; esac
      case $1 in
        --rounds) rounds=$2 ;;
        --seconds) seconds=$2 ;;
        --restarts) restarts=$2 ;;
        --service) service=$2 ;;
        --waiters) waiters=$2 ;;
        --cells) cells=$2 ;;
        --seed) options+=("-Dreliability.seed=$2") ;;
        --phase)
          case $2 in [2-5]) ;; *) die "--phase needs 2 to 5, not $2" ;; esac
          options+=("-Dreliability.phase=$2") ;;
        --share) options+=("-Dreliability.containers=$2") ;;
      esac
      shift ;;
    -h|--help) usage; exit 0 ;;
    *) die "no such option: $1 (--help lists them)" ;;
  esac
  shift
done
tests=()
[ "$rounds" -eq 0 ] || tests+=(KillsIT)
[ "$seconds" -eq 0 ] || tests+=(LoadIT)
[ "$restarts" -eq 0 ] || tests+=(RestartIT)
[ "$service" -eq 0 ] || tests+=(ServiceIT)
[ "$waiters" -eq 0 ] || tests+=(WaitersIT SocketWaitersIT)
[ "$cells" -eq 0 ] || tests+=(MatrixIT)
[ ${#tests[@]} -gt 0 ] || die "nothing to do"

need jdk mvn cmake cc make
eval "$(scripts/dev/container-engine.sh $containers)"
[ -z "$containers" ] || [ -z "${COMCH4J_NO_CONTAINERS:-}" ] || die "no containers: $COMCH4J_NO_CONTAINERS"
own_fabric reliability
trap 'rm -rf "$DOCA_EMU_DIR"' EXIT

log=target/logs/reliability-run.log
mkdir -p "${log%/*}"
maven verify -Dunit.skip=true -Dfork.seconds=0 -Dmaven.javadoc.skip=true -Dmaven.source.skip=true \
  -Dgroups='reliability|matrix' -DexcludedGroups= \
  -Dit.reports="$COMCH4J_ROOT/target/reliability-reports" -Dit.test="$(IFS=,; printf '%s' "${tests[*]}")" \
  -Dit.jvm="-Xms256m -Xmx256m -XX:+AlwaysPreTouch" -Dreliability.rounds="$rounds" \
  -Dreliability.seconds="$seconds" -Drestart.rounds="$restarts" -Dmatrix.every="$cells" \
  -Dservice.seconds="$service" -Dwaiters.seconds="$waiters" "${options[@]}" 2>&1 \
  | tee "$log" | sed -un '/^\(kills\|load\|matrix\|service\|waiters\|wrong\): \|^  [a-zD].*: [0-9]*$\|^round /p'
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] || die "something is wrong: see $log"
