#!/bin/sh
# names_test.sh - simprof's functions, lines and instructions on a program made
# for it: two static functions of one name, aliases, an inlined function, an
# assembler function without lines, a tail call. addr2line and objdump judge.
# timeout: 120
set -u
root=$PWD
cd "$TMPDIR" || exit 1
simrun=$BUILD/simrun simprof=$BUILD/simprof
cross=${CROSS:-powerpc-linux-gnu-}
command -v "${cross}gcc" >/dev/null || { echo "no ${cross}gcc"; exit 77; }
[ -f "$simrun" ] || { echo "$simrun is not built"; exit 77; }
bad=0
complain() {
    echo "$1"
    bad=1
}

mkdir -p src
cat >src/one.c <<'C'
extern unsigned two(unsigned n); extern unsigned three(unsigned n);
__attribute__((weak, noipa)) unsigned twice(unsigned n) { return n; }
extern unsigned bare(unsigned n);
static __attribute__((noipa)) unsigned same(unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum = sum * 3 + i;
    return sum;
}
static inline __attribute__((always_inline)) unsigned spread(unsigned n)
{
    unsigned sum = 1;
    for (unsigned i = 0; i < n; i++)
        sum ^= sum << 1 | i;
    return sum;
}
__attribute__((noinline)) unsigned last(unsigned n)
{
    return spread(n) + 1;
}
unsigned a_first(unsigned n) __attribute__((alias("last")));
unsigned zz_top(unsigned n) __attribute__((alias("last")));
static __attribute__((noinline)) unsigned cloned(unsigned n, unsigned by)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum = sum * by ^ i;
    return sum;
}
__attribute__((noinline)) unsigned jumps(unsigned n)
{
    return last(n + 1); /* a tail call */
}
unsigned idle(unsigned n)
{
    return n + 1;
}
int main(void)
{
    volatile unsigned sum = 0;
    unsigned n = 40;
    for (unsigned i = 0; i < 400; i++)
        sum += same(200) + two(300) + bare(100) + jumps(50) + three(150) + cloned(n, 5) +
               cloned(n + 1, 5);
    return 0;
}
C
cat >src/two.c <<'C'
static __attribute__((noipa)) unsigned same(unsigned n)
{
    unsigned sum = 7;
    for (unsigned i = 0; i < n; i++)
        sum = (sum >> 1) + i;
    return sum;
}
__attribute__((noipa)) unsigned twice(unsigned n)
{
    for (unsigned i = 0; i < 100; i++)
        n ^= n << 1;
    return n;
}
unsigned two(unsigned n)
{
    return same(n) + twice(n);
}
#include "head.h"
unsigned three(unsigned n)
{
    return heavy(n) +
           1;
}
C
cat >src/head.h <<'C'
static inline __attribute__((always_inline)) unsigned heavy(unsigned n)
{
    unsigned sum = 1;
    for (unsigned i = 0; i < n; i++)
        sum ^= sum << 3 | i;
    return sum;
}
C
cat >src/bare.S <<'S'
        .globl  bare
        .type   bare, @function
bare:   mtctr   3
1:      addi    3, 3, 1
        bdnz    1b
        blr
        .size   bare, . - bare
        .section .note.GNU-stack, "", @progbits
S
flags="-mcpu=604 -O2 -fno-pic -static -I$root"
"${cross}gcc" $flags -g -c src/one.c -o one.o &&
    "${cross}gcc" $flags -g -c src/two.c -o two.o &&
    "${cross}gcc" $flags -c src/bare.S -o bare.o &&
    "${cross}gcc" $flags -Wl,--build-id=sha1 -o prog one.o two.o bare.o ||
    { echo "the program cannot be built"; exit 77; }
timeout 60 "$simrun" --user -e cycles:997 -e insn_completed:1009 \
    --pmu-trace=it.exp prog >console 2>&1 </dev/null ||
    { complain "simrun ended with $?: $(cat console)"; exit 1; }

