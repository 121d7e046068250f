#!/bin/sh
# others_test.sh - what programs of others ask, in the guest as under qemu-ppc:
# accesses that are not aligned, locks of parts of files, times and owners, processor
# time, memory and semaphores that have names, signals in a queue.
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
for program in misaligned kept used shared; do
    powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/$program" \
        "tests/guest/prog/$program.c" || fail "$program.c does not compile"
    qemu-ppc "$dir/$program" >"$dir/want" 2>/dev/null
    wanted=$?
    for options in "--mode=fast --cpus=1" --cpus=2; do
        line="$program $options"
        status=0
        timeout $((60 * ${TIMES:-1})) "$simrun" -q $options --program "$dir/$program" \
            "$guest" >"$out" 2>"$dir/err" </dev/null || status=$?
        is "status" "$status $(cat "$dir/err")" "$wanted "
        cmp "$dir/want" "$out" || fail "$(diff "$dir/want" "$out")"
    done
done

# What depends on time qemu-ppc says only on a machine that does nothing else; it said
# prog/queued.right. --user says it, too.
powerpc-linux-gnu-gcc -O1 -w -static -o "$dir/queued" tests/guest/prog/queued.c ||
    fail "queued.c does not compile"
for options in "--cpus=1 --program" "--cpus=4 --program" --user; do
    line="queued $options"
    system=$guest
    [ "$options" = --user ] && system=
    status=0
    timeout $((60 * ${TIMES:-1})) "$simrun" -q --mode=fast $options "$dir/queued" $system \
        >"$out" 2>"$dir/err" </dev/null || status=$?
    is "status" "$status $(cat "$dir/err")" "0 "
    cmp tests/guest/prog/queued.right "$out" ||
        fail "$(diff tests/guest/prog/queued.right "$out")"
done
exit 0
