#!/bin/sh
# marks_report_test.sh - simprof marks: the busiest functions first and no more
# than asked for; who called a function that calls itself, and two that call
# each other; the end of a place is there in a narrow table; accessed words are
# told apart; ranges are in the CSV, too; one blank line between two tables; and
# a run in which nothing was hot says so.
set -u
cd "$TMPDIR" || exit 1
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "no powerpc-linux-gnu-gcc"
    exit 77
}
bad=0
complain() {
    echo "$*"
    cat report
    bad=1
}
cat >p.c <<'E'
#define N __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))
N int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
N int odd(int n);
N int even(int n) { return n == 0 ? 1 : odd(n - 1) + 1; }
N int odd(int n) { return n == 0 ? 0 : even(n - 1) + 1; }
N int a_function_with_a_name_that_is_much_too_long(int n) { return fact(n) + 1; }
volatile int twice[2];
N int busy(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s ^= s * 3 + i;
    return s;
}
void _start(void)
{
    int s = 0;
    for (int i = 0; i < 10; i++)
        s += fact(i) + even(i) + a_function_with_a_name_that_is_much_too_long(2);
    for (int i = 0; i < 20; i++)
        twice[i & 1] = i;
    s += busy(1000);
    register int r0 __asm__("0") = 1;
    register int r3 __asm__("3") = s ? 0 : 1;
    __asm__ volatile("sc" : : "r"(r0), "r"(r3));
}
E
powerpc-linux-gnu-gcc -O1 -ffreestanding -nostdlib -static -fno-pic -no-pie \
    -fno-optimize-sibling-calls -o p p.c || exit 1
run() {
    rm -rf p.exp
    timeout 60 "$BUILD/simrun" -q --cpus=1 --pmu-trace=p.exp "$@" --user ./p ||
        exit 1
}

# fact(0) to fact(9) call fact 0, 0, 1 .. 8 times, fact(2) once each; even(n)
# goes down by turns.
run --mark addr:fact=limit:0 --mark addr:odd=limit:0 --mark addr:even=limit:0 \
    --mark returns:fact=limit:0
"$BUILD/simprof" marks --width=200 --limit=0 p.exp >report
while read -r n callee caller; do
    awk -v n="$n" -v a="$caller" -v b="$callee" '
        $1 == n && $(NF - 1) == a && $NF == b { ok = 1 }
        END { exit !ok }' report || complain "not $n calls of $callee by $caller"
done <<'E'
46 fact fact
10 fact _start
10 fact a_function_with_a_name_that_is_much_too_long
25 odd even
20 even odd
10 even _start
E
# With 64 columns the place is cut, and its offset is there.
run --mark calls:a_function_with_a_name_that_is_much_too_long=limit:0
"$BUILD/simprof" marks --width=64 p.exp >report
grep -q 'limit passed  _start  *a_f.*\.\.+0x[0-9a-f]*$' report ||
    complain "the place is cut where it says most"

run --mark 'func:*'
"$BUILD/simprof" marks --limit=2 p.exp >report
said=$(awk '/^ *[0-9,]+ .* host / { n++; name = name " " $NF } END { print name }' \
    report | sed 's/ code.*//')
case $said in
" busy fact"*) ;;
*) complain "the busiest are busy and fact, not$said" ;;
esac
grep -q '^4 more' report || complain "not two functions and four more"

# Two words that one instruction stores to are two rows.
run --mark data:twice=interrupt
"$BUILD/simprof" marks p.exp >report
for word in 0 4; do
    grep -q " 10 .* accessed  -  *twice+$word  _start+0x" report ||
        complain "no ten accesses of twice+$word"
done

# Without marked code nothing is doubled, and whatever comes first follows the
# head; CSV has a line for each word and each range.
for marks in "--mark data:twice" "--range busy" \
    "--mark data:twice --data-range twice --range busy --mark addr:fact=limit:0"; do
    # shellcheck disable=SC2086 # words
    run $marks
    for form in "" --pcs; do
        "$BUILD/simprof" marks $form p.exp >report
        cat -s report | cmp -s - report || complain "$marks $form: two blank lines"
    done
