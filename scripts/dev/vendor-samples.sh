#!/usr/bin/env bash
# Build NVIDIA's sample programs of DOCA 3.3.0 that need only Comch, DMA, Arg Parser and Core, unmodified and by their
# own build files, and run each ten times on the emulated device. A line for each program or pair says how many runs
# finished; exit status 1 if one did not.
#
#   scripts/dev/vendor-samples.sh [--rounds N] FOLDER
#
# FOLDER is a copy of github.com/NVIDIA-DOCA/doca-samples. The script does not change it, and nothing of it is part of
# this project. Needs meson and ninja. The build and what the programs print: target/vendor-samples.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
rounds=10 folders=()
while [ $# -gt 0 ]; do
  case $1 in
    --rounds) option_value "$1" $#; rounds=$2; shift ;;
    -h|--help) usage; exit ;;
    -*) die "no such option: $1 (--help lists them)" ;;
    *) folders+=("$1") ;;
  esac
  shift
done
[ -d "${folders[0]:-}/samples/doca_comch" ] || die "FOLDER is missing: a copy of doca-samples (--help says more)"
no_more "${folders[@]:1}"
need cmake cc
for tool in meson ninja pkg-config; do
  command -v $tool > /dev/null 2>&1 || die "$tool is missing: apt-get install meson ninja-build pkg-config"
done
work=$COMCH4J_ROOT/target/vendor-samples
rm -rf "$work"
mkdir -p "$work"
cp -r -- "${folders[0]}" "$work/source"
# These are the build files that an installed SDK has.
find "$work/source" -name meson.build.public -exec sh -c 'for f; do cp -- "$f" "${f%.public}"; done' - {} +
"$COMCH4J_ROOT/scripts/install-emulator.sh" "$work/host/sdk" > "$work/install.log"
"$COMCH4J_ROOT/scripts/install-emulator.sh" --dpu "$work/dpu/sdk" >> "$work/install.log"
DOCA_EMU_DIR=$(mktemp -d /dev/shm/vendor-samples.XXXXXX)
export DOCA_EMU_DIR
trap 'rm -rf "$DOCA_EMU_DIR"' EXIT

# build SIDE NAME FOLDER [OPTION…]: the program is in target/vendor-samples/SIDE/NAME
build() {
  local to=$work/$1/$2
  { PKG_CONFIG_PATH=$work/$1/sdk/lib/pkgconfig meson setup "${@:4}" "$to" "$work/source/$3" && ninja -C "$to"; } \
    > "$work/$1/$2.log" 2>&1 || die "cannot build $2: see $work/$1/$2.log"
}

# run SIDE PROGRAM [ARGUMENT…]
run() {
  DOCA_EMU_SIDE=$1 LD_LIBRARY_PATH=$work/$1/sdk/lib timeout 60 "$work/$1/$2" "${@:3}" >> "$work/$1/output" 2>&1
}

# In the background, until it prints the text.
listening=''
begin() {
  local text=$1
  : > "$work/$2/output"
  run "${@:2}" <&0 &
  listening=$!
  until grep -q "$text" "$work/$2/output" || ! kill -0 "$listening" 2> /dev/null; do sleep 0.02; done
}

failures=0
# times NAME COMMAND…
times() {
  local good=0 round
  for ((round = 0; round < rounds; round++)); do
    if "${@:2}"; then good=$((good + 1)); fi
  done
  printf '%-40s %d of %d\n' "$1" "$good" "$rounds"
  [ "$good" -eq "$rounds" ] || failures=$((failures + 1))
}

# pair PRINTED PROGRAM-OF-DPU PROGRAM-OF-HOST [ARGUMENT…]
pair() {
  begin "$1" dpu "$2" -p 03:00.0 -r b1:00.0 "${@:4}"
  local ok=0
  run host "$3" -p b1:00.0 "${@:4}" || ok=1
  wait "$listening" || ok=1
  return $ok
}

# The host's end exports, and waits for a line when the DPU's has copied.
dma_pair() {
  local files=(-d "$work/descriptor" -b "$work/buffer") ok=0
  rm -f "$work/descriptor" "$work/buffer" "$work/enter"
  mkfifo "$work/enter"
  begin "press enter" host dma_copy_host/doca_dma_copy_host -p b1:00.0 "${files[@]}" < <(cat "$work/enter")
  run dpu dma_copy_dpu/doca_dma_copy_dpu -p 03:00.0 "${files[@]}" || ok=1
  echo > "$work/enter"
  wait "$listening" || ok=1
  return $ok
}

for end in server client; do
  [ $end = server ] && side=dpu || side=host
  for path in ctrl_path data_path_high_speed; do
    build "$side" comch_${path}_$end samples/doca_comch/comch_${path}_$end
  done
done
for side in dpu host; do
  build $side applications applications -Denable_all_applications=false -Denable_secure_channel=true
done
build host dma_copy_host samples/doca_dma/dma_copy_host
build dpu dma_copy_dpu samples/doca_dma/dma_copy_dpu
build dpu dma_local_copy samples/doca_dma/dma_local_copy
engines=(async_stop event multi_context polling reactive single_task_comp_cb task_error task_resubmit task_try_submit)
for each in "${engines[@]}"; do build dpu "pe_$each" "samples/doca_common/pe_$each"; done

for path in ctrl_path data_path_high_speed; do
  times comch_$path pair "erver" comch_${path}_server/doca_comch_${path}_server \
    comch_${path}_client/doca_comch_${path}_client
done
secure=applications/secure_channel/doca_secure_channel
times secure_channel pair "waiting on a client" $secure $secure -s 1024 -n 1000
times dma_copy_host+dma_copy_dpu dma_pair
times dma_local_copy run dpu dma_local_copy/doca_dma_local_copy -p 03:00.0
for each in "${engines[@]}"; do times "pe_$each" run dpu "pe_$each/doca_pe_$each"; done
[ $failures -eq 0 ]
