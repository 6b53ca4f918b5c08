#!/usr/bin/env bash
# Install the emulated BlueField as an SDK folder: PREFIX/include, PREFIX/lib and its pkg-config files. Build programs
# that were written for DOCA against it, as against the SDK:
#
#   scripts/install-emulator.sh [--release 3.0|2.6|2.5|1.2] [--dpu] PREFIX
#   export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig LD_LIBRARY_PATH=PREFIX/lib
#   cc -DDOCA_ALLOW_EXPERIMENTAL_API app.c $(pkg-config --cflags --libs doca-comch doca-common)
#
# With /opt/mellanox/doca as PREFIX, build files that name the SDK's folders need no change.
#
# DOCA 2.5 and 2.6 have Comch under its first name, each in its own form: doca-cc instead of doca-comch. Both also
# have the endpoint API, doca-comm-channel. --release 1.2 has only the first form of the endpoint API.
#
# With --dpu the headers are those of an SDK on a DPU: doca_build_config.h defines DOCA_ARCH_DPU. The libraries are the
# same; at run time DOCA_EMU_SIDE decides.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/dev/lib/tools.sh"
release=3.0 dpu='' folders=()
while [ $# -gt 0 ]; do
  case $1 in
    --release) option_value "$1" $#; release=$2; shift ;;
    --dpu) dpu=yes ;;
    -h|--help) usage; exit ;;
    --) shift; break ;;
    -*) die "no such option: $1 (--help lists them)" ;;
    *) folders+=("$1") ;;
  esac
  shift
done
folders+=("$@")
case $release in
  3.0|2.6|2.5|1.2) ;;
  *) die "no such release: $release (3.0, 2.6, 2.5, 1.2)" ;;
esac
[ -n "${folders[0]:-}" ] || die "PREFIX is missing: the folder to install into (--help says more)"
no_more "${folders[@]:1}"
mkdir -p -- "${folders[0]}"
prefix=$(cd -- "${folders[0]}" && pwd)
cd "$COMCH4J_ROOT"

need cmake cc make
cmake -S src/main/c -B target/native -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build target/native --parallel "$(nproc)" >/dev/null
cmake --install target/native --prefix "$prefix" --component "sdk-$release" >/dev/null
if [ -n "$dpu" ] && [ -f "$prefix/include/doca_build_config.h" ]; then
  cmake --install target/native --prefix "$prefix" --component sdk-dpu >/dev/null
fi
say "installed in $prefix; to use it:"
say "  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib"
