#!/bin/sh
# sampled_test.sh - with a period of one every instruction that dispatches is
# in sampled.rec, no other file of the experiment knows of it, and what simprof
# sampled and truth say of sampled instructions and of marks is what a script
# that shares nothing with them makes of the records.
set -u
cd "$(dirname "$0")/../.." || exit 1
dir=$TMPDIR
bad=0
complain() {
    echo "$1"
    bad=1
}
words() { # of a file of records
    od -A n -v -t u4 -w4 -j 32 "$1"
}
oracle() { # of an experiment: pc, reason, twelfths
    od -A n -v -t u1 -w1 -j 32 "$1/oracle.rec" | awk -f tests/lib/oracle.awk |
        awk '{ print $4, $5, $6 }'
}
run() { # experiment, options
    exp=$1
    shift
    timeout 100 "$BUILD/simrun" -q --cpus 2 -e insn_dispatched \
        -e insn_completed --append "work=txn n=1" --pmu-trace="$exp" "$@" \
        "$BUILD/guest.elf" >"$dir/out" || complain "$*: status $?"
}
for mode in detailed fast; do
    e=$dir/$mode.exp
    run "$e" --mode=$mode --sample-insns 1 --mark 'func:*=count'
    run "$dir/plain.exp" --mode=$mode --mark 'func:*=count'
    for file in "$dir"/plain.exp/*.rec "$dir/plain.exp/map"; do
        [ "${file##*/}" = sampled.rec ] || cmp "$file" "$e/${file##*/}" ||
            complain "$mode: sampling changes ${file##*/}"
    done
    grep -v '^records 12 0$' "$dir/plain.exp/log" >"$dir/plain.log"
    [ "$(wc -c <"$dir/plain.exp/sampled.rec")" = 32 ] ||
        complain "$mode: records nobody asked for"
    grep -v -e '^sampled' -e '^records 12 ' "$e/log" |
        cmp - "$dir/plain.log" ||
        complain "$mode: sampling changes the log"
    rm -r "$dir/plain.exp"

    # pc, flags, to finish, to end, oldest, passed
    words "$e/sampled.rec" | awk '{ w[NR - 1] = $1 }
        END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
            print w[i + 5], w[i + 4], w[i + 9], w[i + 10], w[i + 12], \
                w[i + 13] }' >"$dir/insns"
    got=$(awk '{ n++; c += $2 % 2; p += $6 }
        $2 % 2 && int($2 / 2) % 2 { odd++ } END { print n, c, p, odd + 0 }' \
        "$dir/insns")
    want=$(awk '$1 == "count" { n[$2] += $4 } END { print n[0], n[1], n[0], 0 }' \
        "$e/log")
    [ "$got" = "$want" ] ||
        complain "$mode: $got instructions, the counters say $want"

    # What marks counted; the oracle's cycles of each instruction.
    words "$e/mark.rec" | awk '{ w[NR - 1] = $1 }
        END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
            print w[i + 5], w[i + 8] * 4294967296 + w[i + 9] }' >"$dir/marks"
    awk -v dir="$dir" 'FNR == NR { n[$1] += $2 % 2; next }
        n[$1] + 0 != $2 { print $1, n[$1] + 0, $2 }' "$dir/insns" "$dir/marks" \
        >"$dir/differ"
    [ -s "$dir/marks" ] && [ ! -s "$dir/differ" ] ||
        complain "$mode: sampled is not marked: $(head -n 3 "$dir/differ")"
    "$BUILD/simprof" truth --csv "$e" >"$dir/truth.csv" ||
        complain "truth: status $?"
    awk -F, '$1 == "sampled.executions" { n++; bad += $4 != 0 }
        END { exit !(n == 3 && !bad) }' "$dir/truth.csv" ||
        complain "$mode: $(grep executions "$dir/truth.csv")"
done

# Errors by instruction, worked out again; the last run was the fast one.
e=$dir/detailed.exp
words "$e/sampled.rec" | awk '{ w[NR - 1] = $1 }
    END { for (i = 0; i < NR; i += (w[i] % 65536) / 4) if (w[i + 4] % 2)
        print w[i + 5], w[i + 9] + w[i + 10], w[i + 12] }' >"$dir/insns"
words "$e/mark.rec" | awk '{ w[NR - 1] = $1 }
    END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
        print w[i + 5], w[i + 9] }' >"$dir/marks"
oracle "$e" |
    awk -v off="$(sed -n 's/^reason \([0-9]*\) off$/\1/p' "$e/log")" \
        -v nap="$(sed -n 's/^reason \([0-9]*\) nap$/\1/p' "$e/log")" \
        '$2 != off && $2 != nap { n[$1] += $3 }
        END { for (p in n) print p, n[p] }' >"$dir/cycles"
"$BUILD/simprof" truth --csv "$e" >"$dir/truth.csv"
error() { # name, how much a line of which file is worth
    awk -v worth="$2" 'FNR == NR { is[$1] = $2; next }
        { met[$1] += worth ? $worth : 1; all += worth ? $worth : 1 }
        END { for (p in is) if (only == 0 || p in met) exact += is[p]
            for (p in met) { a = met[p] / all; b = is[p] / exact
                right += a < b ? a : b }
            print 1 - right }' only="${4-0}" "$dir/cycles" "$dir/$3" >"$dir/want"
    got=$(awk -F, -v c="$1" '$1 == c && $2 == "instruction" { print $4 }' \
        "$dir/truth.csv")
    awk -v a="$got" -v b="$(cat "$dir/want")" 'BEGIN { d = a - b
        exit !(a != "" && b > 0.001 && d < 0.001 && d > -0.001) }' ||
        complain "$1: $got, the records say $(cat "$dir/want")"
}
error sampled.one 0 insns
error sampled.in-flight 2 insns
error sampled.oldest 3 insns
error marks 2 marks 1

