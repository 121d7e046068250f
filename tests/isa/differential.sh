# differential.sh - sourced by the differential tests: builds the judge for
# the guest and the comparing program for here, in TMPDIR.
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
TMPDIR=${TMPDIR:-$(mktemp -d)}
powerpc-linux-gnu-gcc -I. -O2 -Wall -Wextra -static -mcpu=604 \
    -Wl,--no-warn-rwx-segments -Wl,-Ttext-segment=0x100000 \
    -Wl,--section-start=.low=0x4000 -o "$TMPDIR/judge" \
    tests/isa/judge.c tests/isa/judge.S || exit 1
${CC:-gcc} -std=gnu11 -O2 -Wall -Wextra -I. -o "$TMPDIR/differ" \
    tests/isa/differ.c tests/isa/case.c $(tests/setup/libraries isa) || exit 1

differ() { # INSTANCES SEED ROWS
    "$TMPDIR/differ" "$1" "$2" "$3" qemu-ppc -cpu 604e "$TMPDIR/judge"
}
