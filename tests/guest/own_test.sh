#!/bin/sh
# own_test.sh - the guest reads the metadata of its own program (HW-75, HW-78,
# HW-88): simmark puts marks into guest.elf, the board shows the section, the
# kernel checks it, fills shadow storage and range registers of every processor
# before the workload runs, and reads the counts back by RDIC and RDAC. They are
# what the host unit counted of the same section, and what the execution log
# has, with cache lines of 64 bytes as well (HW-90). Metadata that makes no sense is refused by group and entry.
# timeout: 120
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-nm powerpc-linux-gnu-objcopy; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
"$BUILD/simmark" add "$guest" -o "$dir/marked.elf" func:txn_stage_parse \
    func:txn_stage_commit=limit:13 func:txn_stage_reply data:journal_sum \
    data:journal_lock=count,stores-only func:txn_worker=range func:mutex_lock=range \
    data:table,64=range data:table+4096,64=range >"$dir/said" 2>&1 ||
    fail "simmark: $(cat "$dir/said")"
plain=$guest
guest=$dir/marked.elf
powerpc-linux-gnu-nm -n "$guest" >"$dir/nm"
at() { awk -v n="$1" '$3 == n { print $1 }' "$dir/nm"; }

# What happened between two addresses, by the log: executions of code, accesses
# of data (of a lock only its stores), and how often a range was entered.
cat >"$dir/judge.awk" <<'AWK'
function hex(s,    n, i) {
    if (s in known)
        return known[s]
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return known[s] = n + 0
}
FILENAME == "entries" {
    from[++n] = hex($1); to[n] = hex($2); data[n] = $3 == "data"
    said[n] = $4; entered[n] = $5; stores[n] = $6
    next
}
$5 == "enter" { next }
on[$1] && $5 != "load" && $5 != "store" {
    a = hex($4)
    for (k = 1; k <= n; k++)
        if (!data[k]) {
            now = a >= from[k] && a < to[k]
            x[k] += now
            e[k] += now && !inside[k, $1]
            inside[k, $1] = now
        }
}
on[$1] && ($5 == "load" || $5 == "store") && $NF != "device" {
    first = hex($7)
    for (w = first - first % 4; w < first + $6; w += 4)
        for (k = 1; k <= n; k++)
            if (data[k] && !(stores[k] && $5 == "load")) {
                now = w >= from[k] && w < to[k]
                x[k] += now
                e[k] += now && !inside[k, $1]
                inside[k, $1] = now
            }
}
$NF ~ /^pifm=/ { on[$1] = $NF != "pifm=00000000" }
END {
    for (k = 1; k <= n; k++) {
        if (said[k] != x[k] + 0 || (entered[k] != "-" && entered[k] != e[k] + 0)) {
            print "entry " k ": " said[k] ", " entered[k] "; the log has " x[k] + 0 ", " e[k] + 0
            bad = 1
        }
        all += x[k]
    }
    exit bad || n != 9 || all < 1000
}
AWK

own() { # cpus, mode, line
    rm -rf "$dir/e.exp"
    boot "$1" "work=txn n=1 threads=3 sampler=off pif=own" --mode="$2" --set line_bytes="$3" \
        --pmu-trace="$dir/e.exp" --log=exec,mem:"$dir/log" --log-from=perfinst_run
    is "entries" "$(grep -c '^pif: entry' "$out")" 9
    lock=$(at journal_lock | sed 's/^0*//')
    sed -n 's/^pif: entry [0-9]*: \([a-z]*\) \([0-9a-f]*\) to \([0-9a-f]*\) flags [0-9a-f]*: counted \([0-9]*\) entered \([0-9]*\)$/\2 \3 \1 \4 \5/p
        s/^pif: entry [0-9]*: \([a-z]*\) \([0-9a-f]*\) to \([0-9a-f]*\) flags [0-9a-f]*: counted \([0-9]*\) .*/\2 \3 \1 \4 -/p' \
        "$out" | awk -v lock="$lock" '{ print $0, $1 == lock ? 1 : "" }' >"$dir/entries"
    wrong=$(cd "$dir" && awk -f judge.awk entries log) ||
        fail "$1 CPUs, $2, $3: guest and log differ: $wrong"
    # Both units counted the same, what the guest's monitor took at a limit
    # included.
    "$BUILD/simprof" marks "$dir/e.exp" --csv --limit=0 >"$dir/csv" || fail "no report"
    awk -F, '$1 == "code" || $1 == "data" {
            n[$2, $5] = $3; at[$5] = $7 }
        END {
            for (a in at) {
                words++
                if (n["host", a] != n["guest", a]) {
                    print at[a], n["host", a], n["guest", a]
                    bad = 1
                }
            }
            exit bad || words < 30
        }' "$dir/csv" >"$dir/differ" || fail "$1 CPUs, $2, $3: host and guest differ: $(cat "$dir/differ")"
}
own 1 detailed 32
own 4 fast 32
own 4 fast 64
own 8 detailed 32
# Limits that are passed interrupt; what they took is in the count.
boot 1 "work=txn n=8 threads=3 sampler=off pif=own"
commit=$(sed -n 's/^pif: entry 3: .*: counted \([0-9]*\) .*interrupts \([1-9][0-9]*\)$/\1/p' "$out")
is "instructions of txn_stage_commit" "$commit" $((24 * 21))

# Without the host's marks the guest's are there all the same, and nobody's
# instruction was changed.
boot 2 "work=txn n=1 threads=3 sampler=off pif=own" --ignore-marks
is "entries" "$(grep -c '^pif: entry' "$out")" 9

bad() { # WHAT OFFSET BYTES: the section with some bytes changed, in octal
    powerpc-linux-gnu-objcopy -O binary --only-section=.perfinst \
        --set-section-flags .perfinst=alloc "$dir/marked.elf" "$dir/section"
    printf "$3" |
        dd of="$dir/section" bs=1 seek="$2" conv=notrunc 2>/dev/null
    powerpc-linux-gnu-objcopy --update-section .perfinst="$dir/section" \
        "$dir/marked.elf" "$dir/bad.elf" || fail "no bad file"
    status=0
    timeout 60 "$simrun" -q --mode=fast --cpus=1 --ignore-marks \
        --append "work=txn n=1 pif=own" "$dir/bad.elf" >"$out" 2>&1 || status=$?
    is "$1: status" "$status" 1
    grep -q "^pif: .perfinst, group [0-9]*, entry [0-9]*: $1" "$out" ||
        fail "does not say: $1: $(grep pif: "$out")"
}
bad "no group begins here" 0 '\120\111\116\124'
bad "another version, or kind" 4 '\000\002\000\000'
bad "its entries end outside" 16 '\177\377\377\377'
bad "not in the kernel" 20 '\020\000\000\000'
bad "no whole instructions" 24 '\000\000\000\006'
bad "flags that are not known, or none" 28 '\000\000\000\000'
bad "a limit without LIMIT" 32 '\000\000\000\007'
"$BUILD/simmark" add "$plain" -o "$dir/marked.elf" data:journal_sum >/dev/null
bad "no length, run simmark fix" 24 '\000\000\000\000'

guest=$plain
line="pif=own"
timeout 60 "$simrun" -q --mode=fast --cpus=1 --append "$line" "$guest" >"$out" 2>&1
is "status without metadata" $? 1
grep -q "FAIL: the kernel has metadata" "$out" || fail "does not say what is missing"
refused "pif=own:3" "no such value"
exit 0
