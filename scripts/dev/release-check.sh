#!/usr/bin/env bash
# Test a release: build one into a folder with a throw-away key, check it by the rules of Maven Central, and build,
# test and run a program against it (src/test/consumer), with an empty local repository: with Maven, on the class path
# and on the module path, in its own runtime (jlink), with the jar for hardware, and with Gradle if it is installed.
# Then check that the build refuses a release that lacks a class of the previous version. Needs gpg, and the artifacts
# of Maven Central.
set -euo pipefail
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/tools.sh"
case ${1:-} in
  -h|--help) usage; exit 0 ;;
  -*) die "no such option: $1 (--help lists them)" ;;
esac
no_more "$@"
need jdk mvn gpg python3
version=0.1.0
work=$(mktemp -d)
own_fabric release
trap 'rm -rf "$work" "$DOCA_EMU_DIR"' EXIT
folder=$work/repository
released=$folder/io/github/comch4j/comch4j

throw_away_key() {
  export GNUPGHOME=$work/gpg MAVEN_GPG_KEY MAVEN_GPG_PASSPHRASE=secret
  local gpg=(gpg --batch --quiet --pinentry-mode loopback --passphrase "$MAVEN_GPG_PASSPHRASE")
  mkdir -m 700 "$GNUPGHOME"
  "${gpg[@]}" --quick-generate-key "Nobody <nobody@example.org>" rsa3072 sign 1d 2>/dev/null
  MAVEN_GPG_KEY=$("${gpg[@]}" --armor --export-secret-keys)
}

# consumer NAME: the program's folder, with the first program of the README and a test of it.
consumer() {
  local program=$work/$1 source=$COMCH4J_ROOT/src/test
  mkdir -p "$program/src/main/java/examples" "$program/src/test/java/examples"
  cp "$source/consumer/"{pom.xml,build.gradle} "$program"
  cp "$source/consumer/HelloTest.java" "$program/src/test/java/examples"
  cp "$source/java/examples/"Hello{Server,Client}.java "$program/src/main/java/examples"
  printf '%s\n' "$program"
}

# build ARGUMENT...: Maven in the program's folder.
build() {
  (cd "$program" && JAVA_HOME=$JDK mvn -B -ntp -q -Dstyle.color=never -Dmaven.repo.local="$work/local" \
    -Dcomch4j.repository="file:$folder" -Dcomch4j.version=$version "$@")
}

# with_maven NAME [CLASSIFIER]: builds it as a module; sets program to its folder, path to where classes and jar are.
with_maven() {
  local jars
  program=$(consumer "$1")
  printf 'module hello {\n    requires io.github.comch4j;\n}\n' >"$program/src/main/java/module-info.java"
  build -Dcomch4j.classifier="${2:-}" compile
  jars=$(find "$work/local/io/github/comch4j" -name "comch4j-$version${2:+-$2}.jar")
  path=$jars:$program/target/classes
}

# tested WHAT ARGUMENT...: the program's own tests, by Maven.
tested() {
  build "${@:2}" test >"$work/test.log" 2>&1 || { tail -n 40 "$work/test.log" >&2; die "it fails: $1"; }
  grep -q 'tests="2" errors="0" skipped="0" failures="0"' "$program"/target/surefire-reports/TEST-*.xml ||
    die "not all of it has run: $1"
  say "runs: $1"
}

# linked: a runtime of the program's module and what that needs.
linked() {
  "$JDK/bin/jlink" -p "$path" --add-modules hello --output "$work/image" >"$work/link.log" 2>&1
}

# with_gradle NAME: likewise, of what Gradle has resolved.
with_gradle() {
  local program
  program=$(consumer "$1")
  path=$(cd "$program" && gradle -q --no-daemon --gradle-user-home "$work/gradle" -Prepository="file:$folder" \
    -Pcomch4j=$version -Pjdk="$JDK" program 2>"$work/gradle.log" | tail -n 1) ||
    { tail -n 20 "$work/gradle.log" >&2; die "Gradle cannot build the program"; }
}

