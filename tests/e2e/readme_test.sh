#!/bin/sh
# readme_test.sh - the C program of the README, compiled and run with the very
# commands that stand there, prints its line and ends with its status; another
# value returned becomes another status.
set -eu
root=$PWD
dir=$(mktemp -d)
block() { # the Nth code block of a language
    awk -v lang="$1" -v want="$2" '
        $0 == "```" && inside { inside = 0; next }
        inside == 1 { print }
        $0 == "```" lang { if (++n == want) inside = 1 }' "$root/README.md"
}
block c 1 >"$dir/hello.c"
block sh 1 >"$dir/commands"
grep -q _start "$dir/hello.c" || { echo "no C program in README.md"; exit 1; }
grep -q 'build/simrun hello.elf' "$dir/commands" ||
    { echo "no commands in README.md"; exit 1; }

cd "$dir"
ln -s "$BUILD" build
sh -e ./commands >out 2>err || { echo "status $?"; cat out err; exit 1; }
grep -qx 'hello, world' out || { echo "printed:"; cat out err; exit 1; }

sed 's/return 0;/return 42;/' hello.c >other.c
grep -q 'return 42' other.c
sed 's/hello\.c/other.c/' commands >again
status=0
sh -e ./again >out 2>err || status=$?
[ "$status" -eq 42 ] || { echo "42 returned, status $status"; exit 1; }
