#!/usr/bin/env bash
# Regenerate generated/ with jextract: the Java bindings of headers/, headers/2.5 and headers/dpa, and of the
# structures that Java shares with the batch library (src/main/c/batch).
#
#   scripts/jextract.sh           write generated/
#   scripts/jextract.sh --check   write nothing; fail if generated/ differs from what jextract would write
#
# Uses $JEXTRACT_HOME/bin/jextract if JEXTRACT_HOME is set, otherwise the jextract on PATH. The files includes.txt,
# cc.txt, channel.txt, dma.txt, dpa.txt and batch.txt in src/main/jextract list what the bindings contain: a new symbol
# needs a line there. The script changes jextract's output in three places, below, and adds Lookup.java.
set -euo pipefail
export LC_ALL=C
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/dev/lib/tools.sh"
cd "$COMCH4J_ROOT"

how_to_get_it() {
    cat >&2 <<'TEXT'

How to get a jextract that works here:

  Build it from its public repository, openjdk/jextract on GitHub, at commit f9866df, as its README
  says there (it takes a JDK 25 and LLVM's libclang). Then set JEXTRACT_HOME to the folder that has
  bin/jextract in it, or put that bin on PATH.

  Not from before commit ec585cc of April 2025: what a call throws would arrive as the cause of an
  AssertionError.

Only who changes headers/ or src/main/jextract/includes.txt needs it: generated/ is committed.
TEXT
    exit 1
}

check=false
while [ $# -gt 0 ]; do
    case $1 in
        --check) check=true ;;
        -h|--help) usage; exit 0 ;;
        -*) die "no such option: $1 (--help lists them)" ;;
        *) no_more "$1" ;;
    esac
    shift
done

if [[ -n "${JEXTRACT_HOME-}" ]]; then
    jextract="$JEXTRACT_HOME/bin/jextract"
    if [[ ! -x "$jextract" ]]; then
        printf 'jextract.sh: JEXTRACT_HOME is set, but %s is not there\n' "$jextract" >&2
        how_to_get_it
    fi
elif ! jextract="$(command -v jextract)"; then
    printf 'jextract.sh: no jextract: JEXTRACT_HOME is not set and there is none on PATH\n' >&2
    how_to_get_it
fi

root="$PWD"
lists="src/main/jextract"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# extract FOLDER CLASS PACKAGE LIST HEADER...: from inside FOLDER, with relative names, so that nothing of this
# machine's folders gets into the output.
extract() {
    local folder=$1 class=$2 package=$3 list=$4 up
    shift 4
    up=$(realpath --relative-to="$folder" headers)
    (cd "$folder" && "$jextract" \
        --define-macro DOCA_ALLOW_EXPERIMENTAL_API \
        --include-dir . --include-dir "$up" \
        --header-class-name "$class" \
        --target-package "$package" \
        --output "$work/generated" \
        "@$root/$lists/$list" \
        "$@") || die "jextract failed"
}

# Java has no use for the parser of command lines; DMA is in a library of its own.
extract headers doca_h io.github.comch4j.ffi includes.txt $(cd headers && ls doca_*.h | grep -Ev 'doca_(argp|dma)')
# What DOCA 2.5 has of Comch. What Java calls of its Core has the same types in headers; so has Comch of 2.6, but for
# the names.
extract headers/2.5 cc_h io.github.comch4j.ffi.cc cc.txt $(cd headers/2.5 && echo doca_cc*.h)
# The endpoint API, which DOCA 3.0 has no more.
extract headers/2.5 channel_h io.github.comch4j.ffi.channel channel.txt doca_comm_channel.h
extract headers dma_h io.github.comch4j.ffi.dma dma.txt doca_dma.h
# What kernels of the emulated DPA call; of its own, as it has names of doca_dpa.h.
extract headers/dpa dpa_h io.github.comch4j.ffi.dpa dpa.txt $(cd headers/dpa && echo doca_*.h)
extract src/main/c/batch batch_h io.github.comch4j.ffi.batch batch.txt batch.h messages.h

if ! grep -rqF 'catch (Error | RuntimeException ex)' "$work/generated"; then
    printf 'jextract.sh: %s wraps what a call throws\n' "$jextract" >&2
    how_to_get_it
fi
for path in "$root" "$work" "$HOME"; do
    [[ "$path" != / ]] || continue
    ! grep -rF -- "$path" "$work/generated" >&2 || die "the output names a folder of this machine: $path"
done

# All that is changed in what jextract writes, the same in each file:
# The compiler's lint "restricted" warns of what bindings do everywhere.
find "$work/generated" -name '*.java' \
    -exec sed -i 's/^public \(final \)\?class /@SuppressWarnings("restricted")\n&/' {} +
lookup=io.github.comch4j.ffi.Lookup
for header in doca_h cc/cc_h channel/channel_h dma/dma_h dpa/dpa_h batch/batch_h; do
    bindings="$work/generated/io/github/comch4j/ffi/$header"
    # Functions have other names in older releases, and JDK 22 has no SymbolLookup.findOrThrow.
    sed -i "/static final SymbolLookup SYMBOL_LOOKUP = /{
        N;s/.*/    static final $lookup SYMBOL_LOOKUP = $lookup.get();/}" "$bindings.java"
    # A target makes the pointer fail where the JVM forbids native calls, and with it all constants.
    sed -i '/AddressLayout C_POINTER = /{
        N;s/(\((AddressLayout).*\))\n.*withTargetLayout.*/\1;/}' "$bindings\$shared.java"
    grep -qF "SYMBOL_LOOKUP = $lookup.get();" "$bindings.java" &&
        grep -qF 'C_POINTER = (AddressLayout)' "$bindings\$shared.java" || die "jextract writes $header in another way"
done
cp "$lists/Lookup.java" "$work/generated/io/github/comch4j/ffi/"

# What went in and what came out, for BindingsDriftTest. In the form of sha256sum.
{
    sha256sum headers/*.h headers/*/*.h src/main/c/batch/*.h "$lists"/*
    (cd "$work" && find generated -name '*.java' -print0 | sort -z | xargs -0 sha256sum)
} >"$work/fingerprint.sha256"
mv "$work/fingerprint.sha256" "$work/generated/"

if $check; then
    diff -r "$work/generated" generated >&2 || die "generated/ is out of date: run scripts/jextract.sh"
    echo "generated/ is up to date"
else
    rm -rf generated
    mv "$work/generated" generated
    echo "generated/ written: $(find generated -name '*.java' | wc -l) files"
fi
