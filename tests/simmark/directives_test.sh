#!/bin/sh
# directives_test.sh - include/perfinst.h: directives in C and in assembly
# make the same entries, for any optimisation and compiler, and no instruction:
# text with them is text without. They survive linking, also with
# --gc-sections, and strip; figure 16's five entries come out as they stand.
# timeout: 240
set -u
cross=powerpc-linux-gnu-
root=$PWD
cd "$TMPDIR" || exit 1
bad=0
complain() {
    echo "$1"
    bad=1
}

# ---- no instruction -----------------------------------------------------------
cat >c.c <<'E'
#ifdef MARKED
#include "include/perfinst.h"
#define MARK(x) x;
#else
#define MARK(x)
#endif
#ifdef HERE
#define INSIDE(x) MARK(x)
#else
#define INSIDE(x)
#endif
int table[40], total;
char odd[7], counts[40];
static int hidden __attribute__((used));
__attribute__((noinline, used)) static int leaf(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += table[i % 40] / 3;
    return sum + hidden;
}
int work(int n)
{
    INSIDE(PERFINST_TRACE_START())
    total += leaf(n);
    INSIDE(PERFINST_MARK_HERE(PERFINST_COUNT | PERFINST_PMU))
    INSIDE(PERFINST_BEGIN(10))
    total += leaf(n + 1);
    odd[n & 3]++;
    INSIDE(PERFINST_END(10, PERFINST_COUNT))
    INSIDE(PERFINST_TRACE_STOP())
    return total;
}
MARK(PERFINST_COUNT_FUNCTION(work))
MARK(PERFINST_FUNCTION_LIMIT(leaf, PERFINST_COUNT | PERFINST_LIMIT, 13))
MARK(PERFINST_RANGE_FUNCTION(work))
MARK(PERFINST_DATA(table, PERFINST_COUNT | PERFINST_LOADS))
MARK(PERFINST_DATA(hidden, PERFINST_PMU))
MARK(PERFINST_DATA_PART(odd, 1, 2, PERFINST_COUNT))
MARK(PERFINST_AREA_PART(table, 0, 160, 4, 1, counts))
MARK(PERFINST_TABLE(work, PERFINST_ENTRY(0, 8, PERFINST_PMU, 0)
                    PERFINST_ENTRY(8, 4, PERFINST_EXCEPTION, 0)))
E
loaded() { # everything of an object that is loaded
    for section in $(${cross}objdump -h "$1" | awk '$1 ~ /^[0-9]+$/ {
        name = $2; getline; if (/ALLOC/) print name }'); do
        echo "$section"
        ${cross}objcopy -O binary -j "$section" "$1" part 2>/dev/null
        od -An -v -tx1 part
    done
}
compilers="${cross}gcc"
clang --target=powerpc-linux-gnu -c -x c /dev/null -o part 2>/dev/null &&
    compilers="$compilers clang"
tried=0
for cc in $compilers; do
    flags="-I$root -Wall -Wextra -Werror -fno-pic"
    [ $cc = clang ] && flags="--target=powerpc-linux-gnu $flags"
    for level in 0 1 2 3 s; do
        $cc $flags -O$level -c c.c -o without.o || complain "$cc: without"
        $cc $flags -O$level -DMARKED -c c.c -o with.o || complain "$cc: with"
        loaded without.o >a
        loaded with.o >b
        [ "$(wc -c <a)" -gt 300 ] || complain "nothing was compared"
        cmp a b || complain "$cc -O$level: directives change what is loaded"
        tried=$((tried + 1))
        # Inside a function a mark keeps its place in the order of things,
        # which is that of the source where nothing is optimised.
        [ $level = 0 ] || continue
        $cc $flags -O$level -DMARKED -DHERE -c c.c -o here.o ||
            complain "$cc: here"
        loaded here.o >b
        cmp a b || complain "$cc: marks inside change what is loaded"
        [ "$(${cross}objdump -h here.o | awk '$2 == ".perfinst" { print $3 }')" \
            = 000001c4 ] || complain "$cc: $(${cross}objdump -h here.o)"
    done
done
[ $tried -ge 5 ] || complain "no compiler"

# ---- the same from assembly ------------------------------------------------------
cat >a.S <<'E'
#include "include/perfinst.h"
    .text
    .globl work, leaf
    .type work, @function
work:
    perfinst_here PERFINST_TSTART
    nop
    perfinst_here PERFINST_COUNT | PERFINST_PMU
    perfinst_begin 10
    nop
    nop
    perfinst_end 10, PERFINST_COUNT
    blr
    .size work, . - work
leaf: blr
    .type leaf, @function
    .size leaf, . - leaf
    .comm table, 160, 4
    perfinst_function leaf, PERFINST_COUNT | PERFINST_LIMIT, 13
    perfinst_range work
    perfinst_data table, PERFINST_COUNT | PERFINST_LOADS
    perfinst_table work, 16
    perfinst_entry 0, 8, PERFINST_PMU
    perfinst_entry 8, 4, PERFINST_EXCEPTION
    perfinst_table_end
E
cat >same.c <<'E'
#include "include/perfinst.h"
int table[40];

__asm__(".text\n.globl work, leaf\n.type work, @function\nwork:\n"
        "here: nop\nthere: nop\nnop\nbehind: blr\n.size work, . - work\n"
        "leaf: blr\n.type leaf, @function\n.size leaf, . - leaf\n");
PERFINST_TABLE(here, PERFINST_ENTRY(0, 4, PERFINST_TSTART, 0));
PERFINST_TABLE(there, PERFINST_ENTRY(0, 4, PERFINST_COUNT | PERFINST_PMU, 0));
PERFINST_TABLE(there, PERFINST_ENTRY(0, 8, PERFINST_COUNT, 0));
PERFINST_FUNCTION_LIMIT(leaf, PERFINST_COUNT | PERFINST_LIMIT, 13);
PERFINST_RANGE_FUNCTION(work);
PERFINST_DATA(table, PERFINST_COUNT | PERFINST_LOADS);
PERFINST_TABLE(work, PERFINST_ENTRY(0, 8, PERFINST_PMU, 0)
               PERFINST_ENTRY(8, 4, PERFINST_EXCEPTION, 0));
E
link() { # output, objects, and more
    out=$1
    shift
    ${cross}gcc -nostdlib -static -no-pie -Wl,-Ttext=0x10000 -Wl,-Tbss=0x20000 \
        -Wl,-e,work "$@" -o "$out" || complain "$out cannot be linked"
}
${cross}gcc -I"$root" -c a.S -o a.o || complain "a.S does not assemble"
${cross}gcc -I"$root" -fno-pic -c same.c -o s.o || complain "same.c"
sed '/perfinst_[a-z]* *[a-zA-Z0-9]*/d' a.S >bare.S
${cross}gcc -I"$root" -c bare.S -o bare.o
loaded a.o >a
loaded bare.o >b
[ "$(wc -l <a)" -ge 3 ] && cmp a b || complain "a.S: macros change what is loaded"
link a.elf a.o
link s.elf s.o
"$BUILD/simmark" list a.elf | sort >a.list || complain "a.elf: $?"
"$BUILD/simmark" list s.elf | sed 's/  # .*//' | sort >s.list ||
    complain "s.elf: $?"
sed 's/  # .*//' a.list | cmp - s.list ||
    complain "assembly: $(cat a.list) C: $(cat s.list)"
[ "$(wc -l <a.list)" -eq 8 ] || complain "$(cat a.list)"

# ---- count areas -----------------------------------------------------------------
# The directive makes the array, of whole lines and with a line of its own, and
# no instruction; C by every compiler, and assembly, the same entries.
cat >area.c <<'E'
#ifdef MARKED
#include "include/perfinst.h"
#endif
int table[40], before = 1;
char odd[7] = {1};
int work(int n) { return table[n] + odd[n] + before; }
#ifdef MARKED
PERFINST_AREA(table, 4, 1, by_word);
static PERFINST_AREA(table, 32, 2, by_line);
PERFINST_AREA(odd, 1, 4, by_byte);
PERFINST_AREA_PART(table, 6, 10, 1, 2, part);
unsigned short part[PERFINST_UNITS(table, 16)];
_Static_assert(sizeof by_word == 64 && sizeof by_line == 32 &&
               sizeof by_byte == 32 && sizeof by_byte[0] == 4 &&
               PERFINST_UNITS(odd, 4) == 2, "whole lines");
#endif
E
cat >area.S <<'E'
#include "include/perfinst.h"
    .text
    .globl work, table, odd, part
work: blr
    .bss
    .balign 8
    .type table, @object
table: .space 160
    .size table, 160
    .type odd, @object
odd: .space 7
    .size odd, 7
    .balign 2
    .type part, @object
part: .space 20
    .size part, 20
    .text
    perfinst_area table, 160, 4, 1, by_word
    perfinst_area table, 160, 32, 2, by_line
    perfinst_area odd, 7, 1, 4, by_byte
    perfinst_area_part table, 6, 10, 1, 2, part
E
named() { # the entries of a program, count areas by their names
    ${cross}nm "$1" | awk '{ print $1, $3 }' >names
    "$BUILD/simmark" list "$1" |
        sed 's/.*0x[0-9a-f]*,\(.*\)=area:0x\([0-9a-f]*\)\(.*\)/\1 \2 \3/' |
        while read -r length at rest; do
            echo "$length $(grep "^0*$at " names | cut -d ' ' -f 2) $rest" | tr -s ' '
        done
}
plain() {
    ${cross}gcc -nostdlib -static -no-pie -Wl,-e,work "$@" -o area.elf ||
        complain "area.elf cannot be linked"
}
cat >want <<'E'
160 by_word :4:1 # table
160 by_line :32:2 # table
7 by_byte :1:4 # odd
10 part :1:2 # table+0x6
E
for cc in $compilers; do
    flags="-I$root -O2 -Wall -Wextra -Werror -fno-pic"
    [ $cc = clang ] && flags="--target=powerpc-linux-gnu $flags"
    $cc $flags -c area.c -o without.o && $cc $flags -DMARKED -c area.c -o with.o ||
        complain "$cc: area.c"
    for o in without with; do
        ${cross}objcopy -O binary -j .text $o.o $o.text
    done
    [ -s with.text ] && cmp without.text with.text ||
        complain "$cc: an area changes text"
    plain with.o
    named area.elf >list
    cmp list want || complain "$cc: $(cat list)"
    ${cross}nm area.elf | grep -q '[02468ace]0 b by_line$' ||
        complain "$cc: by_line is not static, or not a line's: $(${cross}nm area.elf)"
