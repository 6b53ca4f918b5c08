# Sourced after tools.sh: installs what the scripts need and this machine lacks, from its distribution.
# shellcheck shell=bash

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    die "only root may install packages here, and there is no sudo: $*"
  fi
}

# has PROBE: whether the machine has it; a command, a header, or one of these words.
has() {
  case $1 in
    jdk) find_jdk ;;
    cc) find_cc ;;
    clang-format) find_clang_format ;;
    fuzzing-clang) find_fuzzing_clang ;;
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# What demo, quick and all need: for which, what is looked for, Debian's packages, Fedora's; "-": there is none.
setup_table() {
  cat <<'TABLE'
demo  cc                       gcc,libc6-dev                gcc,glibc-devel
demo  make                     make                         make
demo  cmake                    cmake                        cmake
demo  mvn                      maven                        maven
quick c++                      g++                          gcc-c++
quick python3                  python3                      python3
quick nm                       binutils                     binutils
quick pkg-config               pkg-config                   pkgconf-pkg-config
quick /usr/include/cmocka.h    libcmocka-dev                libcmocka-devel
quick /usr/include/json-c/json.h libjson-c-dev              json-c-devel
all   zsh                      zsh                          zsh
all   gpg                      gnupg                        gnupg2
all   fuzzing-clang            clang,libclang-rt-dev        clang,compiler-rt
all   clang-tidy               clang-tidy                   clang-tools-extra
all   clang-format             clang-format-14              -
all   aarch64-linux-gnu-gcc    gcc-aarch64-linux-gnu,libc6-dev-arm64-cross gcc-aarch64-linux-gnu
all   qemu-aarch64-static      qemu-user-static             qemu-user-static
TABLE
}

# missing_packages FOR COLUMN: the packages of what is missing.
missing_packages() {
  local for=$1 column=$2 row fields
  while read -r -a fields; do
    case $for:${fields[0]} in demo:quick | demo:all | quick:all) continue ;; esac
    row=${fields[$column]:--}
    [ "$row" = - ] || has "${fields[1]}" || printf '%s\n' "${row//,/ }"
  done < <(setup_table)
}

# The distribution's newest JDK that is new enough, if it has one.
jdk_package() {
  local release
  if [ "$1" = dnf ]; then
    dnf -q list --available java-latest-openjdk-devel >/dev/null 2>&1 && printf '%s\n' java-latest-openjdk-devel
    return
  fi
  for release in 27 26 25 24 23 22; do
    if apt-cache show "openjdk-$release-jdk-headless" >/dev/null 2>&1; then
      printf '%s\n' "openjdk-$release-jdk-headless"
      return
    fi
  done
}

# Unpacks the archive of a JDK, a file or an address, to where find_jdk looks.
unpack_jdk() {
  local folder=$HOME/.jdks/comch4j
  mkdir -p "$folder"
  case $1 in
    *://*) curl -fsSL "$1" || wget -qO- "$1" ;;
    *) cat "$1" ;;
  esac | tar -xz --strip-components=1 -C "$folder" || die "no JDK could be unpacked from $1"
}

# setup FOR YES: installs what demo, quick or all need. YES: 1 asks nothing; nor is asked where there is no terminal.
setup() {
  local for=$1 yes=$2 tool packages=() answer jdk
  if command -v apt-get >/dev/null 2>&1; then
    tool=apt
    mapfile -t packages < <(missing_packages "$for" 2)
  elif command -v dnf >/dev/null 2>&1; then
    tool=dnf
    mapfile -t packages < <(missing_packages "$for" 3)
  else
    die "neither apt-get nor dnf is here: $0 without --setup says what is missing"
  fi
  if [ ${#packages[@]} -eq 0 ] && find_jdk; then
    say "nothing is missing"
    return
  fi
  find_jdk || [ -n "${COMCH4J_JDK_ARCHIVE:-}" ] || packages+=("(a JDK $COMCH4J_JDK_MINIMUM or newer)")
  say "to be installed with $tool: ${packages[*]:-nothing but a JDK}"
  if [ "$yes" -eq 0 ] && [ -t 0 ]; then
    read -r -p "Go on? [y/N] " answer
    [[ $answer == [yY]* ]] || exit 1
  fi
  [ "$tool" = dnf ] || as_root apt-get -qq update
  if ! find_jdk && [ -z "${COMCH4J_JDK_ARCHIVE:-}" ]; then
    unset 'packages[-1]'
    jdk=$(jdk_package $tool)
    packages+=(${jdk:+"$jdk"})
  fi
  if [ ${#packages[@]} -gt 0 ]; then
    local install=(dnf -q -y install)
    [ "$tool" = dnf ] || install=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install)
    # shellcheck disable=SC2086  # a row may name several packages
    as_root "${install[@]}" ${packages[*]} >/dev/null || die "the packages could not be installed"
  fi
  if ! find_jdk; then
    [ -z "${COMCH4J_JDK_ARCHIVE:-}" ] || unpack_jdk "$COMCH4J_JDK_ARCHIVE"
    find_jdk || die "this distribution has no JDK $COMCH4J_JDK_MINIMUM or newer: fetch one, such as Eclipse Temurin" \
      "$COMCH4J_JDK_LINTED, as .tar.gz, and run this again with COMCH4J_JDK_ARCHIVE=FILE"
  fi
  say "ready, with the JDK $(jdk_release "$JDK") in $JDK"
}
