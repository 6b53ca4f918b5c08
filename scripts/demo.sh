#!/usr/bin/env bash
# A DPU-side service and a host-side client, both Java, move a file over the zero-copy fast path and compare checksums.
#
#   scripts/demo.sh [OPTION...] [FILE]   both halves on a private emulated device; FILE: default 256 MiB of random data
#   scripts/demo.sh service [ARG...]     only the DPU's half, with these arguments of the service (--help lists them)
#   scripts/demo.sh client [ARG...]      only the host's half, with these arguments of the client
#
#   --chunk SIZE     bytes in one fast-path message, e.g. 64k or 1m
#   --depth N        messages in flight
#   --library WHICH  auto, system, emulated, or a folder with the libraries
#   --keep           keep the received file, and print where it is
#   --setup          first install what is missing here, from the distribution, and a JDK from Adoptium if the
#                    distribution has none that is new enough; asks before each; also builds the command line tool, and
#                    prints where bin/comch is
#   -y, --yes        with --setup: do not ask
#   -h, --help       print this text
set -uo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/dev/lib/tools.sh"
. "$COMCH4J_ROOT/scripts/dev/lib/jar.sh"

dpu_device=0000:03:00.0
host_device=0000:b1:00.0
name=comch4j-file

# half SIDE ARG...: becomes the JVM of one half, which compiles its sources itself. The emulated device shows each half
# only its own side, as real machines do.
half() {
  local side=$1
  shift
  export DOCA_EMU_SIDE=${DOCA_EMU_SIDE:-$side}
  # shellcheck disable=SC2086  # options, to be split
  exec "$JDK/bin/java" --enable-native-access=ALL-UNNAMED ${COMCH4J_JAVA_OPTS:-} \
    -cp "$jar" \
    "$COMCH4J_ROOT/src/test/java/samples/filetransfer/${side^}.java" "$@"
}

# with_default OPTION VALUE: adds to `arguments` what the user has not given.
with_default() {
  local argument
  for argument in "${arguments[@]}"; do
    case $argument in "$1"|"$1="*|-h|--help) return ;; esac
  done
  arguments=("$1" "$2" "${arguments[@]}")
}

case ${1:-} in
  service)
    shift
    build
    arguments=("$@")
    with_default --name "$name"
    with_default --representor "$host_device"
    with_default --device "$dpu_device"
    half dpu "${arguments[@]}" ;;
  client)
    shift
    build
    arguments=("$@")
    with_default --name "$name"
    with_default --device "$host_device"
    half host "${arguments[@]}" ;;
esac

both=() client_only=() keep='' files=() setup=0 yes=0
while [ $# -gt 0 ]; do
  case $1 in
    --chunk|--depth|--library)
      option_value "$1" $#
      case $1=$2 in
        --chunk=*[!0-9kKmMgGiIbB]*|--chunk=[!0-9]*|--chunk=) die "--chunk $2: not a size such as 64k or 1m" ;;
        --depth=*[!0-9]*|--depth=) die "--depth $2: not a number" ;;
      esac
      if [ "$1" = --library ]; then both+=("$1" "$2"); else client_only+=("$1" "$2"); fi
      shift ;;
    --keep) keep=yes ;;
    --setup) setup=1 ;;
    -y|--yes) yes=1 ;;
    -h|--help) usage; exit 0 ;;
    --) shift; break ;;
    -*) die "no such option: $1 (--help lists them)" ;;
    *) files+=("$1") ;;
  esac
  shift
done
files+=("$@")
no_more "${files[@]:1}"
[ $yes -eq 0 ] || [ $setup -eq 1 ] || die "--yes goes with --setup"
file=${files[0]:-}
if [ -n "$file" ]; then
  [ -e "$file" ] || die "no such file: $file"
  [ -f "$file" ] || die "not a regular file: $file"
  [ -r "$file" ] || die "not readable: $file"
fi

if [ $setup -eq 1 ]; then
  . "$COMCH4J_ROOT/scripts/dev/lib/setup.sh"
  setup demo $yes
fi
build
[ $setup -eq 0 ] || build_tool

service='' client='' work=''
own_fabric demo

running() { [ -n "$1" ] && kill -0 "$1" 2>/dev/null; }

# stop PID: ask it to end, and insist after three seconds.
stop() {
  local i
  running "$1" || return 0
  kill -TERM "$1" 2>/dev/null
  for ((i = 0; i < 30; i++)); do
    running "$1" || return 0
    sleep 0.1
  done
  kill -KILL "$1" 2>/dev/null
}

clean_up() {
  trap - EXIT INT TERM HUP
  stop "$client"
  stop "$service"
  wait
  rm -rf "$DOCA_EMU_DIR"
  [ -z "$work" ] || [ -n "$keep" ] || rm -rf "$work"
}
trap clean_up EXIT
trap 'clean_up; exit 130' INT
trap 'clean_up; exit 143' TERM HUP

work=$(mktemp -d "${TMPDIR:-/tmp}/comch4j-demo.XXXXXX") || exit 1
if [ -z "$file" ]; then
  file=$work/random.bin
  say "making 256 MiB of random data"
  head -c $((256 << 20)) /dev/urandom >"$file" || die "cannot write $file"
fi
received=$work/received.bin
# Java opens no file whose name the locale cannot write: the client gets another name for it.
if (LC_ALL=C; [[ $file == *[!\ -~]* ]]); then
  ln -s -- "$(realpath -- "$file")" "$work/file" || exit 1
  file=$work/file
fi

# The service's lines are marked, so that the two halves can be told apart; the client has the terminal for its progress
# bar.
(half dpu --device "$dpu_device" --representor "$host_device" --name "$name" --once \
  --output "$received" "${both[@]}") > >(sed -u 's/^/[dpu] /') 2> >(sed -u 's/^/[dpu] /' >&2) &
service=$!
(half host --device "$host_device" --name "$name" "${both[@]}" "${client_only[@]}" "$file") &
client=$!

# usage_error PID: whether it has ended because of its command line: then the other half waits for nobody.
usage_error() {
  local status=0
  running "$1" || wait "$1" || status=$?
  [ $status -eq 2 ]
}

# Each half notices by itself when the other is gone: twelve seconds are ample to say so.
patience=120
while running "$service" || running "$client"; do
  sleep 0.1
  if usage_error "$client" || usage_error "$service"; then
    break
  elif ! running "$service" || ! running "$client"; then
    if ! ((patience-- > 0)); then
      if running "$service"; then complain "the service has not ended by itself and is stopped"; fi
      if running "$client"; then complain "the client has not ended by itself and is stopped"; fi
      break
    fi
  fi
done
stop "$client"
stop "$service"
wait "$client"; client_status=$?
wait "$service"; service_status=$?

if [ $client_status -ne 0 ] || [ $service_status -ne 0 ]; then
  complain "failed: the client exited $client_status, the service exited $service_status"
  exit 1
fi
cmp -- "$file" "$received" || die "failed: both halves report success, and yet the received file differs"

if [ -n "$keep" ]; then say "the received file is $received"; fi
if [ $setup -eq 1 ]; then
  say "The command line tool is $comch (export PATH=${comch%/*}:\$PATH)"
fi
# The scripts find a JDK by themselves; the user's shell may have an older one.
of_the_shell=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
say "To start the halves by hand, in two terminals: scripts/demo.sh service --output FILE, scripts/demo.sh client FILE"
if [ "${of_the_shell:-0}" -lt "$COMCH4J_JDK_MINIMUM" ]; then
  say "For programs of your own, the java of this shell is too old, or not there: export PATH=$JDK/bin:\$PATH"
fi
