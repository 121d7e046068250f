#!/bin/sh
# core_test.sh - the kernel that docs/guest.md explains, without the calls of
# guest/calls, runs static programs of threads: the workloads of guest/work/pthread
# print what they print in the whole guest, and what is missing is named on the
# console, once.
set -u
. tests/guest/lib.sh
${MAKE:-make} -s BUILD="$BUILD" "$BUILD/guest-core.elf" workloads >"$out" 2>&1 || fail "it does not link"
workloads=0
for file in "$BUILD"/workloads/*; do
    line=$(basename "$file")
    "$simrun" -q --mode=fast --cpus=4 --program "$file" "$guest" >"$dir/want" 2>&1 ||
        fail "in the whole guest: $(cat "$dir/want")"
    timeout $((60 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=4 --program "$file" \
        "$BUILD/guest-core.elf" >"$out" 2>"$dir/err" || fail "status $?: $(cat "$dir/err")"
    grep ': system call [0-9]* is not there$' "$out" >"$dir/absent" || fail "all calls are there"
    [ "$(sort "$dir/absent" | uniq -d)" = "" ] || fail "named twice: $(sort "$dir/absent" | uniq -d)"
    grep -v ': system call [0-9]* is not there$' "$out" | cmp - "$dir/want" || fail "other words"
    workloads=$((workloads + 1))
done
[ $workloads -eq 14 ] || fail "$workloads workloads"
rm -rf "$dir"
