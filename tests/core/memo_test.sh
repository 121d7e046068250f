#!/bin/sh
# memo_test.sh - the timing memo changes no bit: console, summary and experiment
# of the guest and of a Linux program are the same with --memo=off, on and check,
# with samples, marks, sampled instructions, and a memo that is too small.
# timeout: 400
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
bad=0
for p in branchy chase; do
    powerpc-linux-gnu-gcc -O2 -static -I. -o "$TMPDIR/$p" \
        tests/bench/prog/main.c tests/bench/prog/$p.c || exit 1
done
# A branch that is the last word of a page, and taken at random.
cat >"$TMPDIR/paths.c" <<'END'
unsigned odd(unsigned);
__asm__(".p2align 12\n.skip 4088\n"
        "odd: andi. 0,3,0x1000\n bne 1f\n addi 3,3,77\n lwz 4,0(1)\n"
        "1: mulli 3,3,0x6255\n addi 3,3,3\n blr\n");

int main(void)
{
    unsigned x = 1;

    for (unsigned k = 0; k < 100000; k++)
        x = odd(x);
    return x & 1;
}
END
powerpc-linux-gnu-gcc -O2 -static -o "$TMPDIR/paths" "$TMPDIR/paths.c" || exit 1
# One loop, more often than a count of a ledger counts (65,535 traces).
cat >"$TMPDIR/often.c" <<'END'
int main(void)
{
    for (unsigned k = 0; k < 2500000; k++)
        __asm__ volatile("addi 9,9,1");
    return 0;
}
END
powerpc-linux-gnu-gcc -O2 -static -o "$TMPDIR/often" "$TMPDIR/often.c" || exit 1
cp "$BUILD/guest.elf" "$TMPDIR"
cd "$TMPDIR" || exit 1

same() { # options and program
    for memo in off on check; do
        "$BUILD/simrun" --memo=$memo --summary --pmu-trace=x.$memo "$@" \
            >out.$memo 2>&1
        grep -v '^  host' out.$memo | sed "s/x\.$memo/x/" >text.$memo
    done
    for memo in on check; do
        cmp text.off text.$memo && diff -r x.off x.$memo >diff ||
            { echo "--memo=$memo $*: differs"; head -5 diff; bad=1; }
    done
    rm -rf x.off x.on x.check
}

same --mem=64M --cpus=1 --append="work=txn n=4" guest.elf
same --mem=64M --cpus=4 -e cycles:10000 --append="work=txn n=4" guest.elf
same --mem=64M --cpus=2 --append="work=txn n=2 trigger=event:dcache_miss:200" guest.elf
same --mem=64M --cpus=2 --mark=func:txn_stage_lookup --sample-insns=500 \
    --append="work=txn n=2" guest.elf
same --mem=64M --cpus=3 --memo-size=1 --append="work=prodcons n=3" guest.elf
same --mem=64M --cpus=8 --memo-size=1 --append="work=txn n=1" guest.elf
same --mem=64M --cpus=4 -e cycles:777 --append="work=switch n=30" guest.elf
same --cpus=1 --memo-size=1 -e br_mispredict:50 -e insn_completed:777 \
    --user ./branchy 1
same --cpus=1 -e br_mispredict:777 --user ./paths
same --cpus=1 --set account_us=100000 --user ./often
same --cpus=1 -e load_miss_cycles:5000 --user ./chase 1

same --mem=64M --cpus=4 --mark=addr:txn_stage_lookup --sample-insns=1000 \
    --append="work=txn n=2" guest.elf
same --cpus=1 --mark=func:bench_step --sample-insns=61 --user ./branchy 1
same --cpus=1 --mark=addr:bench_step --range=bench_step \
    --mark=data:bench_steps --user ./branchy 1
same --cpus=1 --set account_us=10 --sample-insns=97 --range=bench_step \
    --range=0x10000000..0x10000800 --range=main --user ./branchy 1
same --mem=64M --cpus=4 --set account_us=10 -e cycles:777 --range=0x1000..0x9000 \
    --append="work=txn n=2" guest.elf

for wrong in --memo=maybe --memo-size=0; do
    "$BUILD/simrun" $wrong guest.elf >out 2>&1
    [ $? = 2 ] && grep -q -- "${wrong%%=*}" out ||
        { echo "$wrong: not refused"; bad=1; }
done
exit $bad
