#!/bin/sh
# sweep_test.sh - thresholds are exact at every boundary: for each latency that
# occurs, of instructions, of their slowest access and of accesses to marked
# words, as many exceed L - 1 and L as the pipeline's log and the sampled
# instructions say; in between nothing changes. What a threshold can be is set
# by three registers, eight sums; a mistake is pointed at.
# timeout: 240
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
ROOT=$PWD
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

cat >p.c <<'C'
unsigned table[256];
__attribute__((noipa)) unsigned work(unsigned n)
{
    volatile unsigned *t = table; /* each access one instruction */
    unsigned s = n;

    for (unsigned i = 0; i < 40; i++) {
        s += t[(i * 37 + n) & 255] / (i % 5 + 1);
        t[(s + i) & 255] = s * n;
        if (s & 1)
            s += t[i & 7];
    }
    return s;
}
void _start(void)
{
    unsigned s = 0;

    for (unsigned i = 0; i < 6; i++)
        s += work(i);
    register unsigned r0 __asm__("0") = 1;
    register unsigned r3 __asm__("3") = s & 63;
    __asm__ volatile("sc" : : "r"(r0), "r"(r3));
}
C
powerpc-linux-gnu-gcc -O1 -ffreestanding -nostdlib -static -fno-pic -o p p.c || exit 1
set -- $(powerpc-linux-gnu-nm -S p | awk '$4 == "work" { print $1, $2 }')
code=$((0x$1)) code_size=$((0x$2))
set -- $(powerpc-linux-gnu-nm -S p | awk '$4 == "table" { print $1, $2 }')
data=$((0x$1)) data_size=$((0x$2))
# Caches of 1 KB, so that much misses.
sim="timeout 60 $BUILD/simrun -q --user --cpus=1 --set dcache_kb=1 --set icache_kb=1"

# The truth: latencies, a line each, as "kind cycles".
rm -rf t.exp
$sim --sample-insns=1 --log pipe,int:log --pmu-trace=t.exp ./p
awk -v from=$code -v size=$code_size '
    function hex(s,   i, v) {
        for (i = 1; i <= length(s); i++)
            v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
        return v
    }
    # CPU DISPATCH COMPLETE ADDRESS pipe UNIT fetch N issue N finish N ...
    { a = hex($4) } a < from || a >= from + size { next }
    $5 == "enter" { n--; next } # it did not complete
    {
        for (k = 6; k < NF && $k != "issue"; k++)
            ;
        took[n++] = $3 - $(k + 1)
    }
    END { while (n--) print "insn", took[n] }' log >truth
od -An -v -tu4 -j32 -w4 t.exp/sampled.rec | awk -v code=$code \
    -v code_size=$code_size -v data=$data -v data_size=$data_size '
    left == 0 && at == 0 { left = $1 % 65536 / 4 }
    { w[at++] = $1; left-- }
    left == 0 { # 4 words of stamp; flags, pc, ea, ..., latency of data
        if (w[4] % 2) {
            if (w[5] >= code && w[5] < code + code_size)
                print "access", w[11]
            if (w[6] >= data && w[6] < data + data_size)
                print "data", w[11]
        }
        at = 0
    }' >>truth
for kind in insn access data; do
    n=$(awk -v k=$kind '$1 == k' truth | sort -u | wc -l)
    [ "$n" -ge 4 ] || complain "$kind: only $n latencies: $(sort truth | uniq -c)"
done

