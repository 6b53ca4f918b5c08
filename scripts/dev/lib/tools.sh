# Sourced by the scripts: where the project is, and the tools that it needs from this machine.
# shellcheck shell=bash

unset CDPATH # with it, cd goes to other folders, and prints where it went
COMCH4J_SCRIPT=$(readlink -f "$0")
COMCH4J_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.." && pwd)
COMCH4J_JDK_MINIMUM=22
COMCH4J_JDK_LINTED=25 # the newest that the Error Prone in pom.xml was tried with

say() { printf '%s\n' "$*"; }
complain() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { complain "$@"; exit 1; }

# What the script that was started says of itself at its beginning.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$COMCH4J_SCRIPT"; }

# no_more [ARGUMENT...]: fails with a sentence if there is one.
no_more() { [ $# -eq 0 ] || die "one argument too many: $1 (--help says what there is)"; }

# option_value OPTION ARGUMENTS-LEFT: fails with a sentence unless a value follows the option.
option_value() { [ "$2" -ge 2 ] || die "$1 needs a value (--help says which)"; }

# The feature release of the JDK in folder $1; fails where that is no JDK (a JRE has no javac).
jdk_release() {
  local version
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 1
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null)
  [ -n "$version" ] || version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  [ -n "$version" ] && printf '%s\n' "$version"
}

# Every folder that may hold a JDK, the user's explicit choices first.
jdk_candidates() {
  local on_path
  [ -z "${JAVA_HOME:-}" ] || printf '%s\n' "$JAVA_HOME"
  sed -n 's:.*<jdkHome>[[:space:]]*\(.*[^[:space:]]\)[[:space:]]*</jdkHome>.*:\1:p' \
    "$HOME/.m2/toolchains.xml" 2>/dev/null || true
  if on_path=$(command -v javac); then
    dirname "$(dirname "$(readlink -f "$on_path")")"
  fi
  # Newer versions sort last by name, and are tried first.
  printf '%s\n' "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* "$HOME"/.m2/jdks/* \
    /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* | sort -rV
}

# Sets JDK to a JDK of release COMCH4J_JDK_MINIMUM or newer.
find_jdk() {
  local home release
  while IFS= read -r home; do
    release=$(jdk_release "$home") || continue
    if [ "$release" -ge "$COMCH4J_JDK_MINIMUM" ]; then
      JDK=$home
      return 0
    fi
  done < <(jdk_candidates)
  return 1
}

# Sets CC where the user has not, to the first C compiler there is.
find_cc() {
  local name
  for name in ${CC:+"$CC"} cc gcc clang; do
    if command -v "$name" >/dev/null 2>&1; then
      CC=$name
      export CC
      return 0
    fi
  done
  return 1
}

# Sets CLANG_FORMAT to a clang-format 14: each release formats a little differently.
find_clang_format() {
  for CLANG_FORMAT in clang-format-14 clang-format; do
    case $("$CLANG_FORMAT" --version 2>/dev/null) in *'version 14.'*) return 0 ;; esac
  done
  return 1
}

fuzzing_clang_missing='clang with libFuzzer is missing: apt-get install clang libclang-rt-dev (Debian/Ubuntu)'
fuzzing_clang_missing+=' or dnf install clang compiler-rt (Fedora)'

# Sets FUZZING_CLANG to a clang that brings libFuzzer and its sanitizers.
find_fuzzing_clang() {
  local name probe status
  probe=$(mktemp -d) || return 1
  printf '#include <stddef.h>\n%s\n' \
    'int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { return d == NULL && n > 0; }' >"$probe/probe.c"
  status=1
  for name in clang $(printf 'clang-%s ' {22..14}); do
    command -v "$name" >/dev/null 2>&1 || continue
    if "$name" -fsanitize=fuzzer,address,undefined "$probe/probe.c" -o "$probe/probe" >/dev/null 2>&1 \
        && "$probe/probe" -runs=1 >/dev/null 2>&1; then
      FUZZING_CLANG=$name
      status=0
      break
    fi
  done
  rm -rf "$probe"
  return $status
}

