#!/bin/sh
# ends_test.sh - every way in which a run can end has its own exit status, and
# says on stderr what a person needs to know, in both modes.
set -u
. tests/sim/lib.sh
build status

for mode in fast detailed; do
    run 0 --mode=$mode status.elf
    run 42 --mode=$mode status.elf --append r42
    [ "$(cat "$dir/out")" = r42 ] || fail "$mode: arguments"
    [ -s "$dir/err" ] && fail "$mode: a sound run says something"
    run 44 --mode=$mode status.elf --append r300 # the low byte
    run 17 --mode=$mode status.elf --append p17
    run 255 --mode=$mode status.elf --append p255
    run 77 --mode=$mode status.elf --append d
    [ -s "$dir/err" ] && fail "$mode: a sound run says something"

    run 125 --mode=$mode status.elf --append c
    grep -q 'CPU 0: .* at _start+0x.*, 0x100' "$dir/err" || fail "$mode: no address"
    grep -q 'r31  ' "$dir/err" || fail "$mode: no registers"
    [ "$(cat "$dir/out")" = c ] || fail "$mode: output before a checkstop"
    run 125 --mode=$mode status.elf --append i
    grep -q 'r31  ' "$dir/err" || fail "$mode: no registers"
    grep -q "illegal instruction 0x00000000 at _start+" "$dir/err" || fail "$mode: where was it?"
    run 125 --mode=$mode status.elf --append j
    grep -q 'srr0' "$dir/err" || fail "$mode: no registers"
    run 125 --mode=$mode status.elf --append n
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$mode: asleep, not one line"
    grep -q sleep "$dir/err" || fail "$mode: no word of sleep"

    run 124 --mode=$mode status.elf --append s --max-cycles 3000000
    grep -q 'max-cycles 3000000' "$dir/err" || fail "$mode: which limit?"
    run 124 --mode=$mode status.elf --append s --max-insns 100000
    grep -q 'max-insns 100000' "$dir/err" || fail "$mode: which limit?"
done

# A limit ends the run on its very cycle; with --cpus=1 fast counts one cycle
# an instruction.
run 124 --mode=fast --cpus=1 --summary status.elf --append s --max-cycles 100003
grep -q 'instructions 100003$' "$dir/err" || fail "not 100003 instructions"
grep -q ' 100003 cycles' "$dir/err" || fail "not 100003 cycles"

# Help is printed, or that it cannot be.
for ask in --help --usage --version --dump-insns --list-events; do
    run 0 $ask
    [ -s "$dir/out" ] || fail "$ask prints nothing"
    (cd "$dir" && "$simrun" $ask >/dev/full 2>err)
    [ $? -eq 125 ] || fail "$ask on a full disk"
    grep -q stdout "$dir/err" || fail "$ask: what failed?"
done

# All three say which they are.
for program in simrun simprof simmark; do
    for ask in --version -V; do
        "$BUILD/$program" $ask >"$dir/out" 2>"$dir/err" ||
            fail "$program $ask: status $?"
        grep -qx "$program [0-9][0-9.]*" "$dir/out" || fail "$program $ask"
    done
done
"$BUILD/simprof" --version >/dev/full 2>"$dir/err"
[ $? -eq 125 ] || fail "simprof --version on a full disk"

# The summary comes when asked for, and not with --quiet.
run 0 status.elf --summary
grep -q 'power-off\|returned' "$dir/err" || fail "no summary"
run 0 status.elf --summary --quiet
[ -s "$dir/err" ] && fail "--quiet is not quiet"
exit 0
