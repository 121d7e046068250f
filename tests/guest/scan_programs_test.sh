#!/bin/sh
# scan_programs_test.sh - the scan daemon for processes (pif=scan beside run=):
# part after part of a program's text is marked, one an execution, and the union
# is what all of it at once counts, word by word, and what the execution log has;
# or one after so many cycles, while the program runs: each part's count is what
# the log has of it in its turns (HW-112, HW-113, HW-115). scan_programs_all.sh
# has more of the same.
# timeout: 400
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
nm=powerpc-linux-gnu-nm
mkdir -p "$dir/root/bin"
for p in turns again; do
    powerpc-linux-gnu-gcc -O1 -static -o "$dir/root/bin/$p" "tests/guest/prog/$p.c" ||
        fail "$p.c does not compile"
done
cp "$dir/root/bin/turns" "$dir/root/bin/bare"
powerpc-linux-gnu-strip "$dir/root/bin/bare"
hot=$($nm "$dir/root/bin/turns" | sed -n 's/^0*\(.*\) t hot$/\1/p')

# run MODE CPUS LINE COMMAND [OPTION...]
run() {
    line="$3 run=$4"
    mode=$1 cpus=$2
    shift 4
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode="$mode" --cpus="$cpus" \
        --initrd "$dir/root" "$@" --append "$line" "$guest" >"$out" 2>"$dir/err" </dev/null ||
        fail "status $?: $(cat "$dir/err")"
}
parts() { # of PROGRAM: from end executed turns
    sed -n "s/^pif: $1: [a-z]* \([0-9a-f]*\) to \([0-9a-f]*\): executed \([0-9]*\) in \([0-9]*\) turns$/\1 \2 \3 \4/p" "$out"
}
# The log of a run, as far as it is the program's or a turn's: "turn" at each one,
# and the address of each instruction that was executed: those that an exception
# of their own took back have its vector behind them.
turn=$($nm "$guest" | sed -n 's/^0*\([0-9a-f]*\) T marks_turn$/\1/p')
logged() { # MODE CPUS LINE COMMAND
    mkfifo "$dir/pipe"
    exec 3<>"$dir/pipe"
    awk -v turn="$turn" '
        held && $4 !~ /^00000(300|600|700|800)$/ { print held }
        { held = "" }
        $4 ~ /^10/ { held = $4; next }
        { at = $4; sub(/^0*/, "", at) }
        at == turn { print "turn" }' <"$dir/pipe" >"$dir/log" 3>&- &
    run "$@" --log=exec:"$dir/pipe" --log-from=task_start --log-to=scan_programs_end
    exec 3>&-
    wait
    rm "$dir/pipe"
}

# A part an execution, then all at once: the union is the whole.
union() { # MODE CPUS GROUP PARTS
    run "$1" "$2" "pif=scan:$3" "/bin/again $(($4 + 2)) /bin/turns 5"
    is "lines of the program" "$(grep -c '^turns$' "$out")" $(($4 + 2))
    is "parts, $3" "$(parts turns | wc -l)" "$4"
    sum=$(parts turns | awk '{ n += $3; turns += $4 == 1 } END { print n " " turns }')
    is "turns, $3" "${sum#* }" "$4"
    sum=${sum% *}
    above "executed, $3" "$sum" 6000
    grep -qx "pif: turns: scan: $4 of $4 parts, executed $sum; at once $sum, words that differ 0" "$out" ||
        fail "not the union: $(grep 'turns: scan' "$out")"
    parts turns | awk '
        NR > 1 && $1 != end { print "a gap before " $1; bad = 1 }
        { end = $2 } END { exit bad }' || fail "parts do not follow each other"
    is "the hottest" "$(sed -n 's/^pif: turns: function \([0-9a-f]*\):.*/\1/p' "$out" | head -n 1)" "$hot"
}
pages=$(powerpc-linux-gnu-readelf -lW "$dir/root/bin/turns" | awk '$1 == "LOAD" && / R E / {
    print $5 }')
pages=$(((pages + 4095) / 4096))
union fast 1 40 $(((pages + 39) / 40))
union detailed 2 60 $(((pages + 59) / 60))
if [ "${more:-}" ]; then
    union fast 4 all 1
    run fast 2 "pif=scan:func:300" "/bin/again 3 /bin/turns"
    many=$(sed -n 's/^pif: turns: scan: 3 of \([0-9]*\) parts.*/\1/p' "$out")
    above "parts of 300 functions" "${many:-0}" 3
    union fast 2 func:300 "$many"
