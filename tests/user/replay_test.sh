#!/bin/sh
# replay_test.sh - what a program under --user heard from stdin is in its
# experiment: a replay needs no stdin and is the same run, output, cycles and
# experiment, whether that was a file, a pipe or a terminal. What is not the
# recorded run is told apart.
# timeout: 200
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }
. tests/lib/terminal.sh

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/talk" \
    tests/user/prog/talk.c || exit 1
cd "$TMPDIR" || exit 1
{ echo hello; seq 300; echo end; seq 40000; } >input

same() { # name: out and experiment of NAME come again from a replay
    "$BUILD/simrun" -q --mode=$mode --replay="$1.exp" --pmu-trace="$1-2.exp" \
        --user ./talk >"$1-2.out" 2>"$1-2.err" </dev/null ||
        { fail "$mode, $1: the replay ends with $?"; cat "$1-2.err"; }
    cmp "$1.out" "$1-2.out" || fail "$mode, $1: the replay prints other things"
    diff -r "$1.exp" "$1-2.exp" >diff.out ||
        { fail "$mode, $1: another experiment"; head -n 5 diff.out; }
}
for mode in fast detailed; do
    record() {
        "$BUILD/simrun" -q --mode=$mode --pmu-trace="$1.exp" --user ./talk \
            >"$1.out" || fail "$mode, $1: status $?"
    }
    record file <input
    # a pipe that is slow, and gives its bytes as it likes
    (head -n 1 input; sleep 0.3; sed 1d input | dd bs=777 2>/dev/null) |
        record pipe
    record null </dev/null
    for way in file pipe null; do
        grep -q '^stdio [0-9]* r ' $way.exp/log || fail "$way: nothing noted"
        same $way
    done
    cmp -s file.out pipe.out && fail "a pipe looks like a file"
    # Nobody is asked again, whatever stdin is now.
    "$BUILD/simrun" -q --mode=$mode --replay=file.exp --user ./talk \
        >again <input || fail "$mode: a replay with another stdin"
    cmp file.out again || fail "$mode: stdin was read in a replay"
    # Nor does the environment count; what comes of a file does.
    A_VARIABLE_MORE=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx \
        "$BUILD/simrun" -q --mode=$mode --replay=file.exp --user ./talk \
        >again </dev/null || fail "$mode: another environment: $?"
    cmp file.out again || fail "$mode: the environment is not the recorded one"
    : >more
    line=$("$BUILD/simrun" -q --mode=$mode --replay=file.exp --user ./talk \
        2>&1 >/dev/null </dev/null)
    status=$?
    case $line in
    *"something else than in the recorded run"*) ;;
    *) fail "$mode: another run is not noticed: $line" ;;
    esac
    [ $status -eq 125 ] || fail "$mode: another run ends with $status"
    rm more
    rm -rf ./*.exp
done
# A log that is damaged, rather than one that only ends early, is refused: the
# program would hear something else.
mode=fast
"$BUILD/simrun" -q --mode=fast --pmu-trace=whole.exp --user ./talk <input \
    >out || fail "whole: status $?"
mkdir damaged.exp
damaged() { # what sed does to the log
    sed "$1" whole.exp/log >damaged.exp/log
    ! cmp -s whole.exp/log damaged.exp/log || fail "$1 does nothing"
    "$BUILD/simrun" -q --mode=fast --replay=damaged.exp --user ./talk \
        >out 2>err </dev/null
    [ $? -eq 125 ] && [ "$(wc -l <err)" -eq 1 ] &&
        grep -q '^simrun: damaged.exp/log: ".*" is damaged, record' err ||
        { fail "$1: status and words"; cat err; }
}
damaged '/^stdio .* r /s/\(.*\)68/\1x8/'
damaged '/^stdio .* r /s/.$//'
damaged '/^stdio .* r /s/..$//'
damaged '/^stdio [^+]/s/ [a-z] / /'
damaged '/^stdio + /s/./ /9'
damaged '/^self /s,/,,'
damaged '/^end /s/[0-9]/x/'
damaged 's/^end/input 1 100\n&/'
damaged 's/^end/debug 1 0 1\n&/'
sed "/^mode/s/f/$(printf '\033')/" whole.exp/log >damaged.exp/log
"$BUILD/simrun" --replay=damaged.exp --user ./talk 2>&1 </dev/null |
    grep -q '("mode ?ast")' || fail "a terminal gets what is in the log"

# A terminal, whose bytes come when somebody types.
if has_terminal; then
    mode=fast
    (sleep 0.5; printf 'typed\nend\n'; sleep 0.5; printf 'more\n\004'
        sleep 0.5; printf '\004') |
        script -qec "env -i $BUILD/simrun -q --mode=fast \
--pmu-trace=tty.exp --user ./talk" typescript >/dev/null 2>&1
    env -i "$BUILD/simrun" -q --mode=fast --replay=tty.exp --user ./talk >tty.out \
        2>tty.err </dev/null || { fail "tty: $?"; cat tty.err; }
    grep -q '^first: typed' tty.out || fail "what was typed does not come again"
    grep -q 'tty, readable' tty.out || fail "it is no terminal any more"
fi
exit $bad
