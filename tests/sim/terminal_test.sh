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

# Ctrl-A x ends it as well, whether the guest sleeps, asks, or never does; the
# terminal is as it was. Ctrl-A a is the guest's Ctrl-A; what else is listed.
for how in irq poll; do
    on_terminal '\001h\001x' x.$how.exp/log "$simrun" echo.elf --append $how \
        --terminal=raw "--pmu-trace=x.$how.exp; echo is \$?; stty"
    grep -q '^is 130' "$dir/out" || fail "Ctrl-A x: $how"
    grep -q '^simrun: Ctrl-A x  end the run' "$dir/out" || fail "Ctrl-A h: no help"
    grep -q -- '-icanon\|-echo' "$dir/out" && fail "the terminal is not as it was"
    [ -s "$dir/x.$how.exp/oracle.rec" ] || fail "the experiment is not there"
done
on_terminal '\001x' deaf.exp/log "$simrun" status.elf --append s --terminal=raw \
    --pmu-trace=deaf.exp --max-cycles 60000000000
[ $status -eq 130 ] || fail "Ctrl-A x: a guest that never asks: $status"
# Key by key, without Enter; in lines when there is a line.
on_terminal 'a\001ab.' keys.exp/log "$simrun" echo.elf --append irq \
    --terminal=raw --pmu-trace=keys.exp
[ $status -eq 4 ] || fail "keys: status $status"
sed -n 's/^input [0-9]* //p' "$dir/keys.exp/log" | tr '\n' ' ' |
    grep -q '61 01 62 2e' || fail "keys: not these came"
on_terminal '\001x\n' lines.exp/log "$simrun" echo.elf --append irq \
    --pmu-trace=lines.exp
[ $status -eq 130 ] || fail "Ctrl-A x in lines: $status"
run 2 --terminal=some echo.elf
# What is no terminal has every byte.
printf '\001x.' >"$dir/keys"
(cd "$dir" && "$simrun" -q --terminal=raw echo.elf --append irq <keys >out)
[ $? -eq 3 ] || fail "from a file: Ctrl-A means something"
exit 0
