#!/bin/sh
# globals_test.sh - state belongs to the struct a function is handed: no
# object file of the host rooms has a writable variable at file scope. One is
# let through: the decode index that isa/table.c makes from its rows, once and
# the same in every process.
set -u

objects=$(find "$BUILD"/obj/isa "$BUILD"/obj/pmu "$BUILD"/obj/sim \
    "$BUILD"/obj/tools "$BUILD"/obj/lib -name '*.o' 2>/dev/null)
[ -n "$objects" ] || { echo "no objects in $BUILD"; exit 1; }
if grep -q sanitize "$BUILD/obj/flags"; then
    echo "a sanitizer adds variables of its own"
    exit 77
fi

# The sysv format names the section. What the loader alone writes to
# (.data.rel.ro: constant tables of addresses) does not count.
found=$(nm -A -f sysv $objects 2>/dev/null | awk -F'|' '
    $7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ &&
    $7 !~ /^\.data\.rel\.ro/ && $4 ~ /OBJECT|TLS/ { print $1, $7 }' |
    grep -vE 'obj/isa/table\.o:table ' || :)
if [ -n "$found" ]; then
    echo "variables at file scope:"
    echo "$found"
    exit 1
fi
externs=$(tests/setup/sources h lib isa pmu sim tools |
    xargs grep -nE '^extern [^(]*;' | grep -v 'extern const' || :)
if [ -n "$externs" ]; then
    echo "variables shared between files:"
    echo "$externs"
    exit 1
fi
echo "$(echo "$objects" | wc -l) objects, none with state of its own"
