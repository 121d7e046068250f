#!/bin/sh
# beside_test.sh - two runs in time: of one program they stand beside each other cycle
# by cycle, and the first record that differs is named, as simprof diff has it; after
# an edit the n-th time that a probed function was entered stands beside the n-th time
# before; what is drawn of the run before is what simprof timeline prints of it. On the
# page of simprof html, and in simview. timeout: 240
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
simprof=$BUILD/simprof
fail() {
    echo "$*"
    exit 1
}
run() { # experiment, options
    to=$1
    shift
    "$BUILD/simrun" -q -f --pmu-trace="$dir/$to" "$@" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
}
page() { # base, experiment, options
    before=$dir/$1 after=$dir/$2
    shift 2
    "$simprof" html "$@" -o "$dir/page.html" "$before" "$after" 2>"$dir/err" || fail "$before: $(cat "$dir/err")"
    tests/tools/page_data "$dir/page.html" >"$dir/json"
}
says() { jq -r .base.align.words "$dir/json" | grep -qF "$1" || fail "$(jq -r .base.align.words "$dir/json"), not $1"; }
# The lanes of the run before, against the report.
drawn() {
    step=$(jq .base.timeline.step "$dir/json") from=$(jq .base.timeline.from "$dir/json")
    to=$(jq .base.timeline.to "$dir/json")
    "$simprof" timeline --json --step="$step" --from="$from" --to="$to" "$before" | jq -S . >"$dir/want"
    jq -S '.base.timeline | .columns as $c | [.rows[] | [$c, .] | transpose | map({(.[0]): .[1]}) | add]' \
        "$dir/json" >"$dir/got"
    [ "$(jq length "$dir/got")" -gt 20 ] || fail "few rows"
    cmp -s "$dir/want" "$dir/got" || fail "what is drawn of $before is not its timeline"
}

# ---- one program ------------------------------------------------------------
cycles() { "$simprof" info --csv "$1" | sed -n 's/^cycles,//p'; }
guest() {
    to=$1
    shift
    run "$to" --cpus=2 --switch-stacks --append "work=txn n=6 states=on" "$@" "$BUILD/guest.elf"
}
guest a.exp
guest b.exp --set mem_first=14
page a.exp b.exp
"$simprof" diff --json "$dir/a.exp" "$dir/b.exp" 2>/dev/null | jq -r '[.[] |
    select(.cycle_before or .cycle_after) | {kind, at: ([.cycle_before, .cycle_after] | map(numbers) | min)}] |
    min_by(.at) | "\(.kind) \(.at)"' >"$dir/first"
read -r kind at <"$dir/first"
says "Aligned by cycle. First record that differs: $kind, cycle $(echo "$at" | sed ':a; s/\B[0-9]\{3\}\>/,&/; ta')."
[ "$(jq -c .base.align.pairs "$dir/json")" = '[0,0]' ] && [ "$(jq .base.align.differ "$dir/json")" -eq "$at" ] ||
    fail "$(jq -c .base.align "$dir/json"), parted at $at"
drawn
[ "$to" -eq "$(cycles "$dir/a.exp")" ] || fail "the run before is drawn to $to"
# The first screen says what came of it.
was=$(cycles "$dir/a.exp") is=$(cycles "$dir/b.exp")
most=$("$simprof" compare --json --base="$dir/a.exp" "$dir/b.exp" 2>/dev/null |
    jq -r 'map(select(.function[0:1] != "<"))[0] | "\(.function) changed most by \(if .excl_exact_change < 0 then "" else "+" end)\(.excl_exact_change)."')
"$BUILD/simview" --text "$dir/a.exp" "$dir/b.exp" | tr -d , |
    grep -qxF "Beside a.exp: $is cycles before $was ($(awk -v a="$was" -v b="$is" 'BEGIN { printf "%+.1f", 100 * (b / a - 1) }') %); $most" ||
    fail "the first screen: $("$BUILD/simview" --text "$dir/a.exp" "$dir/b.exp" | grep '^Beside'), not $most"
page a.exp b.exp --from=1ms --to=2ms
drawn
[ "$from $to" = "200000 400000" ] || fail "of an interval: $from $to"
guest same.exp
page a.exp same.exp
says "Aligned by cycle. The same, record by record."
[ "$(jq .base.align.differ "$dir/json")" = null ] || fail "they differ"

# ---- after an edit ------------------------------------------------------------
program() { # name, what its function does
    printf 'static volatile int n;\n__attribute__((noinline)) void step(int k) { %s }\n' "$2" >"$dir/$1.c"
    printf 'int main(void) { for (int k = 0; k < 12; k++) { step(k); for (volatile int i = 0; i < 900 * k; i++); } }\n' \
        >>"$dir/$1.c"
    "${CROSS:-powerpc-linux-gnu-}gcc" -O1 -g -static -o "$dir/$1" "$dir/$1.c" || fail "compile"
    run "$1.exp" --user --switch-stacks --probe=step "$dir/$1"
}
program slow 'for (int i = 0; i < 3000; i++) n += k;'
program fast 'for (int i = 0; i < 200; i++) n += k;'
page slow.exp fast.exp
says "Aligned by the n-th execution of step (12 in both)."
for exp in slow fast; do
    "$simprof" moments --kinds=section --json "$dir/$exp.exp" 2>/dev/null | jq -c 'map(.from_cycle)' >"$dir/$exp.at"
done
[ "$(jq -c --slurpfile a "$dir/slow.at" --slurpfile b "$dir/fast.at" -n '[[0, 0]] + ([$a[0], $b[0]] | transpose) | flatten')" = \
    "$(jq -c .base.align.pairs "$dir/json")" ] || fail "pairs: $(jq -c .base.align.pairs "$dir/json")"
[ "$(jq '.base.align.pairs | length' "$dir/json")" -eq 26 ] || fail "not 12 pairs"
drawn
# Of an interval: what stands beside it.
at=$(jq '.[6]' "$dir/fast.at")
page slow.exp fast.exp --from="$at"
[ "$(jq .base.timeline.from "$dir/json")" -eq "$(jq '.[6]' "$dir/slow.at")" ] || fail "of an interval after an edit"
# Nothing to go by.
for exp in slow fast; do run "$exp.exp" --user --switch-stacks "$dir/$exp"; done
page slow.exp fast.exp
says "Aligned by cycle, since nothing"

# ---- in simview -----------------------------------------------------------------
[ -x "$BUILD/simview" ] || exit 0
for size in 800x600 1920x1080; do
    "$BUILD/simview" --text --panel=time --size=$size "$dir/a.exp" "$dir/b.exp" >"$dir/text" 2>"$dir/err" ||
        fail "simview: $(cat "$dir/err")"
    grep -q "Aligned by cycle. First record that differs: $kind, cycle" "$dir/text" || fail "simview: $(cat "$dir/text")"
    [ "$(grep -c before "$dir/text")" -gt 5 ] || fail "simview has no lanes of the run before: $(cat "$dir/text")"
    "$BUILD/simview" --text --panel=time --size=$size "$dir/b.exp" >"$dir/text" 2>&1
    ! grep -q before "$dir/text" || fail "simview: a run before where there is one run"
done
rm -r "$dir"
