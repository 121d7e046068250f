#!/bin/sh
# pipe_test.sh - simrun --pipe records the instructions that --log=pipe writes down,
# with the same stages and waits, the same with and without the memo, and changes
# nothing else; simprof pipe shows them, and its Kanata file is that of --log=konata.
# What cannot be is refused in one line, and what did not come is said.
# timeout: 240
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
${MAKE:-make} -s BUILD="$BUILD" "$BUILD/workloads/false_sharing" || fail "make"
run() { # experiment, options
    exp=$1
    shift
    "$BUILD/simrun" -q --cpus=2 --append "work=txn n=2" --max-cycles=400000 "$@" "$BUILD/guest.elf" \
        >"$exp.out" 2>"$exp.err"
    [ $? -eq 124 ] || fail "$*: $(cat "$exp.err")"
}

# ---- what is recorded --------------------------------------------------------
# 3000 instructions from a cycle, in which caches miss and interrupts come, then
# 500 from an address.
two="--pipe=cycle:100000:3000 --pipe=sched:500"
run "$dir/on" $two --pmu-trace="$dir/on.exp"
run "$dir/off" --memo=off $two --pmu-trace="$dir/off.exp"
run "$dir/none" --pmu-trace="$dir/none.exp"
for file in "$dir"/on.exp/*.rec; do
    name=$(basename "$file")
    cmp -s "$file" "$dir/off.exp/$name" || fail "$name: not as with --memo=off"
    [ "$name" = pipe.rec ] || cmp -s "$file" "$dir/none.exp/$name" || fail "$name: --pipe changes it"
done
cmp -s "$dir/on.out" "$dir/none.out" || fail "the console is another one"
grep -qx 'pipe cycle:100000:3000' "$dir/on.exp/log" && grep -qx 'pipe sched:500' "$dir/on.exp/log" ||
    fail "the log does not say what was asked for"
"$BUILD/simprof" pipe --json "$dir/on.exp" >"$dir/rows" || fail "simprof pipe"
[ "$(jq length "$dir/rows")" -eq 3500 ] || fail "$(jq length "$dir/rows") instructions"
jq -e 'all(.[]; .fetch <= .dispatch and .dispatch <= .issue and .issue <= .finish and .finish <= .complete)' \
    "$dir/rows" >/dev/null || fail "stages go back"
jq -e 'map(.number) == [range(1; 3501)]' "$dir/rows" >/dev/null || fail "numbers"
[ "$(jq -r '.[3000].place' "$dir/rows")" = sched ] || fail "the second stretch: $(jq -r '.[3000].place' "$dir/rows")"
# A program whose pages are not there yet: loads and stores raise, system calls do not.
"$BUILD/simrun" -q --cpus=1 --pipe=_start:3000 --pmu-trace="$dir/user.exp" --user "$BUILD/workloads/false_sharing" 1 1 \
    >/dev/null || fail "--user"
"$BUILD/simprof" pipe --json "$dir/user.exp" >"$dir/user"
[ "$(jq '[.[] | select(.ends == "exception" and (.instruction | test("^(l|st)")))] | length' "$dir/user")" -ge 3 ] ||
    fail "no exception in 3000"
[ "$(jq '[.[] | select(.instruction == "sc") | .ends] | unique == ["completes"]' "$dir/user")" = true ] || fail "sc"

# The log of the same stretch, line by line.
run "$dir/log" --log=pipe:"$dir/pipe" --log-from=cycle:100000
head -n 3000 "$dir/pipe" | awk '{ print $1, $2, $3, $4, $6, $8, $10, $12; n = split($0, w, " ")
    for (i = 13; i <= n; i++) print "  " w[i] }' >"$dir/want"
jq -r '.[:3000][] | "\(.cpu) \(.dispatch) \(.complete) \(.pc[2:]) \(.unit) \(.fetch) \(.issue) \(.finish)",
    (.waits // "" | split("; ")[] | capture("^(?<r>\\S+) \\d+-(?<e>\\d+)$") | "  \(.r)<\(.e)")' "$dir/rows" >"$dir/got"
cmp -s "$dir/want" "$dir/got" || fail "not as --log=pipe: $(diff "$dir/want" "$dir/got" | head -n 4)"
[ "$(grep -c '^  ' "$dir/got")" -ge 300 ] || fail "few waits: $(grep -c '^  ' "$dir/got")"

# ---- Konata ------------------------------------------------------------------
run "$dir/log" --log=konata:"$dir/konata" --log-from=cycle:100000 --log-to=cycle:100900
insns=$(grep -c '^I' "$dir/konata")
[ "$insns" -ge 200 ] || fail "$insns instructions of the log"
run "$dir/k" --pipe=cycle:100000:"$insns" --pmu-trace="$dir/k.exp"
"$BUILD/simprof" export --format=konata -o "$dir/exported" "$dir/k.exp" || fail "export"
cmp -s "$dir/konata" "$dir/exported" || fail "not as --log=konata: $(diff "$dir/konata" "$dir/exported" | head -n 4)"

# ---- the chart ---------------------------------------------------------------
# An instruction's row ends, |, in the column of its completion.
"$BUILD/simprof" pipe --limit=16 --width=400 "$dir/k.exp" >"$dir/chart" || fail "chart"
base=$(sed -n 's/.*from cycle \([0-9,]*\), a column is a cycle.*/\1/p' "$dir/chart" | tr -d ,)
"$BUILD/simprof" pipe --json --limit=16 "$dir/k.exp" | jq -r '.[] | "\(.fetch) \(.complete) \(.ends)"' >"$dir/ends"
grep -E '^[0-9] [0-9a-f]{8} ' "$dir/chart" | awk -v base="$base" '{
    chart = substr($0, 35); match(chart, /[^ ]/); print base + RSTART - 1, base + length(chart) - 1,
        chart ~ /\|$/ ? "completes" : "exception" }' | cmp -s - "$dir/ends" || fail "the chart: $(cat "$dir/chart")"
