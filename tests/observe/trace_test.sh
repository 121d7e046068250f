#!/bin/bash
# trace_test.sh - records reach their file, nonsense is counted and told in a
# line; nothing is written unasked; a killed run, a full disk and a closed
# console leave something readable and a status of 125.
# timeout: 120
set -u
. tests/sim/lib.sh
build records
build status

size_of() { wc -c <"$dir/$1"; }
words() { # file, offset, count: little-endian words in decimal
    od -An -v -t u4 -j "$2" -N $((4 * $3)) "$dir/$1" | tr -s ' \n' ' '
}

run 9 records.elf
[ "$(cat "$dir/out")" = untraced ] || fail "traced unasked"
[ -s "$dir/err" ] && fail "it talks"
ls "$dir" | grep -q exp && fail "an experiment that nobody asked for"

run 9 records.elf --pmu-trace
[ "$(cat "$dir/out")" = traced ] || fail "not traced"
run 9 records.elf --pmu-trace
diff -r "$dir/records.1.exp" "$dir/records.2.exp" || fail "two runs differ"
exp=records.1.exp
# Two records of 40 bytes (16 + 5 words, padded) behind the file's header.
[ "$(size_of $exp/switch.rec)" -eq $((32 + 2 * 40)) ] || fail "switch.rec"
[ "$(words $exp/switch.rec 48 5)" = ' 100 101 102 103 104 ' ] ||
    fail "payload: $(words $exp/switch.rec 48 5)"
[ "$(words $exp/switch.rec 36 1)" = ' 5 ' ] || fail "thread"
[ "$(words $exp/switch.rec 88 2)" = ' 200 201 ' ] || fail "second payload"
archive=$(sed -n 's/^image //p' "$dir/$exp/log")
cmp "$dir/records.elf" "$dir/$exp/archives/$archive" || fail "archive"
id=$(${cc%gcc}readelf -n "$dir/records.elf" | sed -n 's/.*Build ID: //p')
[ "$archive" = "records.elf.$id" ] || fail "archive is called $archive"
grep -q "^segment 0 0x10000000 .* r-x $archive$" "$dir/$exp/map" || fail map
sed -n '$p' "$dir/$exp/log" | grep -q '^exit 9 ' || fail "no exit line"
grep -q '^ignored 0$' "$dir/$exp/log" || fail "ignored"

# The oracle's rows sum to twelve times cycles x CPUs, exactly.
end=$(sed -n 's/^end //p' "$dir/$exp/log")
od -An -v -t u1 -w1 -j 32 "$dir/$exp/oracle.rec" |
    awk -f tests/lib/oracle.awk >"$dir/rows"
sum=$(awk '{ s += $6 } END { printf "%.0f", s }' "$dir/rows")
[ "$sum" -eq $((12 * 4 * end)) ] || fail "oracle: $sum, end $end"
# What came after the context was set is charged to it.
awk '$2 == 9 && $6 { n++ } END { exit n < 5 }' "$dir/rows" ||
    fail "context 9"

run 9 records.elf --append bad --pmu-trace=bad.exp
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "nonsense: not one line"
grep -q '^simrun: 10 trace records ignored' "$dir/err" || fail "count"
grep -q '^ignored 10$' "$dir/bad.exp/log" || fail "count in the log"
[ "$(size_of bad.exp/switch.rec)" -eq $((32 + 2 * 40)) ] || fail "records lost"

# An experiment that cannot be made.
run 125 records.elf --pmu-trace=bad.exp
grep -q 'bad.exp: exists already' "$dir/err" || fail "existing directory"
run 125 records.elf --pmu-trace=nowhere/x.exp
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "not one line"
[ -s "$dir/out" ] && fail "it ran without its experiment"

