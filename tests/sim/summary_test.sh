#!/bin/sh
# summary_test.sh - the summary names the experiment and has what every -e
# counted, by processor, as the experiment's log has it; --summary=json says
# all of it in one line that a JSON parser takes, whatever ends the run.
set -u
. tests/sim/lib.sh
command -v jq >/dev/null || { echo "no jq"; exit 77; }
build smp
build status

field() { # of the line of JSON: a jq expression, the value
    got=$(jq -r "$1" "$dir/json") || fail "$1: no JSON: $(cat "$dir/json")"
    [ "$got" = "$2" ] || fail "$1 is $got, not $2"
}

run 2 smp.elf --cpus=2 --summary --summary=json:json --pmu-trace=a.exp \
    -e dcache_miss:100:u -e cycles -e 'slow = dcache_miss and latency > 30' \
    -e slow:k -e insn_completed
[ "$(wc -l <"$dir/json")" -eq 1 ] || fail "not one line"
grep -q '^  experiment   a.exp$' "$dir/err" || fail "no experiment is named"
field .experiment a.exp
field .program smp.elf
field .exit 2
field .signal null
field '.cpus | length' 2
field '[.cpus[].insns] | add' "$(jq .insns "$dir/json")"
field .cycles "$(sed -n 's/^end //p' "$dir/a.exp/log")"
field '.insns / .cycles * 1000000 | floor' \
    "$(jq '.ipc * 1000000 | floor' "$dir/json")"
field '.counts | length' 4
field '.counts[2].event + ":" + .counts[2].states' slow:k
field '.counts[0].period' 100
k=0
for name in dcache_miss:100:u cycles slow:k insn_completed; do
    logged=$(awk -v k=$k '$1 == "count" && $2 == k { print $4 }' \
        "$dir/a.exp/log" | tr '\n' ' ')
    field ".counts[$k].by_cpu | map(tostring + \" \") | add" "$logged"
    sum=$(($(echo $logged | sed 's/ /+/')))
    field ".counts[$k].count" $sum
    by=$(echo $logged | sed 's/ /, /')
    grep -q "^  $name  *$sum; by CPU $by\$" "$dir/err" ||
        fail "the summary lacks $name $sum by CPU $by"
    k=$((k + 1))
done
[ "$(jq '.counts[2].count' "$dir/json")" -gt 0 ] || fail "nothing was slow"
[ "$(jq '.counts[3].count' "$dir/json")" -eq "$(jq .insns "$dir/json")" ] ||
    fail "insn_completed is not the number of instructions"

# On stderr, with --quiet nothing else; and the other ends of a run.
run 4 --quiet --summary=json --mode=fast smp.elf
cp "$dir/err" "$dir/json"
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "more than the line"
field .mode fast
field .experiment null
field '.counts | length' 0
run 124 --summary=json:json status.elf --append s --max-cycles 100000
field '[.exit, .end] | join(" ")' '124 reached --max-cycles'
field .status null
run 5 --summary=json:json status.elf --append r5
field '[.exit, .status] | join(" ")' '5 5'
run 125 --summary=json:json status.elf --append c
field '[.exit, .end] | join(" ")' '125 checkstop'
(cd "$dir" && timeout -s TERM 1 "$simrun" --summary=json:json status.elf \
    --append s >out 2>err)
field '[.exit, .signal] | join(" ")' '143 15'

# A name that is no text; what cannot be written; what is no form.
odd=$(printf 'n"a\\me\377.elf')
cp "$dir/status.elf" "$dir/$odd"
run 5 --summary=json:json "$odd" --append r5
field .program 'n"a\me?.elf'
run 125 --summary=json:no/such/place status.elf
grep -q 'no/such/place: cannot be written' "$dir/err" || fail "not told"
[ ! -s "$dir/out" ] || fail "it ran"
run 125 --summary=json:/dev/full status.elf --append r0
grep -q 'summary=json: /dev/full: it cannot be written' "$dir/err" || fail "not told"
run 2 --summary=xml status.elf
grep -q 'summary=xml: give' "$dir/err" || fail "not told"

# Every field is explained.
for name in $(jq -r 'paths | map(select(type == "string")) | join(" ")' \
    "$dir/json" | sort -u) event states period count by_cpu; do
    grep -q "^| .*\`$name\`" docs/sampling.md || fail "what is $name?"
done
