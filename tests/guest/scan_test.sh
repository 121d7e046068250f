#!/bin/sh
# scan_test.sh - the scan daemon of the guest (pif=scan) counts the whole
# program, also where interrupts are off: for each part that it marks - pages,
# functions, folders, all - what it says is what the execution log has of that
# run, word by word when all is marked, on 1 to 8 CPUs, for every workload
# (HW-112 to HW-115). A timer has no sample of what runs with interrupts off.
# timeout: 200
set -u
. tests/guest/lib.sh
exp=$dir/e.exp

# In the log a processor looks marks up from behind the instruction that sets
# PIFM to that which clears it; the k-th time is the k-th run. `said` has the
# parts, `marks` the words of the last run, when all was marked.
cat >"$dir/judge.awk" <<'AWK'
function hex(s,    n, i) {
    if (s in known)
        return known[s]
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return known[s] = n + 0
}
function complain(s) { if (++bad < 6) print s }
FILENAME == "said" {
    parts++
    from[parts] = hex($1); to[parts] = hex($2); sum[parts] = $3
    next
}
FILENAME == "marks" { marked[hex($1)] = $2; next }
$5 == "enter" { open[$1] = 0; next }
on[$1] || $6 == "mtspr" || $6 == "mtmsr" || $6 == "rfi" {
    if (on[$1]) {
        at = hex($4)
        run = runs[$1]
        if (run > parts) {
            n[at]++
            if (!open[$1])
                off[at]++
        } else if (at >= from[run] && at < to[run])
            got[run]++
    }
    if ($NF ~ /^pifm=/) {
        on[$1] = $NF != "pifm=00000000"
        runs[$1] += on[$1]
    } else if ($NF ~ /^msr=/)
        open[$1] = substr($NF, 9, 1) ~ /[89a-f]/
}
END {
    for (k = 1; k <= parts; k++)
        if (sum[k] != got[k] + 0)
            complain("part " k ": " sum[k] " executed, the log has " got[k] + 0)
    for (a in marked) {
        words++
        if (marked[a] != n[a])
            complain("word " a ": " marked[a] " executed, the log has " n[a] + 0)
    }
    for (a in n) {
        if (!(a in marked))
            complain("word " a ": not counted, the log has " n[a])
        dark += off[a] == n[a]
    }
    for (c in runs)
        if (runs[c] != parts + 1)
            complain("CPU " c " looked marks up " runs[c] " times")
    print parts, words, dark + 0
    exit bad || words < 500 || dark < 200
}
AWK

scan() { # cpus, boot line, mode
    rm -rf "$exp"
    boot "$1" "sampler=off trigger=time:2000 $2" --mode="$3" \
        --pmu-trace="$exp" --log=exec,int:"$dir/log" --log-from=autopif_go
    "$BUILD/simprof" marks "$exp" --csv --limit=0 >"$dir/csv" || fail "no report"
    awk -F, '$1 == "code" && $2 == "guest" && $3 { print substr($5, 3), $3 }' \
        "$dir/csv" >"$dir/marks"
    sed -n 's/^pif: [a-z]* \([0-9a-f]*\) to \([0-9a-f]*\).*: executed \([0-9]*\)$/\1 \2 \3/p' \
        "$out" >"$dir/said"
    found=$(cd "$dir" && awk -f judge.awk said marks log) ||
        fail "$1 CPUs, $3: scan and log differ: $found"
}
scan 2 "work=calls n=20 pif=scan:module" detailed
[ "${found%% *}" -ge 4 ] || fail "${found%% *} modules"
for name in boot kernel lib work; do
    grep -q "^pif: module [0-9a-f]* to [0-9a-f]* $name: executed [1-9]" "$out" ||
        fail "nothing of the module $name"
done
scan 3 "work=switch n=40 threads=3 pif=scan:all" fast
scan 8 "work=txn n=1 threads=3 pif=scan:all" fast
scan 4 "work=prodcons n=1 threads=2 pif=scan:7" fast
scan 2 "work=busy n=1 pif=scan:all" fast

# Every function by itself: on one CPU runs are alike, and their sum is what
# all at once counts.
boot 1 "work=calls n=2 sampler=off pif=scan:func"
grep -q '^pif: scan: .*words that differ 0$' "$out" || fail "functions: $(grep scan: "$out")"
above "functions, a run each" "$(grep -c '^pif: functions' "$out")" 150

refused "pif=scan:0" "no such value"
refused "pif=scan:func:0" "no such value"
refused "pif=scan:module:2" "no such value"
refused "pif=scan:nonsense" "no such value"
exit 0
