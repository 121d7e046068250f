#!/bin/sh
# counts_test.sh - what marks count is what others count who share nothing with
# them: executions from the execution log and from qemu-ppc, accesses from the
# log of accesses. For both tempi, all carriers, tiny caches and 4 processors;
# the program's own output and cycles do not change.
# timeout: 300
set -u
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
#define F __attribute__((noipa))
struct { char c; short s; int i; double d; } pack;
int table[64], out[64];
char text[61];
F int leaf(int n) { return n & 1 ? n * 3 : n / 7; }
F int walk(int n) { int s = 0; for (int i = 0; i < n; i++) s += table[i & 63] + leaf(i); return s; }
F void mix(int n) { for (int i = 0; i < n; i++) { pack.c += i; pack.s += pack.c; pack.i ^= pack.s; pack.d += pack.i; } }
F void copy(int n) { for (int i = 0; i < n; i++) { memcpy(out, table, sizeof out); memmove(text + 1, text, 50); } }
F int deep(int n) { return n ? deep(n - 1) + walk(n) : 1; }
int main(void)
{
    int s = 0;
    for (int i = 0; i < 20; i++) { table[i] = i * i; s += deep(i); mix(i); copy(3); text[i] = 'a' + i; }
    printf("%d %d %s\n", s, pack.i, text + 20);
    return s & 63;
}
C
powerpc-linux-gnu-gcc -O1 -static -o p p.c || exit 1
sim="timeout 100 $BUILD/simrun -q --user --cpus 1"
qemu-ppc ./p >want
status=$?

# Independent counts.
$sim --mode=fast --log exec,mem,int:log ./p >log.out
awk 'length($5) == 8 { n[$4]++ }
    $5 == "enter" && $6 == "DSI" { n[$4]-- } # it was not done
    END { for (a in n) print a, n[a] }' log | sort >by_log
qemu-ppc -singlestep -d exec,nochain -D qlog ./p >/dev/null
awk -F/ '/^Trace/ { n[$2]++ } END { for (a in n) print a, n[a] }' qlog |
    sort >by_qemu

marks="--mark func:leaf=count --mark func:walk=count,pmu --mark func:mix=count
    --mark func:copy=count --mark func:deep=count --mark func:main=count
    --mark func:memcpy=count --mark func:memmove=count
    --mark data:table=count --mark data:out=count --mark data:text=count
    --mark data:pack=count"

# counted NAME OPTION...: run with marks; NAME.code, NAME.data are the counts
counted() {
    name=$1
    shift
    rm -rf "$name.exp"
    $sim "$@" $marks --pmu-trace="$name.exp" ./p >"$name.out"
    [ $? = $status ] || complain "$name: another exit status"
    cmp -s want "$name.out" || complain "$name: another output"
    "$BUILD/simprof" marks "$name.exp" --csv --limit=0 >"$name.csv" ||
        complain "$name: no report"
    awk -F, '$1 == "code" { print substr($5, 3), $3 }' "$name.csv" | sort >"$name.code"
    awk -F, '$1 == "data" { print substr($5, 3), $3 }' "$name.csv" | sort >"$name.data"
}
counted fast --mode=fast
counted detailed
counted wide --set pif_carrier=1
counted tiny --set icache_kb=1 --set dcache_kb=1
counted charged --set pif_charge=1
counted nocache --mode=detailed --cpus 4
# Marker instructions mark no data. The program has the same name: its own
# arguments would lie elsewhere.
code=$(echo $marks | tr ' ' '\n' | grep ^func:)
cp p first
"$BUILD/simmark" opcodes p $code -i >opcodes.out || complain "$(cat opcodes.out)"
all=$marks
marks=
counted opcodes
counted opfast --mode=fast --cpus 2
mv first p
marks=$all

[ "$(wc -l <detailed.code)" -gt 100 ] || complain "few instructions are marked"
for judge in by_log by_qemu; do
    # What is marked and never ran is not in the judge's list; the C library
    # takes other ways under qemu-ppc.
    own=1
    [ $judge = by_log ] || own=$(awk -F, '$1 == "code" && $7 ~ /^memcpy$/ {
        print substr($5, 3) }' detailed.csv)
    awk -v own=$own '$2 && (own == 1 || $1 < own)' detailed.code | join -a 1 - $judge |
        awk -v j=$judge '$2 != $3 { print j ":", $0; bad = 1 } END { exit bad }' ||
        complain "executions differ from $judge (address, marks, $judge)"
done
for other in fast wide tiny charged nocache opcodes opfast; do
    cmp -s detailed.code $other.code || complain "executions differ: $other"
    [ ${other#op} != $other ] || cmp -s detailed.data $other.data || complain "accesses differ: $other"
done

# Accesses, word by word, from the log of accesses (docs/debug.md): an
# instruction accesses a word once.
cat >words.awk <<'A'
function hex(s,   i, v) {
    for (i = 1; i <= length(s); i++)
        v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return v
}
$5 == "load" || $5 == "store" {
    ea = hex($7)
    for (w = ea - ea % 4; w < ea + $6; w += 4)
        if (last[w] != $2) { last[w] = $2; n[w]++ }
}
END { for (w in n) printf "%08x %d\n", w, n[w] }
A
awk -f words.awk log >by_mem
sort by_mem >by_mem.sorted
awk '$2' detailed.data | join -a 1 - by_mem.sorted |
    awk '$2 != $3 { print; bad = 1 } END { exit bad }' ||
    complain "accesses differ from the log's (address, marks, log)"

# Marks that only count change no cycle.
for run in detailed tiny; do
    set --
    [ $run = tiny ] && set -- --set icache_kb=1 --set dcache_kb=1
    rm -rf none.exp
    $sim "$@" --pmu-trace=none.exp ./p >none.out
    [ "$(grep '^end ' none.exp/log)" = "$(grep '^end ' $run.exp/log)" ] ||
        complain "$run: marks changed the cycles"
    cmp -s none.exp/oracle.rec $run.exp/oracle.rec ||
        complain "$run: marks changed the account"
    for events in "$marks" ""; do
        rm -rf none.exp
        $sim "$@" $events -e icache_miss -e dcache_miss -e load_miss_cycles \
            -e insn_dispatched --pmu-trace=none.exp ./p >none.out
        grep '^count ' none.exp/log >"events${events:+.marked}"
    done
    cmp events events.marked || complain "$run: fills of shadows were counted"
done
echo "$(wc -l <detailed.code) instructions, $(wc -l <detailed.data) words"
exit $bad