prof() { # report, options...
    report=$1
    shift
    "$simprof" "$report" "$@" it.exp >"$report.out" 2>"$report.err" ||
        complain "$report $*: ended with $?: $(cat "$report.err")"
}
sum() { # column of the rows of a CSV file that is not its total
    awk -F, -v c="$2" 'NR > 2 { s += $c } END { printf "%.0f\n", s }' "$1"
}
total() {
    awk -F, -v c="$2" 'NR == 2 { print $c }' "$1"
}

# All rows of all views add up, and to the same.
prof functions --csv --metrics=e+exact:e+cycles:e+insn_completed
want=$(sed -n 2p functions.out)
for report in functions objects lines pcs; do
    prof $report --csv --metrics=e+exact:e+cycles:e+insn_completed
    [ "$(sed -n 2p $report.out)" = "$want" ] ||
        complain "$report: total $(sed -n 2p $report.out), not $want"
    for column in 1 2 3; do
        [ "$(sum $report.out $column)" = "$(total $report.out $column)" ] ||
            complain "$report: column $column does not add up"
    done
done
[ "$(total functions.out 2)" -gt 100000 ] || complain "hardly any samples"

# Names: the last in the alphabet, files where names are the same, no inlined
# function, inlining charged to where it stands.
for name in 'same (one.c)' 'same (two.c)' zz_top main bare; do
    grep -q ",$name\$" functions.out || complain "no row for $name"
done
grep -q ",cloned.constprop.0\$" functions.out ||
    complain "the clone of a function has no row"
for name in last a_first spread; do
    grep -q ",$name\$" functions.out && complain "there is a row for $name"
done
prof lines --csv --metrics=e+exact
grep -q 'one\.c:14, zz_top' lines.out ||
    complain "the inlined loop is not zz_top's: $(cat lines.out)"
grep -q 'bare -- <instructions without line numbers>' lines.out ||
    complain "no line for instructions without one"

# ANA-76: of two definitions the linker took the strong one.
[ "$(grep -c ',twice' functions.out)" = 1 ] || complain "not one row for twice"
prof fsingle --csv --metrics=e+exact twice
grep -q ',twice,src/two.c:' fsingle.out || complain "twice: $(cat fsingle.out)"

# Instructions of a function add up to it; the text is objdump's.
prof functions --csv --metrics=e+exact:e+cycles:e+insn_completed
for name in 'same (one.c)' 'same (two.c)' zz_top bare main; do
    prof disasm --csv --metrics=e+exact:e+cycles:e+insn_completed \
        --function="$name"
    [ "$(sed -n 2p disasm.out | cut -d, -f1-3)" = \
        "$(grep ",$name\$" functions.out | cut -d, -f1-3)" ] ||
        complain "disasm $name: $(sed -n 2p disasm.out) is not as functions"
    for column in 1 2 3; do
        [ "$(sum disasm.out $column)" = "$(total disasm.out $column)" ] ||
            complain "disasm $name: column $column does not add up"
    done
done
prof disasm --csv --metrics=e+exact bare
cut -d, -f4- disasm.out | sed 's/"//g; s/,.*//' | sed 1,2d >addresses
"${cross}objdump" -d --no-show-raw-insn prog | sed -n '/<bare>:$/,/^$/p' |
    grep -v nop | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >wanted
cmp -s addresses wanted ||
    complain "disasm bare: addresses $(tr '\n' ' ' <addresses)"
grep -q 'bdnz' disasm.out || complain "disasm bare: no bdnz"

# Lines as addr2line has them, for every instruction of two functions.
for name in 'same (two.c)' main; do
    prof disasm --csv --metrics=e+exact --function="$name"
    sed 1,2d disasm.out | awk -F, '{ print $4, $3 }' >ours
    cut -d' ' -f1 ours | "${cross}addr2line" -e prog |
        sed 's/ (discriminator.*//; s/.*://; s/^0$//; s/^?$//' |
        paste -d' ' - /dev/null | sed 's/ $//' >lines
    cut -d' ' -f1 ours | paste -d' ' - lines | cmp -s - ours ||
        complain "lines of $name differ from addr2line's:
