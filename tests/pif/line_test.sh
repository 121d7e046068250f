#!/bin/sh
# line_test.sh - a machine with cache lines of 64 bytes (knob line_bytes): what
# software asks of the processor says so, shadow blocks and tables have another
# layout, caches and instructions know lines of 64; and marks count the same,
# which is what the execution log has: by all carriers, in a bare program, in
# one with the C library, in the guest by its own metadata, on 1 and 4
# processors, in both modes.
# timeout: 120
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
complain() { echo "$*"; bad=1; }
dir=$TMPDIR

"$BUILD/simrun" --set line_bytes=48 "$BUILD/guest.elf" >"$dir/out" 2>&1
[ $? -eq 2 ] && [ "$(head -n 1 "$dir/out")" = "simrun: --set line_bytes=48: give 32 or 64" ] ||
    complain "lines of 48 bytes: $(cat "$dir/out")"

# --- a bare program: the guest unit
build line tests/pif/routines.S tests/pif/line.c
cat >"$dir/words.awk" <<'AWK'
# by_log: how often each instruction ran, each word was accessed
function hex(s,    n, i) {
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return n + 0
}
$5 == "enter" { # it was not done, if data was not there
    if ($6 == "DSI")
        code[hex($4)]--
    next
}
$5 == "load" || $5 == "store" || $5 == "dcbz" {
    a = hex($7)
    for (w = a - a % 4; w < a + $6; w += 4)
        if (last[w] != $1 " " $2) {
            last[w] = $1 " " $2
            data[w]++
        }
    next
}
length($5) == 8 { code[hex($4)]++ } # an instruction, not what it did
END {
    for (a in code)
        print "code", a, code[a]
    for (a in data)
        print "data", a, data[a]
}
AWK
bare() { # processors, line, options
    cpus=$1 line=$2
    shift 2
    timeout 60 "$BUILD/simrun" -q --cpus "$cpus" --set line_bytes="$line" "$@" \
        "$dir/line.elf" </dev/null >"$dir/said.$line" 2>"$dir/err" ||
        complain "$cpus CPUs, $line: $(cat "$dir/err")"
    grep -E '^(code|data)' "$dir/said.$line" >"$dir/counts.$line"
}
for cpus in 1 4; do
    bare $cpus 32
    cp "$dir/counts.32" "$dir/counts"
    bare $cpus 64
    cmp "$dir/counts" "$dir/counts.64" || complain "$cpus CPUs: other counts"
    for line in 32 64; do
        bare $cpus $line --mode=fast --log exec,mem:"$dir/log"
        cmp "$dir/counts" "$dir/counts.$line" || complain "$cpus CPUs: fast, $line"
        awk -f "$dir/words.awk" "$dir/log" >"$dir/by_log"
        # Of carriers 0 and 1 together, and of 2 alone.
        awk 'NR == FNR { n[$1, $2] = $3; next }
            { sum[$1, $3] += $4; rows++ }
            END {
                for (k in sum)
                    if (sum[k] != n[k]) {
                        print k ": " sum[k] ", the log has " n[k] + 0
                        bad = 1
                    }
                exit bad || rows < 55
            }' "$dir/by_log" "$dir/counts" || complain "$cpus CPUs, $line: not the log's"
    done
done
grep '^layout' "$dir/said.32" | tr '\n' ' ' >"$dir/layout"
grep '^layout' "$dir/said.64" | tr '\n' ' ' >>"$dir/layout"
[ "$(sed 's/layout //g' "$dir/layout")" = "PIFC $((0x12088848)) block 32 full 160 \
table 131072 dcbz 8 reserved 0 PIFC $((0x14088848)) block 64 full 288 \
table 65536 dcbz 16 reserved 1 " ] || complain "layout: $(cat "$dir/layout")"

# The rules, corners and worked examples hold with 64, too.
FLAGS=-DLINE=64u
build rules tests/pif/routines.S tests/pif/rules.c
build corners tests/pif/routines.S tests/pif/corners.c
build golden tests/pif/routines.S tests/pif/golden*.c
for mode in fast detailed; do
    set64="--mode=$mode --set line_bytes=64"
    all_right rules "$set64"
    all_right corners "$set64 --set pmcs=8 --set pif_th_bits=4"
    all_right golden "$set64"
done

