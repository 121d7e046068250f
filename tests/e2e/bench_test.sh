#!/bin/sh
# bench_test.sh - `make bench` runs: each of its own programs prints under
# simrun what it prints under qemu-ppc, in every mode that is timed, and has a
# row. No speed is asked for. timeout: 240
set -u
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
bad=0
complain() { echo "$*"; bad=1; }

own='integer chase matrix branchy streams kinds'
PROGRAMS=$own ROUNDS=1 SECONDS_EACH=0.01 BASE=$BUILD/simrun \
    tests/bench/run >"$TMPDIR/table" 2>&1 ||
    complain "make bench fails: $(tail -n 5 "$TMPDIR/table")"
for row in $own; do
    # Of qemu-ppc, and of each mode the rate and the ratio.
    grep -qE "^$row +[1-9][0-9]*( +[0-9.]+ [0-9.]+){2}.* [0-9.]+ [0-9.]+\$" \
        "$TMPDIR/table" || complain "$row has no row of figures"
done
for row in 'geometric mean' '--mark=addr:' '--sample-insns' 'CPUs 1 ' \
    'CPUs 4 ' 'CPUs 8 '; do
    grep -qE -- "^$row.* [0-9]+\.[0-9]+\$" "$TMPDIR/table" ||
        complain "there is no figure for: $row"
done
[ $bad -eq 0 ] || cat "$TMPDIR/table"

# A program that simrun runs otherwise than the judge is found: here one that
# the judge is another processor for.
mkdir "$TMPDIR/bin"
cat >"$TMPDIR/bin/qemu-ppc" <<'SH'
#!/bin/sh
echo something else
SH
chmod +x "$TMPDIR/bin/qemu-ppc"
if PATH=$TMPDIR/bin:$PATH PROGRAMS=chase ROUNDS=1 SECONDS_EACH=0.01 \
    tests/bench/run >"$TMPDIR/wrong" 2>&1; then
    complain "a program that prints something else is not noticed"
fi
grep -q '^chase, detailed: prints or ends otherwise' "$TMPDIR/wrong" ||
    complain "it is not said which: $(cat "$TMPDIR/wrong")"
exit $bad
