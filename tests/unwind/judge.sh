# judge.sh - sourced by tests of call stacks: builds stackjudge, in $TMPDIR.
tools="powerpc-linux-gnu-gcc"
for tool in $tools; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
bad=0
fail() {
    echo "$1"
    bad=1
}
# shellcheck disable=SC2086 # CC may have flags
$CC -std=gnu11 -O2 -I. -o "$TMPDIR/stackjudge" tests/unwind/stackjudge.c \
    $(tests/setup/libraries sim) || exit 1

# judge WHAT EVERY LIMIT PROGRAM...: sets walks, differ, and outside: how many
# of the differences are not longjmp's, which changes the stack under its own
# feet, or _exit's, which never returns and keeps no way back.
judge() {
    what=$1
    shift
    timeout -s KILL 300 "$TMPDIR/stackjudge" "$@" 2>"$TMPDIR/differ" \
        >"$TMPDIR/output" </dev/null || fail "$what: status $?"
    walks=$(sed -n 's/^instructions .* walks \([0-9]*\) .*/\1/p' "$TMPDIR/differ")
    differ=$(sed -n 's/^instructions .* differ \([0-9]*\) .*/\1/p' "$TMPDIR/differ")
    outside=$(awk '/: walked/ && !/ (__longjmp|_exit)[+]/ { n += $1 } END { print n + 0 }' \
        "$TMPDIR/differ")
    echo "$what: $walks walks, $differ differ, $outside of them neither in longjmp nor in _exit"
}