# --- a program with the C library: the host unit
cat >"$dir/p.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#define F __attribute__((noipa))
int table[100], out[4][40];
static unsigned char bytes[4][900] __attribute__((aligned(128)));
F int leaf(int n) { return n & 1 ? n * 3 : n / 7; }
F int walk(int n, int *to) { int s = 0; for (int i = 0; i < n; i++) { s += table[i] + leaf(i); to[i] += s; } return s; }
F int clear(unsigned char *b, int from, int n) /* memset, which may use dcbz */
{
    int ones = 0;
    memset(b, 1, 900);
    memset(b + from, 0, n);
    for (int i = 0; i < 900; i++)
        ones += b[i];
    return ones != 900 - n;
}
static void *thread(void *arg)
{
    long k = (long)arg, wrong = 0, s = 0;
    for (int n = 0; n < 4; n++) {
        s += walk(40, out[k]);
        wrong += clear(bytes[k], 7 * n, 270 * n + 40);
    }
    return (void *)(wrong ? -1 : s & 0xffff);
}
int main(void)
{
    pthread_t t[4];
    unsigned zeros = 0;
    for (int i = 0; i < 100; i++)
        table[i] = i * i;
    for (long k = 0; k < 4; k++)
        pthread_create(&t[k], NULL, thread, (void *)k);
    for (long k = 0; k < 4; k++) {
        void *r;
        pthread_join(t[k], &r);
        printf("%ld ", (long)r);
    }
    memset(bytes, 1, sizeof bytes);
    __asm__ volatile("dcbz 0,%0" : : "r"(&bytes[0][200]) : "memory");
    for (int i = 0; i < 900; i++)
        zeros += !bytes[0][i];
    printf("\nline %u %lu %lu\n", zeros, getauxval(AT_DCACHEBSIZE), getauxval(AT_ICACHEBSIZE));
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/p" "$dir/p.c" || exit 1
code="--mark func:leaf --mark func:walk --mark func:clear --mark func:main"
data="--mark data:table --mark data:out"
# shellcheck disable=SC2086 # options are words
"$BUILD/simmark" opcodes "$dir/p" -o "$dir/opcodes" $(echo "$code" | sed 's/--mark//g') \
    >"$dir/out" || complain "$(cat "$dir/out")"

user() { # NAME PROGRAM LINE OPTIONS: NAME.csv: kind, address, count
    name=$1 program=$2 line=$3
    shift 3
    rm -rf "$dir/it.exp"
    timeout 60 "$BUILD/simrun" -q --user --set line_bytes="$line" "$@" \
        --pmu-trace="$dir/it.exp" "$dir/$program" >"$dir/out" 2>"$dir/err" ||
        complain "$name: $(cat "$dir/out" "$dir/err")"
    [ "$(sed -n 2p "$dir/out")" = "line $line $line $line" ] ||
        complain "$name: $(cat "$dir/out")"
    sed -n 1p "$dir/out" >"$dir/$name.out"
    "$BUILD/simprof" marks --csv --limit=0 "$dir/it.exp" |
        awk -F, '$1 == "code" || $1 == "data" { print $1, $5, $3 }' >"$dir/$name.csv"
    # A block and its table entry are read at a fill; a frame has 64 bits, and
    # for each word 144.
    awk -v line="$line" '$1 == "shadow" {
            if ($7 * (4 + 32 + 4 * line) != $9 || $13 != 32768 / line ||
                $15 != $13 * (64 + line / 4 * 144))
                print $0
            fills += $7
        }
        END { if (!fills) print "no fills" }' "$dir/it.exp/log" >"$dir/odd"
}
for cpus in 1 4; do
    for line in 32 64; do
        # shellcheck disable=SC2086
        user shadow.$line.$cpus p $line --cpus $cpus $code $data
        [ ! -s "$dir/odd" ] || complain "fills: $(cat "$dir/odd")"
        # shellcheck disable=SC2086
        user wide.$line.$cpus p $line --cpus $cpus $code $data --mode=fast \
            --set pif_carrier=1 --log exec,mem:"$dir/log.$line"
        user opcodes.$line.$cpus opcodes $line --cpus $cpus --mode=fast
    done
done
[ "$(wc -l <"$dir/shadow.32.1.csv")" -gt 300 ] || complain "few marks"
grep '^code' "$dir/shadow.32.1.csv" >"$dir/code"
for run in "$dir"/*.csv; do
    with=$dir/shadow.32.1.csv
    case $run in */opcodes*) with=$dir/code ;; esac
    cmp "$with" "$run" || complain "other counts: ${run##*/}"
    cmp "$dir/shadow.32.1.out" "${run%.csv}.out" || complain "another output"
done
for line in 32 64; do
    awk -f "$dir/words.awk" "$dir/log.$line" |
        awk 'NR == FNR { n[$1, $2] = $3; next }
            function hex(s,    n, i) {
                for (i = 3; i <= length(s); i++)
                    n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
                return n + 0
            }
            $3 != n[$1, hex($2)] + 0 { print $0 ", the log has", n[$1, hex($2)]; bad = 1 }
            END { exit bad }' - "$dir/shadow.32.1.csv" || complain "$line: not the log's"
done

# --- the guest, by its own metadata: its loader asks the processor
"$BUILD/simmark" add "$BUILD/guest.elf" -o "$dir/marked.elf" func:txn_stage_parse \
    func:txn_stage_commit func:txn_stage_reply func:txn_worker=range data:table,256 \
    >"$dir/out" || complain "simmark: $(cat "$dir/out")"
own() { # processors, line
    timeout 60 "$BUILD/simrun" -q --mode=fast --cpus "$1" --set line_bytes="$2" \
        --append "work=txn n=2 threads=3 sampler=off pif=own" "$dir/marked.elf" \
        </dev/null >"$dir/out" 2>&1 || complain "guest, $1 CPUs, $2: $(tail -n 5 "$dir/out")"
    grep '^pif: entry' "$dir/out" >"$dir/entries.$1.$2"
    sed -n 's/^pif: lines of \([0-9]*\) bytes, shadow blocks of \([0-9]*\), tables of \([0-9]*\) and \([0-9]*\)$/\1 \2 \3 \4/p' \
        "$dir/out" >"$dir/layout.$2"
}
for cpus in 1 4; do
    own $cpus 32
    own $cpus 64
    awk 'NR == FNR { a = $3; b = $4; bad = $1 != 32 || $2 != 160 || !a || !b; next }
        { bad += $1 != 64 || $2 != 288 || $3 * 2 != a || $4 * 2 != b }
        END { exit bad || NR != 2 }' "$dir/layout.32" "$dir/layout.64" ||
        complain "guest's layout: $(cat "$dir/layout.32" "$dir/layout.64")"
    [ "$(wc -l <"$dir/entries.$cpus.64")" -eq 5 ] &&
        ! grep -q 'counted 0' "$dir/entries.$cpus.64" &&
        cmp "$dir/entries.$cpus.32" "$dir/entries.$cpus.64" ||
        complain "guest, $cpus CPUs: other counts"
done
exit $bad