fi
# Fewer executions than parts: so many parts, and no whole.
run fast 1 "pif=scan:40" "/bin/turns"
grep -q "^pif: turns: scan: 1 of $(((pages + 39) / 40)) parts, executed [0-9]*\$" "$out" ||
    fail "one execution: $(grep 'turns: scan' "$out")"
# Too little memory for it is said.
line="pif=scan:all memory=1M"
timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --append "$line" --program \
    "$dir/root/bin/turns" "$guest" >"$out" 2>/dev/null </dev/null
is "status and last line" "$? $(tail -n 1 "$out")" "1 FAIL: memory is left for marks of programs"
# Without symbols a program is one part, which no function names.
run fast 1 "pif=scan:func" "/bin/bare 5"
is "without symbols" "$(grep -c '^pif: bare:' "$out") $(parts bare | wc -l)" "2 1"

# The log has what all of the text counts.
logged fast 1 "pif=scan:all" "/bin/turns 5"
is "executions in the log" "$(parts turns | cut -d ' ' -f 3)" "$(wc -l <"$dir/log")"

# A part after so many cycles.
turns() { # GROUP CYCLES ROUNDS
    logged fast 1 "trigger=time:$2 pif=scan:$1" "/bin/turns $3"
    parts turns >"$dir/said"
    awk -v said="$dir/said" '
        function hex(s,    n, i) {
            if (s in known)
                return known[s]
            for (i = 1; i <= length(s); i++)
                n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
            return known[s] = n + 0
        }
        BEGIN { parts = now = 0
            while ((getline line < said) > 0) {
                split(line, f, " ")
                from[parts] = hex(f[1]); to[parts] = hex(f[2])
                sum[parts] = f[3]; turns[parts++] = f[4]
            }
            had[0] = 1
        }
        $1 == "turn" { now = (now + 1) % parts; had[now]++; latest = 0; next }
        { at = hex($1); if (at >= from[now] && at < to[now]) { got[now]++; latest++ } }
        END {
            for (k = 0; k < parts; k++) {
                if (sum[k] != got[k] + 0 || turns[k] != had[k]) {
                    print "part " k ": " sum[k] " in " turns[k] " turns, the log has " got[k] + 0 " in " had[k] + 0
                    bad = 1
                }
                all += sum[k]; rounds += turns[k]
                some += sum[k] > 0
                least = !k || had[k] < least ? had[k] : least
            }
            print parts + 0, some + 0, least + 0, rounds - 1, all - latest
            exit bad
        }' "$dir/log" >"$dir/judged" || fail "$1: $(head -n 5 "$dir/judged")"
    set -- $(cat "$dir/judged")
    above "parts" "$1" 2
    above "parts with executions" "$2" 0
    above "turns of each" "$3" 1
    is "turns that the daemon began, and what it collected in those that were over" \
        "$(sed -n 's/^pif: scan daemon: \([0-9]*\) turns, collected \([0-9]*\)$/\1 \2/p' "$out")" "$4 $5"
}
turns 40 60000 1000
[ -z "${more:-}" ] || turns func:400 50000 800
# The daemon is a process in user mode, which programs do not see.
run fast 1 "trigger=time:60000 pif=scan:40" "/bin/turns 1000" -e cycles:200:u -f \
    --pmu-trace="$dir/daemon.exp"
"$BUILD/simprof" functions "$dir/daemon.exp" --csv >"$dir/functions" 2>/dev/null
awk -F, '$NF == "scanner_process" && $3 > 0 { found = 1 } END { exit !found }' "$dir/functions" ||
    fail "no sample of the daemon in user mode"
# On several processors, and of two programs at once.
run fast 4 "trigger=time:100000 pif=scan:30" "/bin/again 20 /bin/turns 2000"
for p in again turns; do
    is "parts of $p" "$(sed -n "s/^pif: $p: scan: \([0-9]*\) of \([0-9]*\) parts.*/\1 \2/p" "$out" |
        awk '{ print $1 == $2 }')" 1
done
is "the hottest, by time" "$(sed -n 's/^pif: turns: function \([0-9a-f]*\):.*/\1/p' "$out" | head -n 1)" "$hot"
exit 0
