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

# download ADDRESS FILE: whole, or it fails.
download() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 2 -o "$2" "$1"
  else
    wget -q -O "$2" "$1"
  fi
}

# Unpacks the archive of a JDK to where find_jdk looks, which does not see a half of one.
unpack_jdk() {
  local folder=$HOME/.jdks/comch4j part
  mkdir -p "${folder%/*}" && part=$(mktemp -d "${folder%/*}/.comch4j.XXXXXX") || exit 1
  if tar -xzf "$1" --strip-components=1 -C "$part" && [ -x "$part/bin/javac" ]; then
    rm -rf "$folder"
    chmod 755 "$part"
    mv "$part" "$folder"
  else
    rm -rf "$part"
    die "no JDK could be unpacked from $1"
  fi
}

# given_jdk ARCHIVE: that of the user, a file or an address.
given_jdk() {
  local file
  case $1 in
    *://*)
      file=$(mktemp) || exit 1
      download "$1" "$file" || { rm -f "$file"; die "cannot be fetched: $1"; }
      unpack_jdk "$file"
      rm -f "$file" ;;
    *) unpack_jdk "$1" ;;
  esac
}

# The value of a text in the answer of Adoptium about a package: KEY ANSWER.
of_package() {
  sed -n 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' <<<"$2"
}

# Fetches Eclipse Temurin for this machine: Adoptium's public interface, version 3, tells where the archive is, and its
# SHA-256. Fails with a sentence.
fetch_temurin() ( # a shell of its own, which removes what it has fetched
  case $(uname -m) in
    x86_64) processor=x64 ;;
    aarch64|arm64) processor=aarch64 ;;
    *) die "Eclipse Temurin is not fetched for a $(uname -m)" ;;
  esac
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  builds=$adoptium/v3/assets/latest/$COMCH4J_JDK_LINTED/hotspot
  download "$builds?architecture=$processor&image_type=jdk&os=linux&vendor=eclipse" "$work/answer" ||
    die "$adoptium does not tell of a JDK $COMCH4J_JDK_LINTED"
  # What stands between the braces after "package", of the first build.
  answer=$(tr -d '\n\r' <"$work/answer")
  answer=${answer#*\"package\"*\{}
  answer=${answer%%\}*}
  link=$(of_package link "$answer") sum=$(of_package checksum "$answer")
  if [[ ! $sum =~ ^[0-9a-f]{64}$ || $link != *://* || ($adoptium == https:* && $link != https:*) ]]; then
    die "$adoptium answers something else than where a JDK is, and its SHA-256"
  fi
  say "fetching $link"
  download "$link" "$work/jdk.tar.gz" || die "cannot be fetched: $link"
  got=$(sha256sum <"$work/jdk.tar.gz")
  [ "${got%% *}" = "$sum" ] ||
    die "what came from $link has another SHA-256 than Adoptium tells: it is thrown away"
  unpack_jdk "$work/jdk.tar.gz"
)

# may_fetch YES: whether the user wants that; nobody has said so where there is no terminal.
may_fetch() {
  local answer
  [ "$1" -eq 0 ] || return 0
  [ -t 0 ] || return 1
  say "this distribution has no JDK $COMCH4J_JDK_MINIMUM or newer"
  read -r -p "Fetch Eclipse Temurin $COMCH4J_JDK_LINTED from $adoptium into ~/.jdks/comch4j (200 MB)? [y/N] " answer
  [[ $answer == [yY]* ]]
}

# setup FOR YES: installs what demo, quick or all need. YES: 1 asks nothing; nor is asked where there is no terminal.
# COMCH4J_JDK_ARCHIVE: a JDK to take in place of the distribution's. COMCH4J_ADOPTIUM: in place of Adoptium's server.
setup() {
  local for=$1 yes=$2 tool packages=() answer jdk install adoptium=${COMCH4J_ADOPTIUM:-https://api.adoptium.net}
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
  install=(dnf -q -y install)
  [ "$tool" = dnf ] || install=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install)
  if [ ${#packages[@]} -gt 0 ]; then
    # shellcheck disable=SC2068  # a row may name several packages
    as_root "${install[@]}" ${packages[@]} >/dev/null || die "the packages could not be installed"
  fi
  if ! find_jdk; then
    if [ -n "${COMCH4J_JDK_ARCHIVE:-}" ]; then
      given_jdk "$COMCH4J_JDK_ARCHIVE"
    elif may_fetch "$yes"; then
      command -v curl >/dev/null 2>&1 || command -v wget >/dev/null 2>&1 ||
        as_root "${install[@]}" curl ca-certificates >/dev/null || die "curl could not be installed"
      fetch_temurin || true
    fi
    find_jdk || die "this distribution has no JDK $COMCH4J_JDK_MINIMUM or newer: fetch one, such as Eclipse Temurin" \
      "$COMCH4J_JDK_LINTED, as .tar.gz, and run this again with COMCH4J_JDK_ARCHIVE=FILE"
  fi
  say "ready, with the JDK $(jdk_release "$JDK") in $JDK"
}