done
${cross}gcc -I"$root" -c area.S -o area.o || complain "area.S"
plain area.o
named area.elf >list
cmp list want || complain "assembly: $(cat list)"
"$BUILD/simmark" remove area.elf data:table -o less.elf >out ||
    complain "remove: $(cat out)"
named less.elf >list
grep odd want | cmp list - || complain "remove: $(cat list)"
"$BUILD/simmark" opcodes area.elf func:work -o more.elf >out 2>&1
[ $? -eq 125 ] && grep -q 'a count area is of data' out ||
    complain "opcodes: $(cat out)"

# The guest's own linker script keeps the section, outside of its segments.
${cross}gcc -nostdlib -static -no-pie -T "$root/guest/guest.ld" -Wl,-e,work \
    -Wl,--build-id=none -Wl,--fatal-warnings s.o -o g.elf ||
    complain "guest.ld refuses it"
"$BUILD/simmark" list g.elf | sed 's/.*=//' | sort >g.list
sed 's/.*=//' s.list | sort | sed 's/  # .*//' >want
sed 's/  # .*//' g.list | cmp - want || complain "guest.ld: $(cat g.list)"
${cross}readelf -SW g.elf | grep perfinst | grep -q ' A ' &&
    complain "guest.ld loads the section"
"$BUILD/simmark" add g.elf func:work=pmu -o h.elf >out &&
    "$BUILD/simmark" verify h.elf g.elf >out || complain "g.elf: $(cat out)"

# ---- figure 16 ------------------------------------------------------------------
cat >fig.c <<'E'
#include "include/perfinst.h"
__asm__(".text\n.globl work\n.type work, @function\n"
        "work: .rept 140\nnop\n.endr\nblr\n.size work, . - work\n");
PERFINST_TABLE(work,
    PERFINST_ENTRY(0, 120, PERFINST_COUNT, 0)
    PERFINST_ENTRY(120, 4, PERFINST_EXCEPTION, 0)
    PERFINST_ENTRY(160, 4, PERFINST_THRESHOLD_100, 0)
    PERFINST_ENTRY(256, 4, PERFINST_TSTART, 0)
    PERFINST_ENTRY(512, 4, PERFINST_TSTOP, 0));
E
${cross}gcc -I"$root" -fno-pic -c fig.c -o fig.o && link fig.elf fig.o
"$BUILD/simmark" list fig.elf >list
cat >want <<'E'
range:0x10000..0x10078=count  # work
addr:0x10078=interrupt  # work+0x78
addr:0x100a0=threshold:100  # work+0xa0
addr:0x10100=trace-start  # work+0x100
addr:0x10200=trace-stop  # work+0x200
E
cmp list want || complain "figure 16: $(cat list)"

# ---- linking and stripping ------------------------------------------------------
cat >main.c <<'E'
#include "include/perfinst.h"
#include <stdio.h>
__attribute__((noinline, used)) static void hello(void) { puts("hello"); }
int main(void)
{
    hello();
    return 3;
}
PERFINST_COUNT_FUNCTION(hello);
E
${cross}gcc -I"$root" -O2 -static -no-pie -ffunction-sections \
    -Wl,--gc-sections -o main.elf main.c || complain "main.c"
"$BUILD/simmark" list main.elf | grep -q '=count  # hello' ||
    complain "--gc-sections: $("$BUILD/simmark" list main.elf)"
"$BUILD/simrun" --cpus=1 --pmu-trace=main.exp --user main.elf >out || [ $? -eq 3 ] ||
    complain "main.elf: $(cat out)"
hello=$(${cross}nm -S main.elf | awk '$4 == "hello" { print $1, $2 }')
set -- $hello
grep -q "^mark 0x$(printf %x 0x$1) $((0x$2)) 0x80000000 0 code .perfinst" \
    main.exp/log || complain "the log: $(grep mark main.exp/log)"
# Its size is looked up: after strip only if it was written down before.
${cross}strip -o naked.elf main.elf
"$BUILD/simmark" list naked.elf >out 2>err
[ $? -eq 125 ] || complain "a stripped program has sizes: $(cat out)"
grep -q 'group 1, entry 1: length 0 .*simmark fix' err || complain "$(cat err)"
"$BUILD/simmark" fix main.elf -o fixed.elf >out || complain "fix: $?"
${cross}strip fixed.elf
"$BUILD/simmark" list fixed.elf |
    grep -q "^range:0x$(printf %x 0x$1)\.\..*=count" || complain "fix is lost"
exit $bad
