#!/bin/sh
# wild_test.sh - system calls with wild arguments: simrun neither crashes nor
# hangs nor writes outside the root, and the same seed gives the same end.
# SEEDS and COUNT stretch it.
# timeout: 300
set -u
cd "$(dirname "$0")/../.."
bad=0

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/wild" \
    tests/user/prog/wild.c || exit 1
mkdir "$TMPDIR/outside"
echo untouched >"$TMPDIR/outside/file"
before=$(ls -lA --time-style=full-iso "$TMPDIR/outside")
run() { # what it prints and how it ends
    rm -rf "$TMPDIR/outside/../inside"
    mkdir "$TMPDIR/inside"
    # What it takes for arguments lies on its stack: no name may depend on where
    # this is.
    (cd "$TMPDIR/inside" && timeout -k 1 60 "$BUILD/simrun" -q --mode=fast \
        --max-cycles=4000000000 --mem=64 --clear-env --root .:/here \
        --user ../wild "$@" \
        </dev/null 2>"$TMPDIR/err")
    echo "status $?"
}
for seed in $(seq 1 "${SEEDS:-8}"); do
    for deadly in "" yes; do
        one=$(run "$seed" "${COUNT:-3000}" $deadly)
        case $one in
        *"status 0" | *"status 124" | *"status 125" | *"status 1"[2-6]?) ;;
        *"status"*) [ -n "$deadly" ] || { echo "seed $seed: $one"; bad=1; } ;;
        esac
        echo "seed $seed $deadly: $(echo "$one" | tail -n 1)"
        if grep -qE 'Sanitizer|runtime error|Assertion' "$TMPDIR/err"; then
            echo "seed $seed $deadly:"
            head -n 20 "$TMPDIR/err"
            bad=1
        fi
        case $one in *"status 124"*) [ -z "$deadly" ] && bad=1 ;; esac
    done
done
[ "$(run 3 2000)" = "$(run 3 2000)" ] || { echo "not the same twice"; bad=1; }
[ "$before" = "$(ls -lA --time-style=full-iso "$TMPDIR/outside")" ] ||
    { echo "something outside has changed"; bad=1; }
exit $bad