# A disk that fills up: one line, the console whole, the records readable.
limit() { # KiB, name
    (ulimit -f "$1" && run 125 records.elf --append many --max-cycles 8000000 \
        --mode=fast --pmu-trace="$2") || exit 1
}
run 124 records.elf --append many --max-cycles 8000000 --mode=fast
cp "$dir/out" "$dir/whole"
limit 200 small.exp
grep -q 'small.exp/.*: File too large' "$dir/err" || fail "what is full?"
[ "$(grep -c full "$dir/err")" -le 1 ] || fail "said twice"
cmp "$dir/out" "$dir/whole" || fail "the console suffered"
[ "$(size_of small.exp/switch.rec)" -le 204800 ] || fail "the limit"
grep -q '^end' "$dir/small.exp/log" && fail "claims to be whole"
limit 8 tiny.exp # not even the archive
[ -s "$dir/out" ] && fail "it ran without its experiment"

# Killed: every file is a beginning of the whole run's.
run 124 records.elf --append many --max-cycles 60000000 --pmu-trace=whole.exp
(cd "$dir" && exec "$simrun" records.elf --append many \
    --pmu-trace=killed.exp >/dev/null 2>&1 </dev/null) &
tries=0
until grep -q '^at [1-9]' "$dir/killed.exp/log" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "nothing on the disk after 30 s"
    sleep 0.1
done
kill -9 $!
wait $! 2>/dev/null
at=$(sed -n 's/^at //p' "$dir/killed.exp/log" | tail -n 1)
[ "$at" -gt 0 ] || fail "at $at"
for file in switch oracle irq; do
    n=$(size_of killed.exp/$file.rec)
    m=$(size_of whole.exp/$file.rec)
    [ "$n" -lt "$m" ] || n=$m
    cmp -n "$n" "$dir/killed.exp/$file.rec" "$dir/whole.exp/$file.rec" ||
        fail "$file.rec is not a beginning"
done

# A console that is full, closed, or whose reader went away.
(cd "$dir" && "$simrun" status.elf --append p7 >/dev/full 2>err)
[ $? -eq 125 ] || fail "full console"
[ "$(grep -c 'No space' "$dir/err")" -eq 1 ] || fail "full: not said once"
(cd "$dir" && "$simrun" status.elf --append p7 --pmu-trace=closed.exp \
    >&- 2>err)
[ $? -eq 125 ] || fail "closed console"
sed -n '$p' "$dir/closed.exp/log" | grep -q '^exit 125' ||
    fail "a closed console spoils the experiment"
(cd "$dir" && timeout 20 "$simrun" status.elf --append m 2>err
    echo $? >status) | head -n 1 >"$dir/out"
[ "$(cat "$dir/status")" -eq 125 ] || fail "reader gone: $(cat "$dir/status")"
(cd "$dir" && "$simrun" status.elf --append r3 >out 2>&-)
[ $? -eq 3 ] || fail "closed stderr"
(cd "$dir" && "$simrun" status.elf --append r3 >out <&-)
[ $? -eq 3 ] || fail "closed stdin"

# Ctrl-C and friends end a run cleanly.
set -m
for signal in INT:130 TERM:143 HUP:129; do
    name=${signal%:*}
    rm -rf "$dir/signal.exp"
    (cd "$dir" && exec "$simrun" status.elf --append s --pmu-trace=signal.exp \
        >out 2>err </dev/null) &
    until grep -q '^at [1-9]' "$dir/signal.exp/log" 2>/dev/null; do
        sleep 0.1
        kill -0 $! || fail "$name: over too soon"
    done
    kill -"$name" $!
    wait $!
    [ $? -eq "${signal#*:}" ] || fail "$name: status"
    grep -q instructions "$dir/err" || fail "$name: no summary"
    sed -n '$p' "$dir/signal.exp/log" | grep -q "^exit ${signal#*:} " ||
        fail "$name: the log has no end"
done
# What was ignored when it started stays ignored (nohup).
(cd "$dir" && trap "" HUP && exec "$simrun" status.elf --append s \
    >out 2>err </dev/null) &
sleep 1
kill -HUP $!
sleep 1
kill -0 $! 2>/dev/null || fail "it does not ignore what it should"
kill -TERM $!
wait $!
[ $? -eq 143 ] || fail "TERM is not HUP"
exit 0
