# gcc.sh - sourced by torture_all.sh and bare_all.sh: the programs of GCC's
# own suite, in $TMPDIR/torture, from the compiler's source package. `list`
# prints them. Then torture_run WAY: each through ./torture, two at a time;
# its lines are "same", "differs" or "left" (does not build here), and the
# program.
. "$(dirname "$0")/../user/real.sh"

archive=$("$here/fetch" gcc-12 12.2.0-14+deb12u1 gcc-12_12.2.0.orig.tar.gz \
    b8298be16aeeb96a889c6afed0a8e2241b47452e89cc81fe65ea849d5c740fcb \
    2>"$TMPDIR/fetch.err") || {
    status=$?
    cat "$TMPDIR/fetch.err"
    exit $status
}
mkdir "$TMPDIR/torture"
tar -xzOf "$archive" gcc-12-12.2.0/gcc-12.2.0-dfsg.tar.xz | tar -xJf - \
    -C "$TMPDIR/torture" --strip-components=4 \
    --wildcards '*/gcc/testsuite/gcc.c-torture/execute/*' || exit 1
conform=$PWD/tests/conform
export conform

# Left out: return-addr prints addresses of its stack, 930529-1 counts on
# signed overflow and need not end, 20101011-1 divides by zero and hopes.
list() {
    ls "$TMPDIR"/torture/execute/*.c "$TMPDIR"/torture/execute/ieee/*.c \
        "$TMPDIR"/torture/execute/builtins/*.c |
        grep -v -e '-lib\.c$' -e '/execute/return-addr\.c$' \
            -e '/execute/930529-1\.c$' -e '/execute/20101011-1\.c$'
}

torture_run() { # WAY AT_LEAST
    list | xargs -P2 -n1 "$conform/torture" "$1" >"$TMPDIR/verdicts" 2>&1
    same=$(grep -c '^same' "$TMPDIR/verdicts")
    echo "$same programs as they should be, $(grep -c '^left' \
        "$TMPDIR/verdicts") do not build here"
    grep -v -e '^same' -e '^left' "$TMPDIR/verdicts" && bad=1
    [ "$same" -ge "$2" ] || { echo "fewer than $2"; bad=1; }
}
