#!/bin/sh
# export_gprofng_test.sh - gprofng reads what simprof export wrote and comes to
# the same totals: by function, exclusive and inclusive, by thread and by CPU.
# Writers with one mistake each are caught.
# timeout: 240
set -u
. tests/export/export_lib.sh
need gprofng binutils
make_run

# "EVENTS NAME" lines of a report by one metric.
reported() { # metric, report, experiment
    gprofng display text -limit 0 -metrics "$1:name" "-$2" "$3" 2>&1 |
        awk '$2 == "<Total>" { on = 1; next }
            on && $1 > 0 { sub(/^ */, ""); n = $1
                sub(/^[0-9]+ +/, ""); print n, $0 }' | sort
}

# Events of a counter by each function of a stack, once a sample.
inclusive() {
    awk -F, -v counter="$1" 'NR > 1 && $6 == counter {
            n = split($13, frame, ";"); split("", seen)
            for (i = 1; i <= n; i++)
                if (!seen[frame[i]]++ && frame[i] != "<Truncated-stack>")
                    sum[frame[i]] += $7 }
        END { for (f in sum) print sum[f], f }' run.csv | sort
}

by_column() { # column, what to write before it
    awk -F, -v c="$1" -v what="$2" 'NR > 1 && $6 == "cycles" {
            sum[$c] += $7 }
        END { for (f in sum) print sum[f], what f }' run.csv | sort
}

same() { # what
    [ "$(wc -l <ours)" -gt 3 ] || { echo "$1: nothing"; return 1; }
    diff ours theirs >difference || { echo "$1:"; head difference; return 1; }
}

compare() {
    rm -rf run.er
    "$1" export --format=gprofng -o run.er run.exp 2>notes || return 1
    for counter in cycles dcache_miss; do
        functions_of $counter run.csv >ours
        reported e.$counter functions run.er >theirs
        same "$counter, exclusive" || return 1
        inclusive $counter >ours
        reported i.$counter functions run.er >theirs
        same "$counter, inclusive" || return 1
    done
    # It numbers threads in the order in which it meets them.
    by_column 4 "" | sed "s, .*,," >ours
    reported e.cycles threads run.er | sed "s, .*,," >theirs
    same "by thread" || return 1
    by_column 2 'CPU ' >ours
    reported e.cycles cpus run.er >theirs
    same "by CPU" || return 1
}
compare "$simprof" || complain "gprofng and simprof do not agree"

# Fields that its filters know, and lines.
sum() { # filter
    gprofng display text -metrics e.cycles:name -filters "$1" -functions \
        run.er 2>&1 | awk '$2 == "<Total>" { print $1 }'
}
want=$(awk -F, '$6 == "cycles" && $2 == 1 && $1 > 2000000 {
    sum += $7 } END { print sum }' run.csv)
[ "$(sum 'CPUID==1 && TSTAMP>10000000')" = "$want" ] ||
    complain "filters: $(sum 'CPUID==1'), should be $want"
gprofng display text -limit 20 -lines run.er 2>&1 |
    grep -q 'txn_stage_lookup, line [0-9]* in "txn.c"' ||
    complain "no line of txn.c"

# Lines in DWARF 5 are lost on it, which is said; of the guest's nothing is.
[ -s notes ] && complain "notes: $(cat notes)"
for version in 4 5; do
    echo 'int main(void) { for (volatile int i = 0; i < 3000; i++) ; return 0; }' >d.c
    "${CROSS:-powerpc-linux-gnu-}gcc" -gdwarf-$version -O1 -static -o d$version d.c ||
        { complain "no cross compiler"; continue; }
    rm -rf d.exp d.er
    "$simrun" -q --user -e cycles:100 --pmu-trace=d.exp ./d$version >console 2>&1 ||
        complain "d: $(cat console)"
    "$simprof" export --format=gprofng -o d.er d.exp 2>said || complain "d.er"
    gprofng display text -limit 9 -lines d.er >lines 2>&1
    if [ $version = 5 ]; then
        grep -q "^simprof: note: d5.* has DWARF 5, .*-gdwarf-4" said
        said=$?
        grep -q 'main, line 1 in "d.c"' lines && said=1
        [ $said -eq 0 ] || complain "DWARF 5: $(cat said) $(head -n 20 lines)"
    else
        grep -q 'main, line 1 in "d.c"' lines && [ ! -s said ] ||
            complain "DWARF 4: $(cat said) $(head -n 20 lines)"
    fi
done

# A counter of one mode is named as simprof's metric is, and the pages of HTML
# that gprofng makes name it too.
"$simrun" -q --user -e cycles:100:u --pmu-trace=u.exp ./d4 >console 2>&1 ||
    complain "d4: $(cat console)"
"$simprof" export --format=gprofng -o u.er u.exp || complain "u.er"
want=$("$simprof" functions --csv --metrics=e+cycles.u --limit=1 u.exp | sed -n '2s/,.*//p')
got=$(gprofng display text -metrics e.cycles.u:name -functions u.er 2>&1 |
    awk '$2 == "<Total>" { print $1 }')
[ "$want" ] && [ "$got" = "$want" ] || complain "cycles.u: $got, not $want"
if command -v gp-display-html >/dev/null; then
    gp-display-html -o html u.er >said 2>&1 && grep -q 'cycles.u' html/index.html ||
        complain "html: $(tail -n 3 said)"
fi

# What is there already is not written over.
"$simprof" export --format=gprofng -o run.er run.exp 2>said
[ $? -eq 125 ] && grep -q '^simprof: run.er: File exists' said ||
    complain "a directory that exists: $(cat said)"

for edit in \
    's/bytes_u64(b, s->events)/bytes_u64(b, s->events + 1)/' \
    's/good = good && put_sample(g, &s);/if (s.cycle % 64) &/' \
    's/    bytes_u64(b, stack);/    bytes_u64(b, 1);/' \
    's/bytes_u64(b, s->pc\[i\])/bytes_u64(b, s->pc[i] + 8)/' \
    's/bytes_u32(b, s->cpu)/bytes_u32(b, 0)/' \
    's/bytes_u32(b, s->counter)/bytes_u32(b, 0)/' \
    's/bytes_u64(b, s->thread)/bytes_u64(b, 7)/'; do
    make_twin tools/analysis/export/export_gprofng.c "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done
exit $bad
