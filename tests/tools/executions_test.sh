#!/bin/sh
# executions_test.sh - where marks counted executions, disasm, source and the page say them beside
# what instructions and lines cost: what `simprof marks` says of the same instructions, and of a
# line the sum; where nothing was counted there is no such column.
# timeout: 100
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
run() { # run NAME OPTION...
    name=$1
    shift
    "$simrun" -q --mode=fast -e cycles:1000 --pmu-trace="$dir/$name.exp" "$@" --user \
        "$BUILD/workloads/contended_lock" 4 4 >"$out" 2>&1 || fail "$(cat "$out")"
}
# column FILE NAME KEY: KEY and the column NAME of a CSV file, a line each
column() {
    awk -F, -v name="$2" -v key="$3" 'NR == 1 { for (i = 1; i <= NF; i++) n[$i] = i; next }
        n[name] && $n[name] != "" { print $n[key], $n[name] }' "$1"
}
run scan --autoprofile=scan
for function in compute clerk; do
    "$simprof" marks --pcs --csv "$dir/scan.exp" | awk -F, -v f="$function" '
        $1 == "code" && $2 == "host" && ($7 == f || index($7, f "+") == 1) {
            print substr($5, 3), $3 }' | sort >"$dir/marks"
    "$simprof" disasm --csv --function=$function "$dir/scan.exp" >"$dir/disasm"
    column "$dir/disasm" executions address | sort >"$dir/insns"
    [ "$(wc -l <"$dir/marks")" -gt 4 ] || fail "$function: $(cat "$dir/marks")"
    cmp -s "$dir/marks" "$dir/insns" || fail "$function: $(diff "$dir/marks" "$dir/insns")"
done
# A line of compute: its instructions together. None of another function has one of these.
"$simprof" disasm --csv --function=compute "$dir/scan.exp" >"$dir/disasm"
column "$dir/disasm" executions line | awk '{ n[$1] += $2 } END { for (l in n) print l, n[l] }' |
    sort >"$dir/lines"
"$simprof" source --csv --function=compute "$dir/scan.exp" 2>/dev/null >"$dir/source"
column "$dir/source" executions line | sort >"$dir/found"
while read -r line count; do
    grep -qx "$line $count" "$dir/found" || fail "line $line, $count: $(cat "$dir/found")"
done <"$dir/lines"
"$simprof" disasm --function=compute "$dir/scan.exp" | grep -q '^executions: of the whole run' ||
    fail "it does not say of what"
"$simprof" html "$dir/scan.exp" -o "$dir/scan.html" >"$out" 2>&1 || fail "$(cat "$out")"
tests/tools/page_data "$dir/scan.html" | grep -q '"executions"' || fail "not in the page"

run plain
! "$simprof" disasm --csv --function=compute "$dir/plain.exp" | grep -q executions ||
    fail "executions that were not counted"
! "$simprof" source --csv --function=compute "$dir/plain.exp" 2>/dev/null | grep -q executions ||
    fail "executions that were not counted"
exit 0
