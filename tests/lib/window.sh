# window.sh - simview's window on a screen of its own, with real key and mouse events;
# read by tests that need Xvfb and xdotool. They set dir, and end with
# `kill $pids`.
view=$BUILD/simview
screen=:$((90 + $$ % 900))
pids=
saves=0
fail() {
    echo "$*"
    kill $pids 2>/dev/null
    exit 1
}
screen_open() {
    Xvfb $screen -screen 0 1000x800x24 >"$dir/xvfb" 2>&1 &
    pids=$!
    export DISPLAY=$screen
    for i in $(seq 50); do
        xdotool getdisplaygeometry >/dev/null 2>&1 && break
        sleep .2
    done
}
# A window of experiments, which stand in this directory; the pointer out of the way.
window_open() {
    SDL_VIDEODRIVER=x11 "$view" "$@" >view.out 2>&1 &
    shown=$!
    pids="$pids $shown"
    window=
    for i in $(seq 100); do
        window=$(xdotool search --onlyvisible --name '\.exp' 2>/dev/null | head -n 1)
        [ -z "$window" ] || break
        sleep .2
    done
    [ -n "$window" ] || fail "no window: $(cat view.out "$dir/xvfb")"
    # The first click gives it the keyboard, and does nothing else.
    xdotool windowfocus "$window" mousemove --window "$window" 798 300 sleep .5 click 1 >/dev/null 2>&1
    sleep .5
}
# By its key, which must end it well.
window_close() {
    key q
    for i in $(seq 50); do
        kill -0 $shown 2>/dev/null || break
        sleep .1
    done
    kill -0 $shown 2>/dev/null && fail "q does not end it"
    wait $shown || fail "it ended with $?: $(cat view.out)"
}
key() { xdotool key --window "$window" --delay 60 "$@" 2>/dev/null; sleep .3; }
click() {
    xdotool mousemove --window "$window" "$1" "$2" sleep .2 click 1 sleep .3 \
        mousemove --window "$window" 798 300
    sleep .5
}
# The mouse, from one place to another, button held; then out of the way.
drag() {
    xdotool mousemove --window "$window" "$1" "$2" sleep .2 mousedown 1 sleep .2 \
        mousemove --window "$window" "$3" "$4" sleep .2 mouseup 1 sleep .3 \
        mousemove --window "$window" 798 300
    sleep .5
}
# Is what the window shows the picture of these options, byte by byte?
pictured() {
    key s
    saves=$((saves + 1))
    for i in $(seq 100); do
        [ -s simview-$saves.png ] && break
        sleep .1
    done
    sleep .2
    "$view" --png=want.png "$@" || fail "no picture: $*"
    cmp -s want.png simview-$saves.png
}
same() { # what was done, options of the picture
    what=$1
    shift
    pictured "$@" || fail "$what: not as with $*; $dir/simview-$saves.png"
}