# Counts are exact: there is no interval around them.
"$BUILD/simprof" truth --csv --event=marks "$e" |
    awk -F, 'NR > 1 { n++; bad += $3 != "" || $4 != "" || $5 != "" }
        END { exit !(n && !bad) }' || complain "an interval around exact counts"

# Cycles since the completion before add up to all in which something ran.
awk -v cycles="$(awk '{ n += $2 } END { print n / 12 }' "$dir/cycles")" '
    { oldest += $3 } END { d = oldest / cycles - 1
        exit !(d < 0.001 && d > -0.001) }' "$dir/insns" ||
    complain "the oldest of each cycle: $(wc -l <"$dir/insns") records"

# Thresholds, against the cycles in which nothing completed.
run "$dir/slow.exp" --mark 'func:*=threshold:10'
words "$dir/slow.exp/mark.rec" | awk '{ w[NR - 1] = $1 }
    END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
        print w[i + 5], w[i + 11] }' >"$dir/slow"
oracle "$dir/slow.exp" |
    awk -v not="$(sed -n 's/^reason \([0-9]*\) \(off\|nap\|complete\)$/,\1,/p' \
        "$e/log" | tr -d '\n')" '
        !index(not, "," $2 ",") { n[$1] += $3 }
        END { for (p in n) print p, n[p] }' >"$dir/cycles"
"$BUILD/simprof" truth --csv "$dir/slow.exp" >"$dir/truth.csv"
error thresholds 2 slow 1

# What the report adds up.
"$BUILD/simprof" sampled --csv --pcs "$e" >"$dir/rows.csv"
awk -F, 'NR > 1 { n += $1; c += $2 } END { print n, c }' "$dir/rows.csv" \
    >"$dir/got"
[ "$(cat "$dir/got")" = \
    "$(awk '$1 == "count" { n[$2] += $4 } END { print n[0], n[1] }' "$e/log")" ] ||
    complain "sampled: $(cat "$dir/got")"
awk -F, -v dir="$dir" 'NR == 2 { print $2, $8, $15 }' "$dir/rows.csv" |
    while read -r completed oldest pc; do
        awk -v p=$((pc)) -v n="$completed" -v o="$oldest" '$1 == p { m++; s += $3 }
            END { d = s / m - o; exit !(m == n && d < 0.001 && d > -0.001) }' \
            "$dir/insns" || echo "sampled: $pc $completed $oldest"
    done >"$dir/got"
[ -s "$dir/got" ] && complain "$(cat "$dir/got")"
"$BUILD/simprof" sampled "$e" | grep -q '^ *[0-9,]* .*<all others>' ||
    complain "no rest"

# In one state: the guest has no user, of it all is the supervisor's.
run "$dir/both.exp" --sample-insns 500
run "$dir/kernel.exp" --sample-insns 500:k
run "$dir/user.exp" --sample-insns 500:u
cmp -s "$dir/both.exp/sampled.rec" "$dir/kernel.exp/sampled.rec" ||
    complain "--sample-insns 500:k leaves something out"
[ "$(wc -c <"$dir/user.exp/sampled.rec")" = 32 ] ||
    complain "--sample-insns 500:u has the supervisor's"
"$BUILD/simprof" sampled "$dir/kernel.exp" | grep -q "in supervisor state" ||
    complain "the report does not name the state"
"$BUILD/simprof" truth "$dir/kernel.exp" | tr '\n' ' ' |
    grep -q "sampled instructions are of one *state" ||
    complain "truth judges one state: $("$BUILD/simprof" truth "$dir/kernel.exp" | tail -n 3)"
"$BUILD/simrun" -q --sample-insns 500:x "$BUILD/guest.elf" >/dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q "behind the colon u or k" "$dir/err" || complain "500:x is obeyed"

# A period is kept on average; nobody asked: it says so.
run "$dir/few.exp" --sample-insns 100
awk '$1 == "count" && $2 == 0 { n += $4 } END { print n }' "$dir/few.exp/log" \
    >"$dir/n"
words "$dir/few.exp/sampled.rec" | awk -v n="$(cat "$dir/n")" '{ w[NR - 1] = $1 }
    END { for (i = 0; i < NR; i += (w[i] % 65536) / 4) {
            s++; p = w[i + 13]; bad += p < 50 || p > 150; far += p < 75 || p > 125 }
        exit !(!bad && far > s / 4 && s > n / 110 && s < n / 90) }' ||
    complain "--sample-insns 100: not every hundredth"
run "$dir/none.exp"
"$BUILD/simprof" sampled "$dir/none.exp" | grep -q "No instruction was sampled" ||
    complain "none: $("$BUILD/simprof" sampled "$dir/none.exp")"
# An experiment of an earlier simrun, which knew no such file, is whole.
rm "$dir/none.exp/sampled.rec"
"$BUILD/simprof" info "$dir/none.exp" 2>&1 | grep -q "sampled.rec: missing" ||
    complain "a file that the log promises is not missed"
sed "/^file .* sampled.rec/d" "$dir/none.exp/log" >"$dir/log"
cp "$dir/log" "$dir/none.exp/log"
"$BUILD/simprof" info "$dir/none.exp" 2>&1 | grep -q "none found" ||
    complain "a file that was never promised is missed"
exit $bad
