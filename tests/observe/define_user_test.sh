#!/bin/bash
# define_user_test.sh - events defined on the command line and system calls:
# each sc is an instruction that completed, in either tempo, and it is the one
# that the event belongs to, not its successor.
set -u
. tests/sim/lib.sh
cat >"$dir/calls.S" <<'END'
        .globl _start
_start: li 31, 3
1:      li 0, 20                /* getpid */
        sc
        addic. 31, 31, -1
        bne 1b
        li 3, 0
        li 0, 1                 /* exit */
        sc
END
"$cc" -nostdlib -static -o "$dir/calls" "$dir/calls.S" || fail "does not assemble"

for mode in fast detailed; do
    run 0 --cpus=1 --mode=$mode --user --clear-env -e insn_completed \
        --event 'ALL = insn_completed and completed' -e ALL \
        --event 'SC = insn_completed and op == "sc"' -e SC \
        --event 'BEHIND = insn_completed and op == "addic."' -e BEHIND \
        --pmu-trace=$mode.exp ./calls
    [ "$(sed -n 's/^count . 0 \([0-9]*\) .*/\1/p' "$dir/$mode.exp/log" |
        xargs)" = "16 16 4 3" ] ||
        fail "$mode: $(grep '^count' "$dir/$mode.exp/log")"
done
