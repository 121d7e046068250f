#!/bin/bash
# terminal_test.sh - on a terminal simrun shows progress and a summary, and
# what is typed arrives while the guest runs; replaying what was typed gives
# the same run; anywhere else there is nothing but the guest's own output.
# timeout: 120
set -u
. tests/sim/lib.sh
. tests/lib/terminal.sh
has_terminal || exit 77
build status
build echo

# What the terminal got: as `out`. The keys are typed when a file is there that
# the run makes, or after a while.
on_terminal() { # keys, file or '', command...
    keys=$1
    file=$2
    shift 2
    (cd "$dir" && { until [ -z "$file" ] || [ -s "$file" ]; do sleep 0.1; done
        sleep 1; printf "$keys"; sleep 3; } |
        timeout 60 script -qefc "$*" typescript >/dev/null 2>&1)
    status=$?
    tr -d '\r' <"$dir/typescript" >"$dir/out"
}

on_terminal '' '' "$simrun" status.elf --append r5
[ $status -eq 5 ] || fail "status $status"
grep -q 'simulated  *0\.[0-9]* s' "$dir/out" || fail "no summary"
grep -q 'MIPS' "$dir/out" && fail "progress of a run that short"
on_terminal '' '' "$simrun" -q status.elf --append r5
grep -q 'simulated' "$dir/out" && fail "--quiet is not quiet"

on_terminal '' '' "$simrun" status.elf --append s --max-cycles 600000000
[ $status -eq 124 ] || fail "status $status"
grep -q 'million instructions, .* MIPS' "$dir/out" || fail "no progress"

# Where the end is known: by a limit, of cycles or of instructions.
left='MIPS, [0-9]* %, [0-9]* s left'
grep -q "$left" "$dir/out" || fail "--max-cycles: how much is left?"
on_terminal '' '' "$simrun" status.elf --append s --max-insns 600000000
grep -q "$left" "$dir/out" || fail "--max-insns: how much is left?"

# Typed while the guest polls, and while all CPUs sleep.
for how in poll irq; do
    on_terminal 'no\nmore.\n' $how.exp/log "$simrun" echo.elf --append $how \
        --pmu-trace=$how.exp
    [ $status -eq 8 ] || fail "$how: status $status"
    grep -q '^MORE\.' "$dir/out" || fail "$how: not heard"
    run 8 echo.elf --append $how --replay=$how.exp --pmu-trace=$how.again
    [ "$(tr -d '\n' <"$dir/out")" = 'NOMORE.' ] || fail "$how: replay says"
    diff -r "$dir/$how.exp" "$dir/$how.again" || fail "$how: replay differs"
done

# Ctrl-C, as the terminal sends it, while the guest sleeps until a key comes.
on_terminal '\003' ctrl.exp/log "$simrun" echo.elf --append irq \
    --pmu-trace=ctrl.exp
[ $status -eq 130 ] || fail "Ctrl-C: status $status"
grep -q 'instructions' "$dir/out" || fail "Ctrl-C: no summary"
exit 0
