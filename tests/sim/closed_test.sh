#!/bin/sh
# closed_test.sh - a reader of stdout that goes away is noticed while the program
# computes, not only when it writes next: the run ends, with the status that the
# write would have had. A Linux program that would not mind is left alone. What
# cannot be written is one line, and status 125.
# timeout: 150
set -u
uart=$(sed -n 's/^DEVICE(UART, uart, \([^,]*\),.*/\1/p' include/board.def)
cd "$TMPDIR" || exit 1
CROSS=${CROSS:-powerpc-linux-gnu-}
command -v "${CROSS}gcc" >/dev/null || { echo "${CROSS}gcc is missing"; exit 77; }
bad=0
complain() { echo "$*"; bad=1; }

# A line, then nothing for ever.
cat >ever.S <<'S'
	.globl	_start
_start:	lis	3, 0xFE00
	ori	3, 3, UART
	li	4, 'x'
	stb	4, 0(3)
	li	4, 10
	stb	4, 0(3)
1:	b	1b
S
sed -i "s/0xFE00/${uart}@h/; s/UART/${uart}@l/" ever.S
"${CROSS}gcc" -nostdlib -static -mcpu=604 -Wl,--build-id=none -Wl,-Ttext=0x10000 \
    -Wl,-z,noexecstack -o ever.elf ever.S 2>/dev/null || complain "ever.S"
cat >u.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    volatile unsigned long n;
    if (argc > 2) signal(SIGPIPE, SIG_IGN);
    if (argv[1][0] == 'w') write(1, "x\n", 2);
    if (argv[1][0] == 'c') { write(1, "x\n", 2); close(1); }
    for (n = 0; n < N; n++) ;
    return 7;
}
C
"${CROSS}gcc" -O1 -static -DN=4000000000u -o forever u.c || exit 1
"${CROSS}gcc" -O1 -static -DN=3000000u -o while u.c || exit 1

# closed STATUS OPTION...: into a pipe whose reader leaves after a line
closed() {
    want=$1
    shift
    rm -f status
    { timeout 60 "$BUILD/simrun" -q --mode=fast --cpus=1 "$@" 2>err; echo $? >status; } | head -n 1 >out
    i=0
    while [ ! -s status ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done
    [ "$(cat status)" = "$want" ] || complain "$*: status $(cat status), not $want: $(cat err)"
}
closed 125 ever.elf
grep -q '^simrun: stdout cannot be written: Broken pipe$' err || complain "it does not say why: $(cat err)"
[ "$(wc -l <err)" = 1 ] || complain "more than a line: $(cat err)"
closed 125 --pmu-trace=ever.exp ever.elf
"$BUILD/simprof" info ever.exp >/dev/null 2>&1 || complain "its experiment cannot be read"
closed 141 --user ./forever w
closed 7 --user ./while w ignores
closed 7 --user ./while c
closed 7 --user ./while silent

# A disk that is full.
if [ -w /dev/full ]; then
    timeout 60 "$BUILD/simrun" -q --mode=fast --cpus=1 --max-cycles=3000000 ever.elf >/dev/full 2>err
    [ $? = 125 ] || complain "/dev/full: another status"
    [ "$(grep -c '^simrun: stdout cannot be written: No space left on device$' err)" = 1 ] ||
        complain "/dev/full: $(cat err)"
fi
exit $bad
