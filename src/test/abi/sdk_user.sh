#!/bin/sh
# Compiles sdk_user.c against headers/ (or HEADERS) and the libraries in FOLDER, as C11, C++17 and C++20, and runs it:
# with cc and c++ (or CC and CXX), and with gcc and clang where they are.
#
#   sdk_user.sh FOLDER
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
. "$here/compilers.sh"
headers=${HEADERS:-$here/../../../headers}
[ $# -eq 1 ] || { echo "sdk_user: needs one folder; there are $# arguments" >&2; exit 1; }
libraries=$(CDPATH= cd -- "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0

try() { # compiler, language, standard, more options
    compiler=$1 language=$2 standard=$3
    shift 3
    count=$((count + 1))
    "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wshadow -Werror -DDOCA_ALLOW_EXPERIMENTAL_API "$@" \
        -I"$headers" "$here/sdk_user.c" -o "$work/user" \
        -L"$libraries" -Wl,--no-as-needed -ldoca_comch -ldoca_common -Wl,-rpath,"$libraries" &&
        DOCA_EMU_DIR="$work" "$work/user" >"$work/out" || {
        echo "sdk_user: $compiler -std=$standard $*" >&2
        failed=1
    }
}

for compiler in $(present_compilers "${CC:-cc}" gcc clang); do
    try "$compiler" c c11 -pedantic
    try "$compiler" c gnu11 -DSEMICOLON -DDOCA_LOGGING_ALLOW_TRACE
done
for compiler in $(present_compilers "${CXX:-c++}" g++ clang++); do
    for standard in c++17 c++20; do
        try "$compiler" c++ "$standard" -pedantic
        try "$compiler" c++ "$standard" -pedantic -DSEMICOLON -DDOCA_LOGGING_ALLOW_TRACE
    done
done
if [ "$count" -eq 0 ]; then
    echo "sdk_user: no compiler" >&2
    exit 1
fi
if [ "$failed" -ne 0 ]; then
    echo "sdk_user: a program that uses the headers fails" >&2
    exit 1
fi
echo "sdk_user: $count programs in C11, C++17 and C++20 run"
