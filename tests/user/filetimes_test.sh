#!/bin/sh
# filetimes_test.sh - times of files that a program makes, changes, reads or
# sets are by its own clock, and with their numbers the same in every run; on
# the host its files have the host's times, or those that it set.
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/filetimes" \
    tests/user/prog/filetimes.c || exit 1

run() { # directory, mode
    mkdir "$TMPDIR/$1"
    cd "$TMPDIR/$1" || exit 1
    touch -d @1234567 before
    touch -a -d @"$3" before
    "$BUILD/simrun" -q --mode="$2" --clear-env --root .:/here \
        --user ../filetimes </dev/null >../$1.out ||
        fail "$2 mode: $(cat ../$1.out)"
}
run one fast 7654321
seq 100 | while read -r n; do : >"$TMPDIR/more$n"; done # other numbers next
run two fast 8654321
run three detailed 9654321
cmp "$TMPDIR/one.out" "$TMPDIR/two.out" || fail "not the same twice"
cat >"$TMPDIR/wanted" <<'X'
file 3 on 1, 1000000000
file 7, 1
1234567 1234567
1000000000 265
X
diff "$TMPDIR/wanted" "$TMPDIR/one.out" || bad=1
diff "$TMPDIR/wanted" "$TMPDIR/three.out" || bad=1
[ "$(stat -c %Y "$TMPDIR/one/d/file")" -gt 1600000000 ] ||
    fail "the file's time on the host"
exit $bad