done
"$BUILD/simprof" marks --csv --limit=1 p.exp >report
address() { powerpc-linux-gnu-nm p | awk -v n="$1" '$3 == n { print "0x" $1 }'; }
twice=$(address twice)
busy=$(address busy)
size=$(powerpc-linux-gnu-nm -S p | awk '$4 == "busy" { print $2 }')
grep -q "^range,host,[1-9][0-9]*,0,$busy,range 0,busy,1,$(printf 0x%08x $((busy + 0x$size)))\$" \
    report || complain "no range in the CSV"
grep -q "^range-data,host,20,0,$twice,range 0,twice+0,[0-9]*,$(printf 0x%08x $((twice + 8)))\$" \
    report || complain "no range of data in the CSV"
"$BUILD/simprof" marks --csv --limit=0 p.exp >report
[ "$(cut -d, -f1 report | sort | uniq -c | awk '{ printf "%s %s ", $2, $1 }')" = \
    "code 1 data 2 kind 1 range 1 range-data 1 " ] || complain "other lines"

# One part alone, in text what it is among the others, in CSV with all there is.
run --mark addr:fact=limit:0 --mark addr:odd=limit:0 --range busy \
    --mark addr:busy=trace-start --mark returns:busy=trace-stop
"$BUILD/simprof" marks --limit=0 p.exp | sed 1,3d >report
for part in marks areas ranges found interrupts trace shadow words cost; do
    "$BUILD/simprof" marks --part=$part --limit=0 p.exp | sed 1,3d >part
    [ -s part ] && [ -s parts ] && echo >>parts
    cat part >>parts
    "$BUILD/simprof" marks --part=$part --csv p.exp >part.csv
    awk -F, -v part=$part '
        NR == 1 { n = NF; for (i = 1; i <= NF; i++) column[$i] = i; next }
        NF != n { bad = 1 }
        { all += $column[part == "trace" ? "instructions" : "interrupts"] }
        END {
            want = 91 # 46 + 25 + 10 + 10
            none = part ~ /areas|found|words/
            exit bad || n < 5 - (part == "trace") || (NR > 1) == none ||
                (part == "interrupts" && all != want) ||
                (part == "trace" && all < 1000)
        }' part.csv || { complain "--part=$part --csv:"; cat part.csv; }
done
cmp -s parts report || complain "the parts are not the whole: $(diff parts report)"

run --autoprofile=hot
"$BUILD/simprof" marks p.exp >report
grep -q 'hot enough' report || complain "it does not say that nothing was hot"
# What was traced: busy but for its return, in stretches that its branches make.
run --mark func:busy=count
"$BUILD/simprof" marks --csv --limit=0 p.exp >report
want=$(awk -F, '$1 == "code" { n += $3 } END { print n - 1 }' report)
run --mark addr:busy=trace-start --mark returns:busy=trace-stop
"$BUILD/simprof" marks --limit=0 p.exp >report
awk -v want="$want" '
    { gsub(",", "") }
    /^Traced between marks/ { all = $4; stretches = $7 }
    $3 == "host" && $4 == "busy" { n = $1; s = $2 }
    $1 == "." && $6 == "busy" { none++ }
    END { exit !(n == want && all == want && s == stretches && s >= 1000 && none) }' \
    report || complain "traced is not $want instructions of busy"
"$BUILD/simprof" marks --pcs --limit=0 p.exp >report
awk -v want="$want" '
    { gsub(",", "") }
    $4 == "host" { n += $3; if (!s++ && $5 != "busy") bad = 1 }
    END { exit bad || n != want }' report ||
    complain "the stretches are not $want instructions of busy"
# A damaged record says that all of memory was executed: soon told, most of it
# of nobody. (A record has 24 bytes before the length, the file 32.)
printf '\377\377\377\377' |
    dd of=p.exp/traced.rec bs=1 seek=$((32 + 24)) conv=notrunc 2>/dev/null
timeout 20 "$BUILD/simprof" marks --limit=0 p.exp >report
[ $? -eq 0 ] && grep -q '^4,29[0-9,]* *0 *host *<Unknown>' report ||
    complain "a stretch of 2^32: $(grep -A3 Traced report)"
exit $bad