# need TOOL...: returns when all of these are there, else says one sentence for each that is missing and exits.
need() {
  local tool missing=0
  for tool in "$@"; do
    case $tool in
      jdk)
        if find_jdk; then
          # Maven's toolchains look at every variable named JAVA…_HOME; Maven itself stays on the Java that it has.
          export JAVA_COMCH4J_HOME=$JDK
          command -v java >/dev/null 2>&1 || export JAVA_HOME=${JAVA_HOME:-$JDK}
          continue
        fi
        complain "a JDK $COMCH4J_JDK_MINIMUM or newer is missing: install any (Debian/Ubuntu:" \
          "openjdk-25-jdk where the release has it; Fedora: java-latest-openjdk-devel;" \
          "else Eclipse Temurin) and set JAVA_HOME to it." ;;
      mvn)
        command -v mvn >/dev/null 2>&1 && continue
        complain "Maven is missing: apt-get install maven (Debian/Ubuntu) or dnf install maven (Fedora)." ;;
      cmake)
        command -v cmake >/dev/null 2>&1 && continue
        complain "CMake is missing: apt-get install cmake (Debian/Ubuntu) or dnf install cmake (Fedora)." ;;
      cc)
        find_cc && continue
        complain "a C compiler is missing: apt-get install gcc libc6-dev (Debian/Ubuntu)" \
          "or dnf install gcc glibc-devel (Fedora)." ;;
      c++)
        command -v "${CXX:-c++}" >/dev/null 2>&1 && continue
        complain "a C++ compiler is missing (the headers are checked as C++ too):" \
          "apt-get install g++ (Debian/Ubuntu) or dnf install gcc-c++ (Fedora)." ;;
      cmocka)
        printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h cmocka.h \
          | "${CC:-cc}" -E - >/dev/null 2>&1 && continue
        complain "cmocka is missing (the C tests use it): apt-get install libcmocka-dev (Debian/Ubuntu)" \
          "or dnf install libcmocka-devel (Fedora)." ;;
      make)
        command -v make >/dev/null 2>&1 && continue
        if command -v ninja >/dev/null 2>&1; then
          export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
          continue
        fi
        complain "make or ninja is missing: apt-get install make (Debian/Ubuntu) or dnf install make (Fedora)." ;;
      python3)
        command -v python3 >/dev/null 2>&1 && continue
        complain "Python 3 is missing (the ABI checks use it): apt-get install python3 (Debian/Ubuntu)" \
          "or dnf install python3 (Fedora)." ;;
      gpg)
        command -v gpg >/dev/null 2>&1 && continue
        complain "gpg is missing: apt-get install gnupg (Debian/Ubuntu) or dnf install gnupg2 (Fedora)." ;;
      aarch64-linux-gnu-gcc)
        command -v "$tool" >/dev/null 2>&1 && continue
        complain "a compiler for aarch64 is missing: apt-get install gcc-aarch64-linux-gnu" \
          "libc6-dev-arm64-cross (Debian/Ubuntu)." ;;
      *)
        complain "need: no such tool in the list: $tool" ;;
    esac
    missing=1
  done
  [ $missing -eq 0 ] || exit 1
}

# own_fabric NAME: sets DOCA_EMU_DIR to a new folder, so that what else uses an emulated device on this machine neither
# disturbs this run nor is disturbed. The caller removes it at its end.
own_fabric() {
  local shm=/dev/shm
  [ -w $shm ] || shm=${TMPDIR:-/tmp}
  DOCA_EMU_DIR=$(mktemp -d "$shm/comch4j-$1.XXXXXX") || exit 1
  export DOCA_EMU_DIR
}

# maven ARG...: Maven on the project, without colours, progress bars or questions.
maven() {
  (cd "$COMCH4J_ROOT" && mvn -B -ntp -Dstyle.color=never "$@")
}
