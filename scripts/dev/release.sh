#!/usr/bin/env bash
# Build a release of the commit that is checked out, signed, and put it where Maven finds it. Runs no tests.
#
#   scripts/dev/release.sh VERSION FOLDER          into a folder that is a Maven repository
#   scripts/dev/release.sh VERSION --central       to Maven Central, where a person looks at it and publishes it
#
# The key is in MAVEN_GPG_KEY (armoured), its passphrase in MAVEN_GPG_PASSPHRASE. RELEASE_LAST=VERSION names the last
# release: where a public method of that is missing now, the build fails.
# scripts/dev/release-check.sh tries all of this.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/tools.sh"
case ${1:-} in
  -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
[ $# -eq 2 ] || die "two arguments: the version, and a folder or --central (--help says more)"
[[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[A-Za-z0-9.]+)?$ ]] || die "\"$1\" is no version, as 0.1.0 is"
[ -n "${MAVEN_GPG_KEY:-}" ] || die "MAVEN_GPG_KEY has the armoured private key to sign with; it is empty"
need jdk mvn cmake cc make aarch64-linux-gnu-gcc
version=$1
case $2 in
  --central) to=(-Pcentral) ;;
  *) mkdir -p "$2"; to=("-DaltDeploymentRepository=folder::file:$(cd "$2" && pwd)") ;;
esac
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
