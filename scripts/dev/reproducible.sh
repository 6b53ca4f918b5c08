#!/usr/bin/env bash
# Build the jars (library with the native libraries, sources, Javadoc) twice, in two folders, in two time zones and
# languages, and compare them byte for byte. The last line reports that they are equal, or names the first entry that
# differs. Runs no tests.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
case ${1:-} in
  -h|--help) usage; exit 0 ;;
  -*) die "no such option: $1 (--help lists them)" ;;
esac
no_more "$@"
need jdk mvn cmake cc make
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
first=$work/first second=$work/another/folder

# build FOLDER: a copy of the project, without what was built here.
build() {
  mkdir -p "$1"
  tar -C "$COMCH4J_ROOT" --exclude=./target --exclude=./.git --exclude=./build -cf - . | tar -C "$1" -xf - --touch
  (cd "$1" && mvn -B -ntp -q -Dstyle.color=never -Dmaven.test.skip=true verify) >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log" >&2; die "the build in $1 failed"; }
}

umask 022 # the modes of files are in the jars
build "$first"
(export TZ=Pacific/Auckland LC_ALL=C LANG=C; build "$second")

compared=0 differ=0
for jar in "$first"/target/comch4j-*.jar; do
  name=${jar##*/}
  compared=$((compared + 1))
  if ! cmp "$jar" "$second/target/$name"; then
    differ=1
    python3 - "$jar" "$second/target/$name" <<'END'
import sys
import zipfile
left, right = (zipfile.ZipFile(path) for path in sys.argv[1:3])
print("only in one:", sorted(set(left.namelist()) ^ set(right.namelist())))
for entry in left.infolist():
    if entry.filename in right.namelist():
        other = right.getinfo(entry.filename)
        if left.read(entry) != right.read(other):
            print("content differs:", entry.filename)
        elif (entry.date_time, entry.external_attr, entry.extra) != (other.date_time, other.external_attr, other.extra):
            print("time, mode or attributes differ:", entry.filename)
END
  fi
done
[ "$compared" -ge 3 ] || die "only $compared jars were built: expected the library, its sources and its Javadoc"
[ $differ -eq 0 ] || die "the jars differ"
say "$compared jars are the same, byte for byte, from two folders"
