#!/bin/sh
# events_test.sh - every directed event test, on the real simrun and on a
# machine that lies (tamper.h, twins.c): the program named after the event
# must count what its comment derives, and must notice when the event is
# removed, doubled or moved to another row. Prints a line each.
# timeout: 600
set -u
CC=${CC:-gcc}
CROSS=${CROSS:-powerpc-linux-gnu-}
dir=${TMPDIR:-/tmp}/events
mkdir -p "$dir"
command -v "${CROSS}gcc" >/dev/null || {
    echo "needs ${CROSS}gcc to assemble the programs"
    exit 77
}

# The machine once more, with tamper.h in front of all that adds events.
compile() {
    case $1 in
    pmu/*) flags="-DTAMPER_PMU -include tests/pmu/tamper.h" ;;
    sim/core/* | tests/*) flags="-include tests/pmu/tamper.h" ;;
    *) flags= ;;
    esac
    case $1 in # what it copies is compiled as sim/core/fast/stencils.mk says
    */stencil.c) flags="$flags -DSTENCILS_OBJECT=\"$BUILD/obj/sim/core/fast/stencils.o\" -DSTENCILS_WARM=\"$BUILD/obj/sim/core/fast/stencils_warm.o\" -DSTENCILS_MEMO=\"$BUILD/obj/sim/core/fast/stencils_memo.o\"" ;;
    esac
    $CC -std=gnu11 -I. -O1 -w $flags -c \
        -o "$dir/$(echo "$1" | tr / _).o" "$1"
}
case ${1:-} in
--compile) # called back by xargs, once a file
    compile "$2"
    exit
    ;;
esac
(tests/setup/sources c isa pmu sim lib && echo tests/pmu/twins.c) |
    grep -v -e '^sim/main.c$' -e '^sim/host/host_input.c$' -e '^sim/host/scout.c$' \
        -e '^sim/host/terminal.c$' \
        -e '^sim/core/fast/stencils' |
    CC=$CC TMPDIR=${TMPDIR:-/tmp} xargs -P 2 -n 1 sh "$0" --compile ||
    exit 1
$CC -o "$dir/twins" "$dir"/*.o -ldw -lelf -lcapstone -ljansson -lfdt || exit 1

for source in tests/pmu/event/*.S; do
    name=$(basename "$source" .S)
    "${CROSS}gcc" -I. -nostdlib -static -mcpu=604 -o "$dir/$name.elf" \
        "$source" || exit 1
done

bad=0
for elf in "$dir"/*.elf; do
    "$BUILD/simrun" "$elf" >"$dir/out" 2>&1 || {
        echo "FAIL $(basename "$elf" .elf): simrun ends with status $?"
        cat "$dir/out"
        bad=1
    }
done
"$dir/twins" "$dir"/*.elf || bad=1
exit $bad
