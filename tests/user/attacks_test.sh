#!/bin/sh
# attacks_test.sh - what a program tries against simrun and its caller comes to
# nothing: its own file stays what it was, standard files are not changed for
# others, files in memory are held to --mem, and no call is so long that a run
# cannot be ended.
# timeout: 200
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }
same() { # what, got, wanted
    [ "$2" = "$3" ] || fail "$1: $2"
}

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/attacks" \
    tests/user/prog/attacks.c || exit 1
run() { timeout 60 "$BUILD/simrun" -q --mode=fast "$@"; }

mkdir "$TMPDIR/inside"
cd "$TMPDIR/inside" || exit 1
echo secret >"$TMPDIR/secret"
cp "$TMPDIR/attacks" prog
same "its own file" "$(run --user ./prog self prog "$TMPDIR/secret")" "4 ELF
same 1
4 ELF
-1 -1
-1
-1 -1"
[ "$(stat -c %a moved)" = "$(stat -c %a "$TMPDIR/attacks")" ] ||
    fail "the mode of its own file"
same "/proc" "$(run --root=/ --user "$TMPDIR/attacks" process)" 1
mkfifo fifo
ln "$TMPDIR/attacks" again
out=$(timeout 20 "$BUILD/simrun" -q --mode=fast --user ./again self again fifo) ||
    fail "a FIFO for its name: $?"
run --user "$TMPDIR/attacks" standard >out
same "stdout" "$(cat out)" "-1 1
-1 1
0
c00
0"
same "stdout's mode" "$(stat -c %a out)" 644
same "memory" "$(run --mem=64 --user "$TMPDIR/attacks" memory)" \
    "1
-1
0
1048576
1
2"

"$BUILD/simrun" -q --mode=fast --mem=1500 --user "$TMPDIR/attacks" longest \
    >begun 2>/dev/null &
pid=$!
until [ -s begun ]; do sleep 0.1; done
sleep 1
kill $pid
for try in $(seq 100); do
    kill -0 $pid 2>/dev/null || break
    sleep 0.2
done
kill -9 $pid 2>/dev/null && fail "a long call keeps a run from ending"
wait $pid
same "its end" $? 143
exit $bad
