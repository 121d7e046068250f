#!/bin/sh
# walkthrough_all.sh - what docs/pif.md walks a newcomer through works as it
# stands: in a copy of the tree the new event counts and the new kind of mark
# does what it says, on a command line, in a list, in storage, in a report.
# timeout: 900
set -u
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "no powerpc-linux-gnu-gcc"
    exit 77
}
. tests/check/walkthrough.sh
tree=$TMPDIR/tree
extract_walkthrough "$TMPDIR/diff" || exit 1
mkdir -p "$tree/build"
for file in *; do
    [ "$file" -ef "$BUILD" ] || case $file in
    build*) ;;
    *) cp -a "$file" "$tree/" ;;
    esac
done
# What is made already needs no making again.
cp -a "$BUILD/obj" "$tree/build/" 2>/dev/null
apply_walkthrough "$TMPDIR/diff" "$tree" || exit 1
cd "$tree" || exit 1
make BUILD=build all >make.log 2>&1 || {
    echo "it does not build"
    tail make.log
    exit 1
}
build/simrun --list-events | grep -q dcbz_completed || {
    echo "the event is not listed"
    exit 1
}
BUILD=build tests/run pif/golden pmu/events check/events >run.log || {
    cat run.log
    exit 1
}

# Every instruction takes a cycle at least, and a divide more.
cat >p.S <<'E'
        .globl _start
        .type work, @function
work:   divw 5, 6, 7
        addi 4, 4, 1
        blr
        .size work, . - work
_start: li 7, 3
        li 8, 40
1:      bl work
        addic. 8, 8, -1
        bne 1b
        li 0, 1
        li 3, 0
        sc
E
powerpc-linux-gnu-gcc -nostdlib -static -no-pie -o p.elf p.S || exit 1
build/simmark add p.elf func:work=count,time -o marked.elf || exit 1
build/simmark list marked.elf | grep -q '=count,time' || {
    echo "simmark does not list it"
    exit 1
}
for carrier in 0 1; do
    rm -rf p.exp
    build/simrun -q --set pif_carrier=$carrier --pmu-trace=p.exp \
        --user marked.elf || exit 1
    build/simprof marks p.exp --csv --limit=0 |
        awk -F, '$1 == "code" && $3 == 40 { taken[++n] = $4 }
            END { exit !(n == 3 && taken[1] >= 20 * 40 && taken[2] >= 40) }' || {
        echo "carrier $carrier:"
        build/simprof marks p.exp --pcs
        exit 1
    }
done
