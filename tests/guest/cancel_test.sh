#!/bin/sh
# cancel_test.sh - a thread of the guest is cancelled wherever it is, and its stack
# unwound through the frame of a signal, by way of the page that the kernel lends
# (guest/calls/vdso.S); also where memory is short and pages go out and come back.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
for optimize in -O0 -O2; do
    powerpc-linux-gnu-gcc $optimize -w -static -pthread -fasynchronous-unwind-tables \
        -o "$dir/cancel" tests/user/prog/cancel.c || fail "cancel.c does not compile"
    while read -r options; do
        line="$optimize $options"
        status=0
        timeout $((100 * ${TIMES:-1})) "$simrun" -q ${options% append *} \
            --append "${options#* append }" --program "$dir/cancel" "$guest" \
            >"$out" 2>"$dir/err" </dev/null || status=$?
        is "status" "$status $(cat "$dir/err")" "0 "
        cmp tests/user/prog/cancel.right "$out" ||
            fail "$(diff tests/user/prog/cancel.right "$out")"
    done <<'OPTIONS'
--mode=fast --cpus=1 append seed=1
--mode=fast --cpus=4 append sampler=both
--mode=fast --cpus=2 --disk=32M append memory=512K swap=31M
--mode=detailed --cpus=2 append seed=2
OPTIONS
done
exit 0