# hits EXPERIMENT KIND: exceedances of the marks of code, or of data
hits() {
    "$BUILD/simprof" marks --csv --limit=0 "$1" |
        awk -F, -v kind="$2" '$1 == kind { n += $4 } END { print n + 0 }'
}
# truth KIND T: how many took more
more() { awk -v k=$1 -v t=$2 '$1 == k && $2 > t { n++ } END { print n + 0 }' truth; }
same() { # what, expected, got
    [ "$2" = "$3" ] || complain "$1: $3 exceeded, the truth is $2"
}
boundaries() { awk -v k="$1" '
    index(k, $1) { if ($2) print $2 - 1; print $2 }' truth | sort -nu; }

runs=0
for t in $(boundaries "insn data"); do
    rm -rf s.exp
    $sim --set pif_th0=$t --mark func:work=threshold:$t \
        --mark data:table=threshold:$t --pmu-trace=s.exp ./p
    same "instructions, more than $t" $(more insn $t) $(hits s.exp code)
    same "accesses of words, more than $t" $(more data $t) $(hits s.exp data)
    runs=$((runs + 1))
done
for t in $(boundaries access); do
    rm -rf s.exp
    $sim --set pif_th2=$t --set pif_th_access=1 --set pif_carrier=1 \
        --mark func:work=threshold:$t --pmu-trace=s.exp ./p
    same "slowest accesses, more than $t" $(more access $t) $(hits s.exp code)
    runs=$((runs + 1))
done
[ $runs -gt 20 ] || complain "only $runs thresholds"

# Eight sums of three registers; marker instructions have the same bits.
"$BUILD/simmark" opcodes p func:work=threshold:60 -o moved >out || complain "$(cat out)"
for set in "1 2 4" "3 20 7"; do
    set -- $set
    regs="--set pif_th0=$1 --set pif_th1=$2 --set pif_th2=$3"
    for t in $1 $2 $(($1 + $2)) $3 $(($1 + $3)) $(($2 + $3)) $(($1 + $2 + $3)); do
        rm -rf s.exp
        $sim $regs --mark func:work=threshold:$t --pmu-trace=s.exp ./p
        same "$t of $set" $(more insn $t) $(hits s.exp code)
        "$BUILD/simprof" marks --pcs s.exp | grep -q "  threshold:$t  " ||
            complain "$set: the report does not say threshold:$t"
    done
    # Each bit by itself: exceedances of all three are added.
    rm -rf s.exp
    $sim $regs --set pif_th_single=1 --pmu-trace=s.exp \
        --mark func:work=threshold:$(($1 + $2 + $3)) ./p
    same "bits of $set" $(($(more insn $1) + $(more insn $2) + $(more insn $3))) \
        $(hits s.exp code)
done
# Without knobs the registers are what the marks ask for.
rm -rf s.exp
$sim --mark func:work=threshold:7 --mark data:table=threshold:20 \
    --mark addr:$(printf 0x%x $((code + code_size)))=threshold:300 --pmu-trace=s.exp ./p
same "7 of 7, 20, 300" $(more insn 7) $(hits s.exp code)
same "20 of 7, 20, 300" $(more data 20) $(hits s.exp data)
grep -qx 'knob pif_th1 20' s.exp/log || complain "PIFTH1 is not 20"
# One bit to four: what is not built in is no threshold.
regs="--set pif_th0=1 --set pif_th1=2 --set pif_th2=4 --set pif_th3=20"
for t in 20 21 23 26 27; do
    rm -rf s.exp
    $sim $regs --set pif_th_bits=4 --mark func:work=threshold:$t --pmu-trace=s.exp ./p
    same "$t of four bits" $(more insn $t) $(hits s.exp code)
done
for bits in 1 2 3; do
    rm -rf s.exp
    most=$(((1 << bits) - 1))
    $sim $regs --set pif_th_bits=$bits --mark func:work=threshold:$most --pmu-trace=s.exp ./p
    same "$bits bits" $(more insn $most) $(hits s.exp code)
    $sim $regs --set pif_th_bits=$bits --mark func:work=threshold:$((most + 1)) ./p >out 2>&1
    [ $? = 2 ] && grep -q "is one of .*$most cycles" out || complain "$bits bits: $(cat out)"
done
# Four bits by software: their register exists with them alone.
cat >four.S <<'S'
        .globl _start
_start: lis 3, 8        # HID0[PIFE]
        mfspr 4, 1008
        or 4, 4, 3
        mtspr 1008, 4
        isync
        li 3, 77
        mtspr 765, 3
        mfspr 3, 765
        blr
S
powerpc-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x20000 -Wl,--no-warn-rwx-segments \
    -o four four.S || exit 1
for bits in 3 4; do
    timeout 20 "$BUILD/simrun" -q --cpus=1 --mode=fast --set pif_th_bits=$bits four >out 2>&1
    status=$?
    [ $((status == 77)) = $((bits == 4)) ] || complain "$bits bits: status $status, $(cat out)"
done
rm -rf s.exp
$sim --set pif_th0=0 --set pif_th1=4 --pmu-trace=s.exp ./moved
n=$(hits s.exp code)
[ "$n" -gt 0 ] || complain "marker instructions: nothing takes more than 4 cycles"

# Positions of the dispatch group are a partition; overlapping ones count once.
sum=0
for slot in 1 2 3 4; do
    rm -rf s.exp
    $sim --set pif_th0=3 --set pif_th_slot=$slot --mark func:work=threshold:3 \
        --pmu-trace=s.exp ./p
    n=$(hits s.exp code)
    [ "$n" -gt 0 ] || complain "position $slot: nothing"
    sum=$((sum + n))
done
same "positions 1 to 4" $(more insn 3) $sum
rm -rf s.exp
$sim --set pif_th0=3 --set pif_th_coalesce=1 --mark func:work=threshold:3 \
    --pmu-trace=s.exp ./p
n=$(hits s.exp code)
[ "$n" -gt 0 ] && [ "$n" -lt "$(more insn 3)" ] || complain "coalesced: $n"

# The script that sweeps, on the same program.
BUILD=$BUILD "$ROOT/tools/threshold-sweep" 1,3,20 func:work data:table -- --user --cpus=1 \
    --set dcache_kb=1 --set icache_kb=1 ./p >out 2>&1 || complain "$(cat out)"
for t in 1 3 20; do
    echo "$t $(more insn $t) $(more data $t)"
done >want
awk 'NR == 1 { print $3, $4 > "names"; next } { print $1, $2, $3 }' out >got
cmp -s want got && [ "$(cat names)" = 'work table' ] || complain "threshold-sweep: $(cat out)"
"$ROOT/tools/threshold-sweep" 1,x func:work -- ./p >out 2>&1
[ $? = 2 ] && grep -q '^usage: threshold-sweep' out || complain "usage: $(cat out)"

# At the limit, not past it.
for at in 0 1; do
    rm -rf s.exp
    $sim --set pif_at_limit=$at --mark addr:work=limit:3 --pmu-trace=s.exp ./p
    n=$("$BUILD/simprof" marks s.exp | sed -n 's/^Interrupts of marks, \([0-9]*\) .*/\1/p')
    [ "$n" = $((1 + at)) ] || complain "pif_at_limit=$at: $n interrupts of 6 executions"
done

# Mistakes, at their character.
wrong() { # column, words, option...
    column=$1 words=$2
    shift 2
    $sim "$@" ./p >out 2>&1
    [ $? = 2 ] && head -n 1 out | grep -qF -- "$words" &&
        [ "$(sed -n 3p out)" = "$(printf '%*s^' $((column + 2)) '')" ] ||
        complain "$*: $(cat out)"
}
wrong 20 'a threshold is one of 10, 50, 60, 100, 110, 150, 160 cycles' \
    --mark func:work=threshold:20 --mark func:work=threshold:7 \
    --mark func:work=threshold:8 --mark func:work=threshold:9
wrong 26 'a threshold is one of 7, 20, 27, 300, 307, 320, 327 cycles' --set pif_th0=7 \
    --set pif_th1=20 --set pif_th2=300 --mark func:work=count,threshold:19
wrong 26 'a threshold is one of 5, 9, 10, 14, 19 cycles' --set pif_th0=5 \
    --set pif_th1=5 --set pif_th2=9 --mark func:work=count,threshold:11,pmu
wrong 20 'no number of 32 bits' --mark func:work=threshold:4294967296
exit $bad
