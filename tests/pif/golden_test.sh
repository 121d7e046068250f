#!/bin/sh
# golden_test.sh - the instrumentation facility does what docs/pif.md says: its
# worked examples and rules, run by a bare-metal program in both modes. What the
# log says of shadow traffic adds up: of the host's blocks exactly, of the
# program's, which are of all formats, between the smallest and the largest.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build golden tests/pif/routines.S tests/pif/golden*.c
for mode in fast detailed; do
    all_right golden --mode=$mode
    rm -rf "$TMPDIR/$mode.exp"
    all_right golden "--mode=$mode --mark func:* --pmu-trace=$TMPDIR/$mode.exp"
    # an entry of the table and a block of 160 bytes at most; 8 bytes of a count
    awk -v mode=$mode '
    $1 == "shadow" {
        lines[$3]++
        lookups = $5; hits = $6; fills = $7; late = $8; bytes = $9
        written = $10; written_bytes = $11; evicted = $14
        if (!fills || hits > lookups || late > fills || evicted > fills ||
            written_bytes < 8 * written || written_bytes % 8 ||
            bytes > fills * 164 ||
            ($3 == "host" ? bytes != fills * 164 : bytes <= fills * 4)) {
            print mode ": " $0
            bad = 1
        }
    }
    # of five words: copied once by C, once by mr; one plain store
    $1 == "widened" && $0 != "widened guest both 5 2 1" {
        print mode ": " $0
        bad = 1
    }
    $1 == "widened" { wide++ }
    END { exit bad || wide != 1 || lines["host"] != 1 || lines["guest"] != 2 }' \
        "$TMPDIR/$mode.exp/log" || bad=1
done
exit $bad
