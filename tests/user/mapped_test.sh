#!/bin/sh
# mapped_test.sh - a file that a program maps as code at the same place again
# and again is in the experiment once; in more places than there is room for, it
# is said, in one line, that the others have no names. As many mappings as Linux
# allows cost each what a few do.
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -static -o "$TMPDIR/mapped" \
    tests/user/prog/mapped.c || exit 1
cd "$TMPDIR" || exit 1

run() { # lines of the map, lines on stderr, arguments
    lines=$1 said=$2
    shift 2
    "$BUILD/simrun" -q --mode=fast --pmu-trace=x.exp -f --user ./mapped "$@" \
        2>err </dev/null || fail "$*: status $?"
    [ "$(wc -l <x.exp/map)" -eq "$lines" ] && [ "$(wc -l <err)" -eq "$said" ] ||
        fail "$*: $(wc -l <x.exp/map) lines in the map, says: $(cat err)"
}
run 4 0 600 # two segments each
run 514 0 256 stay
run 514 1 300 stay
grep -q 'more than 256 places: what runs in the others has no names' err ||
    fail "what is not named: $(cat err)"

# 6 and 17 s of processor time on a host of 2026 when each looked at all others,
# 0.8 and 1 s since; under sanitizers 5 times as much
cd - >/dev/null || exit 1
powerpc-linux-gnu-gcc -O1 -static -o "$TMPDIR/many" tests/user/prog/many_maps.c || exit 1
limit=4
grep -q __asan_init "$BUILD/simrun" && limit=20
for how in "" shared; do
    # shellcheck disable=SC2086 # it may be no word
    (ulimit -t $limit && cd "$TMPDIR" && "$BUILD/simrun" -q --mode=fast --cpus 1 --user ./many $how) \
        >"$TMPDIR/out" 2>&1 || fail "65,000 mappings $how: status $?, $(cat "$TMPDIR/out")"
done
exit $bad
