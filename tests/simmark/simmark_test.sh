#!/bin/sh
# simmark_test.sh - simmark adds, lists, removes and verifies marks in the
# guest, in a program for --user and in a stripped one: what is loaded stays
# the same to the byte, so does what the program does, removing gives the old
# file back, and whatever cannot be done is one line with the documented
# status.
# timeout: 300
set -u
mark=$BUILD/simmark
cross=powerpc-linux-gnu-
root=$PWD
cd "$TMPDIR" || exit 1
bad=0
complain() {
    echo "$1"
    bad=1
}
# status, what the line says, then simmark's arguments
refuses() {
    want=$1 text=$2
    shift 2
    "$mark" "$@" >out 2>err
    got=$?
    [ $got -eq "$want" ] || complain "simmark $*: status $got, not $want"
    grep -q -e "$text" err || complain "simmark $*: $(cat err)"
    head -n 1 err | grep -q 'simmark: ' ||
        complain "simmark $*: no line of its own: $(head -n 1 err)"
}
# All that readelf knows of segments and of the header, but for the table of
# sections.
loaded() {
    ${cross}readelf -hlW "$1" | sed -n '/^ELF Header/,/Section to Segment/p' |
        grep -vE 'section header|Section to Segment'
}

cat >user.c <<'E'
#include <stdio.h>
int table[8], small;
__attribute__((noinline)) static int leaf(int x)
{
    small++;
    return table[x & 7] + x;
}
int main(int argc, char **argv)
{
    int sum = argc;

    (void)argv;
    for (int i = 0; i < 100; i++)
        sum += leaf(i);
    printf("%d %d\n", sum, small);
    return 7;
}
E
${cross}gcc -g -O1 -static -no-pie -o user.elf user.c || exit 1
${cross}strip -o stripped.elf user.elf
cp "$BUILD/guest.elf" guest.elf
symbol() { ${cross}nm -S "$1" | awk -v n="$2" '$4 == n { print $1, $2 }'; }
set -- $(symbol user.elf leaf)
leaf=$(printf %x 0x$1) size=$((0x$2))
end=$(printf %x $((0x$leaf + size)))
set -- $(symbol user.elf table)
table=$(printf %x 0x$1)

# ---- there and back ----------------------------------------------------------
round() { # file, then specs
    file=$1
    shift
    "$mark" add "$file" "$@" -o marked.elf >said || complain "$file: add: $?"
    "$mark" verify marked.elf "$file" >sums ||
        complain "$file: not the same: $(cat sums)"
    [ "$(grep -c segment sums)" -ge 4 ] || complain "$file: $(cat sums)"
    loaded "$file" >a
    loaded marked.elf >b
    [ -s a ] && cmp a b || complain "$file: readelf sees other segments"
    for section in .text .rodata .data; do
        ${cross}objcopy -O binary -j $section "$file" a 2>/dev/null
        ${cross}objcopy -O binary -j $section marked.elf b 2>/dev/null
        cmp a b || complain "$file: $section differs"
    done
    # In place, with the same marks again: no growth.
    cp marked.elf again.elf
    "$mark" add -i again.elf "$@" >out || complain "$file: add -i: $?"
    cmp marked.elf again.elf || complain "$file: marking again changes it"
    "$mark" remove -i marked.elf >out || complain "$file: remove: $?"
    cmp "$file" marked.elf || complain "$file: removing leaves something"
}
round guest.elf 'func:txn_*=limit:13,pmu' calls:sched data:cpus=count,loads-only
round user.elf func:main loads:leaf=threshold:100 data:table+8,4 returns:leaf
round user.elf data:table=area:small:32:1 data:small=area:0x$table:1 func:leaf
round stripped.elf range:0x$leaf..0x$end addr:0x$leaf=interrupt

# ---- what is listed ------------------------------------------------------------
"$mark" add user.elf func:leaf=limit:13 addr:main=trace-start data:table \
    returns:leaf=stop range:leaf..leaf+8=range -o listed.elf >said
grep -q "$((size / 4 + 1)) instructions, 8 words of data and 1 ranges" said ||
    complain "add said: $(cat said)"
