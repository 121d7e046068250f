#!/bin/sh
# size_test.sh - files and functions that fit a head. Over 600 lines a file
# and over 60 lines a function are named; over 800 and over 100 they fail.
# Rows of the instruction tables fit 120 columns. The guest's kernel, drivers and
# library, which a student reads in a week, have under 9,000 lines together: .c, .h,
# .S and .def of guest/ without profilers, workloads, modules for Linux, and the calls
# that the kernel does without, which have a limit of their own.
set -u
bad=0

files=$(tests/setup/sources c,h,S isa include lib pmu sim guest tools
    tests/setup/sources def isa)
wc -l $files | awk '
    $2 == "total" { next }
    $1 > 600 { print "long file: " $2 ", " $1 " lines" }
    $1 > 800 { bad = 1 }
    END { exit bad }' || bad=1
awk '
    FNR == 1 { open = 0 }
    /^\{/ { open = FNR; next }
    /^\}/ && open {
        length_ = FNR - open - 1
        if (length_ > 60)
            printf "long function: %s:%d, %d lines\n", FILENAME, open, length_
        if (length_ > 100)
            bad = 1
        open = 0
    }
    END { exit bad }' $(echo "$files" | grep '\.c$') /dev/null || bad=1
wide=$(awk 'length($0) > 100 { print "wide line: " FILENAME ":" FNR }' \
    $(echo "$files" | grep -v '\.def$'))
wide=$wide$(awk 'length($0) > 120 { print "wide row: " FILENAME ":" FNR }' \
    $(tests/setup/sources def isa sim/core tests/isa))
[ -z "$wide" ] || { echo "$wide" | head -n 20; bad=1; }
guest=$(tests/setup/sources c,h,S,def guest |
    grep -v '^guest/prof/\|^guest/work/\|^guest/linux/\|^guest/calls/' | xargs cat | wc -l)
[ "$guest" -gt 0 ] && [ "$guest" -lt 9000 ] ||
    { echo "guest/ without prof/, work/, linux/ and calls/: $guest lines of 9,000"; bad=1; }
calls=$(tests/setup/sources c,h,S,def guest/calls | xargs cat | wc -l)
[ "$calls" -gt 0 ] && [ "$calls" -lt 3000 ] ||
    { echo "guest/calls: $calls lines of 3,000"; bad=1; }
[ "$(wc -l <Makefile)" -lt 150 ] || { echo "the Makefile has grown"; bad=1; }
exit $bad
