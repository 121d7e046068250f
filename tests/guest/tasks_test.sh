#!/bin/sh
# tasks_test.sh - contexts, names and children: a static program prints in the guest
# what it prints under qemu-ppc; a context keeps no thread's own variables, under --user
# either.
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/tasks" tests/guest/prog/tasks.c ||
    fail "tasks.c does not compile"
qemu-ppc "$dir/tasks" >"$dir/want" || is "status of qemu-ppc" $? 9
for cpus in 1 4; do
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=$cpus "$guest" \
        --program "$dir/tasks" >"$out" || status=$?
    is "status on $cpus CPUs" $status 9
    cmp "$dir/want" "$out" || fail "$(diff "$dir/want" "$out")"
done

powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/moved" tests/guest/prog/moved.c ||
    fail "moved.c does not compile"
for how in "$simrun -q --mode=fast --user" "$simrun -q --mode=fast $guest --program"; do
    line=$how
    qemu-ppc "$dir/moved" >"$dir/want" && $how "$dir/moved" >"$out" || fail "status $?"
    cmp "$dir/want" "$out" || fail "$(diff "$dir/want" "$out")"
done
exit 0