$(cut -d' ' -f1 ours | paste -d' ' - lines | diff - ours | head -n 6)"
done

# The source, found where asked for; the hot line is marked.
prof source --csv --metrics=e+exact:e+cycles --source-path=src \
    --function='same (two.c)'
grep -q '##,5,.*sum = (sum >> 1) + i;' source.out ||
    complain "source: line 5 is not hot: $(cat source.out)"
for column in 1 2; do
    [ "$(sum source.out $column)" = "$(total source.out $column)" ] ||
        complain "source: column $column does not add up"
done
(cd / && "$simprof" source --function='same (two.c)' "$TMPDIR/it.exp") \
    >nosource 2>&1
grep -q 'one.c\|two.c' nosource || complain "source without its file: $(cat nosource)"

# An alias finds the function; its summary has all its names (ANA-75).
for name in zz_top last a_first; do
    prof fsingle --csv --metrics=e+exact $name
    [ "$(sed -n 2p fsingle.out | cut -d, -f2)" = zz_top ] &&
        grep -q ',"last, a_first"$' fsingle.out ||
        complain "fsingle $name: $(cat fsingle.out)"
    prof disasm --csv --metrics=e+exact $name
    grep -q ',zz_top$' disasm.out || complain "disasm $name is not of zz_top"
done
prof fsingle last
grep -qx 'other names  last, a_first' fsingle.out ||
    complain "fsingle: $(cat fsingle.out)"
prof functions --csv --metrics=e+exact --limit=0
prof fsummary --csv --metrics=e+exact --limit=0
cut -d, -f1,2 fsummary.out | grep -v '^0,' | sort >ours
sed 2d functions.out | sort | cmp -s - ours ||
    complain "fsummary has other values than functions"

# Filters know all names, too: aliases, both functions of a name, the load
# object without its build-id; parts add up, and in a stack as inclusive values.
filtered() { # FILTER COLUMN: of <Total>
    prof functions --csv --metrics=e+exact:i+cycles --filters="$1"
    total functions.out "$2"
}
prof functions --csv --metrics=e+exact:i+cycles --limit=0
value() { # NAME COLUMN
    grep ",$1\$" functions.out | cut -d, -f"$2"
}
top=$(value zz_top 2) one=$(value 'same (one.c)' 2) two=$(value 'same (two.c)' 2)
all=$(total functions.out 2)
for name in zz_top last a_first; do
    [ "$(filtered "function == \"$name\"" 2)" = "$top" ] &&
        [ "$(filtered "\"$name\" != function" 2)" = $((all - top)) ] &&
        [ "$(filtered "\"$name\" in stack" 2)" = "$top" ] ||
        complain "filter by $name: not $top"
done
[ "$(filtered 'function == "same (two.c)"' 2)" = "$two" ] &&
    [ "$(filtered '"same" in stack' 2)" = $((one + two)) ] &&
    [ "$(filtered 'function == "same"' 2)" = $((one + two)) ] ||
    complain "filter by same: not $one + $two"
[ "$(filtered 'object == "prog"' 2)" -gt $((all * 9 / 10)) ] ||
    complain "filter by object"
"$simprof" functions --filters='object == "pro"' it.exp >out 2>err
[ $? -eq 2 ] && [ ! -s out ] &&
    head -n 1 err | grep -qx 'simprof: --filters: no such load object: pro; did you mean prog.*?' ||
    complain "a load object that is none: $(cat out err)"

# Code that no load object has is none of theirs, in objects as in filters.
unknown=$(filtered 'object == "<Unknown>" && kind == "sample"' 2)
prof objects --csv --metrics=e+cycles
[ "$(grep -c ",<Unknown>\$" objects.out)" = "$((unknown > 0))" ] &&
    [ "$(grep ',prog$' objects.out | cut -d, -f1)" = $((all - unknown)) ] ||
    complain "objects: not $unknown unknown: $(cat objects.out)"

