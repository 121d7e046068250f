#!/bin/sh
# headers_test.sh - every header stands alone: it compiles as the only thing
# in a file, twice over, with nothing in front of it.
set -u
CC=${CC:-gcc}
bad=0
count=0

try() { # header, compiler and flags
    header=$1
    shift
    count=$((count + 1))
    printf '#include "%s"\n#include "%s"\ntypedef int not_empty;\n' \
        "$header" "$header" |
        "$@" -I. -Wall -Wextra -Wundef -Werror -fsyntax-only -x c - || {
        echo "$header: does not stand alone"
        bad=$((bad + 1))
    }
}

for header in $(tests/setup/sources h include lib isa pmu sim tools); do
    [ -f "$header" ] && try "$header" $CC -std=gnu11
done
for header in $(tests/setup/sources h include guest); do
    [ -f "$header" ] &&
        try "$header" powerpc-linux-gnu-gcc -std=gnu11 -ffreestanding
done
echo "$count headers, $bad that lean on others"
[ "$count" -gt 0 ] && [ "$bad" -eq 0 ]