# program MODE CLASS: runs a class of the program on the class path or the module path, or in the linked runtime.
program() {
  case $1 in
    class) exec "$JDK/bin/java" --enable-native-access=ALL-UNNAMED -cp "$path" "examples.$2" hello ;;
    image) exec "$work/image/bin/java" --enable-native-access=io.github.comch4j -m "hello/examples.$2" hello ;;
    module) exec "$JDK/bin/java" --enable-native-access=io.github.comch4j -p "$path" -m "hello/examples.$2" hello ;;
  esac
}

# talks MODE WHAT: the server and a client, which waits for the server.
talks() {
  local server status=1
  (program "$1" HelloServer >"$work/server.log" 2>&1) &
  server=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    if (program "$1" HelloClient >"$work/client.log" 2>&1); then
      status=0
      break
    fi
    sleep 1
  done
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  [ $status -eq 0 ] && grep -q "the DPU answers: hello" "$work/client.log" ||
    { cat "$work/server.log" "$work/client.log" >&2; die "it fails: $2"; }
  say "runs: $2"
}

# The jar without the emulated device refuses it, and says so.
for_hardware_only() {
  local jar=${path%%:*} names
  names=$(unzip -Z1 "$jar")
  ! grep -q 'native/.*/libdoca_' <<<"$names" || die "the jar for hardware has the emulated device"
  grep -q 'native/.*/libcomch4j_batch' <<<"$names" || die "the jar for hardware has no batch library"
  ! (program class HelloClient >"$work/client.log" 2>&1) || die "a program runs without any library"
  grep -q "this jar has no emulated BlueField" "$work/client.log" ||
    { cat "$work/client.log" >&2; die "the refusal does not say what is missing"; }
  say "runs: the jar for hardware has nothing of the emulated device, and says so"
}

# follows JAR: whether this source may be released after that one; what the build says is in a log.
follows() {
  maven -q -Drelease.last="$1" -Dmaven.test.skip=true -Dmaven.javadoc.skip=true verify >"$work/compare.log" 2>&1
}

# The last release may have had a class that is gone.
nothing_is_gone() {
  local last=$work/last.jar
  cp "$released/$version/comch4j-$version.jar" "$last"
  follows "$last" || { tail -n 40 "$work/compare.log" >&2; die "a release cannot follow itself"; }
  mkdir "$work/gone"
  printf 'package io.github.comch4j.core;\n\npublic class Gone {\n    public void call() {}\n}\n' >"$work/Gone.java"
  "$JDK/bin/javac" --release 22 -d "$work/gone" "$work/Gone.java"
  "$JDK/bin/jar" --update --file "$last" -C "$work/gone" io/github/comch4j/core/Gone.class
  ! follows "$last" || die "a class that is gone is not noticed"
  grep -q "core.Gone" "$work/compare.log" || { tail -n 40 "$work/compare.log" >&2; die "it fails for another reason"; }
  say "refused: to follow a release with a class that is gone"
}

throw_away_key
"$COMCH4J_ROOT/scripts/dev/release.sh" $version "$folder"
"$COMCH4J_ROOT/scripts/dev/lib/release.py" "$folder" $version

with_maven plain
talks class "a program of Maven on the class path"
talks module "a program of Maven on the module path"
tested "tests of a program of Maven that is a module"
tested "tests of it on the class path" -Dsurefire.useModulePath=false -Dcomch4j.native=ALL-UNNAMED
if linked; then
  talks image "a runtime with the program (jlink)"
else
  grep -q java.base "$work/link.log" || { cat "$work/link.log" >&2; die "jlink fails"; }
  say "left out: this JDK links no runtime"
fi
with_maven hardware hardware
for_hardware_only
if command -v gradle >/dev/null 2>&1; then
  with_gradle gradle
  talks class "a program of Gradle"
else
  say "left out: Gradle is not here"
fi
nothing_is_gone
