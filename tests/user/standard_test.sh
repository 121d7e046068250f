#!/bin/sh
# standard_test.sh - whatever a program asks of its standard files, or does to
# them, a replay hears and does again, with nothing behind them and stdout a
# pipe; and so does the second pass of --autoprofile, which leaves the output
# alone. Mapped ones are what they were when they were mapped.
set -u
cd "$(dirname "$0")/../.."
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -static -w -o "$TMPDIR/standard" tests/user/prog/standard.c || exit 1
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }
run="timeout 60 $BUILD/simrun -q --mode=fast --cpus 1"

{ echo "first line of it"; seq 20000; } >in
$run --user ./standard <in >want 2>want_err || complain "status $?"
grep -q '^first line of it' want_err && grep -q '^mprotect -1' want_err &&
    grep -q '^shared to write -1 Permission' want_err && grep -q '^ftruncate 0' want_err ||
    complain "does not do what it should: $(cat want_err)"
head -c 5 want | grep -q '^stays' || complain "ftruncate did not cut: $(cat want)"
$run --pmu-trace=one.exp --user ./standard <in >out 2>err
cmp -s want out && cmp -s want_err err || complain "recorded: another output: $(diff want_err err)"
$run --pmu-trace=two.exp --replay one.exp --user ./standard </dev/null 2>err | cat >out
cmp -s want_err err || complain "replayed: hears something else: $(diff want_err err)"
diff -r one.exp two.exp >/dev/null || complain "replayed: records something else"
$run --replay one.exp --user ./standard <&- >out 2>err
cmp -s want out && cmp -s want_err err || complain "replayed to a file: $(diff want_err err)"
$run --autoprofile=hot -e cycles:499 --pmu-trace=three.exp --user ./standard <in >out 2>err
cmp -s want out && cmp -s want_err err || complain "two passes: another output: $(diff want_err err)"
exit $bad
