#!/bin/sh
# autoprofile_test.sh - simrun --autoprofile: marks that set themselves give the
# counts of the execution log, which shares nothing with them: the call graph
# of a program, its C library among it; what is hot, and who calls it, up to the
# root, from the first cycle on; every instruction. Output and cycles do not
# change.
# timeout: 300
set -u
for tool in powerpc-linux-gnu-gcc powerpc-linux-gnu-nm; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

cat >p.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define F __attribute__((noipa))
F int leaf(int n) { int s = 0; for (int i = 0; i < 30; i++) s = s * 3 + (n ^ i); return s; }
F int left(int n) { return leaf(n) + 1; }
F int right(int n) { return leaf(n) + leaf(n + 1); }
F int deep(int n) { return n ? deep(n - 1) + left(n) : 1; }
F int jump(int n) { return leaf(n); } /* its call is a jump at -O2 */
typedef int fn(int);
fn *const table[] = {left, right};
jmp_buf again;
F void back(int n) { if (n) longjmp(again, n); }
int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void)
{
    int s = 0, v[64];
    char text[64];
    for (int i = 0; i < 300; i++) s += table[i % 3 == 0](i) + deep(i % 7) + jump(i);
    for (int i = 0; i < 64; i++) v[i] = (i * 37 + s) & 255;
    qsort(v, 64, sizeof *v, cmp);
    if (!setjmp(again)) back(1);
    snprintf(text, sizeof text, "%d %.3f", s, v[7] / 3.0);
    printf("%s %zu\n", text, strlen(text));
    return 3;
}
C
powerpc-linux-gnu-gcc -O2 -static -o p p.c || exit 1
# Where samples fall depends on the stack, and that on environment and names.
run="env -i timeout 100 $BUILD/simrun -q --root .:/here --user --cpus 1"
$run --mode=fast --log exec,int:log ./p >want
[ $? = 3 ] || complain "the program does not run"

# profile KIND MODE [OPTION...]: into KIND.exp
profile() {
    kind=$1 mode=$2
    shift 2
    rm -rf "$kind.exp"
    $run --mode="$mode" --autoprofile="$kind" --pmu-trace="$kind.exp" "$@" ./p >out
    [ $? = 3 ] || complain "$kind, $mode: another exit status"
    cmp -s want out || complain "$kind, $mode: another output"
}

# The call graph, function by function: a call leaves its return address and
# goes elsewhere; where is what the log has next. What the kernel took from
# where is in the log, too.
powerpc-linux-gnu-nm -n --defined-only p >names
cat >calls.awk <<'A'
function hex(s,   i, v) {
    for (i = 1; i <= length(s); i++)
        v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return v
}
$1 ~ /^[0-9]+$/ && length($5) == 8 {
    pc = hex($4)
    if (kind && pc != from + 4) n[kind " " sprintf("0x%x 0x%x", from, pc)]++
    w = hex($5); op = int(w / 67108864); xo = int(w / 2) % 1024; lk = w % 2
    kind = ""
    if (lk && (op == 18 || op == 16 || (op == 19 && (xo == 16 || xo == 528))))
        kind = "call"
    else if (!lk && op == 19 && xo == 16)
        kind = "return"
    from = pc
}
$5 == "enter" { n[sprintf("exception 0x%x ", hex($4)) vector[$6]]++ }
BEGIN {
    vector["SC"] = "0xc00"; vector["DSI"] = "0x300"; vector["ISI"] = "0x400"
    vector["DECREMENTER"] = "0x900"; vector["PROGRAM"] = "0x700"
}
END { for (k in n) print k, n[k] }
A
awk -f calls.awk log | sort >by_log
[ "$(wc -l <by_log)" -gt 150 ] || complain "the log has few calls"
for mode in fast detailed; do
    profile calls $mode
    grep -E '^(call|return|rfi|exception) ' calls.exp/log | sort >by_marks
    cmp -s by_log by_marks || {
        complain "calls, $mode: log (<) and marks (>) differ"
        diff by_log by_marks | head
    }
done
# The report adds places up to functions.
"$BUILD/simprof" calls calls.exp --csv --limit=0 >calls.csv || complain "no report"
awk '$1 == "call" { n += $4 } END { print n }' by_log >sum
[ "$(awk -F, '$5 == "call" { n += $1 } END { print n }' calls.csv)" = "$(cat sum)" ] ||
    complain "the report loses calls"
