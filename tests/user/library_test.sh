#!/bin/sh
# library_test.sh - the C library put to wide use prints what it prints under
# qemu-ppc; what is not to be had here (processes, sockets, programs from
# elsewhere) is refused cleanly, and the first such call is named.
# timeout: 200
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
# with 64-bit places in directories, as qemu-ppc hands the host's on
powerpc-linux-gnu-gcc -O1 -w -static -pthread -D_FILE_OFFSET_BITS=64 \
    -o "$TMPDIR/library" tests/user/prog/library.c || exit 1
tests/user/same "$TMPDIR/library" || bad=1
# and with 32 bits, which qemu-ppc cannot always serve: the same again
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$TMPDIR/narrow" \
    tests/user/prog/library.c || exit 1
mkdir "$TMPDIR/narrow.d" "$TMPDIR/wide.d"
for each in narrow wide; do
    program=$TMPDIR/library
    [ $each = wide ] || program=$TMPDIR/narrow
    (cd "$TMPDIR/$each.d" && "$BUILD/simrun" -q --env SIMRUN_ONLY=1 --mode=fast --user "$program" \
        >"$TMPDIR/$each.out" </dev/null) || fail "$each: status $?"
done
diff "$TMPDIR/narrow.out" "$TMPDIR/wide.out" || bad=1
grep -q "^seekdir 0" "$TMPDIR/narrow.out" || fail "seekdir goes astray"

powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$TMPDIR/refused" \
    tests/user/prog/refused.c 2>/dev/null || exit 1
"$BUILD/simrun" -q --mode=fast --user "$TMPDIR/refused" >"$TMPDIR/out" \
    2>"$TMPDIR/err" </dev/null || fail "a refusal is not clean: $?, $(cat "$TMPDIR/err")"
cat "$TMPDIR/out"
[ -s "$TMPDIR/out" ] && bad=1
[ "$(grep -c "fcntl(F_SETOWN): no signal tells here" "$TMPDIR/err")" -eq 1 ] ||
    fail "SIGIO is not named once: $(cat "$TMPDIR/err")"
for name in fork vfork execve socket ipc epoll_create1; do
    [ "$(grep -c "($name)" "$TMPDIR/err")" -eq 1 ] ||
        fail "$name is not named once: $(cat "$TMPDIR/err")"
done
exit $bad
