#!/bin/sh
# lines_test.sh - simrun --record-lines: of a program whose stores are known the
# counts and bytes are those, who falsely shares is told from who truly does, the
# states are those of the caches; the same with and without the memo, and nothing
# else changes. The bound is said; what cannot be is refused in one line.
# timeout: 240
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no powerpc-linux-gnu-gcc"; exit 77; }
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/lines" tests/observe/lines.c || fail "gcc"
${MAKE:-make} -s BUILD="$BUILD" "$BUILD/workloads/false_sharing" || fail "make"
run() { # experiment, options; $arguments of the program
    exp=$1
    shift
    "$BUILD/simrun" -q --cpus=4 --pmu-trace="$dir/$exp.exp" "$@" --user "$dir/lines" ${arguments-} 2>"$dir/err" ||
        fail "$*: $? $(cat "$dir/err")"
}
run on --record-lines=recorded:over
run off --record-lines=recorded:over --memo=off
run none
for file in "$dir"/on.exp/*.rec; do
    name=$(basename "$file")
    cmp -s "$file" "$dir/off.exp/$name" || fail "$name: not as with --memo=off"
    [ "$name" = line.rec ] || cmp -s "$file" "$dir/none.exp/$name" || fail "$name: --record-lines changes it"
done

# ---- two threads -------------------------------------------------------------
"$BUILD/simprof" cache-lines --json "$dir/on.exp" >"$dir/rows" || fail "simprof cache-lines"
has() { # words, condition on the rows
    jq -e "$2" "$dir/rows" >/dev/null || fail "$1: $(jq -c '.[] | select(.variable | test("apart|together"))' "$dir/rows")"
}
line() { echo "[.[] | select(.variable | startswith(\"$1\"))]"; }
has "two CPUs and no other store to apart" "$(line apart) | map(select(.stores > 0)) | length == 2"
has "each stores 1000 times" "$(line apart) | map(select(.stores > 0).stores) == [1000, 1000]"
has "each loads as often" "$(line apart) | map(select(.stores > 0).loads) | all(. == 1000)"
has "to its own word" "$(line apart) | map(.stored) | sort | map(select(. != \"0x00000000\")) == [\"0x0000000f\", \"0x000f0000\"]"
has "words" "$(line apart) | map(.words) | sort | map(select(test(\"b\"))) == [\"....b...\", \"b.......\"]"
has "falsely shared" "$(line apart) | all(.sharing == \"falsely shared\")"
has "taken for nothing" "$(line apart) | (map(.taken) | add) >= 100 and all(.taken == .apart)"
has "truly shared" "$(line together) | all(.sharing == \"shared\" and .apart == 0)"
has "2000 stores, conditional ones that failed are none" "$(line together) | (map(.stores) | add) == 2000"
has "to one word" "$(line together) | all(.stored == \"0x0000f000\" or .stored == \"0x00000000\")"
has "one owner at most" "[group_by(.address)[] | select((map(select(.state == \"M\" or .state == \"E\")) | length) > 0 and (map(select(.state != \"\" and .state != null)) | length) > 1)] == []"
has "a frame has one line" "[.[] | select(.way != null)] | group_by([.cpu, .set, .way]) | all(length == 1)"
"$BUILD/simprof" cache-lines --width=120 --limit=4 "$dir/on.exp" >"$dir/text" || fail "text"
grep -E '0\.\.\.[1-3]\.\.\.|[1-3]\.\.\.[0-3]\.\.\.' "$dir/text" | grep -q 'falsely shared: apart' || fail "$(cat "$dir/text")"
# The map has as many letters as the rows have states.
"$BUILD/simprof" cache-lines --per-cpu --width=300 "$dir/on.exp" >"$dir/text"
letters=$(sed -n '/^CPU 0 *0 /,/^Data caches/p' "$dir/text" | grep -v '^Data\|^the CPU\|line in' | sed 's/^CPU [0-9] *[0-9]* //' |
    tr -cd 'MESmes' | wc -c)
[ "$letters" -eq "$(jq '[.[] | select(.state != null and .state != "")] | length' "$dir/rows")" ] ||
    fail "$letters letters in the maps"

# ---- the planted program -----------------------------------------------------
"$BUILD/simrun" -q --cpus=4 --record-lines=count_up: --pmu-trace="$dir/fs.exp" --user "$BUILD/workloads/false_sharing" 2 4 \
    >/dev/null || fail "false_sharing"
"$BUILD/simprof" cache-lines --width=120 --limit=1 "$dir/fs.exp" | grep -q 'falsely shared: counter' || fail "false_sharing is not first"
"$BUILD/simrun" -q --cpus=4 --record-lines=count_up: --pmu-trace="$dir/fs1.exp" --user "$BUILD/workloads/false_sharing" 2 4 1 \
    >/dev/null || fail "false_sharing 1"
"$BUILD/simprof" cache-lines --json "$dir/fs1.exp" | jq -e '[.[] | select(.variable | startswith("counter")) | .apart] | add < 20' \
    >/dev/null || fail "words of lines of their own are falsely shared"

# ---- the bound, parts, modes -------------------------------------------------
arguments=many
run many --record-lines=recorded:over
grep -Eq '^lines 0 [0-9]+ [0-9]+ 16384 [0-9]{5}$' "$dir/many.exp/log" || fail "$(grep ^lines "$dir/many.exp/log")"
"$BUILD/simprof" cache-lines --limit=1 "$dir/many.exp" | tr '\n' ' ' |
    grep -q 'accesses more were to lines that had no place: the first 16,384 of a stretch are kept' || fail "the bound is not said"
# 65536 lines are stored to: those that were not kept are the rest, and a few.
left=$(sed -n 's/^lines .* //p' "$dir/many.exp/log")
[ "$left" -ge $((65536 - 16384)) ] && [ "$left" -lt 56000 ] || fail "$left accesses left out"
arguments=
run two --record-lines=recorded:cycle:100000 --record-lines=over:
[ "$("$BUILD/simprof" cache-lines --json "$dir/two.exp" | jq 'map(.stretch) | unique == [0, 1]')" = true ] || fail "two stretches"
run never --record-lines=cycle:900000000:
"$BUILD/simprof" cache-lines "$dir/never.exp" | tr '\n' ' ' | grep -q '1 of the 1 stretches that --record-lines names did not begin' ||
    fail "never begun"
run fast --mode=fast --record-lines=recorded:over
"$BUILD/simprof" cache-lines --json "$dir/fast.exp" | jq -e "$(line apart) | (map(.stores) | add) == 2000 and all(.state == null or .state == \"\")" \
    >/dev/null || fail "fast mode"
"$BUILD/simprof" cache-lines "$dir/none.exp" | grep -q 'No line was recorded: simrun --record-lines FROM:TO' || fail "none"

# ---- refusals ----------------------------------------------------------------
refused() { # status, words, then options
    status=$1 words=$2
    shift 2
    "$BUILD/simrun" --pmu-trace="$dir/no.exp" "$@" --user "$dir/lines" >/dev/null 2>"$dir/err"
    [ $? -eq "$status" ] || fail "$*: not $status: $(cat "$dir/err")"
    grep -q -- "$words" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$*: $(cat "$dir/err")"
    [ ! -e "$dir/no.exp" ] || fail "$*: an experiment is left"
}
for bad in 5 :5 cycle:5 "" "$(printf '%0300d' 1):5" "5:$(printf '%0300d' 1)"; do
    refused 2 "give FROM:TO" --record-lines="$bad"
done
refused 2 "FROM must be before TO" --record-lines=9:5
refused 2 "FROM must be before TO" --record-lines=cycle:9:cycle:9
refused 2 "give a number of instructions" --record-lines=9:9x
refused 2 "16 stretches are all" $(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do echo "--record-lines=$i:"; done)
refused 125 "did you mean" --record-lines=recoded:
