#!/bin/sh
# opcodes_test.sh - simmark opcodes: a program whose marks are carried by
# instructions prints what the old one prints and ends as it ends, C library,
# threads, signals and jumps out of functions included; its counts are those of
# the execution log; names, stacks and lines are those of the old program; what
# cannot be moved is refused. The guest, too.
# timeout: 300
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
mkdir -p "$TMPDIR/old" && cd "$TMPDIR/old" || exit 1
mark=$BUILD/simmark
bad=0
complain() { echo "$*"; bad=1; }

cat >hard.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>
#define F __attribute__((noipa))
static jmp_buf back;
static volatile int signals, total;
static _Atomic int shared;
F static int pick(int n)
{
    switch (n % 9) {
    case 0: return n + 1; case 1: return n * 3; case 2: return n ^ 5;
    case 3: return n - 7; case 4: return n | 8; case 5: return n & 6;
    case 6: return n << 2; case 7: return n >> 1; default: return -n;
    }
}
F static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
F static void leap(int n) { if (n == 3) longjmp(back, n); total += n; }
F static void caught(int s) { signals += s; }
static void *work(void *arg)
{
    for (int i = 0; i < 60; i++)
        shared += *(int *)arg;
    return NULL;
}
F static _Unwind_Reason_Code frame(struct _Unwind_Context *c, void *depth)
{
    if ((*(int *)depth)++ < 3) /* addresses in this program alone */
        printf("%lx ", (unsigned long)_Unwind_GetIP(c));
    return _URC_NO_REASON;
}
F static int deep(int n)
{
    int depth = 0;

    if (n)
        return deep(n - 1) + 1;
    _Unwind_Backtrace(frame, &depth);
    printf("%s\n", depth > 6 ? "deep" : "shallow");
    return 0;
}
int main(int argc, char **argv)
{
    int list[40], (*call)(int) = argc > 5 ? NULL : pick, one = 1, two = 2;
    pthread_t a, b;

    for (int i = 0; i < 40; i++)
        list[i] = call(i * 37 % 101);
    qsort(list, 40, sizeof *list, compare);
    if (!setjmp(back))
        for (int i = 0; i < 9; i++)
            leap(i);
    signal(SIGUSR1, caught);
    raise(SIGUSR1);
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    total += deep(9);
    printf("%d %d %d %d %d %s %g\n", list[0], list[20], list[39], total,
           shared, argv[1], list[3] / 7.0);
    return signals + 3;
}
C
powerpc-linux-gnu-gcc -O2 -g -fPIC -no-pie -fasynchronous-unwind-tables -static \
    -pthread -o hard hard.c || exit 1
powerpc-linux-gnu-gcc -O0 -g -static -pthread -fexceptions -o plain hard.c || exit 1

# Executions from the log, by the address where an instruction was before it
# was moved; a system call goes on by itself, a fault is no execution.
executed() { # log
    awk 'length($5) == 8 { n[$4]++ }
        $5 == "enter" && $6 == "DSI" { n[$4]-- }
        END { for (a in n) print a, n[a] }' "$1" | sort
}
sim="timeout 100 $BUILD/simrun -q --user"
# What the C library does for printf, memory, threads; all of the program.
marks="func:main func:pick func:compare func:leap func:caught func:work
    func:frame func:deep func:m* func:_IO* func:__v* func:qsort* func:msort*
    func:_Unwind* func:uw_* func:pthread* func:__pthread* func:raise
    func:__longjmp* func:_setjmp* func:__sigsetjmp func:start_thread
    func:clone* func:exit func:__libc_start* func:str* func:_start"

mkdir ../new
# The same program with marks carried by instructions: the same output.
moved() { # program, the fewest marks, mark...
    program=$1 least=$2
    shift 2
    $mark opcodes $program "$@" -o ../new/$program >out || { cat out; exit 1; }
    set -- $(cat out)
    [ "$2" -gt $least ] || complain "$program: only $2 instructions are marked"
    $mark verify ../new/$program $program >out ||
        complain "$program: verify: $(cat out)"
    grep -q "^../new/$program: $2 instructions are behind their markers" out &&
        grep -q '^what is loaded is the same, but for what was moved' out ||
        complain "$program: verify says $(cat out)"
}
same() { # program, file of the log or nothing, option...
    program=$1
    logged=${2:+--log=exec,int:$2}
    shift 2
    $sim "$@" ../old/$program hello >want 2>&1
    status=$?
    grep -q 'deep$' want || complain "$program: cannot unwind: $(cat want)"
    rm -rf op.exp
    # shellcheck disable=SC2086 # one word, or none
    $sim "$@" $logged --pmu-trace=op.exp ../new/$program hello >got 2>&1
    [ $? = $status ] && cmp -s want got ||
        complain "$program $*: $status, $(cat want) becomes $(cat got)"
}
moved hard 20000 $marks
moved plain 100 func:main func:pick func:deep func:memcpy
same plain ''
same hard log --mode=fast --cpus=3

