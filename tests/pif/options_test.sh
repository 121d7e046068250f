#!/bin/sh
# options_test.sh - other hardware, the same counts: shadow frames that
# instructions and data share, however few (knob pif_frames), and counters of
# four bits that wrap, unless a limit below that captures and clears them (knob
# pif_count_bits).
# timeout: 120
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O2 -static -o "$TMPDIR/work" tests/bench/words.c || exit 1
powerpc-linux-gnu-gcc -I. -O2 -mcpu=604 -ffreestanding -fno-pic -msoft-float \
    -nostdlib -static -Wl,-Ttext=0x20000 -Wl,-e,_start \
    -Wl,--no-warn-rwx-segments -Wl,-z,noexecstack -o "$TMPDIR/golden.elf" \
    tests/pif/start.S tests/pif/routines.S tests/pif/common.c \
    tests/pif/golden*.c || exit 1
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }
sim="timeout 60 $BUILD/simrun -q --user --cpus=1"

# counted NAME ACTION OPTION...: NAME.csv has kind, address, count; NAME.log
counted() {
    name=$1 action=$2
    shift 2
    rm -rf $name.exp
    $sim "$@" --mark func:hash=$action --mark func:count=$action \
        --mark func:strcmp=$action --mark data:table=$action \
        --mark data:words=$action --pmu-trace=$name.exp ./work 300 >$name.out 2>&1
    cmp -s base.out $name.out || complain "$name: $(cat $name.out)"
    "$BUILD/simprof" marks --csv --limit=0 $name.exp |
        awk -F, 'NR > 1 { print $1, $5, $3 }' >$name.csv
}
shadow() { # name, field of the lines `shadow`, both sides
    awk -v f=$2 '$1 == "shadow" { n += $f } END { print n + 0 }' $1.exp/log
}
end() { awk '$1 == "end" { print $2 }' $1.exp/log; }
$sim ./work 300 >base.out
counted base count
[ "$(wc -l <base.csv)" -gt 1000 ] || complain "few marks"
for frames in 1 2 7 200; do
    counted few count --set pif_frames=$frames
    cmp -s base.csv few.csv || complain "$frames frames: other counts"
    [ "$(end base)" = "$(end few)" ] || complain "$frames frames: other cycles"
    # 14 evictions, 8 late fills, 7 fills
    [ $frames = 200 ] || {
        [ "$(shadow few 14)" -gt "$(($(shadow base 14) + 100))" ] &&
            [ "$(shadow few 8)" -gt 100 ] || complain "$frames frames hold all"
    }
    [ $frames = 1 ] || [ "$(shadow few 7)" -lt "$before" ] ||
        complain "$frames frames: $(shadow few 7) fills, fewer frames $before"
    before=$(shadow few 7)
done
counted fast count --set pif_frames=3 --mode=fast
cmp -s base.csv fast.csv || complain "fast: other counts"
counted all count --set pif_charge=1
counted few count --set pif_charge=1 --set pif_frames=2
cmp -s base.csv few.csv || complain "charged: other counts"
[ "$(end few)" -gt "$(($(end all) + 1000))" ] || complain "misses cost nothing"
for frames in 1 5; do
    out=$(timeout 60 "$BUILD/simrun" --cpus 1 --set pif_frames=$frames golden.elf \
        </dev/null 2>&1)
    [ "$out" = "all right" ] || complain "the guest, $frames frames: $out"
done

# Four bits. Nothing is lost as long as somebody clears in time.
awk '{ print $1, $2, $3 % 16 }' base.csv >wrapped
cmp -s base.csv wrapped && complain "no count reaches 16"
for carrier in 0 1; do
    set -- --set pif_count_bits=4 --set pif_carrier=$carrier
    counted four count "$@"
    cmp -s wrapped four.csv || complain "carrier $carrier does not wrap"
    counted four limit:14 "$@"
    cmp -s base.csv four.csv || complain "carrier $carrier: $(diff base.csv four.csv | head -n 3)"
    counted four limit:15 "$@"
    cmp -s wrapped four.csv || complain "carrier $carrier: 15 is passed"
done
for action in count limit:14; do
    cp work old
    "$BUILD/simmark" opcodes work -i func:hash=$action func:count=$action >out ||
        complain "$(cat out)"
    rm -rf op.exp
    $sim --set pif_count_bits=4 --pmu-trace=op.exp ./work 300 >out
    mv old work
    cmp -s out base.out || complain "instructions, $action: $(cat out)"
    "$BUILD/simprof" marks --csv --limit=0 op.exp |
        awk -F, 'NR > 1 { print $1, $5, $3 }' >op.csv
    want=wrapped
    [ $action = count ] || want=base.csv
    grep -Fxf op.csv $want | cmp -s - op.csv || complain "instructions, $action"
    [ -s op.csv ] || complain "instructions, $action: nothing"
done
exit $bad