"$BUILD/simprof" pipe --source-path=. --limit=200 "$dir/k.exp" | grep -q '^  guest/.*\.[chS]:[0-9]*  [^ ]' ||
    fail "no source lines in the chart"
# Parts of it.
[ "$("$BUILD/simprof" pipe --json --cpu=1 "$dir/on.exp" | jq 'map(.cpu) | unique == [1]')" = true ] || fail "--cpu"
all=$("$BUILD/simprof" pipe --json --from=100200 --to=100400 "$dir/on.exp" | jq length)
want=$(jq '[.[] | select(.complete >= 100200 and .complete < 100400)] | length' "$dir/rows")
[ "$all" = "$want" ] && [ "$all" -ge 20 ] || fail "--from: $all, not $want"

# ---- what did not come -------------------------------------------------------
run "$dir/late" --pipe=cycle:399900:1000000 --pmu-trace="$dir/late.exp"
"$BUILD/simprof" pipe "$dir/late.exp" | tr '\n' ' ' | grep -q 'of the 1,000,000 instructions that --pipe names' || fail "cut short"
run "$dir/never" --pipe=cycle:9000000:5 --pmu-trace="$dir/never.exp"
"$BUILD/simprof" pipe "$dir/never.exp" | tr '\n' ' ' | grep -q '0 of the 5 instructions' || fail "never reached"
"$BUILD/simprof" pipe "$dir/none.exp" | grep -q 'No instruction was recorded: simrun --pipe FROM:COUNT' || fail "none"
[ "$("$BUILD/simprof" pipe --json "$dir/none.exp" | jq length)" = 0 ] || fail "rows of nothing"
"$BUILD/simprof" export --format=konata "$dir/none.exp" >"$dir/empty" 2>/dev/null || fail "export of nothing"
[ "$(cat "$dir/empty")" = "Kanata	0004" ] || fail "export of nothing: $(cat "$dir/empty")"
# Stretches in detail alone have stages.
"$BUILD/simrun" -q --cpus=1 --append "work=txn n=2" --detail=20000:+5000 --detail-fill=0 --pipe=0:100 --max-cycles=400000 \
    --pmu-trace="$dir/part.exp" "$BUILD/guest.elf" >/dev/null 2>&1
[ "$("$BUILD/simprof" pipe --json "$dir/part.exp" | jq length)" = 100 ] || fail "--detail"

# ---- refusals ----------------------------------------------------------------
refused() { # status, words, then options
    status=$1 words=$2
    shift 2
    "$BUILD/simrun" --pmu-trace="$dir/no.exp" "$@" "$BUILD/guest.elf" >/dev/null 2>"$dir/err"
    [ $? -eq "$status" ] || fail "$*: not $status: $(cat "$dir/err")"
    grep -q -- "$words" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$*: $(cat "$dir/err")"
    [ ! -e "$dir/no.exp" ] || fail "$*: an experiment is left"
}
for bad in 5 5:0 :5 cycle:5 5: 5:x 5:-1 5:1000001 5:99999999999999999999 "$(printf '%0300d' 1):5"; do
    refused 2 "give FROM:COUNT" --pipe="$bad"
done
refused 2 "give a number of instructions" --pipe=cycle:x:5
refused 2 "16 stretches are all" $(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do echo "--pipe=$i:1"; done)
refused 2 "mode=fast has no pipeline" --mode=fast --pipe=5:5
refused 125 "did you mean" --pipe=shced:5
"$BUILD/simprof" export --format=konata --event=cycles "$dir/k.exp" >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && grep -q "has no samples" "$dir/err" || fail "--event: $(cat "$dir/err")"
"$BUILD/simprof" pipe --thread=x "$dir/k.exp" >/dev/null 2>"$dir/err"
[ $? -eq 2 ] || fail "--thread: $(cat "$dir/err")"
