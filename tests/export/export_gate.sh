# export_gate.sh - sourced by tests of simprof export: what perf, gprofng and
# callgrind_annotate say of run.exp by function, exported as run.data, run.er and
# run.cg, against simprof's own report; the CSV, run.csv, too.

# Each as "EVENTS NAME" lines of the counter. Static functions of one name are
# told apart by simprof alone: what they have is added up.
tidy() {
    awk '{ n = $1; $1 = ""; sub(/ \([^()]*\)$/, ""); sum[$0] += n }
        END { for (k in sum) if (sum[k]) print sum[k] k }' | sort
}
gate_report() { # counter
    "$simprof" functions --limit=0 --csv --metrics="e+$1" run.exp |
        awk -F, 'NR > 1 && $1 && $2 != "<Total>" { print $1, $2 }' | tidy
}
gate_perf() { # counter
    perf report -i run.data --stdio --no-children -g none -w 0 \
        --percent-limit 0 --sort sym -F period,sym 2>/dev/null |
        awk -v counter="'$1'" '/^# Samples/ { on = index($0, counter) > 0 }
            on && !/^#/ && NF > 1 { print $1, $3 }' | tidy
}
gate_gprofng() { # counter, e or i
    gprofng display text -limit 0 -metrics "$2.$1:name" -functions \
        run.er 2>&1 | sed -f spelling | awk '$2 == "<Total>" { on = 1; next }
            on && $1 > 0 { print $1, $2 }' | tidy
}
gate_callgrind() { # column
    callgrind_annotate --threshold=100 --auto=no run.cg 2>/dev/null |
        awk -v n="$1" '/^-+$/ { next } $NF == "file:function" { on = 1; next }
            on && NF { gsub(/\([^)]*\)/, ""); gsub(/,/, "")
                sub(/ \[[^]]*\]$/, ""); sub(/.*:/, "", $NF); if ($n + 0) print $n, $NF }' |
        sort >rows
    tidy <rows >summed
    # Code that was inlined from another file has no row of its own.
    [ "$(wc -l <rows)" -le $(($(wc -l <summed) + statics)) ] ||
        complain "$(wc -l <rows) rows, $(wc -l <summed) functions"
    cat summed
}
# Events by each function of a stack, once a sample.
gate_inclusive() { # counter
    awk -F, -v counter="$1" 'NR > 1 && $6 == counter {
            n = split($13, frame, ";"); split("", seen)
            for (i = 1; i <= n; i++) {
                f = frame[i]; sub(/ \([^()]*\)$/, "", f)
                if (!seen[f]++ && f != "<Truncated-stack>") sum[f] += $7 } }
        END { for (f in sum) print sum[f], f }' run.csv | tidy
}

gate_same() { # what
    diff ours theirs >difference || complain "$1: $(head difference)"
}
# All of a counter, which is the N-th; `statics` rows more than names.
gate() { # counter, N
    gate_report "$1" >ours
    [ "$(wc -l <ours)" -gt 15 ] || complain "$1: few functions"
    functions_of "$1" run.csv | tidy >theirs
    gate_same "$1, CSV"
    gate_perf "$1" >theirs
    gate_same "$1, perf"
    gate_gprofng "$1" e >theirs
    gate_same "$1, gprofng"
    gate_callgrind "$2" >theirs
    gate_same "$1, callgrind_annotate"
    gate_inclusive "$1" >ours
    gate_gprofng "$1" i >theirs
    gate_same "$1, inclusive, gprofng"
}
gate_export() {
    rm -rf run.er
    "$simprof" export --format=perf -o run.data run.exp 2>notes &&
        "$simprof" export --format=gprofng -o run.er run.exp 2>>notes &&
        "$simprof" export --format=callgrind -o run.cg run.exp 2>>notes ||
        complain "export: $(cat notes)"
}
