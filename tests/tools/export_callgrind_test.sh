#!/bin/sh
# export_callgrind_test.sh - callgrind_annotate reads what simprof export wrote
# and comes to the same totals by function, exclusive and inclusive. Writers
# with one mistake each are caught.
# timeout: 240
set -u
. tests/tools/export_lib.sh
need callgrind_annotate valgrind
make_run

# "EVENTS NAME" lines of counter number $1 (1: the first) of a report: each
# function has one row, whatever was inlined into it.
rows() { # counter, report
    awk -v n="$1" '/^-+$/ { next }
        $NF == "file:function" { on = 1; next }
        on && NF { gsub(/\([^)]*\)/, ""); gsub(/,/, "")
            sub(/ \[[^]]*\]$/, ""); name = $NF; sub(/.*:/, "", name)
            if ($n + 0) print $n, name }' "$2" | sort
}

# Events of a counter by every function of a stack, once a sample, for
# functions that are no root of any stack.
inclusive() {
    awk -F, -v counter="$1" 'NR > 1 {
            n = split($13, frame, ";"); root[frame[1]] = 1
            split("", seen)
            for (i = 1; i <= n; i++)
                if (!seen[frame[i]]++ && $6 == counter)
                    sum[frame[i]] += $7 }
        END { for (f in sum) if (!root[f]) print sum[f], f }' run.csv | sort
}

compare() {
    "$1" export --format=callgrind -o run.cg run.exp || return 1
    callgrind_annotate --threshold=100 --auto=no run.cg >self 2>&1
    grep -i malformed self && return 1
    callgrind_annotate --threshold=100 --auto=no --inclusive=yes run.cg \
        >all 2>&1
    column=0
    for counter in cycles dcache_miss; do
        column=$((column + 1))
        functions_of $counter run.csv >ours
        rows $column self >theirs
        [ "$(wc -l <ours)" -gt 10 ] || { echo "$counter: nothing"; return 1; }
        diff ours theirs >difference ||
            { echo "$counter, exclusive:"; head difference; return 1; }
        inclusive $counter >ours
        rows $column all | awk 'NR == FNR { ours[$2] = 1; next }
            $2 in ours' ours - >theirs
        diff ours theirs >difference ||
            { echo "$counter, inclusive:"; head difference; return 1; }
    done
    total=$(awk -F, 'NR > 1 { sum += $7 } END { print sum }' run.csv)
    written=$(awk '$1 == "summary:" { print $2 + $3 }' run.cg)
    [ "$total" = "$written" ] || { echo "summary: $written"; return 1; }
}
compare "$simprof" || complain "callgrind_annotate and simprof do not agree"

# Source lines, of inlined code in the file it is from.
(cd "$root" && callgrind_annotate "$TMPDIR/run.cg" guest/work/txn.c) \
    >annotated 2>&1
grep -q '[0-9] .*key = table\[key % TABLE_SIZE\]' annotated ||
    complain "no costs at the line of txn.c: $(grep -c . annotated) lines"
awk '/^fl=/ { own = $0 ~ /cpu\.h$/ } /^fn=/ && !own { f = 1 } f && own && /^0x/ { ok = 1 }
    END { exit !ok }' run.cg || complain "no inlined code"
(cd "$root" && callgrind_annotate "$TMPDIR/run.cg" guest/kernel/cpu.h) >annotated 2>&1
grep -q '^ *[0-9,]* ([ 0-9.]*%).* __asm__' annotated ||
    complain "no costs at the lines of cpu.h"

for edit in \
    's/+= s->events/+= 1/' \
    's/"fl=%s.n", file_of(c, l)/"fi=%s\\n", file_of(c, l)/' \
    's/    count(c, at, s);/    if (s->cycle % 64) &/' \
    's/call.callee = function/call.callee = c->spot[caller].function/' \
    's/c->function\[function\].last != number \&\&/1 \&\&/' \
    's/(uint64_t)function << 32 | s->pc\[i\]/s->pc[i] \& ~63u/' \
    's/" %" PRIu64, cost/"  x%" PRIu64, cost/'; do
    make_twin tools/lib/export_callgrind.c "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done
exit $bad
