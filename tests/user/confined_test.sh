#!/bin/sh
# confined_test.sh - a program sees the files below one directory and nothing
# else, by whatever name it asks; --root says which, --root / lifts it.
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/confined" \
    tests/user/prog/confined.c || exit 1
cat >"$TMPDIR/cat.c" <<'C'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char line[100], cwd[1000];
    FILE *f = fopen(argv[1], "r");
    if (f && fgets(line, 100, f))
        printf("%s", line);
    printf("%s\n", getcwd(cwd, 1000));
    return f == NULL;
}
C
powerpc-linux-gnu-gcc -O1 -static -o "$TMPDIR/cat" "$TMPDIR/cat.c" || exit 1
outside=$TMPDIR/outside
mkdir -p "$TMPDIR/inside/below" "$outside"
echo secret >"$outside/secret"
chmod 640 "$outside/secret"
touch -d @1000000 "$outside/secret" "$outside"
before=$(ls -lA --time-style=+%s "$outside"; cat "$outside/secret")

cd "$TMPDIR/inside" || exit 1
"$BUILD/simrun" -q --mode=fast --user "$TMPDIR/confined" "$outside" ||
    fail "a way out worked, or was no ENOENT"
cd "$TMPDIR" && rm -rf inside && mkdir -p inside/below
"$BUILD/simrun" -q --mode=fast --root="$TMPDIR/inside" --user \
    "$TMPDIR/confined" "$outside" || fail "--root lets something through"
[ "$before" = "$(ls -lA --time-style=+%s "$outside"; cat "$outside/secret")" ] ||
    fail "something outside has changed"

run() { "$BUILD/simrun" -q --mode=fast "$@"; }
echo text >"$TMPDIR/inside/below/file"
cd "$TMPDIR/inside/below" || exit 1
[ "$(run --user "$TMPDIR/cat" file)" = "text
$TMPDIR/inside/below" ] || fail "a file of the working directory"
[ "$(run --user "$TMPDIR/cat" "$PWD/file")" = "text
$PWD" ] || fail "its absolute name"
[ "$(run --root=.. --user "$TMPDIR/cat" ../below/file)" = "text
$PWD" ] || fail "the directory above, as the root"
[ "$(run --root=/ --user "$TMPDIR/cat" "$outside/secret")" = "secret
$PWD" ] || fail "the whole host, as the root"
run --user "$TMPDIR/cat" ../below/file >/dev/null && fail "a way up and back"
exit $bad
