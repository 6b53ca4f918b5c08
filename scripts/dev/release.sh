#!/usr/bin/env bash
# Build a signed release of the commit that is checked out, and put it into a Maven repository. Runs no tests.
#
#   scripts/dev/release.sh VERSION FOLDER          into a folder that is a Maven repository
#   scripts/dev/release.sh VERSION --central       to Maven Central, where a person must check and publish it
#
# The key is in MAVEN_GPG_KEY (armored), its passphrase in MAVEN_GPG_PASSPHRASE. RELEASE_LAST=VERSION names the last
# release: if a public method of it is missing now, the build fails.
# scripts/dev/release-check.sh tests all of this.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
central=0 words=()
while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) usage; exit 0 ;;
    --central) central=1 ;;
    -*) die "no such option: $1 (--help lists them)" ;;
    *) words+=("$1") ;;
  esac
  shift
done
[ $((${#words[@]} + central)) -eq 2 ] && [ ${#words[@]} -gt 0 ] ||
  die "two arguments: the version, and a folder or --central (--help says more)"
version=${words[0]}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[A-Za-z0-9.]+)?$ ]] || die "\"$version\" is no version, as 0.1.0 is"
[ -n "${MAVEN_GPG_KEY:-}" ] || die "MAVEN_GPG_KEY has the armoured private key to sign with; it is empty"
need jdk mvn cmake cc make aarch64-linux-gnu-gcc
if [ $central -eq 1 ]; then
  to=(-Pcentral)
else
  mkdir -p "${words[1]}"
  to=("-DaltDeploymentRepository=folder::file:$(cd "${words[1]}" && pwd)")
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022 # the modes of files are in the jars
git -C "$COMCH4J_ROOT" archive HEAD | tar -C "$work" -xf -
sed -i "0,/<version>[^<]*-SNAPSHOT</s//<version>$version</" "$work/pom.xml"
cd "$work"
if [ -n "${RELEASE_LAST:-}" ]; then
  last=io.github.comch4j:comch4j:$RELEASE_LAST
  mvn -B -ntp -q -Dstyle.color=never dependency:copy -Dartifact="$last" -DoutputDirectory="$work/last"
  to+=("-Drelease.last=$work/last/comch4j-$RELEASE_LAST.jar")
fi
mvn -B -ntp -q -Dstyle.color=never -Prelease -Dmaven.test.skip=true "${to[@]}" deploy
say "released: io.github.comch4j:comch4j:$version"