for kind in "c00:system call" "[^c]00:exception"; do
    [ "$(grep "^exception .* 0x${kind%%:*} " by_log | awk '{ n += $4 } END { print n }')" = \
        "$(awk -F, -v k="${kind#*:}" '$5 == k { n += $1 } END { print n }' calls.csv)" ] ||
        complain "the report loses a ${kind#*:}"
done
for edge in 200,main,left 100,main,right 300,main,deep 897,deep,deep 897,deep,left \
    1097,left,leaf 200,right,leaf 300,main,jump; do
    IFS=, read -r n caller callee <<E
$edge
E
    awk -F, -v n="$n" -v a="$caller" -v b="$callee" '
        $3 == a && $4 == b { found = $1 == n } END { exit !found }' calls.csv ||
        complain "the report has not: $n calls of $callee by $caller"
done
# leaf is reached by a jump from jump, back is left by one, main and exit are
# not left at all.
"$BUILD/simprof" calls calls.exp --limit=0 >calls.txt
grep -Eq '^ *1,297 +1,597 +leaf$' calls.txt || complain "leaf returns with jump's"
grep -Eq '^ *300 +0 +jump$' calls.txt || complain "jump does not return"
grep -Eq '^ *1 +0 +back$' calls.txt || complain "back does not return"

# Every branch, where it went; the report says how often it was taken.
awk '
    '"$(sed -n '/^function hex/,/^}/p' calls.awk)"'
    $1 ~ /^[0-9]+$/ && length($5) == 8 {
        pc = hex($4)
        if (from) n[sprintf("branch 0x%x 0x%x", from, pc)]++
        w = hex($5); op = int(w / 67108864); xo = int(w / 2) % 1024
        from = op == 18 || op == 16 || (op == 19 && (xo == 16 || xo == 528)) ? pc : 0
    }
    END { for (k in n) print k, n[k] }' log | sort >by_log
for mode in fast detailed; do
    profile branches $mode
    grep '^branch ' branches.exp/log | sort >by_marks
    cmp -s by_log by_marks || {
        complain "branches, $mode: log (<) and marks (>) differ"
        diff by_log by_marks | head
    }
done
"$BUILD/simprof" branches branches.exp --csv --limit=0 >branches.csv
awk '{ from = $2; sub(/0x/, "", from); n[from] += $4 }
    END { for (a in n) print a, n[a] }' by_log | sort >want_branches
awk -F, 'NR > 1 { a = $5; sub(/0x0*/, "", a); print a, $2 + $3; bad += $1 != $2 + $3 }
    END { exit bad }' branches.csv | sort >got_branches ||
    complain "branches: taken and not taken do not add up"
cmp -s want_branches got_branches || complain "branches: the report differs"
# The loop of leaf ends in each of its 1,597 executions.
grep -Eq '^[0-9]+,[0-9]{4,},1597,1,.*,leaf[+]' branches.csv || complain "branches: leaf's loop"

# Every instruction, from the first on.
awk 'length($5) == 8 { n[$4]++ }
    $5 == "enter" && $6 ~ /^(DSI|PROGRAM)$/ { n[$4]-- } # it was not done
    END { for (a in n) if (n[a]) print a, n[a] }' log |
    sort >all_log
profile scan detailed
"$BUILD/simprof" marks scan.exp --csv --limit=0 |
    awk -F, '$1 == "code" { print substr($5, 3), $3 }' | sort >all_marks
cmp -s all_log all_marks || {
    complain "scan: log (<) and marks (>) differ"
    diff all_log all_marks | head
}
rm -rf none.exp
$run --pmu-trace=none.exp ./p >out
[ "$(grep '^end ' none.exp/log)" = "$(grep '^end ' scan.exp/log)" ] ||
    complain "scan: another number of cycles"

# whole FROM BYTES: executions in the log, all of them, which marks must have, too
whole() {
    awk -v from="$(printf %08x "$1")" -v to="$(printf %08x $(($1 + $2)))" '
        $4 "" >= from "" && $4 "" < to "" && length($5) == 8 { n[$4]++ }
        $4 "" >= from "" && $4 "" < to "" && $5 == "enter" && $6 ~ /^(DSI|PROGRAM)$/ { n[$4]-- }
        END { for (a in n) if (n[a]) print a, n[a] }' log | sort >by_log
    awk -F, -v from="$(printf %08x "$1")" -v to="$(printf %08x $(($1 + $2)))" '
        { a = substr($5, 3) }
        $1 == "code" && a "" >= from "" && a "" < to "" && $3 { print a, $3 }' marks.csv | sort >by_marks
    cmp -s by_log by_marks || {
        complain "$3: log (<) and marks (>) differ"
        diff by_log by_marks | head -n 4
    }
}

# leaf is hot, and counted from the first cycle on.
profile hot fast -e cycles:1009
"$BUILD/simprof" marks hot.exp --csv --limit=0 >marks.csv
grep -q "^hot [0-9]* 0x$(awk '$3 == "leaf" { sub(/^0*/, "", $1); print $1 }' names) " hot.exp/log ||
    complain "hot: leaf was not found"
grep '^hot ' hot.exp/log >found || complain "hot: nothing"
while read -r _ cycle function bytes _ _; do
    [ "$cycle" = 0 ] || complain "hot: counted from cycle $cycle on"
    whole "$function" "$bytes" hot
    total=$((${total:-0} + $(wc -l <by_marks)))
done <found
[ "${total:-0}" -gt 8 ] || complain "hot: little is counted"
"$BUILD/simprof" marks hot.exp --limit=0 | awk '
    /^Marked instructions, by function/ { part = 1 }
    /^Found hot/ { part = 2 }
    part == 1 && $NF == "leaf" { executions = $1 }
    part == 2 && $NF == "leaf" { found = $3 }
    END { exit !executions || executions != found }' ||
    complain "hot: of leaf other executions were found than counted"

# Any event instead of time.
profile hot detailed -e insn_completed:1009
grep -q "^hot [0-9]* 0x$(awk '$3 == "leaf" { sub(/^0*/, "", $1); print $1 }' names) " hot.exp/log ||
    complain "hot, by instructions: leaf was not found"

# Who calls it, and who calls those, up to the one that called main.
profile climb fast -e cycles:1009
"$BUILD/simprof" marks climb.exp --csv --limit=0 >marks.csv
"$BUILD/simprof" marks climb.exp --limit=0 >climb.txt
grep '^climb ' climb.exp/log >found || complain "climb: nothing"
while read -r _ cycle _ site _; do
    [ "$cycle" = 0 ] || complain "climb: counted from cycle $cycle on"
    whole "$site" 4 climb
done <found
case "$(awk '{ print $3 }' found | sort -nu | tr '\n' ' ')" in
"1 2 3 "*) ;;
*) complain "climb: levels $(awk '{ print $3 }' found | sort -nu | tr '\n' ' ')" ;;
esac
for edge in "left +leaf" "right +leaf" "deep +left" "main +deep" "main +left" \
    "main +right" "__libc_start_call_main +main"; do
    grep -Eq "limit passed +$edge(\+|\$)" climb.txt || complain "climb: not found: $edge"
