#!/bin/sh
# generate_test.sh - the programs that tests/causes/generate prints: the same of a seed
# every time, a program and its twin differ where they should, of seven seeds the root is first
# in `simprof causes` and the gain is predicted. generated_all.sh does it for many.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

for seed in 1 2 4 10 1000 1001 1002 $(seq 2000 2022); do
    tests/causes/generate $seed >"$dir/a.c" && tests/causes/generate $seed >"$dir/b.c" &&
        tests/causes/generate --twin $seed >"$dir/twin.c" || fail "seed $seed: status $?"
    cmp -s "$dir/a.c" "$dir/b.c" || fail "seed $seed: not the same twice"
    lines=$(diff "$dir/a.c" "$dir/twin.c" | grep -c '^<')
    if grep -q 'family: control' "$dir/a.c"; then
        is "seed $seed: a control's twin" $lines 0
    else
        is "seed $seed: its twin" $lines 1
    fi
done
tests/causes/generate 2>/dev/null && fail "no seed is taken"
tests/causes/generate x 2>/dev/null && fail "x is a seed"
SEEDS="1 3 4 5 8 9 10" sh tests/causes/generated_all.sh >"$out" || fail "status $?"
grep -q "^root first 6 of 6; predicted 6 of 6; what-if and twin 6 of 6; controls 1 of 1" "$out" ||
    fail "$(cat "$out")"
SEEDS="1000 1001 1002" sh tests/causes/generated_all.sh >"$out" || fail "status $?"
grep -q "^root first 3 of 3; predicted 3 of 3; what-if and twin 3 of 3; .*; in doubt 0 of 0" "$out" ||
    fail "$(cat "$out")"
# A writer of a read-write lock, a pipe whose readers are woken together, work in a queue's lock that each
# takes as it comes.
SEEDS="2001 2020 2021" sh tests/causes/generated_all.sh >"$out" || fail "status $?"
grep -q "^root first 3 of 3; predicted 3 of 3; what-if and twin 3 of 3; .*; in doubt 0 of 0" "$out" ||
    fail "$(cat "$out")"
# Who waits for a spin lock is not idle; what it would bring is known, in the mean of runs that
# differ in nothing but when threads get to it.
SEEDS="2018" ROOTS=0 JITTERED=4 sh tests/causes/generated_all.sh >"$out" || fail "status $?"
grep -q "predicted 1 of 1; what-if and twin 1 of 1; .*; in doubt 0 of 0" "$out" ||
    fail "$(cat "$out")"
# What is published is not before all have seen what was before: a condition that is signalled, and
# that no thread waits for in the recording.
SEEDS="2026 2118" NEEDLESS=100 sh tests/causes/generated_all.sh >"$out" || fail "status $?"
grep -q "predicted 2 of 2; what-if and twin 2 of 2" "$out" || fail "$(cat "$out")"
# In the guest: semaphores that two threads may have at a time (77), a call that need not be made is
# shorter by what the program does for it (206), a thread that had ended is waited for where it has
# not (2065).
WHERE=guest ROUNDS=4 JITTERED=4 SEEDS="77 206 2065" sh tests/causes/generated_all.sh >"$out" ||
    fail "status $?"
grep -q "predicted 3 of 3; what-if and twin 3 of 3" "$out" || fail "$(cat "$out")"
# In the guest: a barrier whose last thread finds others that do not sleep yet, and work that any one
# of several threads does, which samples tell from what each of them does as well.
WHERE=guest ROUNDS=4 JITTERED=4 SEEDS="136 2013" NEEDLESS=100 sh tests/causes/generated_all.sh >"$out" ||
    fail "status $?"
grep -q "predicted 2 of 2; what-if and twin 2 of 2" "$out" || fail "$(cat "$out")"
exit 0
