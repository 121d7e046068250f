#!/bin/bash
# input_test.sh - what is typed, piped or kept in a file reaches the guest
# whole, at guest cycles that do not depend on the host, whether the guest
# polls or sleeps until the interrupt; a recording gives the same run again.
# timeout: 120
set -u
. tests/sim/lib.sh
build echo

printf 'hello there.' >"$dir/typed"
slowly() { # the same bytes, when the host feels like it
    for part in hel 'lo t' here .; do
        sleep 0.2
        printf '%s' "$part"
    done
}

for mode in fast detailed; do
    for how in poll irq; do
        args="--mode=$mode echo.elf --append"
        run 12 $args "$how" <"$dir/typed"
        grep -qx 'HELLO THERE.' "$dir/out" || fail "$mode, $how: from a file"

        # From a file, and from a pipe in pieces: the same guest times.
        run 12 $args "${how}t" --pmu-trace="$mode$how.file" <"$dir/typed"
        cp "$dir/out" "$dir/first"
        grep -q '^[0-9a-f]* H' "$dir/first" || fail "no times in the output"
        slowly | run 12 $args "${how}t" --pmu-trace="$mode$how.pipe" ||
            exit 1
        cmp "$dir/out" "$dir/first" || fail "$mode, $how: the pipe's own time"
        diff -r "$dir/$mode$how.file" "$dir/$mode$how.pipe" ||
            fail "$mode, $how: experiments differ"
        [ "$(grep -c '^input [0-9]* [0-9a-f][0-9a-f]$' \
            "$dir/$mode$how.file/log")" -eq 12 ] || fail "inputs in the log"

        # From the recording, with no input at all.
        run 12 $args "${how}t" --replay="$mode$how.pipe" \
            --pmu-trace="$mode$how.again" </dev/null
        cmp "$dir/out" "$dir/first" || fail "$mode, $how: replayed otherwise"
        diff -r "$dir/$mode$how.file" "$dir/$mode$how.again" ||
            fail "$mode, $how: replay differs"
    done
done

# The end of the input is not waited for.
run 124 --mode=fast echo.elf --append irq --max-cycles=3000000 </dev/null
run 124 --mode=fast echo.elf --max-cycles=3000000 </dev/null
run 124 --mode=fast echo.elf --max-cycles=3000000 <&- # nor is no input at all

# A guest that never asks leaves the input for the next program.
build status
(cd "$dir" && { "$simrun" status.elf >/dev/null; cat; } <typed) >"$dir/out"
cmp "$dir/out" "$dir/typed" || fail "input taken that nobody asked for"
# ... and does not wait for a pipe that says nothing.
mkfifo "$dir/pipe"
exec 9<>"$dir/pipe"
run 0 status.elf <&9
exec 9<&-

# Another configuration, program or no recording at all is not replayed.
run 125 --mode=fast --cpus=2 echo.elf --replay=fastpoll.pipe --append pollt
grep -q 'another configuration' "$dir/err" || fail "another configuration"
run 125 --mode=fast status.elf --replay=fastpoll.pipe --append pollt
run 125 --mode=fast echo.elf --replay=nothing.exp
grep -q 'nothing.exp' "$dir/err" || fail "which recording?"
mkdir "$dir/empty.exp" && : >"$dir/empty.exp/log"
run 125 --mode=fast echo.elf --replay=empty.exp
grep -q 'not the log' "$dir/err" || fail "an empty log"
exit 0
