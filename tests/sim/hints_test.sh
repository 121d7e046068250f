#!/bin/sh
# hints_test.sh - a Linux program that is run without --user, and a bare-metal
# one that is run with it, are told so in a line; the line about a death has
# the source line of a program compiled with -g.
set -u
. tests/sim/lib.sh
cat >"$dir/linux.c" <<'END'
#include <stdio.h>
int main(int n, char **argument)
{
    puts("linux");
    if (n > 1)
        *(volatile int *)16 = 1; /* line 6 */
    return 3;
}
END
"$cc" -g -O1 -static -no-pie -o "$dir/linux" "$dir/linux.c" ||
    { echo "no C library for powerpc"; exit 77; }

says() { # words, standing in one of at most `lines` lines of stderr
    grep -qF -- "$1" "$dir/err" || fail "no word of '$1'"
}

run 125 linux
says 'linux: this is a Linux program; run it with simrun --user linux'
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "more than a line"
[ ! -s "$dir/out" ] || fail "it ran"
run 3 --user linux
grep -qx linux "$dir/out" || fail "it did not run"
run 139 --user linux die
says ' main+0x'
says ' (linux.c:6), address 0x00000010'
grep -q 'without --user' "$dir/err" && fail "a Linux program is told to be bare"

# One without a C library, so without a note: told by its system call.
cat >"$dir/tiny.c" <<'END'
void _start(void)
{
    register int number asm("r0") = 1, status asm("r3") = 5;
    asm volatile("sc" ::"r"(number), "r"(status));
    for (;;)
        ;
}
END
"$cc" -O1 -nostdlib -static -o "$dir/tiny" "$dir/tiny.c"
run 5 --user tiny
run 125 tiny
says 'run it with simrun --user'

# Bare ones: linked at 0; storing to a device; returning; privileged.
run 125 --user "$BUILD/guest.elf"
says 'run it without --user if it is a bare-metal one'
printf 'int _start(void) { *(volatile char *)0xFE000000 = 65; return 0; }\n' \
    >"$dir/bare.c"
printf 'int _start(void) { return 0; }\n' >"$dir/returns.c"
printf 'int _start(void) { asm volatile("mtmsr %%0" ::"r"(0)); return 0; }\n' \
    >"$dir/privileged.c"
for name in bare returns privileged; do
    "$cc" -O1 -nostdlib -static -o "$dir/$name.elf" "$dir/$name.c"
    run 0 $name.elf
    (cd "$dir" && timeout 60 "$simrun" --user $name.elf >out 2>err)
    [ $? -gt 128 ] || fail "$name --user: it did not die"
    says "$name.elf made no system call: if it is a bare-metal program, run it"
done
