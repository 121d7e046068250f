#!/bin/sh
# robust_test.sh - locks whose owner ends are told of it, and locks that lend a
# priority do: a program's threads, and processes that share them, get in the guest
# what they get from Linux itself, and under --user. A thread begins on the CPUs of
# the one that made it.
# timeout: 240
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
# qemu-ppc has no such locks: the host's own kernel is the judge.
program=tests/guest/prog/locks.c
$CC -O1 -w -pthread -o "$dir/native" $program -lpthread &&
    powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/locks" $program ||
    fail "locks.c does not compile"
"$dir/native" >"$dir/want" && "$dir/native" processes >"$dir/all" || fail "the host's: status $?"
above "lines of the host's" "$(wc -l <"$dir/all")" 55
"$simrun" -q --mode=fast --cpus=2 --user "$dir/locks" >"$out" 2>"$dir/err" || fail "--user: status $?"
cmp -s "$dir/want" "$out" || fail "--user: $(diff "$dir/want" "$out")"
for options in --cpus=1 "--mode=fast --cpus=1" "--mode=fast --cpus=2" "--mode=fast --cpus=8" \
    "--mode=fast --cpus=4 --disk=32M --set disk_fixed=20000"; do
    paging=
    [ "${options#*--disk}" = "$options" ] || paging="memory=256K swap=30M"
    timeout $((100 * ${TIMES:-1})) "$simrun" -q $options ${paging:+--append "$paging"} --program "$dir/locks" "$guest" -- all \
        >"$out" 2>"$dir/err" </dev/null || fail "$options: status $? $(cat "$dir/err")"
    cmp -s "$dir/all" "$out" || fail "$options: $(diff "$dir/all" "$out")"
done

# All on one CPU, as main that made them: without inheritance middle runs before
# low, who has what high waits for; those who wait go on by their priority.
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/priority" tests/user/prog/priority.c ||
    fail "priority.c does not compile"
"$simrun" -q --mode=fast --set slice_us=1000 --user "$dir/priority" >"$dir/user" 2>&1
sed -n '/^idle:/p; /^wakes/,$p' "$dir/user" >"$dir/want"
is "lines of --user" "$(wc -l <"$dir/want")" 10
for cpus in 1 4; do
    "$simrun" -q --mode=fast --cpus=$cpus --program "$dir/priority" "$guest" >"$dir/got" \
        2>"$dir/err" </dev/null || fail "priority: status $?"
    sed -n '/^idle:/p; /^wakes/,$p' "$dir/got" >"$out"
    cmp -s "$dir/want" "$out" || fail "priority on $cpus CPUs: $(diff "$dir/want" "$out")"
done
exit 0
