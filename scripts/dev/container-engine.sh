#!/usr/bin/env bash
# A Docker engine and an image for the container tests. Prints the variables below, for eval:
#
#   scripts/dev/container-engine.sh            look only
#   scripts/dev/container-engine.sh --provide  as root, on a machine of your own: install and start an engine if there
#                                              is none
#   scripts/dev/container-engine.sh --stop     stop the engine if --provide has started it
#
#   COMCH4J_TEST_IMAGE      the image
#   COMCH4J_TEST_JDK        the JDK to mount into it; empty: the image has one
#   COMCH4J_CONTAINERS      required: a container test that cannot run has failed
#   COMCH4J_NO_CONTAINERS   instead of these: why no containers can run here; the tests are skipped then
#
# The image is $COMCH4J_TEST_IMAGE if set; otherwise a public one with a JDK, if it is here or can be pulled; otherwise
# one that debootstrap makes. If an engine answers, or COMCH4J_CONTAINERS=required says that one can, anything missing
# is an error: exit status 1.
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"

public_image=eclipse-temurin:25.0.3_9-jdk-noble
pid_file=/run/comch4j-dockerd.pid
log=/var/log/comch4j-dockerd.log

# A report for eval, and the end. Not being able to is no error, unless somebody knows better: the tests say so and are
# counted as skipped.
cannot() {
  [ "${COMCH4J_CONTAINERS:-}" != required ] || die "$@"
  printf 'export COMCH4J_NO_CONTAINERS=%q\n' "$*"
  exit 0
}
found() {
  printf 'export COMCH4J_TEST_IMAGE=%q COMCH4J_TEST_JDK=%q COMCH4J_CONTAINERS=required\n' "$1" "$2"
  exit 0
}

engine_answers() { docker info >/dev/null 2>&1; }

# Whether the engine is one that --provide has started.
own_engine_runs() {
  local pid
  [ -r $pid_file ] && pid=$(<$pid_file) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ]
}

# On a busy machine an engine takes its time: it has two minutes, as long as there is one.
await_engine() { # COMMAND that says whether there is
  local end=$((SECONDS + 120))
  until engine_answers; do
    "$@" && [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

install_package() {
  complain "installing $1"
  [ -n "$(find /var/lib/apt/lists -name '*_Packages*' -print -quit 2>/dev/null)" ] || apt-get -qq update >/dev/null 2>&1
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$1" >/dev/null 2>&1
}

# By hand, and without a network of its own: the containers need none, and so the kernel needs no packet filter.
start_engine() {
  complain "starting dockerd"
  setsid dockerd --bridge=none --iptables=false </dev/null >"$log" 2>&1 &
  printf '%s\n' $! >$pid_file
  await_engine [ -d "/proc/$!" ] && return
  kill $! 2>/dev/null
  rm -f $pid_file
  return 1
}

provide=
no_more "${@:2}"
case ${1:-} in
  '') ;;
  --provide) provide=yes ;;
  --stop)
    if own_engine_runs; then
      pid=$(<$pid_file)
      kill "$pid"
      for ((i = 0; i < 100; i++)); do [ -d "/proc/$pid" ] || break; sleep 0.1; done
    fi
    rm -f $pid_file
    exit 0 ;;
  -h|--help) usage; exit 0 ;;
  *) die "no such option: $1 (--help lists them)" ;;
esac

if ! command -v docker >/dev/null 2>&1 || ! await_engine own_engine_runs; then
  ! own_engine_runs || die "dockerd runs and does not answer: see $log"
  [ -n "$provide" ] ||
    cannot "no Docker engine answers; start yours, or as root: scripts/dev/container-engine.sh --provide"
  [ "$(id -u)" -eq 0 ] || cannot "no Docker engine answers, and only root can start one"
  if ! command -v dockerd >/dev/null 2>&1; then
    command -v apt-get >/dev/null 2>&1 || cannot "no Docker engine answers, and without apt-get none is installed"
    install_package docker.io || die "docker.io cannot be installed"
    # Where services run, the package starts its own.
    for ((i = 0; i < 30; i++)); do engine_answers && break; [ -S /run/docker.sock ] || break; sleep 0.2; done
  fi
  engine_answers || start_engine ||
    cannot "dockerd does not run here: $(grep -v -e level=info -e '^$' "$log" | tail -n 1)"
fi

COMCH4J_CONTAINERS=required

has_image() { docker image inspect "$1" >/dev/null 2>&1; }

if [ -n "${COMCH4J_TEST_IMAGE:-}" ]; then
  found "$COMCH4J_TEST_IMAGE" "${COMCH4J_TEST_JDK:-}"
fi

. /etc/os-release
own_image=comch4j-test:${ID:-linux}-${VERSION_CODENAME:-unknown}

if ! has_image "$own_image"; then
  if has_image $public_image || timeout 300 docker pull -q $public_image >/dev/null 2>&1; then
    found $public_image ''
  fi
  [ "${provide:-no}$(id -u)" = yes0 ] ||
    die "the image $public_image is not there and cannot be pulled; set COMCH4J_TEST_IMAGE to one with a JDK"
  command -v debootstrap >/dev/null 2>&1 || install_package debootstrap ||
    cannot "no image can be pulled, and debootstrap to make one cannot be installed"
  complain "no image can be pulled: making $own_image (half a minute)"
  root=$(mktemp -d /var/tmp/comch4j-image.XXXXXX)
  # The system's own release: programs that are built here run there.
  if debootstrap --variant=minbase "$VERSION_CODENAME" "$root" >"$root.log" 2>&1; then
    tar -C "$root" --exclude=./var/cache/apt --exclude=./var/lib/apt/lists --exclude=./usr/share/doc \
      --exclude=./usr/share/locale -c . \
      | docker import - "$own_image" >/dev/null
  fi
  rm -rf "$root"
  has_image "$own_image" || cannot "no image can be pulled, and debootstrap fails: $(tail -n 1 "$root.log")"
  rm -f "$root.log"
fi
find_jdk || cannot "there is no JDK $COMCH4J_JDK_MINIMUM or newer to mount into the containers"
found "$own_image" "$(readlink -f "$JDK")"
