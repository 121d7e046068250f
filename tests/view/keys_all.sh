#!/bin/sh
# keys_all.sh - the panels of recorded instructions, of lines of memory, of an idle gap
# and of two runs in simview's window, with real key and mouse events: what it shows
# after each of them is the picture that --png makes of the same, byte by byte.
# timeout: 400
set -u
for program in Xvfb xdotool jq; do
    command -v $program >/dev/null || { echo "no $program"; exit 77; }
done
dir=$(mktemp -d)
. tests/lib/window.sh
${MAKE:-make} -s BUILD="$BUILD" "$BUILD/workloads/false_sharing" || fail "make"
"$BUILD/simrun" -q --cpus=4 --pipe=count_up:300 --record-lines=count_up: --pmu-trace="$dir/h.exp" \
    --user "$BUILD/workloads/false_sharing" 2 4 >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
for n in 12 16; do
    "$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/x$n.exp" \
        --append "work=txn n=$n states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
done
screen_open
cd "$dir" || exit 1

# ---- instructions in the pipeline, lines of memory --------------------------
window_open h.exp
same "at first" h.exp
key p
same p --panel=pipe h.exp
key Down Down
! pictured --panel=pipe h.exp || fail "Down moves no instruction"
key Up Up
same "down and up again" --panel=pipe h.exp
key l
same l --panel=lines h.exp
key End
! pictured --panel=lines h.exp || fail "End shows the same lines"
key Home d
same "home, in the dark" --panel=lines --dark h.exp
key d
click 60 37
same "a click on the first tab" h.exp
window_close

# ---- an idle gap --------------------------------------------------------------
window_open x12.exp
end=$("$BUILD/simprof" info --csv x12.exp | sed -n 's/^cycles,//p')
"$BUILD/simprof" gap --json --limit=1 x12.exp >gap
cpu=$(jq -r '.[0].object[4:]' gap)
key 2
# Below the tabs stand lines of what colours are, as many as it takes.
keys=$("$view" --panel=time --text x12.exp | sed '1,2d;/^CPU 0/,$d' | wc -l)
lane=$((70 + 17 * keys + 20 * cpu))
middle=$(jq "(.[0].from_cycle + .[0].to_cycle) / 2 / $end * 640 + 150 | floor" gap)
click "$middle" "$lane"
cycle=$(awk "BEGIN { printf \"%d\", ($middle - 150) / 640 * $end }")
same "a click on the longest gap" --panel=time --gap="$cpu:$cycle" x12.exp
key Escape
same "Escape" --panel=time x12.exp
window_close

# ---- two runs -----------------------------------------------------------------
window_open x12.exp x16.exp
key 8
same 8 --panel=compare x12.exp x16.exp
key 9
same 9 --panel=diff x12.exp x16.exp
key 3 x
same "x" --panel=calls --flame=differs x12.exp x16.exp
key v
same "x, v" --panel=calls --flame=differs,leaves x12.exp x16.exp
key x v
same "as before" --panel=calls x12.exp x16.exp
window_close
kill $pids 2>/dev/null
cd /
rm -r "$dir"
