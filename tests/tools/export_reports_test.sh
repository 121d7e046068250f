#!/bin/sh
# export_reports_test.sh - beyond functions (export_gate_test.sh): what gprofng
# and perf say of our exports by instruction, line, call tree, callers and
# callees, thread, CPU, load object and time is what simprof's own reports say,
# zero difference. One mistake in the exported data is caught.
# timeout: 240
set -u
. tests/tools/export_lib.sh
need perf linux-perf
need gprofng binutils
make_run

own() { # report, counter, metrics flavor, options...: CSV without its head
    report=$1 metric=$3+$2
    shift 3
    "$simprof" "$report" --limit=0 --csv --metrics="$metric" "$@" run.exp |
        sed 1d
}
gp() { # report, counter
    gprofng display text -limit 0 -metrics "e.$2:name" "-$1" run.er 2>&1
}
same() { # what, at least so many rows
    [ "$(wc -l <ours)" -ge "$2" ] || { echo "$1: $(wc -l <ours) rows"; return 1; }
    diff ours theirs >difference || { echo "$1:"; head difference; return 1; }
}
# "EVENTS KEY" lines, added up by key, none of nothing.
sums() {
    awk '{ n = $1; $1 = ""; sum[$0] += n }
        END { for (k in sum) if (sum[k]) print sum[k] k }' | sort
}

