#!/usr/bin/env bash
# cross-cmocka.sh FOLDER: puts Debian's cmocka for arm64 into FOLDER, for tests that are cross-compiled. Changes nothing
# of this system's packages, and needs no root.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/tools.sh"
[ $# -eq 1 ] || die "needs one folder; there are $# arguments"
folder=$1
[ ! -e "$folder/usr/lib/aarch64-linux-gnu/libcmocka.so" ] || exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
cd "$folder"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$folder/apt/lists"
  -o Dir::Cache="$folder/apt/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
apt-get "${options[@]}" download libcmocka0 libcmocka-dev
for package in libcmocka*.deb; do
  dpkg-deb -x "$package" .
done
rm -rf apt ./libcmocka*.deb
