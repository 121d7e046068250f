#!/bin/sh
# export_gate_test.sh - one experiment, one table: the report `functions`, perf,
# gprofng and callgrind_annotate give every function the same events, exclusive
# and inclusive, zero difference; so do the CSV and the tree of calls.
# timeout: 240
set -u
. tests/tools/export_lib.sh
need perf linux-perf
need gprofng binutils
need callgrind_annotate valgrind
make_run
for format in perf gprofng callgrind; do
    "$simprof" export --format=$format -o run.$format.er run.exp || exit 1
done

# Each as "EVENTS NAME" lines of the counter.
report() { # counter, e or i
    "$simprof" functions --limit=0 --csv --metrics="$2+$1" run.exp |
        awk -F, 'NR > 1 && $1 && $2 != "<Total>" { print $1, $2 }' | sort
}
by_perf() {
    perf report -i run.perf.er --stdio --no-children -g none -w 0 \
        --percent-limit 0 --sort sym -F period,sym 2>/dev/null |
        awk -v counter="'$1'" '/^# Samples/ { on = index($0, counter) > 0 }
            on && !/^#/ && NF > 1 { print $1, $3 }' | sort
}
by_gprofng() {
    gprofng display text -limit 0 -metrics "$2.$1:name" -functions \
        run.gprofng.er 2>&1 | awk '$2 == "<Total>" { on = 1; next }
            on && $1 > 0 { print $1, $2 }' | sort
}
by_callgrind() { # column
    callgrind_annotate --threshold=100 --auto=no run.callgrind.er 2>/dev/null |
        awk -v n="$1" '/^-+$/ { next } $NF == "file:function" { on = 1; next }
            on && NF { gsub(/\([^)]*\)/, ""); gsub(/,/, "")
                sub(/ \[[^]]*\]$/, ""); sub(/.*:/, "", $NF); if ($n + 0) print $n, $NF }' | sort
}

same() { # what
    diff ours theirs >difference ||
        complain "$1: $(head difference)"
}
column=0
for counter in cycles dcache_miss; do
    column=$((column + 1))
    report $counter e >ours
    [ "$(wc -l <ours)" -gt 20 ] || complain "$counter: few functions"
    functions_of $counter run.csv >theirs
    same "$counter, CSV"
    by_perf $counter >theirs
    same "$counter, perf"
    by_gprofng $counter e >theirs
    same "$counter, gprofng"
    by_callgrind $column >theirs
    same "$counter, callgrind_annotate"
    report $counter i | grep -v ' <Truncated-stack>$' >ours
    by_gprofng $counter i >theirs
    same "$counter, inclusive, gprofng"
done
exit $bad
