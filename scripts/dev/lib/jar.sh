# Sourced after tools.sh: the jar of this project, for scripts that start programs with it.
# shellcheck shell=bash

# Sets jar to the library's jar, built now when a source is newer than it.
build() {
  local log=$COMCH4J_ROOT/target/logs/build.log
  need jdk mvn cmake cc make
  mkdir -p "${log%/*}"
  # Two halves started by hand at once must not build at once.
  if command -v flock >/dev/null 2>&1; then
    exec 9>"$COMCH4J_ROOT/target/logs/build.lock"
    flock 9
  fi
  jar=$(find_jar)
  if [ -z "$jar" ] ||
    [ -n "$(cd "$COMCH4J_ROOT" && find pom.xml src/main generated headers -newer "$jar" -print -quit)" ]; then
    say "building (the first time takes a minute or two)"
    if ! maven -Dmaven.test.skip=true -Dmaven.compiler.failOnWarning=false package >"$log" 2>&1 9>&-; then
      tail -n 40 "$log" >&2
      die "the build failed: see $log"
    fi
    jar=$(find_jar)
    [ -n "$jar" ] || die "the build made no jar: see $log"
    # Maven leaves a jar alone when its content has not changed.
    touch "$jar"
  fi
  exec 9>&-
}

# Sets comch to the command line tool's program, of its archive, which is unpacked in target/comch. After build.
build_tool() {
  local archive log=$COMCH4J_ROOT/target/logs/tool.log tool=$COMCH4J_ROOT/target/comch
  comch=$tool/bin/comch
  [ ! "$comch" -nt "$jar" ] || return 0
  say "making the archive of comch"
  if ! maven -Dmaven.test.skip=true -Dmaven.compiler.failOnWarning=false pre-integration-test >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "the archive of comch cannot be made: see $log"
  fi
  archive=$(find "$COMCH4J_ROOT/target" -maxdepth 1 -name 'comch-*.tar.gz' -print -quit)
  rm -rf "$tool"
  mkdir -p "$tool"
  tar -xzf "$archive" --strip-components=1 -C "$tool" || die "$archive cannot be unpacked"
  "$comch" --setup >>"$log" 2>&1 || true # it only starts more slowly without
  touch "$comch"
}

find_jar() {
  find "$COMCH4J_ROOT/target" -maxdepth 1 -name 'comch4j-*.jar' ! -name '*-sources.jar' \
    ! -name '*-javadoc.jar' ! -name '*-tool.jar' ! -name '*-hardware.jar' \
    ! -name '*-testing.jar' -print -quit 2>/dev/null
}
