#!/bin/sh
# time_test.sh - what the timeline draws beside states: `moments` has every wake-up,
# interrupt, sample, idle gap and probed call that other reports count, of an interval
# those that overlap it; `reasons` adds up to `functions`; `gap` is `causes` of the gap;
# simview shows these rows, and flame graphs lose nothing whichever way they are drawn.
# timeout: 240
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
view=$BUILD/simview
fail() {
    echo "$*"
    exit 1
}
prof() { "$BUILD/simprof" "$@" 2>"$dir/err"; }
is() { [ "$2" = "$3" ] || fail "$1: $2, not $3"; }
"$BUILD/simrun" -q --cpus=3 --switch-stacks -e cycles:20000 -e insn_completed:10000 \
    --probe=journal_write --pmu-trace="$dir/x.exp" \
    --append "work=txn n=12 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 ||
    fail "$(cat "$dir/out")"
exp=$dir/x.exp
end=$(prof info --csv "$exp" | sed -n 's/^cycles,//p')

# ---- moments: as many as other reports have ----------------------------------
prof moments --csv "$exp" >"$dir/all" || fail "$(cat "$dir/err")"
many() { awk -F, -v k="$1" '$3 == k { n++ } END { print n + 0 }' "$dir/all"; }
for pair in interrupt/irq.rec sample/profile.rec; do
    file=${pair#*/}
    count=$(prof info "$exp" | awk -v f="$file" '$NF == f { gsub(",", "", $1); print $1 }')
    is "$pair" "$(many "${pair%/*}")" "$count"
done
is "wake-ups" "$(many wake-up)" "$(prof history --json "$exp" | jq '[.[] | select(.state == "woken")] | length')"
is "calls" "$(many section)" "$(prof active --json "$exp" | jq '[.[] | select(.function == "journal_write") | .calls // .count] | add')"
is "idle gaps" "$(many idle)" "$(prof idle --json --table=cpus "$exp" | jq '[.[] | select(.cpu != "all") | .periods] | add')"
[ "$(many hold)" -gt 20 ] && [ "$(many convoy)" -ge 1 ] || fail "no holds: $(many hold), $(many convoy)"
sed 1d "$dir/all" | sort -t, -n -k1,1 -s -c || fail "not in order"
# A convoy is holds of one lock, each begun where one ended.
awk -F, '$3 == "hold" { if ($1 == to[$NF]) row[$NF]++; else row[$NF] = 1; to[$NF] = $2
        if (row[$NF] > best) best = row[$NF] }
    $3 == "convoy" && $9 > most { most = $9 } END { if (best != most) print best, most }' "$dir/all" >"$dir/off"
[ ! -s "$dir/off" ] || fail "longest row of holds, and convoy: $(cat "$dir/off")"
# Of an interval: those that overlap it.
seed=7
for i in 1 2 3 4 5 6 7 8; do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    from=$((seed / 16 % (end - 100000)))
    to=$((from + 1 + seed / 64 % 300000))
    prof moments --csv --kinds=wake-up,hold,interrupt,sample,section --from=$from --to=$to "$exp" | sed 1d >"$dir/got"
    awk -F, -v a=$from -v b=$to 'NR > 1 && $3 != "idle" && $3 != "convoy" && $1 < b &&
        ($2 > a || ($2 == a && $1 == $2))' "$dir/all" >"$dir/want"
    cmp -s "$dir/got" "$dir/want" || fail "$from to $to: $(diff "$dir/got" "$dir/want" | head -n 4)"
    # Reasons: every cycle of the interval, and its naps.
    prof reasons --csv --step=10007 --from=$from --to=$to "$exp" >"$dir/csv"
    is "cycles of $from to $to" "$(awk -F, 'NR > 1 { n += $2 } END { print n }' "$dir/csv" | awk '{ print int($1 / 100 + .5) }')" \
        "$(prof functions --json --reasons --from=$from --to=$to "$exp" | jq '.[0].cycles / 100 | round')"
    prof functions --json --reasons --from=$from --to=$to "$exp" |
        jq -r '.[0] | to_entries[] | select(.key | IN("cycles", "twelfths", "percent", "function") | not) | "\(.key) \(.value)"' >"$dir/sums"
    while read -r reason sum; do
        awk -F, -v k="$reason" -v s="$sum" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == k) at = i; next }
            at { n += $at } END { d = n - s; if (d < 0) d = -d; if (d > 60) print k, n, s }' "$dir/csv" >"$dir/off"
        [ ! -s "$dir/off" ] || fail "$from to $to: $(cat "$dir/off")"
    done <"$dir/sums"
done
is "a limit" "$(prof moments --csv --limit=5 --kinds=sample "$exp" | sed 1d | wc -l)" 6
prof moments --csv --limit=5 --kinds=sample "$exp" | tail -n 1 | grep -q '<more>$' || fail "no more"
[ ! -s "$dir/err" ] || fail "a limit says $(cat "$dir/err")"
prof moments --kinds=naps "$exp" >/dev/null
is "kinds" $? 2
grep -q "must be idle, wake-up" "$dir/err" || fail "$(cat "$dir/err")"
prof reasons --step=0 "$exp" >/dev/null
is "a step of nothing" $? 2

# Exact cycles alone: no sample is read for them, and they are the same.
for report in lines calltree; do
    case $report in
    lines) one="lines --metrics=e+exact" all="lines --metrics=e+exact:e+cycles" column=excl_exact ;;
    *) one="calltree --metrics=i+blocked:i+lock" all="calltree --metrics=i+blocked:i+lock:i+cycles" column=incl_blocked ;;
    esac
    prof $one --json "$exp" | jq -S "map(select(.$column > 0) | [.function, .[\"line, function\"], .$column]) | sort" >"$dir/got"
    prof $all --json "$exp" | jq -S "map(select(.$column > 0) | [.function, .[\"line, function\"], .$column]) | sort" >"$dir/want"
    [ "$(wc -l <"$dir/got")" -gt 10 ] && cmp -s "$dir/got" "$dir/want" || fail "$one: $(diff "$dir/got" "$dir/want" | head -n 4)"
done

# ---- gaps ---------------------------------------------------------------------
awk -F, '$3 == "idle" && $2 - $1 > 8000 && ++n % 9 == 0 { print $4, $1, $2 }' "$dir/all" | head -n 6 >"$dir/gaps"
[ -s "$dir/gaps" ] || fail "no gaps"
while read -r cpu from to; do
    prof gap --json --cpu="$cpu" --from=$(((from + to) / 2)) "$exp" >"$dir/json"
    is "gap at $from" "$(jq -r '.[0] | "\(.from_cycle) \(.to_cycle)"' "$dir/json")" "$from $to"
    prof gap --cpu="$cpu" --from="$from" --width=4000 "$exp" | grep "^CPU $cpu is idle because" >"$dir/why"
    [ "$(cat "$dir/why")" = "$(jq -r '.[0].why' "$dir/json")" ] || fail "why at $from: $(cat "$dir/why")"
    # Of threads that differ in their number alone causes names one.
    prof causes --cpu="$cpu" --from="$from" --to="$to" --width=4000 "$exp" | sed 's/worker\.[0-9]*/worker/g' |
        grep -qxF "$(sed 's/worker\.[0-9]*/worker/g' "$dir/why")" || fail "gap at $from: $(cat "$dir/why")"
    state=$(jq -r '.[-1].state' "$dir/json")
    prof causes --json --cpu="$cpu" --from="$from" --to="$to" "$exp" |
        jq -e --arg s "$state" 'any(.[]; .what == $s or ($s == "runs" and .what == "system"))' >/dev/null || fail "root $state of $from"
    # The window says the same, and what predict says of the root.
    "$view" --text --panel=time --gap="$cpu:$from" --size=2400x1200 --scale=1 "$exp" >"$dir/text" || fail "--gap"
    grep -qF "$(cat "$dir/why")" "$dir/text" || fail "not shown: $(cat "$dir/why")"
    spec=$(sed -n "s/.*--what-if '\(.*\)' \.\.\..*/\1/p" "$dir/text")
    [ -z "$spec" ] || grep -qF "saves $(prof predict --json --what-if "$spec" "$exp" | jq '.[1].gain_percent | . * 10 | round / 10 | if . == floor then "\(.).0" else "\(.)" end' -r) % of the run" "$dir/text" ||
        fail "$spec: $(grep saves "$dir/text")"
done <"$dir/gaps"
# The longest, or those of an interval: as each by itself.
prof gap --json --limit=7 "$exp" >"$dir/json"
is "gaps" "$(jq 'map(select(.role == "idle")) | length' "$dir/json")" 7
jq -e 'map(select(.role == "idle") | .to_cycle - .from_cycle) | . == (sort | reverse)' "$dir/json" >/dev/null || fail "order of gaps"
longest=$(awk -F, '$3 == "idle" { print $2 - $1 }' "$dir/all" | sort -n | tail -n 7 | head -n 1)
is "the seventh" "$(jq 'map(select(.role == "idle") | .to_cycle - .from_cycle)[6]' "$dir/json")" "$longest"
jq -r '.[] | select(.role == "idle") | "\(.object) \(.from_cycle)"' "$dir/json" | while read -r _ cpu from; do
    prof gap --json --cpu="$cpu" --from="$from" "$exp" | jq -c '.[]'
done >"$dir/want"
jq -c '.[]' "$dir/json" | cmp -s - "$dir/want" || fail "gaps are not each alone"
prof gap --csv --cpu=1 --from=4ms --to=6ms "$exp" | grep -c '^idle' >"$dir/got"
awk -F, '$3 == "idle" && $4 == 1 && $1 < 1200000 && $2 > 800000' "$dir/all" | wc -l | cmp -s - "$dir/got" || fail "gaps of an interval"
# What simprof advise has tried of the root is said instead.
read -r cpu from to <"$dir/gaps"
cp -r "$exp" "$dir/tried.exp"
"$view" --text --panel=time --gap="$cpu:$from" --size=2400x1200 --scale=1 "$exp" >"$dir/text"
spec=$(sed -n "s/.*--what-if '\(.*\)' \.\.\..*/\1/p" "$dir/text")
[ -n "$spec" ] || fail "no what-if at $from"
printf 'simrun-tried 1\nchange 60 100 55 1 100 6 1 1 0 %s\n' "$spec" >"$dir/tried.exp/tried"
"$view" --text --panel=time --gap="$cpu:$from" --size=2400x1200 --scale=1 "$dir/tried.exp" >"$dir/text"
grep -q "^tried	Done again 6 times with " "$dir/text" || fail "not tried: $(grep "$spec" "$dir/text")"
prof gap --cpu=0 --from="$end" "$exp" | grep -q "was idle then" || fail "no gap there"

# ---- simview ------------------------------------------------------------------
"$view" --text --panel=time "$exp" >"$dir/text" || fail "time"
for word in "cycles by reason" "IPC of busy CPUs" insn_completed journal_lock interrupt sample; do
    grep -qF "$word" "$dir/text" || fail "time: no $word"
done
# The largest of a graph is that of the steps of its report.
most=$(grep -o 'to [0-9,]*$' "$dir/text" | tail -n 1 | tr -d 'to ,')
[ -n "$most" ] || most=$(grep -A3 -F insn_completed "$dir/text" | sed -n 's/.*to \([0-9,]*\).*/\1/p' | head -n 1 | tr -d ,)
step=
for s in $(seq 1 400); do
    at=$(((end + s - 1) / s))
    [ "$(prof seconds --json --step=$at --metrics=e+insn_completed "$exp" | jq '.[1:] | map(.excl_insn_completed) | max')" = "$most" ] && step=$at && break
    [ $s -lt 160 ] || break
done
[ -n "$step" ] || fail "no step of seconds has $most insn_completed at most"
# Whichever way a flame graph is drawn, all of it is there.
total() { "$view" --text --panel=calls "$@" | sed -n '3s/ .*//p' | tr -d ,; }
all=$(total --metric=blocked "$exp")
is "blocked" "$all" "$(prof calltree --json --metrics=i+blocked "$exp" | jq '.[0].incl_blocked')"
for ways in leaves fold leaves,fold below; do
    is "blocked, $ways" "$(total --metric=blocked --flame=$ways "$exp")" "$all"
done
is "idle by root" "$(total --metric=idle "$exp")" "$(prof causes --json "$exp" | jq 'map(.cycles) | add')"
"$view" --panel=calls --metric=blocked --png="$dir/up" "$exp" && "$view" --panel=calls --metric=blocked --flame=leaves --png="$dir/leaves" "$exp" || fail "flame"
! cmp -s "$dir/up" "$dir/leaves" || fail "leaves change nothing"
cp -r "$exp" "$dir/y.exp"
"$view" --panel=calls --flame=differs --png="$dir/same" "$dir/y.exp" "$exp" || fail "differs"
! cmp -s "$dir/same" "$dir/up" || fail "two runs change nothing"
"$view" --panel=calls --flame=differs --text "$dir/y.exp" "$exp" | grep -q 'blue shrank, full: by 5 % of all' || fail "no scale of colours"
refused() { # words, then arguments
    words=$1
    shift
    "$view" "$@" --text "$exp" >"$dir/out" 2>"$dir/err"
    [ $? -ne 0 ] && grep -q -- "$words" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$*: $(cat "$dir/err")"
}
refused "must be leaves, fold" --flame=roots
refused "needs two experiments" --flame=differs
refused "must be a CPU and a time" --gap=9:4
refused "was not idle then" --panel=time --gap=0:5
# ---- source ---------------------------------------------------------------------
# Reasons of an instruction add up to its cycles, and all to the function's.
prof disasm --json --reasons --function=txn_stage_commit "$exp" >"$dir/json"
jq -e 'all(.[]; .excl_exact as $all | [to_entries[] | select(.key | test("^(excl|incl)_|^line$") | not) |
    .value | numbers] | add == $all)' "$dir/json" >/dev/null || fail "reasons of an instruction"
is "complete" "$(jq '.[1:] | map(.complete) | add' "$dir/json")" "$(jq '.[0].complete' "$dir/json")"
"$view" --text --panel=source --function=txn_stage_commit --source-path="$PWD" --size=2400x3000 --scale=1 "$exp" >"$dir/text"
grep -q "exact cycles	insn_completed" "$dir/text" || fail "no counter: $(head -n 5 "$dir/text")"
line=$(jq -r '.[1:] | max_by(.excl_exact) | .instruction' "$dir/json")
grep -qF "$line" "$dir/text" || fail "no instruction $line"
grep -q "journal_write(" "$dir/text" || fail "no source text"
rm -r "$dir"
