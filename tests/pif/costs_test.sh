#!/bin/sh
# costs_test.sh - what carriers cost, as make bench-pif and simprof marks say
# it: the same counts from all; shadow traffic left out changes no cycle, and
# charged takes the bus for the cycles that are printed either way; marker
# instructions take a slot each; interrupts of the guest are in the table.
# timeout: 120
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
bad=0
complain() { echo "$*"; bad=1; }

sh tests/bench/bench-pif tests/bench/words.c 400 >"$TMPDIR/table" 2>&1 ||
    complain "bench-pif: $(cat "$TMPDIR/table")"
# 1 executions, 2 accesses, 3 cycles, 4 per cent more, 5 cycles of the bus,
# 6 charged, 7 fills, 8 evicted, 9 written, 10 bytes, 11 pmarks, 12 branches,
# 13 bytes of text; of what has no cost the columns are 0.
awk '
    /^[a-z ]* +[0-9]+ +[0-9]+ +[0-9]+ +-?[0-9.]+%/ {
        name = $0
        sub(/ +[0-9].*/, "", name)
        for (k = 1; k <= 13; k++)
            v[caches + 0, name, k] = $(NF - 13 + k) + 0
        rows++
    }
    /^caches of 1 KB/ { caches = 1 }
    function need(ok, what) {
        if (!ok) { print "caches " c ": " what; bad = 1 }
    }
    END {
        need(rows == 10, rows " rows")
        for (c = 0; c < 2; c++) {
            x = v[c, "shadow storage", 1]
            need(x > 100000 && v[c, "  charged", 1] == x &&
                v[c, "widened words", 1] == x &&
                v[c, "marker instructions", 1] == x, "executions differ")
            a = v[c, "shadow storage", 2]
            need(a > 5000 && v[c, "  charged", 2] == a &&
                v[c, "widened words", 2] == a, "accesses differ")
            plain = v[c, "no marks", 3]
            need(v[c, "shadow storage", 3] == plain &&
                v[c, "widened words", 3] == plain, "uncharged marks cost cycles")
            need(v[c, "  charged", 3] > plain &&
                v[c, "marker instructions", 3] > plain, "a cost is not there")
            bus = v[c, "shadow storage", 5]
            need(bus > 0 && v[c, "shadow storage", 6] == 0 &&
                v[c, "  charged", 5] > 0 &&
                v[c, "  charged", 6] == v[c, "  charged", 5], "bus cycles")
            need(v[c, "marker instructions", 11] == x &&
                v[c, "marker instructions", 12] > 0 &&
                v[c, "marker instructions", 13] > 8 * 500, "slots or bytes")
            for (k = 5; k <= 10; k++)
                need(!v[c, "widened words", k] && !v[c, "marker instructions", k],
                    "column " k " of another carrier")
        }
        c = "1 KB"
        need(v[1, "shadow storage", 8] > 10 * v[0, "shadow storage", 8] &&
            v[1, "shadow storage", 7] > v[0, "shadow storage", 7],
            "tiny caches evict no more")
        exit bad
    }' "$TMPDIR/table" || complain "$(cat "$TMPDIR/table")"

echo 'int main(void) { return 0; }' >"$TMPDIR/plain.c"
powerpc-linux-gnu-gcc -static -o "$TMPDIR/plain" "$TMPDIR/plain.c" || exit 1
# The report has the same numbers as the log; indicator exceptions of a guest.
powerpc-linux-gnu-gcc -I. -O2 -mcpu=604 -ffreestanding -fno-pic -msoft-float \
    -nostdlib -static -Wl,-Ttext=0x20000 -Wl,-e,_start \
    -Wl,--no-warn-rwx-segments -Wl,-z,noexecstack -o "$TMPDIR/golden.elf" \
    tests/pif/start.S tests/pif/routines.S tests/pif/common.c \
    tests/pif/golden*.c || exit 1
cd "$TMPDIR" || exit 1
for charge in 0 1; do
    rm -rf g.exp
    timeout 60 "$BUILD/simrun" -q --cpus=1 --set pif_charge=$charge \
        --pmu-trace=g.exp golden.elf >out 2>&1 </dev/null || complain "$(cat out)"
    "$BUILD/simprof" marks g.exp >report || complain "no report"
    set -- $(awk -F'[ ]' '
        $1 == "shadow-bus" { bus = $3 }
        $1 == "marker-slots" { pmarks = $3 }
        $1 == "shadow" { bytes += $9 + $11 }
        $1 == "pif-interrupts" { taken = $3; lost = $4; cycles = $5 }
        END { print bytes + 0, bus + 0, pmarks + 0, taken + 0, lost + 0, cycles + 0 }
        ' g.exp/log)
    [ $1 -gt 0 ] && [ $2 -gt 0 ] && [ $3 -gt 0 ] && [ $4 -gt 50 ] &&
        [ $6 -gt $((4 * $4)) ] || complain "pif_charge=$charge: the log has $*"
    said=$(sed -n '/^Cost of marks/,$p' report | tr -d , |
        awk '$1 == "0" { print $2, $3, $4, $5, $7, $8, $9 }')
    [ "$said" = "$1 $2 $(($2 * charge)) $3 $4 $5 $6" ] ||
        complain "pif_charge=$charge: $said, the log has $*"
    words='not charged (pif_charge=0)'
    [ $charge = 0 ] || words='charged (pif_charge=1)'
    grep -qF "shadow traffic $words" report || complain "$(grep Cost report)"
done
# Widened words: no cycle, and the report says so.
rm -rf w.exp
timeout 60 "$BUILD/simrun" -q --user --cpus=1 --set pif_carrier=1 --mark func:main \
    --pmu-trace=w.exp "$TMPDIR/plain" >out 2>&1 || complain "$(cat out)"
"$BUILD/simprof" marks w.exp >report
grep -q '^host  code  *[1-9][0-9]*  *0  *0$' report &&
    grep -q '^0 \( *0\)\{8\}$' report || complain "widened words: $(tail -n 8 report)"
exit $bad