# Executions of what was moved, by the log, which has it where it is now.
"$BUILD/simprof" marks --csv --limit=0 op.exp >op.csv 2>err
[ ! -s err ] || complain "$(cat err)"
executed log >ran
powerpc-linux-gnu-objcopy -O binary --only-section=.pifmarks \
    --set-section-flags .pifmarks=alloc ../new/hard table
od -An -v -tx4 -w4 --endian=big table | awk '
    NR == 4 { size = $1 } NR == 5 { n = $1; next }
    NR > 5 { w[NR - 6] = $1 }
    function hex(s,   i, v) {
        for (i = 1; i <= length(s); i++)
            v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
        return v
    }
    END {
        at = hex(size) / 4
        for (k = 0; k < hex(n); k++)
            print w[at + 6 * k], w[at + 6 * k + 1]
    }' | sort >moved
join moved ran | awk '{ print $2, $3 }' | sort >by_log
awk -F, '$1 == "code" && $3 { print substr($5, 3), $3 }' op.csv | sort >by_marks
cmp -s by_log by_marks || complain "$(diff by_log by_marks | head -n 4)"
[ "$(wc -l <by_log)" -gt 3000 ] || complain "only $(wc -l <by_log) ran"

# One count a mark, whatever carries it.
rm -rf sh.exp wide.exp op.exp
for word in $marks; do set -- "$@" --mark "$word"; done
shift $(($# - 2 * $(echo $marks | wc -w)))
for c in 0 1; do
    rm -rf sh.exp
    $sim --cpus=1 --mode=fast --set pif_carrier=$c "$@" --pmu-trace=sh.exp \
        ../old/hard hello >out
    "$BUILD/simprof" marks --csv --limit=0 sh.exp |
        awk -F, '$3 != 0' >carrier$c.csv
done
$sim --cpus=1 --mode=fast --pmu-trace=op.exp ../new/hard hello >out
"$BUILD/simprof" marks --csv --limit=0 op.exp |
    awk -F, '$3 != 0' >carrier2.csv
cmp -s carrier0.csv carrier1.csv || complain "shadow storage and widened words differ"
cmp -s carrier0.csv carrier2.csv ||
    complain "instructions differ: $(diff carrier0.csv carrier2.csv | head -n 4)"

# Names, lines and stacks.
rm -rf p.exp
$sim --cpus=1 -e cycles:97 --pmu-trace=p.exp ../new/plain hello >out
"$BUILD/simprof" functions p.exp >out
grep -q 'pifisland' out && complain "the island is a function: $(grep island out)"
"$BUILD/simprof" lines p.exp --limit=0 >out
grep -q 'hard.c:[0-9]' out || complain "no line is named"
"$BUILD/simprof" calltree p.exp >out
awk '/deep/ { n++ } END { exit n < 4 }' out || complain "no stacks: $(grep deep out)"
"$BUILD/simprof" disasm pick p.exp 2>&1 | grep -q 'stwu r1' ||
    complain "the disassembler does not show what stood there"
"$BUILD/simprof" export --format=callgrind -o p.cg p.exp
awk '/^fl=/ { file = $0 }
    /^c?fn=/ {
        id = $1
        sub(/^c/, "", id)
        if (NF > 1)
            name[id] = $2
    }
    /^fn=/ && name[id] ~ /^(pick|deep|leap)$/ {
        seen = 1
        lost = lost || file == "fl=???"
    }
    END { exit !seen || lost }' p.cg ||
    complain "an exported function has lost its file: $(grep -A1 '???' p.cg)"

# Without the facility they are illegal, as on the chip; marks may be ignored.
$sim --set pif=0 ../new/hard hello >out 2>&1
[ $? = 132 ] && grep -q 'Illegal instruction' out || complain "pif=0: $(cat out)"
$sim --mode=fast --cpus=1 ./hard hello >want
$sim --mode=fast --cpus=1 --ignore-marks ../new/hard hello >got
cmp -s want got || complain "--ignore-marks: $(cat got)"

# The guest: trap entry, scheduler, locks.
run="timeout 100 $BUILD/simrun -q --append work=txn"
# Behind all that the kernel allocates.
$mark opcodes "$BUILD/guest.elf" func:trap_entry func:spin_lock func:sched \
    func:txn_stage_parse -o guest.op --at=0x1c00000 >out || complain "guest: $(cat out)"
rm -rf g.exp
$run --cpus=3 --mode=fast --max-cycles=350000 --log exec,int:log \
    --pmu-trace=g.exp guest.op </dev/null >out 2>&1
grep -q 'FAIL' out && complain "guest: $(grep FAIL out)"
"$BUILD/simprof" marks --csv --limit=0 g.exp >g.csv
awk -F, '$3 { n++; total += $3 } END { exit n < 150 || total < 10000 }' g.csv ||
    complain "guest: few counts"
awk -F, '$1 == "code" && $3 { s += $3 } END { print s }' g.csv >by_marks
powerpc-linux-gnu-objdump -d -j .pifisland guest.op | awk '
    FILENAME != "-" { if (length($5) == 8) n[$4]++; next }
    $2 == 14 { gate = 1; next }
    gate && $1 ~ /:$/ {
        a = $1; sub(":", "", a); while (length(a) < 8) a = "0" a
        s += n[a]; gate = 0
    }
    END { print s }' log - >by_log
cmp -s by_marks by_log || complain "guest: $(cat by_marks), the log $(cat by_log)"

# What cannot be moved, or makes no sense.
refuse() { # words of the message, then arguments
    words=$1
    shift
    $mark opcodes "$@" -o no.op >out 2>&1
    [ $? = 125 ] && [ ! -e no.op ] && grep -q -- "$words" out &&
        [ "$(wc -l <out)" = 1 ] || complain "opcodes $*: $(cat out)"
}
cat >odd.S <<'S'
        .globl _start, number, odd, own
_start: li 0, 1
        li 3, 7
        sc
odd:    mtlr 3
        blrl
        .long 0
own:    .long 0x1440000b # pmark 2,0
        nop
        nop
        blr
number: .long 5
S
powerpc-linux-gnu-gcc -nostdlib -static -o odd odd.S || exit 1
refuse 'odd+0x4) calls by the link register (blrl)' odd range:odd..odd+8
refuse 'no instruction is marked' odd addr:odd+8
refuse "belongs to a pmark of the program's own" odd addr:own
refuse "belongs to a pmark of the program's own" odd addr:own+8
refuse 'is data, which no instruction can mark' hard data:back
refuse 'a range is counted by its addresses' hard func:main=range
refuse 'marks; pmark can tell 65536 apart' hard 'func:*'
refuse 'no instruction is marked' hard
refuse 'its marks are marker instructions already' ../new/hard func:main
refuse 'bytes are not free there' hard func:main --at=0x10000000
refuse 'is too far from' hard func:main --at=0x40000000
refuse 'there is no room for' "$BUILD/guest.elf" 'func:s*' 'func:t*'
$mark opcodes odd addr:own+12 func:_start --at=0x10100000 -o odd.op >out &&
    $sim ./odd.op; [ $? = 7 ] || complain "--at: $(cat out)"
$sim --mark func:main ../new/hard hello >out 2>&1
grep -q 'there is one carrier at a time' out || complain "--mark: $(cat out)"
printf XX | dd of=../new/hard bs=1 conv=notrunc status=none \
    seek=$((0x$(powerpc-linux-gnu-readelf -SW ../new/hard | sed 's/\[ /[/' |
        awk '$2 == ".pifmarks" { print $5 }'))) || exit 1
$sim ../new/hard hello >out 2>&1
[ $? = 125 ] && grep -q '.pifmarks: is not of this version; make it again' out ||
    complain "a broken section: $(cat out)"
# A section of another program: the entry says something else than the bytes.
"$BUILD/simmark" opcodes odd addr:own+12 -o ../new/odd >out || complain "$(cat out)"
at=$((0x$(powerpc-linux-gnu-readelf -SW ../new/odd | sed 's/\[ /[/' |
    awk '$2 == ".pifmarks" { print $5 " " $6 }' | cut -d' ' -f1)))
size=$(powerpc-linux-gnu-readelf -SW ../new/odd | awk '$2 == ".pifisland" || $3 == ".pifisland"' |
    sed 's/\[ /[/' | awk '{ print $6 }')
printf '\020\000\000\004' | dd of=../new/odd bs=1 conv=notrunc status=none \
    seek=$((at + 20 + 0x$size + 4)) || exit 1
for run in "$sim ../new/odd" "$mark verify ../new/odd"; do
    $run >out 2>&1
    [ $? = 125 ] && grep -q 'the instruction at 0x10000004 has no marker' out ||
        complain "$run: $(cat out)"
done
exit $bad