# gprofng: "467626  txn + 0x00000020, line 37 in "txn.c" <-- a.h:3 <-- b.h:30"
instructions() { # counter
    own pcs "$1" e | grep -v '<Total>' | sed 's/"//g; s/,/ /; s/,.*//' | sums >ours
    gp pcs "$1" | awk '$3 == "+" { sub(/,$/, "", $4); at = tolower($4)
        sub(/^0x0*/, "0x", at); print $1, $2 (at == "0x" ? "" : "+" at) }' |
        sums >theirs
    sed -i 's/+0x0$//' ours
    same "$1, instructions" 60
}
# Code that was inlined is of the innermost line, in the outer function. Of a
# few functions (memcpy) gprofng knows no line but the first, where we have
# several: those are left out.
lines() { # counter
    own lines "$1" e | grep -v '<Total>' | tr -d '"' |
        awk -F, '{ sub(/.*\//, "", $2); print $1, $2 $3 }' >all
    gp pcs "$1" | awk '$3 == "+" { if (match($0, /<-- [^<]*$/))
                where = substr($0, RSTART + 4)
            else { split($0, w, "\"")
                match(w[1], /line [0-9]+/)
                where = w[2] ":" substr(w[1], RSTART + 5, RLENGTH - 5) }
            sub(/ +$/, "", where); print $1, where, $2 }' >gp
    awk 'NR == FNR { ours[$NF]++; next }
        !(($NF, $2) in met) { met[$NF, $2] = 1; lines[$NF]++ }
        END { for (f in lines) if (lines[f] == 1 && ours[f] > 1) print f }' \
        all gp >>blind # of the counters before, too
    [ "$(sort -u blind | wc -l)" -le 3 ] || { echo "no lines of:" $(cat blind); return 1; }
    for side in all:ours gp:theirs; do
        awk 'FILENAME == "blind" { blind[$1] = 1; next } !($NF in blind)' blind \
            ${side%:*} | sums >${side#*:}
    done
    same "$1, lines" 40
}
# The tree as "EVENTS path" lines.
tree() { # counter
    own calltree "$1" i | awk -F, '{ path[$2] = $3 == "" ? "" : path[$3] ";" $5
        if ($3 != "" && $5 != "<Truncated-stack>") print $1, path[$2] }' |
        sed 's/;<Truncated-stack>//' | sums >ours
    gp calltree "$1" | awk '/\+-/ { column = index($0, "+-")
            while (depth && at[depth] >= column) depth--
            at[++depth] = column
            name = substr($0, column + 2); sub(/ +$/, "", name)
            path[depth] = depth > 1 ? path[depth - 1] ";" name : ""
            if (depth > 1) print $1, path[depth] }' | sums >theirs
    same "$1, call tree" 80
}
# Functions that are twice on a stack are left out: whose caller the outer or
# the inner one is, is a convention.
callers() { # counter
    awk -F, 'NR > 1 { n = split($13, frame, ";"); split("", seen)
        for (i = 1; i <= n; i++) if (seen[frame[i]]++) print frame[i] }' \
        run.csv | sort -u >recursive
    own callers-callees "$1" a |
        awk -F, 'NR == FNR { skip[$1] = 1; next }
            !($2 in skip) && $2 != "<Truncated-stack>" &&
            $4 != "<Truncated-stack>" { print $1, $3, $2, $4 }' recursive - |
        sums >ours
    # One block a function: callers, *function, callees.
    gprofng display text -limit 0 -metrics "e.$1:name" -callers-callees \
        run.er 2>&1 | awk '
        function flush(  i) {
            for (i = 1; i <= n; i++)
                if (!(of in skip) && of != "<Total>")
                    print cost[i], i < at ? "caller" : i == at ? "function" : \
                        "callee", of, name[i]
            n = 0
        }
        NR == FNR { skip[$1] = 1; next }
        /^ *[0-9]/ { cost[++n] = $1; name[n] = $2
            if (sub(/^\*/, "", name[n])) { at = n; of = name[n] }; next }
        NF == 0 && n { flush() }
        END { flush() }' recursive - | sums >theirs
    same "$1, callers and callees" 60
}
by_cpu() { # counter
    own cpus "$1" e | tr , ' ' | grep -v '<Total>' | sums >ours
    gp cpus "$1" | awk '$2 == "CPU" { print $1, $2, $3 }' | sums >theirs
    same "$1, CPUs, gprofng" 4 || return 1
    by_perf "$1" cpu | awk '{ print $1, "CPU", $2 + 0 }' | sums >theirs
    same "$1, CPUs, perf" 4
}
by_perf() { # counter, key
    perf report -i run.data --stdio --no-children -g none -w 0 \
        --percent-limit 0 --sort "$2" -F "period,$2" 2>/dev/null |
        awk -v counter="'$1'" '/^# Samples/ { on = index($0, counter) > 0 }
            on && !/^#/ && NF > 1 { print }'
}
threads() { # counter; gprofng gives them numbers of its own, perf their names
    own threads "$1" e | grep -v '<Total>' | cut -d, -f1 | sort >ours
    gp threads "$1" | awk '/Thread [0-9]+$/ && $1 { print $1 }' | sort >theirs
    sed -i '/^0$/d' ours
    same "$1, threads, gprofng" 5 || return 1
    own threads "$1" e | grep -v '<Total>' |
        sed 's/,/ /; s/ (thread.*//; s/ idle.*/ swapper/' | sums >ours
    by_perf "$1" comm | sums >theirs
    same "$1, threads, perf" 5
}
objects() { # counter
    own objects "$1" e | tr , ' ' | grep -v '<Total>' | sums >ours
    by_perf "$1" dso | awk '{ sub(/\.[0-9a-f]+$/, "", $2); print $1, $2 }' |
        sums >theirs
    same "$1, load objects" 1
}
seconds() { # counter: the run is shorter than one of 200 MHz
    own seconds "$1" e --step=200000000 | awk -F, '$2 == "0" { print $1 }' >ours
    gp seconds "$1" | awk '/Second of execution 0/ { print $1 }' >theirs
    same "$1, seconds" 1
}

compare() {
    rm -rf run.er
    "$1" export --format=gprofng -o run.er run.exp &&
        "$1" export --format=perf -o run.data run.exp || return 1
    for counter in cycles dcache_miss; do
        for report in instructions lines tree callers by_cpu threads objects \
            seconds; do
            $report $counter || return 1
        done
    done
}
compare "$simprof" || complain "not the same"

# The whole comparison notices one wrong sample address, thread or CPU.
for edit in 's/bytes_u64(b, s->pc\[i\])/bytes_u64(b, s->pc[i] + (s->cycle % 64 ? 0 : 4))/' \
    's/bytes_u32(b, s->cpu)/bytes_u32(b, s->cpu ^ !(s->cycle % 64))/' \
    's/bytes_u64(b, s->thread)/bytes_u64(b, s->cycle % 64 ? s->thread : 10)/'; do
    make_twin tools/lib/export_gprofng.c "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done
exit $bad
