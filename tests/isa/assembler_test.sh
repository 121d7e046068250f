#!/bin/sh
# assembler_test.sh - the assembler gives every row the bits that the row
# draws: 40 words of each, written as text, assembled, compared; and it takes
# none of the instrumentation facility's for an instruction.
for tool in powerpc-linux-gnu-as powerpc-linux-gnu-objcopy; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
TMPDIR=${TMPDIR:-$(mktemp -d)}
cd "$(dirname "$0")/../.." || exit 1
${CC:-gcc} -std=gnu11 -O1 -Wall -Wextra -I. -o "$TMPDIR/listing" \
    tests/isa/listing.c $(tests/setup/libraries isa) || exit 1
cd "$TMPDIR" || exit 1
./listing >text.s 2>ours || exit 1
powerpc-linux-gnu-as -m604 -o text.o text.s || exit 1
powerpc-linux-gnu-objcopy -O binary -j .text text.o text.bin || exit 1
od -An -v -tx1 -w4 text.bin | tr -d ' ' >theirs
ours=$(grep -c '\.long' text.s)
unknown=$(powerpc-linux-gnu-objdump -d -M 604 text.o | grep -c '\.long')
echo "$ours words of our own, $unknown unknown to the disassembler"
[ "$ours" -ge 200 ] && [ "$ours" = "$unknown" ] || exit 1
paste ours theirs text.s | awk -F'\t' '$1 != $2 { print; bad++ }
    END { print NR " words, " bad + 0 " differ"; exit bad > 0 || NR < 7360 }'
