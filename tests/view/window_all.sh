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
view=$BUILD/simview
screen=:$((90 + $$ % 900))
pids=
fail() {
    echo "$*"
    kill $pids 2>/dev/null
    exit 1
}
"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/x.exp" \
    --append "work=txn n=20 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 ||
    fail "$(cat "$dir/out")"
Xvfb $screen -screen 0 1000x800x24 >"$dir/xvfb" 2>&1 &
pids=$!
export DISPLAY=$screen
for i in $(seq 50); do
    xdotool getdisplaygeometry >/dev/null 2>&1 && break
    sleep .2
done
cd "$dir" || exit 1
SDL_VIDEODRIVER=x11 "$view" x.exp >view.out 2>&1 &
shown=$!
pids="$pids $shown"
for i in $(seq 100); do
    window=$(xdotool search --onlyvisible --name 'x\.exp' 2>/dev/null | head -n 1)
    [ -z "$window" ] || break
    sleep .2
done
[ -n "$window" ] || fail "no window: $(cat view.out xvfb)"
xdotool windowfocus "$window" mousemove --window "$window" 798 300 >/dev/null 2>&1
sleep .5
key() { xdotool key --window "$window" --delay 60 "$@"; sleep .3; }
# The mouse, from one place to another, button held; then out of the way.
drag() {
    xdotool mousemove --window "$window" "$1" "$2" sleep .2 mousedown 1 sleep .2 \
        mousemove --window "$window" "$3" "$4" sleep .2 mouseup 1 sleep .3 \
        mousemove --window "$window" 798 300
    sleep .5
}
saves=0
same() { # what was done, options of the picture
    what=$1
    shift
    key s
    saves=$((saves + 1))
    for i in $(seq 50); do
        [ -s simview-$saves.png ] && break
        sleep .1
    done
    sleep .2
    "$view" --png=want.png "$@" x.exp || fail "$what: no picture"
    cmp -s want.png simview-$saves.png || fail "$what: not as with $*; $dir/simview-$saves.png"
}
same "at first"
for n in 2 3 4 5 6 7; do
    panel=$(echo time calls functions causes locks source | cut -d ' ' -f $((n - 1)))
    key $n
    same "key $n" --panel=$panel
done
# Rows: down twice, Enter shows that function's source.
key 4 Down Down Return
name=$("$BUILD/simprof" functions --csv x.exp 2>/dev/null | sed -n '4s/.*,//p')
same "the third row" --panel=source --function="$name"
# An interval by the mouse, in the lanes: 640 pixels from 150 on are the run.
key 2
end=$("$BUILD/simprof" info --csv x.exp | sed -n 's/^cycles,//p')
drag 250 120 470 120
from=$(awk "BEGIN { printf \"%d\", (250 - 150) / 640 * $end }")
to=$(awk "BEGIN { printf \"%d\", (470 - 150) / 640 * $end }")
same "a drag" --panel=time --from=$from --to=$to
key 1
same "its first screen" --from=$from --to=$to
key 4
same "its functions" --panel=functions --from=$from --to=$to
key 2 plus
middle=$((from + (to - from) / 2))
left=$(awk "BEGIN { printf \"%d\", $middle - ($middle - $from) * .5 }")
right=$(awk "BEGIN { printf \"%d\", $middle + ($to - $middle) * .5 }")
same "zoomed in" --panel=time --from=$left --to=$right
key BackSpace
same "back" --panel=time --from=$from --to=$to
key shift+BackSpace
same "forward" --panel=time --from=$left --to=$right
key Escape
same "all" --panel=time
key d
same "dark" --panel=time --dark
key ctrl+plus
same "larger" --panel=time --dark --scale=1.25
key ctrl+0
# The first screen: its sentence leads to the source, its wait to that time.
key d 1
"$view" --text x.exp >text
line=$(sed -n '3p' text | grep -o 'waits for [a-z_]*' | cut -d ' ' -f 3)
[ -n "$line" ] || fail "no cause: $(sed -n 3p text)"
click() {
    xdotool mousemove --window "$window" "$1" "$2" sleep .2 click 1 sleep .3 \
        mousemove --window "$window" 798 300
    sleep .5
}
click 200 80
same "a click on the sentence" --panel=source --function="$line"
# The next idle gap, looked at; then flame graphs drawn otherwise.
key 2 Escape n
"$BUILD/simprof" moments --csv --kinds=idle x.exp | awk -F, 'NR == 2 { print $4, $1, $2 }' >gap
read -r cpu from to <gap
side=$(((to - from) / 2 + 1))
# One that is a two-hundredth of what is shown can be seen there.
zoomed="--from=$((from > side ? from - side : 0)) --to=$((to + side))"
[ $(((to - from) * 200)) -lt "$end" ] || zoomed=
same "n" --panel=time $zoomed --gap="$cpu:$from"
key Escape
same "no gap" --panel=time $zoomed
key Escape 3 v
same "from the leaves" --panel=calls --flame=leaves
key r u
same "folded, below" --panel=calls --flame=leaves,fold,below
key v r u m
second=$("$BUILD/simprof" calltree --json --metrics=i+blocked x.exp >/dev/null && echo blocked)
same "another metric" --panel=calls --metric=$second
key shift+m
same "the first again" --panel=calls
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
key q
for i in $(seq 50); do
    kill -0 $shown 2>/dev/null || break
    sleep .1
done
kill -0 $shown 2>/dev/null && fail "q does not end it"
wait $shown || fail "it ended with $?: $(cat view.out)"
kill $pids 2>/dev/null
cd /
rm -r "$dir"
