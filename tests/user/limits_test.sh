#!/bin/sh
# limits_test.sh - what a program limits by setrlimit is kept to: descriptors
# and file sizes as under qemu-ppc; heap, mappings, stack and processor time,
# which qemu-ppc leaves to others, as setrlimit(2) has it.
set -u
cd "$(dirname "$0")/../.."

for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
[ "$(ulimit -H -n)" = unlimited ] || [ "$(ulimit -H -n)" -ge 1100 ] ||
    { echo "no more than $(ulimit -H -n) files may be open here"; exit 77; }
powerpc-linux-gnu-gcc -O1 -static -w -o "$TMPDIR/limits" \
    tests/user/prog/limits.c || exit 1
tests/user/same "$TMPDIR/limits" || exit 1

cd "$TMPDIR" || exit 1
cat >own.want <<'W'
the last: 1023, error 0, signal 0
data: 0, error 0, signal 0
brk 0, data 0, text 1
data 1
all: 0, error 0, signal 0
3 MiB 1, 12 MiB 0
stack: 0, error 0, signal 0
900 KiB of stack
more: 0, error 0, signal 0
3900 KiB of stack
for good: 0, error 0, signal 0
no more: -1, error 1, signal 0
W
cat >cpu.want <<'W'
cpu: 0, error 0, signal 0
used up: 0, error 0, signal 24
used up: 0, error 0, signal 24
W
bad=0
ends() { # what, status, in the sentence that says so
    status=0
    timeout -s KILL 100 "$BUILD/simrun" -q --mode=fast --set clock_mhz=10 \
        --user ./limits "$1" >"$1.out" 2>"$1.err" || status=$?
    diff "$1.want" "$1.out" || bad=1
    [ $status -eq "$2" ] || { echo "$1: status $status"; bad=1; }
    grep -q "$3" "$1.err" || { echo "$1: not said: $3"; bad=1; }
}
ulimit -S -n 64 # of the shell: the program is not told
ends own 139 'killed by signal 11'
ends cpu 137 'killed by signal 9 .*cycle 30[0-9]\{6\}$'
exit $bad
