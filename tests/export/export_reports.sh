# export_reports.sh - sourced by tests of simprof export: what gprofng and perf say
# of run.exp, exported as run.er and run.data, against simprof's own reports.
# Each function takes a counter and returns 1, with a reason printed, where one
# of them differs. A program with one thread sets few=1.
few=5 elf=
# Functions of the program in which binutils' own addr2line has another line than
# gprofng: where an address has several rows the last is what holds.
mistaken() { # stdin: gprofng's instructions
    program=${elf:-$guest}
    powerpc-linux-gnu-nm "$program" | awk '
        NR == FNR { at[$3] = $1; next }
        $3 == "+" && $2 in at { sub(/,$/, "", $4)
            print $2, at[$2], $4, $0 }' - "$1" |
        while read -r f base offset row; do
            where=$(printf '%s\n' "$row" | awk '{
                if (match($0, /<-- [^<]*$/)) where = substr($0, RSTART + 4)
                else { split($0, w, "\""); match(w[1], /line [0-9]+/)
                    where = w[2] ":" substr(w[1], RSTART + 5, RLENGTH - 5) }
                sub(/ +$/, "", where); print where }')
            line=$(powerpc-linux-gnu-addr2line -e "$program" \
                "$(printf %x $((0x$base + offset)))")
            line=${line##*/}
            case $line in *":?"* | "$where" | "$where "*) ;; *) echo "$f" ;; esac
        done | sort -u
}
# Static functions of one name are told apart by simprof alone, by their file:
# "read_int (vfprintf-internal.c)". What they have is added up.
own() { # report, counter, metrics flavor, options...: CSV without its head
    report=$1 metric=$3+$2
    shift 3
    "$simprof" "$report" --limit=0 --csv --metrics="$metric" "$@" run.exp |
        sed '1d; s/ ([^() ]*\.[A-Za-z]*)//g'
}
gp() { # report, counter
    gprofng display text -limit 0 -metrics "e.$2:name" "-$1" run.er 2>&1 |
        sed -f spelling
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
    same "$1, instructions" $((6 * few))
}
# Both sides of `lines`, without functions whose lines one does not see.
sighted() {
    for side in all:ours gp:theirs; do
        awk 'FILENAME == "blind" { blind[$1] = 1; next } !($NF in blind)' blind \
            ${side%:*} | sums >${side#*:}
    done
}
# Code that was inlined is of the innermost line, in the outer function. Of a
# few functions (memcpy) gprofng knows no line but the first, where we have
# several: those are left out, if addr2line does not agree with gprofng.
lines() { # counter
    own lines "$1" e | grep -v '<Total>' | tr -d '"' |
        awk -F, '{ sub(/.*\//, "", $2); line = $2 $3
            if (sub(/ -- <instructions without line numbers>$/, "", line))
                line = ": " line
            print $1, line }' >all
    gp pcs "$1" >pcs
    awk '$3 == "+" { if (match($0, /<-- [^<]*$/))
                where = substr($0, RSTART + 4)
            else { split($0, w, "\"")
                match(w[1], /line [0-9]+/)
                where = w[2] ":" substr(w[1], RSTART + 5, RLENGTH - 5) }
            sub(/ +$/, "", where); print $1, where, $2 }' pcs >gp
    awk 'NR == FNR { ours[$NF]++; next }
        !(($NF, $2) in met) { met[$NF, $2] = 1; lines[$NF]++ }
        END { for (f in lines) if (lines[f] == 1 && ours[f] > 1) print f }' \
        all gp >single
    awk 'NR == FNR { single[$1]; next } $2 in single' single pcs >single.pcs
    mistaken single.pcs >>blind # of the counters before, too
    sighted
    diff ours theirs | awk '/^[<>]/ { print $NF }' | sort -u >odd
    awk 'NR == FNR { odd[$1]; next } $2 in odd' odd pcs >odd.pcs
    mistaken odd.pcs >>blind
    sighted
    [ "$(sort -u blind | wc -l)" -le 5 ] || { echo "no lines of:" $(cat blind); return 1; }
    same "$1, lines" $((4 * few))
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
    same "$1, call tree" $((8 * few))
}
# Every function, those that are on a stack several times among them, and <Total>.
# gprofng has no truncated stacks.
callers() { # counter
    own callers-callees "$1" a |
        awk -F, '$2 != "<Truncated-stack>" && $4 != "<Truncated-stack>" {
            print $1, $3, $2, $4 }' | sums >ours
    # One block a function: callers, *function, callees.
    gprofng display text -limit 0 -metrics "e.$1:name" -callers-callees \
        run.er 2>&1 | sed -f spelling | awk '
        function flush(  i) {
            for (i = 1; i <= n; i++)
                print cost[i], i < at ? "caller" : i == at ? "function" : \
                    "callee", of, name[i]
            n = 0
        }
        /^ *[0-9]/ { cost[++n] = $1; name[n] = $2
            if (sub(/^\*/, "", name[n])) { at = n; of = name[n] }; next }
        NF == 0 && n { flush() }
        END { flush() }' | sums >theirs
    same "$1, callers and callees" $((6 * few))
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
    same "$1, threads, gprofng" $few || return 1
    own threads "$1" e | grep -v '<Total>' |
        sed "s/,/ /; s/ (thread.*//; s/ idle.*/ swapper/; s/ <no thread>/ swapper/
            ${elf:+s/ thread [0-9]*$/ $elf/}" | sums >ours
    by_perf "$1" comm | sums >theirs
    same "$1, threads, perf" $few
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

