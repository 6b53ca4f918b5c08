#!/bin/sh
# Compiles each header of headers/ on its own, as C11 and as C++17, with and without the
# experimental functions allowed. Needs cc and c++ (or CC and CXX).
set -eu
cd "$(dirname "$0")/../../../headers"

warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
failed=0
count=0
for header in *.h; do
    for allow in "" "-DDOCA_ALLOW_EXPERIMENTAL_API"; do
        # Twice: include guards are part of what is checked.
        printf '#include "%s"\n#include "%s"\nint unit_is_not_empty;\n' "$header" "$header" |
            ${CC:-cc} -std=c11 $warnings $allow -I. -x c -fsyntax-only - || failed=1
        printf '#include "%s"\n#include "%s"\nint unit_is_not_empty;\n' "$header" "$header" |
            ${CXX:-c++} -std=c++17 $warnings $allow -I. -x c++ -fsyntax-only - || failed=1
    done
    count=$((count + 1))
done
if [ "$failed" -ne 0 ]; then
    echo "headers_alone: some headers do not compile alone" >&2
    exit 1
fi
echo "headers_alone: $count headers compile alone as C11 and C++17"
