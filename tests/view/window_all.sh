#!/bin/sh
# window_all.sh - simview's window on a screen of its own, with real key and mouse
# events: what it shows after each of them is the picture that --png makes of the
# same panel and interval, byte by byte.
# timeout: 300
set -u
for program in Xvfb xdotool; do
    command -v $program >/dev/null || { echo "no $program"; exit 77; }
done
dir=$(mktemp -d)
. tests/lib/window.sh
"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/x.exp" \
    --append "work=txn n=20 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 ||
    fail "$(cat "$dir/out")"
screen_open
cd "$dir" || exit 1
window_open x.exp
same "at first" x.exp
for n in 2 3 4 5 6 7; do
    panel=$(echo time calls functions causes locks source | cut -d ' ' -f $((n - 1)))
    key $n
    same "key $n" --panel=$panel x.exp
done
key e
same "key e" --panel=truth x.exp
# Rows: down twice, Enter shows that function's source.
key 4 Down Down Return
name=$("$BUILD/simprof" functions --csv x.exp 2>/dev/null | sed -n '4s/.*,//p')
same "the third row" --panel=source --function="$name" x.exp
# An interval by the mouse, in the lanes: 640 pixels from 150 on are the run.
key 2
end=$("$BUILD/simprof" info --csv x.exp | sed -n 's/^cycles,//p')
drag 250 120 470 120
from=$(awk "BEGIN { printf \"%d\", (250 - 150) / 640 * $end }")
to=$(awk "BEGIN { printf \"%d\", (470 - 150) / 640 * $end }")
same "a drag" --panel=time --from=$from --to=$to x.exp
key 1
same "its first screen" --from=$from --to=$to x.exp
key 4
same "its functions" --panel=functions --from=$from --to=$to x.exp
key 2 plus
middle=$((from + (to - from) / 2))
left=$(awk "BEGIN { printf \"%d\", $middle - ($middle - $from) * .5 }")
right=$(awk "BEGIN { printf \"%d\", $middle + ($to - $middle) * .5 }")
same "zoomed in" --panel=time --from=$left --to=$right x.exp
key BackSpace
same "back" --panel=time --from=$from --to=$to x.exp
key shift+BackSpace
same "forward" --panel=time --from=$left --to=$right x.exp
key Escape
same "all" --panel=time x.exp
key d
same "dark" --panel=time --dark x.exp
key ctrl+plus
same "larger" --panel=time --dark --scale=1.25 x.exp
key ctrl+0
# The first screen: its sentence leads to the source, its wait to that time.
key d 1
"$view" --text x.exp >text
line=$(sed -n '3p' text | grep -o 'With [a-z_]*' | cut -d ' ' -f 2)
[ -n "$line" ] || fail "no cause: $(sed -n 3p text)"
click 200 80
same "a click on the sentence" --panel=source --function="$line" x.exp
# The next idle gap, looked at; then flame graphs drawn otherwise.
key 2 Escape n
"$BUILD/simprof" moments --csv --kinds=idle x.exp | awk -F, 'NR == 2 { print $4, $1, $2 }' >gap
read -r cpu from to <gap
side=$(((to - from) / 2 + 1))
# One that is a two-hundredth of what is shown can be seen there.
zoomed="--from=$((from > side ? from - side : 0)) --to=$((to + side))"
[ $(((to - from) * 200)) -lt "$end" ] || zoomed=
same "n" --panel=time $zoomed --gap="$cpu:$from" x.exp
key Escape
same "no gap" --panel=time $zoomed x.exp
key Escape 3 v
same "from the leaves" --panel=calls --flame=leaves x.exp
key r u
same "folded, below" --panel=calls --flame=leaves,fold,below x.exp
key v r u m
second=$("$BUILD/simprof" calltree --json --metrics=i+blocked x.exp >/dev/null && echo blocked)
same "another metric" --panel=calls --metric=$second x.exp
key shift+m
same "the first again" --panel=calls x.exp
key 2 Escape
key d 3 slash
xdotool type --window "$window" --delay 60 sched
sleep .3
key Return
sleep .3
key s
saves=$((saves + 1))
"$view" --png=want.png --panel=calls x.exp
! cmp -s want.png simview-$saves.png || fail "looking for a word changes nothing"
window_close
kill $pids 2>/dev/null
cd /
rm -r "$dir"