"$mark" list listed.elf >list
for line in "=trace-start  # main" "data:0x$table,32=count  # table" \
    "=limit:13  # leaf" "=limit:13,stop  # leaf+" "=range  # leaf"; do
    grep -q -e "$line" list || complain "the list has no \"$line\": $(cat list)"
done
# The list is a list of marks: applied to the original it gives the same file.
"$mark" add user.elf file:list -o again.elf >out
cmp listed.elf again.elf || complain "a list does not give the same marks"
# Count areas, in a list, in CSV, and taken out by their data.
"$mark" add user.elf data:table=area:small:16:1 data:small=area:table+12:2:2 \
    data:table+8,4 -o areas.elf >said
grep -q ': 0 instructions, 1 words of data and 0 ranges are marked$' said &&
    grep -q ': and 2 count areas$' said || complain "add said: $(cat said)"
"$mark" list areas.elf >list
small=$(printf %x 0x"$(symbol user.elf small | cut -d ' ' -f 1)")
for line in "data:0x$table,32=area:0x$small:16:1  # table" \
    "data:0x$small,4=area:0x$(printf %x $((0x$table + 12))):2:2  # small"; do
    grep -qx -e "$line" list || complain "the list has no \"$line\": $(cat list)"
done
"$mark" add user.elf file:list -o again.elf >out
cmp areas.elf again.elf || complain "a list does not give the same areas"
"$mark" list --csv areas.elf | grep -q "^0x0*$table,32,data,0x00000000,0,\"area:0x$small:16:1\",table$" ||
    complain "CSV: $("$mark" list --csv areas.elf)"
"$mark" verify areas.elf user.elf | grep -q ': and 2 count areas$' ||
    complain "verify does not know areas"
"$mark" remove -i areas.elf data:table >said
"$mark" list areas.elf >list
[ "$(wc -l <list)" -eq 1 ] && grep -q '# small$' list ||
    complain "remove: $(cat list)"
"$mark" remove -i areas.elf >said && cmp areas.elf user.elf ||
    complain "removing leaves something of a count area"
"$mark" add user.elf func:leaf=limit:13 --text >text
[ "$(cat text)" = "range:0x$leaf..0x$end=limit:13  # leaf" ] ||
    complain "--text: $(cat text)"
"$mark" list --csv listed.elf | awk -F'"' 'NR == 1 { n = split($0, h, ",") }
    NR > 1 { if (split($1, a, ",") + split($3, b, ",") != n + 1) bad = 1 }
    END { exit bad || n != 7 || NR < 5 }' || complain "the CSV has torn rows"

# What is no file is not made one; a link leads to the file that is written.
mkfifo pipe
"$mark" add user.elf func:leaf -o pipe >said 2>&1
[ $? -eq 125 ] && [ -p pipe ] && grep -q 'pipe: is not a regular file' said ||
    complain "a pipe: $(cat said)"
"$mark" add user.elf func:leaf -o . >said 2>&1
[ $? -eq 125 ] || complain "a directory: $(cat said)"
cp user.elf behind.elf && ln -s behind.elf link.elf
"$mark" add link.elf func:leaf --in-place >said
[ -L link.elf ] && "$mark" list behind.elf | grep -q leaf ||
    complain "a link: $(cat said)"

# A file that does not fit is not left half done.
(ulimit -f 1 && exec "$mark" add user.elf func:leaf -o large.elf) >said 2>&1
[ $? -eq 125 ] && grep -q 'large.elf: cannot be written: File too large' said ||
    complain "a file that is too large: $(cat said)"
for file in large.elf*; do
    [ ! -e "$file" ] || complain "$file is left"
done

# Roles and callers are objdump's.
${cross}objdump -d guest.elf | awk '$1 ~ /^[0-9a-f]+:$/ { sub(":", "", $1)
    print $1, $6, $NF }' >code
