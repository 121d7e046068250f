#!/bin/sh
# bare_all.sh - the programs of GCC's suite that ask for no operating system
# end with status 0 on the bare board, fast and detailed: an exception that
# should not come, or a wrong result, ends them otherwise.
# timeout: 3600
. "$(dirname "$0")/gcc.sh"

for file in start.S libc.c print.c; do
    powerpc-linux-gnu-gcc -I. -O1 -mcpu=604e -ffreestanding -fno-pic \
        -fno-builtin -fno-tree-loop-distribute-patterns -fno-stack-protector \
        -c -o "$TMPDIR/${file%.*}.o" "tests/conform/$file" || exit 1
done
powerpc-linux-gnu-ar rc "$TMPDIR/libc.a" "$TMPDIR/libc.o" "$TMPDIR/print.o"
torture_run bare 1600
exit $bad