# A function that does not exist: wrong usage, and what may have been meant. One
# that never ran is shown all the same.
for report in disasm source csingle cpi; do
    "$simprof" $report mian it.exp >"$report.out" 2>"$report.err"
    [ $? -eq 2 ] || complain "$report mian: status $?"
    [ -s "$report.out" ] && complain "$report mian: prints a report"
    grep -qx 'simprof: mian: no such function; did you mean main.*' "$report.err" ||
        complain "$report mian: $(cat "$report.err")"
done
"$simprof" disasm same it.exp 2>&1 |
    grep -q 'did you mean same (one.c)[ or,]* same (two.c)' ||
    complain "disasm same: does not name the two"
# One of the two, by its file, on every command line that takes a function.
for file in one.c two.c; do
    "$BUILD/simmark" add prog "func:same ($file)" -o "marked.$file" >out 2>&1 &&
        "$BUILD/simmark" list "marked.$file" | grep -q "  # same ($file)\$" ||
        complain "simmark: same ($file): $(cat out)"
    rm -rf probe.exp
    "$simrun" -q --user --probe="same ($file)" --mark="func:same ($file)" \
        --pmu-trace=probe.exp ./prog >out 2>&1 || complain "simrun: $(cat out)"
    for report in active marks; do
        "$simprof" $report --csv probe.exp >out 2>err
        grep -q "same ($file)" out ||
            complain "$report has no same ($file): $(cat out err)"
    done
    "$simprof" active --function="same ($file)" probe.exp >out 2>err ||
        complain "active --function: $(cat err)"
done
"$simrun" -q --user --mark=func:same ./prog >out 2>&1
[ $? -eq 125 ] && grep -q 'several called same,.*, or same (...\.c)' out ||
    complain "simrun --mark=func:same: $(cat out)"
prof disasm --csv --metrics=e+exact idle
grep -q 'blr' disasm.out || complain "disasm of what never ran is empty"

# ANA-81: what was inlined from another file stands, in the source, at its call;
# in the disassembly by its own file; the function itself where it was written.
prof source --csv --metrics=e+exact --source-path=src --function=three
three=$(prof fsingle --csv --metrics=e+exact three; sed -n 2p fsingle.out)
awk -F, -v all="${three%%,*}" '/return heavy\(n\)/ { n = $1 }
    END { exit !(n > all * 0.9 && all > 100000) }' source.out ||
    complain "source: heavy is not at its call: $(cat source.out) of $three"
[ "$(sum source.out 1)" = "$(total source.out 1)" ] ||
    complain "source: with what was inlined it does not add up"
line=$(grep -n 'unsigned three' src/two.c | cut -d: -f1)
case $three in
*,three,src/two.c:$line,*) ;;
*) complain "three was written in line $line: $three" ;;
esac
"$simprof" disasm three it.exp >disasm.out
grep -q ' head\.h:[45] ' disasm.out || complain "disasm: $(cat disasm.out)"
grep -q ' two\.c:' disasm.out && complain "disasm names its own file"

# ANA-78: the same program, its local symbols stripped.
"${cross}strip" --strip-symbol=same --strip-debug -o bald prog
timeout 60 "$simrun" --user -e cycles:997 --pmu-trace=bald.exp bald \
    >console 2>&1 </dev/null || complain "stripped: $(cat console)"
"$simprof" functions --csv --limit=0 --metrics=e+exact bald.exp >bald.out
grep -q ',<static>@0x[0-9a-f]*$' bald.out ||
    complain "no name for stripped functions: $(head -5 bald.out)"
grep -q ',same' bald.out && complain "a stripped name is there"
grep -q ',zz_top$' bald.out || complain "stripping took other names"

# G-N2: what main jumped to by way of jumps has jumps' caller as its caller.
prof csingle --csv --metrics=a+cycles zz_top
grep -q ',zz_top,caller,main$' csingle.out ||
    complain "a tail call hides its caller: $(cat csingle.out)"
grep -q ',caller,jumps$' csingle.out &&
    complain "jumps is not on the stack any more, yet it calls"
exit $bad
