#!/usr/bin/env bash
# cross-java.sh FOLDER: puts Debian's Java 25 for arm64, with all that it needs, into FOLDER, for a smoke test in
# qemu-user: 90 MB of packages. Changes nothing of this system's packages, and needs no root. Prints where java is.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/tools.sh"
[ $# -eq 1 ] || die "needs one folder; there are $# arguments"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
java=$folder/usr/lib/jvm/java-25-openjdk-arm64
if [ ! -e "$folder/complete" ]; then
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/apt/parts"
  # The first release of Debian that has it.
  printf 'deb http://deb.debian.org/debian trixie main\n' >"$folder/apt/sources.list"
  options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$folder/apt/lists"
    -o Dir::Cache::archives="$folder/apt/archives" -o Dir::Etc::SourceList="$folder/apt/sources.list"
    -o Dir::Etc::SourceParts="$folder/apt/parts" -o Dir::State::status=/dev/null
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root -o Debug::NoLocking=true)
  apt-get "${options[@]}" update >&2
  apt-get "${options[@]}" -y --no-install-recommends --download-only install openjdk-25-jre-headless >&2
  for package in "$folder"/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$folder"
  done
  [ -e "$folder/lib" ] || ln -s usr/lib "$folder/lib" # where programs look for their loader
  # Its settings are in /etc; that of this system is another one.
  find "$java" -type l -lname '/etc/*' | while IFS= read -r link; do
    ln -sfn "$folder$(readlink "$link")" "$link"
  done
  rm -rf "$folder/apt"
  touch "$folder/complete"
fi
printf '%s\n' "$java/bin/java"
