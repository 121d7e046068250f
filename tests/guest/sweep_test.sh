#!/bin/sh
# sweep_test.sh - the guest's sweep of thresholds (HW-126): each run raises the
# threshold of a function's data accesses, from none over what is documented - a
# hit, another cache, memory - until nothing exceeds it. How often each was
# exceeded, and where most, is what the host has of the same instructions, which
# it followed one by one (--sample-insns 1). With more processors some accesses
# take longer than memory ever does for one.
# timeout: 120
set -u
. tests/guest/lib.sh
nm=powerpc-linux-gnu-nm
command -v $nm >/dev/null || { echo "$nm is missing"; exit 77; }
set -- $($nm -S "$guest" | awk '$4 == "txn_stage_lookup" { print $1, $2 }')
at=$(printf %d "0x$1") end=$(($(printf %d "0x$1") + $(printf %d "0x$2")))
go=$(printf %d "0x$($nm "$guest" | awk '$3 == "autopif_go" { print $1 }')")

# Of each run, which begins at autopif_go: accesses of the function, each as
# run, pc, cycles.
cat >"$dir/list.c" <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "rb");
    uint32_t from = strtoul(argv[2], 0, 0), end = strtoul(argv[3], 0, 0);
    uint32_t go = strtoul(argv[4], 0, 0), w[1024];
    unsigned char b[16];
    int run = 0;
    if (argc != 5 || !f || fseek(f, 32, SEEK_SET))
        return 2;
    while (fread(b, 16, 1, f) == 1) {
        unsigned size = b[0] | b[1] << 8;
        if (size > 4000 || fread(w, 1, size - 16, f) != size - 16)
            return 2;
        if (!(w[0] & 1))
            continue;
        run += w[1] == go;
        if (w[1] >= from && w[1] < end && w[7])
            printf("%d %x %u\n", run, w[1], w[7]);
    }
    return 0;
}
C
$CC -O2 -o "$dir/list" "$dir/list.c" || fail "no list"

sweep() { # cpus, runs at least
    rm -rf "$dir/e.exp"
    boot "$1" "work=txn n=1 threads=$1 sampler=off pif=sweep:$at" \
        --mode=detailed --sample-insns 1 --pmu-trace="$dir/e.exp"
    "$dir/list" "$dir/e.exp/sampled.rec" "$at" "$end" "$go" >"$dir/accesses" ||
        fail "no records"
    sed -n 's/^pif: more than \([0-9]*\) cycles: \([0-9]*\) times, most at \([0-9a-f]*\): \([0-9]*\)$/\1 \2 \3 \4/p
        s/^pif: more than \([0-9]*\) cycles: never$/\1 0 - 0/p' "$out" >"$dir/said"
    awk -v least="$2" 'FILENAME ~ /said$/ {
            runs++; limit[runs] = $1; sum[runs] = $2; where[runs] = $3; most[runs] = $4
            next
        }
        $3 > limit[$1] { n[$1]++; at[$1, $2]++ }
        END {
            for (k = 1; k <= runs; k++) {
                if (sum[k] != n[k] + 0 || most[k] != at[k, where[k]] + 0) {
                    print "more than " limit[k] ": " sum[k] ", the host " n[k] + 0
                    bad = 1
                }
                for (p in at) {
                    split(p, q, SUBSEP)
                    if (q[1] == k && at[p] > most[k]) {
                        print "more than " limit[k] ": most is at " q[2]
                        bad = 1
                    }
                }
            }
            exit bad || runs < least || !sum[1] || sum[runs]
        }' "$dir/said" "$dir/accesses" >"$dir/wrong" ||
        fail "$1 CPUs: $(cat "$dir/wrong")"
    longest=$(tail -n 1 "$dir/said" | cut -d' ' -f1)
}
# The table fits into the cache of one; several wait for each other's lines.
sweep 1 2
alone=$longest
sweep 4 6
is "documented thresholds" "$(awk 'NR < 5 { printf "%s ", $1 }' "$dir/said")" "0 1 18 24 "
above "cycles that nothing takes with 4 CPUs" "$longest" "$alone"
refused "pif=sweep:x" "no such value"
exit 0
