#!/bin/sh
# Compiles each header of FOLDER, by default headers/, on its own, as C11, as C++17 and as C++20, with and without the
# experimental functions allowed: with cc and c++ (or CC and CXX), and with gcc and clang where they are.
#
#   headers_alone.sh [FOLDER]
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
. "$here/compilers.sh"
[ $# -le 1 ] || { echo "headers_alone: needs one folder; there are $# arguments" >&2; exit 1; }
CDPATH= cd -- "${1:-$here/../../../headers}" >/dev/null

warnings="-Wall -Wextra -pedantic -Wshadow -Wconversion -Werror"
failed=0

# Twice in one unit: include guards are part of what is checked.
compile() { # header, what to define, language, standard, compiler
    # shellcheck disable=SC2086 # warnings are several options, and $2 is one or none
    printf '#include "%s"\n#include "%s"\nint unit_is_not_empty;\n' "$1" "$1" |
        "$5" -std="$4" $warnings $2 -I. -x "$3" -fsyntax-only - || {
        echo "headers_alone: $5 -std=$4 $2: $1" >&2
        failed=1
    }
}

c_compilers=$(present_compilers "${CC:-cc}" gcc clang)
cxx_compilers=$(present_compilers "${CXX:-c++}" g++ clang++)
if [ -z "$c_compilers" ] || [ -z "$cxx_compilers" ]; then
    echo "headers_alone: no compiler" >&2
    exit 1
fi
count=0
for header in *.h; do
    for allow in "" "-DDOCA_ALLOW_EXPERIMENTAL_API"; do
        for compiler in $c_compilers; do
            compile "$header" "$allow" c c11 "$compiler"
        done
        for compiler in $cxx_compilers; do
            compile "$header" "$allow" c++ c++17 "$compiler"
            compile "$header" "$allow" c++ c++20 "$compiler"
        done
    done
    count=$((count + 1))
done
if [ "$failed" -ne 0 ]; then
    echo "headers_alone: some headers do not compile alone" >&2
    exit 1
fi
# shellcheck disable=SC2086 # in one line
echo "headers_alone: $count headers compile alone as C11, C++17 and C++20:" $c_compilers $cxx_compilers
