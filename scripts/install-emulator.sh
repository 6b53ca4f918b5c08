#!/usr/bin/env bash
# Install the emulated BlueField as an SDK folder: PREFIX/include, PREFIX/lib and its pkg-config files. Programs
# written for DOCA build against it as against the SDK:
#
#   scripts/install-emulator.sh PREFIX
#   export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig LD_LIBRARY_PATH=PREFIX/lib
#   cc app.c $(pkg-config --cflags --libs doca-comch doca-common)
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/dev/lib/tools.sh"
case ${1:-} in
  ""|-*) sed -n '2,7s/^# \{0,1\}//p' "$0"; [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; exit ;;
esac
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
cd "$COMCH4J_ROOT"

need cmake cc make
cmake -S src/main/c -B target/native -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build target/native --parallel "$(nproc)" >/dev/null
cmake --install target/native --prefix "$prefix" >/dev/null
say "installed in $prefix; to use it:"
say "  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib"
