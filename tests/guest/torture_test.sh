#!/bin/sh
# torture_test.sh - every instruction of the guest's vectors, of the entry to and
# the return from its trap handler, and of a function that switches interrupts
# off and on has a mark that interrupts (docs/pif.md 10). From the execution log,
# with the rules of the book and nothing else: which exceptions are taken at
# once and restart their instruction, which wait in the latch, which are lost,
# and how often each instruction is executed - on 1 to 8 CPUs whose threads
# move, with several seeds. The workload has its usual results.
# timeout: 120
set -u
. tests/guest/lib.sh
nm=powerpc-linux-gnu-nm
command -v $nm >/dev/null || { echo "$nm is missing"; exit 77; }
exp=$dir/e.exp
$nm -n "$guest" >"$dir/nm"
at() { awk -v n="$1" '$3 == n { print $1 }' "$dir/nm"; }
after() { awk -v n="$1" 'found && $1 != last { print $1; exit } $3 == n { found = 1; last = $1 }' "$dir/nm"; }
printf '%s %s\n' "$(at vectors)" "$(at vectors_end)" "$(at trap_entry)" "$(at trap_end)" \
    "$(at stat_add)" "$(after stat_add)" >"$dir/marked"

cat >"$dir/judge.awk" <<'AWK'
function hex(s,    n, i) {
    if (s in known)
        return known[s]
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return known[s] = n + 0
}
function complain(s) { if (++bad < 6) print NR ": " s }
FILENAME == "marked" { from[++parts] = hex($1); to[parts] = hex($2); next }
FILENAME == "marks" { count[hex($1)] = $2; next }
function is_marked(a,    k) {
    if (a in cached)
        return cached[a]
    for (k = 1; k <= parts; k++)
        if (a >= from[k] && a < to[k])
            return cached[a] = 1
    return cached[a] = 0
}
# The log has an instruction that interrupts twice: once in front of the
# interrupt, when it does not execute.
held[$1] != "" {
    a = held[$1]
    held[$1] = ""
    if ($5 == "enter" && $6 == "INDICATOR" && !latch[$1]) {
        n[a]--
        executed--
    } else if (--armed[a] < 0)
        complain("executed without its exception: " a)
}
$5 == "enter" {
    open[$1] = 0
    if ($6 != "INDICATOR")
        next
    taken++
    resumes = substr($8, 6, 1) ~ /[2367abef]/
    a = hex(substr($7, 6))
    if (latch[$1]) {
        waited++
        if (resumes && armed[a] <= 0)
            complain("one that waited restarts what was not interrupted")
    } else {
        atonce++
        armed[a]++
        if (!resumes || !is_marked(a))
            complain("nothing to interrupt for at " $7)
    }
    latch[$1] = 0
    masked[$1] = 1
    next
}
{
    c = $1
    a = hex($4)
    if (on[c] && is_marked(a)) {
        n[a]++
        executed++
        if (open[c])
            held[c] = a
        else if (masked[c] || latch[c])
            lost++
        else
            latch[c] = 1
    }
    if ($NF ~ /^pifm=/)
        on[c] = $NF != "pifm=00000000"
    else if ($NF ~ /^msr=/) { # EE and RI
        open[c] = substr($NF, 9, 1) ~ /[89a-f]/ && substr($NF, 12, 1) ~ /[2367abef]/
        if (open[c])
            masked[c] = 0
    }
}
END {
    for (a in armed)
        if (armed[a])
            complain(a ": interrupted " armed[a] " times more than executed")
    for (a in n)
        if (n[a] != count[a])
            complain(a ": counted " count[a] + 0 ", the log has " n[a])
    print executed, taken, lost, atonce + 0, waited + 0
    exit bad || atonce < 3 || waited < 10
}
AWK

torture() { # cpus, mode, boot line
    rm -rf "$exp"
    boot "$1" "sampler=off pif=trap $3" --mode="$2" --pmu-trace="$exp" \
        --log=exec,int:"$dir/log" --log-from=trap_run
    "$BUILD/simprof" marks "$exp" --csv --limit=0 >"$dir/csv" || fail "no report"
    awk -F, '$1 == "code" && $2 == "guest" && $3 { print substr($5, 3), $3 }' \
        "$dir/csv" >"$dir/marks"
    found=$(cd "$dir" && awk -f judge.awk marked marks log) ||
        fail "$1 CPUs, $2: not by the book: $found"
    said=$(sed -n 's/^pif: executed \([0-9]*\), interrupts \([0-9]*\), lost \([0-9]*\)$/\1 \2 \3/p' "$out")
    is "executed, interrupts, lost" "$said" "$(echo "$found" | cut -d' ' -f1-3)"
}
torture 1 detailed "work=switch n=60 threads=5"
torture 4 fast "work=txn n=2 threads=8 seed=7"
torture 8 detailed "work=switch n=40 threads=9 seed=3"
torture 2 fast "work=busy n=3"
for seed in 1 2; do
    line="work=busy n=4 seed=$seed"
    boot 4 "$line sampler=off"
    grep '^busy:' "$out" >"$dir/plain"
    boot 4 "$line sampler=off pif=trap"
    grep '^busy:' "$out" | cmp -s - "$dir/plain" || fail "another result"
done
exit 0
