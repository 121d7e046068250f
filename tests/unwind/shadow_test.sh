#!/bin/sh
# shadow_test.sh - stacks of a program with a C library, signals and threads
# are those of a shadow call stack at any instruction, however it is compiled,
# but in the last ones of longjmp, which belong to no function, and in _exit.
# timeout: 60
set -u
. tests/unwind/judge.sh
for flags in -O0 "-Os -fno-omit-frame-pointer" -Os -O2; do
    every=13
    [ "$flags" = -O2 ] && every=1
    # shellcheck disable=SC2086 # several flags
    powerpc-linux-gnu-gcc $flags -static -pthread -o "$TMPDIR/shadow" \
        tests/unwind/shadow.c -lm || exit 1
    judge "$flags" $every 1000000 "$TMPDIR/shadow"
    [ "$walks" -gt 20000 ] || fail "$flags: $walks walks only"
    [ "$outside" -eq 0 ] || fail "$flags: $(grep -v -e longjmp -e _exit "$TMPDIR/differ" | head -n 3)"
done
# The judge can tell: they have a few, of all instructions.
[ "$differ" -gt 20 ] && [ "$differ" -lt 80 ] || fail "longjmp and _exit: $differ"
exit $bad