done
# 14 at each interrupt, until there were a thousand of a place.
awk -v often="$(awk '/^calm/ { print 1 }' climb.exp/log | head -n 1)" '/limit passed/ { gsub(",", ""); bad += often ? $2 < 14 * $1 : $2 != 14 * $1; n++ } END { exit bad || n < 7 }' \
    climb.txt || complain "climb: an interrupt that had not counted 14"

$run --autoprofile=nonsense ./p >/dev/null 2>err
[ $? = 2 ] && grep -q "hot, climb, calls, branches or scan" err || complain "nonsense is obeyed"

# Widened words carry such marks as well: found, limited, calmed and counted as
# in shadow storage.
for way in hot climb; do
    profile $way fast -e cycles:101
    grep -E '^(hot|climb|calm) ' $way.exp/log >shadow_log
    "$BUILD/simprof" marks $way.exp --csv --limit=0 | grep -E '^(code|trap)' >shadow_marks
    profile $way fast -e cycles:101 --set pif_carrier=1
    grep -E '^(hot|climb|calm) ' $way.exp/log | cmp -s - shadow_log ||
        complain "$way, widened words: others were marked"
    "$BUILD/simprof" marks $way.exp --csv --limit=0 | grep -E '^(code|trap)' >wide_marks
    [ -s wide_marks ] && cmp -s wide_marks shadow_marks || {
        complain "$way: shadow storage (<) and widened words (>) differ"
        diff shadow_marks wide_marks | head -n 4
    }
done
for carrier in 0 1; do # long enough for a limit to be raised
    rm -rf calm.exp
    "$BUILD/simrun" -q --mode=fast --cpus 1 --autoprofile=climb -e cycles:503 \
        --set pif_carrier=$carrier --pmu-trace=calm.exp \
        --append 'work=calls n=2000 sampler=off' "$BUILD/guest.elf" >/dev/null ||
        complain "calls: status $?"
    grep -E '^(hot|climb|calm) ' calm.exp/log >calm_log$carrier
    "$BUILD/simprof" marks calm.exp --csv --limit=0 | grep '^code' >calm_marks$carrier
done
cmp -s calm_log0 calm_log1 && cmp -s calm_marks0 calm_marks1 ||
    complain "calls: shadow storage and widened words differ"
grep -q '^calm [0-9]* 0x[0-9a-f]* 130$' calm_log1 || complain "widened words: nothing was calmed"
# Its interrupts have nearly all of what it executed, early and late.
"$BUILD/simprof" marks calm.exp --csv --part=interrupts --limit=0 >calm_traps
awk -F, 'NR == FNR { if ($1 == "code") all[$7] = $3; next }
    $4 == "limit passed" { seen[$7] += $2 }
    END {
        for (p in seen) { n++; bad += seen[p] > all[p] || all[p] - seen[p] > all[p] / 50 + 14 }
        exit bad || !n }' calm_marks1 calm_traps || complain "interrupts lose what is executed late: $(cat calm_traps calm_marks1)"
exit $bad