count() { # from, to, a pattern for "mnemonic operand": how many there are
    awk -v r="$1 $2" -v p="$3" 'function hex(s,    n, i) {
            for (i = 1; i <= length(s); i++)
                n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
            return n }
        BEGIN { split(r, at, " "); low = hex(at[1]); high = low + hex(at[2]) }
        hex($1) >= low && hex($1) < high && ($2 " " $3) ~ p { n++ }
        END { print n + 0 }' code
}
for try in 'callers:sched bl <sched>$' 'calls:txn_worker ^(bl|b.*lrl|bctrl) ' \
    'returns:txn_worker ^b[a-z]*lr[-+]? ' 'loads:txn_worker ^l([bhw]|mw|s)[^r]' \
    'stores:txn_worker ^st' 'branches:txn_worker ^b'; do
    spec=${try%% *} pattern=${try#* }
    case $spec in
    callers:*) pattern='^bl <sched>$' place='0 ffffffff' ;;
    *) place=$(symbol guest.elf ${spec#*:}) ;;
    esac
    want=$(count $place "$pattern")
    "$mark" add guest.elf "$spec" -o marked.elf >said || complain "$spec: $?"
    [ "$want" -gt 0 ] && grep -q ": $want instructions" said ||
        complain "$spec: $(cat said), objdump has $want"
done

# Every way to call and to come back, of the system too. What only asks for its
# own address calls nobody.
cat >roles.S <<'E'
        .globl _start
        .type _start, @function
_start: bl g
        blrl
        bctrl
        bctr
        blr
        sc
        rfi
        beqlr
        lwz 3, 0(4)
        stwu 3, 4(4)
g:      b g
        bcl 20, 31, .+4
        .size _start, . - _start
E
${cross}gcc -nostdlib -static -no-pie -o roles.elf roles.S || exit 1
for try in 'calls 0x0 0x4 0x8' 'returns 0x10 0x18 0x1c' 'syscalls 0x14' \
    'branches 0x0 0x4 0x8 0xc 0x10 0x1c 0x28 0x2c' 'loads 0x20' 'stores 0x24'; do
    "$mark" add roles.elf "${try%% *}:_start" --text >said
    said=$(sed 's/.*# _start$/0x0/; s/.*# _start+//' said | tr '\n' ' ')
    [ "${try%% *} ${said% }" = "$try" ] || complain "not $try, but $said"
done

# Some marks are taken away, the others stay.
"$mark" remove listed.elf func:leaf data:table+4,4 -o fewer.elf >out
"$mark" list fewer.elf >list
grep -q leaf list && complain "leaf is still marked: $(cat list)"
[ "$(grep -c 'data:' list)" -eq 2 ] || complain "data: $(cat list)"
grep -q '# main' list || complain "main is not marked any more"

# ---- the program runs as it did ------------------------------------------------
for file in user listed; do # under one name, which a program can see
    cp $file.elf it.elf
    "$BUILD/simrun" --cpus=1 --user it.elf >$file.out
    [ $? -eq 7 ] || complain "$file ends otherwise"
    "$BUILD/simrun" --cpus=1 --pmu-trace=$file.exp --user it.elf >/dev/null
done
cmp user.out listed.out || complain "the marked program says: $(cat listed.out)"
for file in oracle.rec irq.rec; do
    cmp user.exp/$file listed.exp/$file || complain "marked: $file differs"
done
[ "$(grep ^insns user.exp/log)" = "$(grep ^insns listed.exp/log)" ] ||
    complain "$(grep ^insns listed.exp/log) when marked"
# What it brings along is in the log as marks; --ignore-marks leaves it out.
grep -q '^mark 0x[0-9a-f]* 4 0x02000000 0 code .perfinst$' listed.exp/log ||
    complain "the log has no mark of main"
grep -q '^range 0 .* code .perfinst$' listed.exp/log ||
    complain "the log has no range"
"$BUILD/simrun" --cpus=1 --ignore-marks --pmu-trace=not.exp --user listed.elf \
    >out 2>err
[ -f not.exp/log ] || complain "$(cat err)"
grep -qE '^(mark|range) ' not.exp/log && complain "--ignore-marks ignores none"

# ---- lines -----------------------------------------------------------------------
line=$(grep -n 'sum += leaf' user.c | cut -d: -f1)
"$mark" add user.elf line:user.c:$line --text >text
[ -s text ] || complain "line user.c:$line is not found"
for at in $(sed -n 's/^[a-z]*:\(0x[0-9a-f]*\).*/\1/p' text); do
    ${cross}addr2line -e user.elf $at | grep -q "user.c:$line" ||
        complain "addr2line has $at in another line"
done
refuses 125 'no instruction of this line' add user.elf line:user.c:1000 --text

# ---- a loaded section, no section table, strip ------------------------------------
cat >loaded.S <<'E'
#define PERFINST_LOADED
#include "include/perfinst.h"
    .globl _start
    .type _start, @function
_start: perfinst_here PERFINST_COUNT
    li 3, 0
    blr
    .size _start, . - _start
E
${cross}gcc -I"$root" -nostdlib -static -Wl,-Ttext=0x10000 -o loaded.elf \
    loaded.S || complain "loaded.S does not assemble"
"$mark" add loaded.elf func:_start=pmu -o both.elf >said || complain "both: $?"
grep -q 'and 1 entries in a .perfinst that is loaded' said ||
    complain "$(cat said)"
[ "$("$mark" list both.elf | wc -l)" -eq 2 ] ||
    complain "$("$mark" list both.elf)"
"$mark" verify both.elf loaded.elf >out || complain "a loaded section changed"
"$mark" remove -i both.elf >out
cmp both.elf loaded.elf || complain "the loaded section is not as it was"
cp stripped.elf bare.elf # without a section table
for field in 32:4 48:4; do
    dd if=/dev/zero of=bare.elf bs=1 seek=${field%:*} count=${field#*:} \
        conv=notrunc 2>/dev/null
done
"$mark" add bare.elf addr:0x$leaf -o marked.elf >out ||
    complain "a file without section table: $?"
"$mark" verify marked.elf bare.elf >out || complain "bare: not the same"
"$mark" list marked.elf | grep -q "^addr:0x$leaf=count" ||
    complain "bare: $("$mark" list marked.elf)"
${cross}readelf -SW marked.elf | grep -q perfinst ||
    complain "readelf sees no section"
${cross}strip -o kept.elf listed.elf
"$mark" list kept.elf | grep -q =limit:13 || complain "strip takes marks along"

# ---- from a profile ---------------------------------------------------------------
"$BUILD/simrun" --cpus=1 --append 'work=txn n=10' -e cycles:2000 \
    --pmu-trace=run.exp guest.elf >out 2>&1 || complain "$(cat out)"
"$mark" add guest.elf --profile=run.exp --above=10 --text >hot ||
    complain "hot: $?"
# Held against simprof: exactly those with more than a tenth of what ran.
"$BUILD/simprof" functions --csv --limit=0 --metrics=e+exact:name run.exp \
    >functions.csv || complain "simprof: $?"
tr -d '"' <functions.csv | awk -F, 'NR > 1 && $2 !~ /^</ { n[$2] = $1 }
    NR > 1 && $2 !~ /^<(Total|napping|parked)/ { all += $1 }
    END { for (f in n) if (n[f] * 10 > all) print f }' | sort >want
sed 's/.*# //' hot | sort | cmp - want ||
    complain "hot: $(sed 's/.*# //' hot), simprof: $(cat want; head -4 functions.csv)"
[ -s want ] || complain "no function has a tenth"
"$mark" add guest.elf --profile=run.exp --above=1 --event=cycles --text >warm
[ "$(wc -l <warm)" -gt "$(wc -l <hot)" ] || complain "warm: $(cat warm)"
"$mark" add guest.elf --profile=run.exp --above=1 --hot=instructions \
    -a limit:13 --text >spots
grep -q '^addr:.*=limit:13  # ' spots || complain "spots: $(cat spots)"
grep -qv '^addr:' spots && complain "not an instruction: $(cat spots)"
refuses 125 'ask for less' add guest.elf --profile=run.exp --filters='cycle<0' \
    --text
refuses 125 'ask for less' add guest.elf --profile=run.exp --above=99 --text
refuses 125 'another program' add user.elf --profile=run.exp --text
refuses 125 'no samples of it' add guest.elf --profile=run.exp --event=none \
    --text
refuses 125 '--filters' add guest.elf --profile=run.exp --filters='cpu==' --text
refuses 125 'none.exp' add guest.elf --profile=none.exp --text

# ---- what cannot be done -------------------------------------------------------
refuses 2 'no such command' mark guest.elf func:sched
refuses 2 'usage' add
refuses 2 'where to' add guest.elf func:sched
refuses 2 'what is to be marked' add guest.elf -o x.elf
refuses 2 'only list' add guest.elf func:sched --csv -o x.elf
refuses 2 'nothing is written' list guest.elf -i
refuses 2 'no such action' add guest.elf func:sched -a cuont -o x.elf
refuses 2 'of which --profile' add guest.elf func:sched --above=3 -o x.elf
refuses 125 'no symbol of this name' add guest.elf func:nope -o x.elf
[ "$(sed -n 3p err)" = "       ^" ] || complain "points elsewhere: $(cat err)"
refuses 125 'needs 8 bytes, small has 4' add user.elf data:table=area:small:16 -o x.elf
[ "$(sed -n 3p err)" = "       ^" ] || complain "points elsewhere: $(cat err)"
refuses 125 'overlaps the data' add user.elf data:table=area:table:32:1 -o x.elf
refuses 125 'two count areas overlap' add user.elf data:small=area:table:4 \
    data:small=area:table+2:1:2 -o x.elf
refuses 125 'is not memory that the program may write' \
    add user.elf data:table=area:leaf:32:1 -o x.elf
refuses 2 'a granularity is' add user.elf data:table=area:small:12 -o x.elf
refuses 2 'a count area is of data' add user.elf func:leaf=area:small -o x.elf
refuses 125 'it has none at all' add stripped.elf func:main -o x.elf
refuses 125 'cannot be opened' list none.elf
refuses 125 'is not an ELF file' list user.c
refuses 125 'not 32-bit big-endian' list "$mark"
refuses 125 'cannot be written' add guest.elf func:sched -o none/x.elf
${cross}gcc -c -o object.o user.c
refuses 125 'link it first' list object.o
# 52 bytes: the only program header stands in the ELF header, 20 bytes in it.
printf '\177ELF\1\2\1\0\0\0\0\0\0\0\0\0\0\2\0\24\0\0\0\1\0\0\0\0' >inside.elf
printf '\0\0\0\24\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\50\0\0\0\0' >>inside.elf
refuses 125 'overlap the ELF header' add inside.elf data:0x20,4 -o x.elf
# The last byte of the names of sections ends the last of them.
set -- $(${cross}readelf -SW user.elf | sed 's/.*\] //' |
    awk '$1 == ".shstrtab" { print $4, $5 }')
cp user.elf endless.elf
printf 'X' | dd of=endless.elf bs=1 seek=$((0x$1 + 0x$2 - 1)) conv=notrunc \
    2>/dev/null
refuses 125 'names of its sections have no end' add endless.elf addr:0x$leaf \
    -o x.elf
[ -e x.elf ] && complain "something was written after a mistake"
# Other bytes are seen.
cp user.elf other.elf
at=$(${cross}readelf -SW user.elf | awk '$2 == ".text" || $3 == ".text" {
    for (i = 1; i <= NF; i++) if ($i == "PROGBITS") print $(i + 2) }')
printf 'X' | dd of=other.elf bs=1 seek=$((0x$at + 9)) conv=notrunc 2>/dev/null
refuses 1 'load different bytes' verify user.elf other.elf
# Bad metadata is refused by both, naming file and entry.
set -- $(${cross}readelf -SW listed.elf | sed 's/.*\] //' |
    awk '$1 == ".perfinst" { print $4 }')
cp listed.elf broken.elf
printf '\002' | dd of=broken.elf bs=1 seek=$((0x$1 + 31)) conv=notrunc \
    2>/dev/null
why='broken.elf: .perfinst, group 1, entry 1: unknown flags 0x2'
refuses 125 "$why" list broken.elf
"$BUILD/simrun" --user broken.elf >out 2>err
[ $? -eq 125 ] || complain "simrun takes bad metadata"
grep -q "$why.*--ignore-marks" err || complain "simrun says: $(cat err)"
"$BUILD/simrun" --ignore-marks --user broken.elf >out 2>err
[ $? -eq 7 ] || complain "--ignore-marks: $(cat err)"
exit $bad
