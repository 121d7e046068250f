#!/bin/sh
# advise_test.sh - simprof advise finds a planted cause first, in the guest and
# under --user, by changes that were made: what it says they bring is what
# simrun --what-if comes to. Where one cause hides another it says so, where
# nothing brings 1 % it says that; a program that has changed, or is gone, is
# told; what cannot be done again is refused; nothing is left behind.
# timeout: 600
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
work=$BUILD/workloads

# record EXP ARGUMENT...
record() {
    exp=$dir/$1
    shift
    (cd "$dir" && "$simrun" -q --mode=fast --switch-stacks -e cycles:1000 -f \
        --pmu-trace="$exp" "$@") >"$out" 2>"$dir/err" </dev/null || fail "$*: $(cat "$dir/err")"
}
# advise EXP OPTION...: $dir/text, as one line $dir/line
advise() {
    exp=$1
    shift
    "$simprof" advise --budget=3000 --width=200 "$@" "$dir/$exp" >"$dir/text" 2>"$dir/err" ||
        fail "advise $*: status $?, $(cat "$dir/err")"
    [ ! -s "$dir/err" ] || fail "advise $*: said $(cat "$dir/err")"
    tr '\n' ' ' <"$dir/text" >"$dir/line"
}
cycles() {
    (cd "$dir" && "$simrun" -q --mode=fast --summary=json:"$dir/json" "$@") \
        >"$out" 2>&1 </dev/null || fail "$*: status $?"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}

# A lock, under --user: the holder's function is the cause, half of it brings what
# two runs by hand differ by, as predicted.
cp "$work/contended_lock" "$dir/ledger"
record u.exp --root=.:/here --user ./ledger 8
(cd "$dir" && "$simprof" advise --csv --limit=2 --budget=3000 u.exp) >"$dir/csv" 2>"$dir/err" ||
    fail "advise: status $?, $(cat "$dir/err")"
was=$(cycles --root=.:/here --user ./ledger 8)
is=$(cycles --root=.:/here --what-if 'func:post_to_ledger+=x0.5' --user ./ledger 8)
awk -F, -v was="$was" -v is="$is" '
    NR == 2 {
        want = 100 * (was - is) / was
        good = $11 == "func:post_to_ledger+=x0.5" && $10 == "single" && $8 == 10 &&
            $9 == 1 && ($2 - want) ^ 2 < 0.5 && ($1 - $2) ^ 2 < 9 && want > 30
    }
    $10 == "null" { null = ($2 < 0 ? -$2 : $2) < 1 && $9 == 0 }
    END { exit !(good && null && NR == 4) }' "$dir/csv" || fail "$was, $is: $(cat "$dir/csv")"
cd "$dir" || exit 1
advise u.exp --limit=1
grep -q '^The cause: runs compute < post_to_ledger < clerk (guest/work/pthread/common/load.c:[0-9]*)\. With func:post_to_ledger+=x0.5 the run takes [34][0-9]\.[0-9]% fewer' text ||
    fail "no cause: $(cat text)"
grep -q "copy" line && fail "a copy: $(cat text)"
grep -q "Done again" line && fail "another run: $(cat text)"
page() { "$simprof" html -o page.html "$1" && "$OLDPWD/tests/tools/page_data" page.html >page.json; }
# What was tried is kept: causes and the first screen say it. Damage is said.
"$simprof" causes --width=200 u.exp >text || fail "causes"
grep -q '^Tried: with func:post_to_ledger+=x0.5, post_to_ledger and what it calls in half the time, the run takes [34][0-9]\.[0-9]% fewer cycles (.*; predicted [34][0-9]\.[0-9]%)\.$' text ||
    fail "causes does not say what was tried: $(cat text)"
page u.exp || fail "html"
grep -q '"badge": *"tried"' page.json && grep -q 'Done again 10 times with post_to_ledger and what it calls in half the time: ' page.json ||
    fail "the page does not say what was tried"
# A change of another thing that brings more is named beside; what changing a next
# candidate brings stands by it.
cp -r u.exp more.exp
echo 'change 60 100 70 1 100 6 1 0 0 func:other+=x0.5' >>more.exp/tried
page more.exp || fail "html"
grep -q '"brings": *"Done again 10 times with post_to_ledger[^"]* Of all that was tried most comes of other and what it calls in half the time: 70.0 %\."' page.json ||
    fail "the best change is not named"
echo 'change 60 100 70 1 100 6 1 0 0 func:other+=x0.3' >more.exp/more
(sed '$d' more.exp/tried && cat more.exp/more) >more.exp/next && mv more.exp/next more.exp/tried
"$simprof" causes --width=200 more.exp | grep -q '^Tried: with func:other+=x0.3, other and what it calls in 0.3 times the time, the run takes 70' ||
    fail "another factor"
sed -i 's/^change [0-9]*/change x/' u.exp/tried
"$simprof" causes --width=200 u.exp | grep -q '^What was tried cannot be read' || fail "damage"
rm u.exp/tried
page u.exp && grep -q '"badge": *"predicted, not tried"' page.json ||
    fail "nothing was tried, and the page says so"
"$simprof" advise --json --limit=1 --pairs=3 --budget=3000 u.exp >json || fail "--json"
grep -q '"pairs": *"*3' json || fail "pairs: $(cat json)"
python3 - json <<'P' 2>/dev/null || command -v python3 >/dev/null && [ $? -gt 1 ] && fail "json: $(cat json)"
import json, sys
rows = json.load(open(sys.argv[1]))
sys.exit(0 if rows[0]["kind"] == "single" and rows[-1]["kind"] == "null" else 3)
P
# All of it, half of which was half.
advise u.exp --limit=1 --factor=0
grep -q 'func:post_to_ledger+=x0 the run takes [678][0-9]\.[0-9]% fewer' line || fail "x0: $(cat text)"

# Changed, then gone: the experiment's copy runs, and that is said.
echo >>ledger
advise u.exp --limit=1
grep -q "has changed, or is not where it was, .* what runs here is the experiment's copy" line || fail "changed: $(cat text)"
grep -q '^The cause: runs compute < post_to_ledger' text || fail "copy: $(cat text)"
rm u.exp/archives/*
"$simprof" advise u.exp >text 2>err && fail "without its program"
grep -q "not in archives/ any more" err || fail "gone: $(cat err)"

# In the guest a program of others, and the kernel's own work.
cd "$OLDPWD" || exit 1
# What else CPUs idle for is on the first screen, with what half of it would bring.
record pool.exp --user "$BUILD/workloads/small_pool"
"$simprof" html -o "$dir/page.html" "$dir/pool.exp" && tests/tools/page_data "$dir/page.html" >"$dir/page.json" &&
    grep -q '"does": *"[a-z ]*; half of it saves [^"]* (predicted)"' "$dir/page.json" || fail "no candidate is predicted"
record g.exp --cpus=4 --append states=on "$guest" --program "$work/wrong_affinity" -- 5 4
advise g.exp --limit=2
grep -q '^The cause: masks that forbid idle CPUs, most set in load_pin < bind_home (guest.work.pthread.common.load.c:[0-9]*)\. With affinity:all=all' "$dir/text" ||
    fail "guest: $(cat "$dir/text")"
record k.exp --append "work=txn n=8 states=on sampler=off" "$guest"
advise k.exp --limit=2
grep -q '^The cause: sleeps journal_write < txn_stage_commit .*With func:journal_write+=x0.5' \
    "$dir/text" || fail "kernel: $(cat "$dir/text")"

# Two threads of nearly the same work: only both bring something. And a program
# that does a little of everything.
cat >"$dir/two.c" <<'C'
#include <pthread.h>
static volatile unsigned sum[64];
__attribute__((noinline)) static void left(void) { for (int i = 0; i < 60000; i++) sum[0]++; }
__attribute__((noinline)) static void right(void) { for (int i = 0; i < 59000; i++) sum[32]++; }
static void *other(void *arg)
{
    for (int i = 0; i < 3; i++)
        right();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    for (int i = 0; i < 3; i++)
        left();
    return pthread_join(t, 0);
}
C
{
    echo 'static volatile unsigned sum;'
    n=0
    while [ $n -lt 150 ]; do
        echo "__attribute__((noinline)) static void f$n(void) { for (int i = 0; i < 300; i++) sum += $n; }"
        n=$((n + 1))
    done
    echo 'int main(void) { for (int k = 0; k < 5; k++) {'
    n=0
    while [ $n -lt 150 ]; do
        echo "f$n();"
        n=$((n + 1))
    done
    echo '} return 0; }'
} >"$dir/even.c"
for name in two even; do
    powerpc-linux-gnu-gcc -g -O1 -static -o "$dir/$name" "$dir/$name.c" || exit 1
    record $name.exp --user "$dir/$name"
done
advise two.exp --limit=2
grep -q '^Only together: func:left+=x0.5 and func:right+=x0.5 bring 4[0-9]\.[0-9]%, the one alone [0-2]\.[0-9]%, the other -*[0-2]\.[0-9]%' \
    "$dir/text" || fail "two: $(cat "$dir/text")"
is "two: rows of both, in one order" "$(grep -c ' both$' "$dir/text")" 1
# What was not tried by itself is in the table as what comes first in a recording with the other.
advise two.exp --limit=1
grep -q 'func:\(right\|left\)+=x0\.5 *ranks first with func:\(left\|right\)+=x0\.5' "$dir/text" ||
    fail "second: $(cat "$dir/text")"
advise even.exp --limit=3
grep -q '^No single change of the [0-9]* that were tried brings 1%' "$dir/text" ||
    fail "even: $(cat "$dir/text")"

# CPUs that are never idle: there is no cause, only work.
record busy.exp --user --cpus=4 "$BUILD/workloads/false_sharing" 200 4
advise busy.exp --limit=1
for report in causes advise; do
    "$simprof" $report --limit=1 "$dir/busy.exp" | tr '\n' ' ' |
        grep -q 'CPUs were idle for [0-4]\.[0-9]% of their time, less than 5%: nothing that is waited for limits' ||
        fail "busy: $report has no such word"
done
grep -q '^The cause' "$dir/text" && fail "busy: $(cat "$dir/text")"
grep -q '^Most of the work: runs ' "$dir/text" || fail "busy: $(cat "$dir/text")"

# refused PATTERN EXP OPTION...
refused() {
    pattern=$1 exp=$2
    shift 2
    "$simprof" advise "$@" "$dir/$exp" >"$out" 2>"$dir/err" && fail "$*: no refusal"
    [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "$pattern" "$dir/err" || fail "$*: $(cat "$dir/err")"
}
refused 'give a number from 0' two.exp --factor=1
refused 'give a number from 0' two.exp --factor=0.1234567
refused 'give seconds' two.exp --budget=0
refused 'give 3 to 10 pairs' two.exp --pairs=2
refused 'does simrun take what --with says' two.exp --with=--nosuch
record long.exp --user "$dir/two"
refused '40 runs are the least' long.exp --budget=1 --with='--engine=interpreter --set=fast_cpi=1 --memo=off --mode=detailed'
"$simrun" -q --mode=fast --switch-stacks -f --pmu-trace="$dir/part.exp" --max-cycles=200000 \
    --user "$dir/two" >"$out" 2>&1
refused 'did not come to an end by itself' part.exp
cat >"$dir/in.c" <<'C'
#include <unistd.h>
int main(void)
{
    char byte[16];
    return read(0, byte, sizeof byte) != 2;
}
C
powerpc-linux-gnu-gcc -O1 -static -o "$dir/in" "$dir/in.c" || exit 1
echo x | "$simrun" -q --mode=fast --switch-stacks -f --pmu-trace="$dir/in.exp" \
    --user "$dir/in" >"$out" 2>&1 || fail "it reads nothing"
refused 'read its standard input' in.exp
"$simrun" -q --mode=fast -f --pmu-trace="$dir/no.exp" --user "$dir/two" >"$out" 2>&1
"$simprof" advise "$dir/no.exp" >"$out" 2>"$dir/err"
[ $? = 125 ] && grep -q "no.exp: no states of threads were recorded" "$dir/err" || fail "no states, no word"

# All of a thread in half the time is no advice: of what it begins with, its own part is.
tests/causes/generate 105 >"$dir/body.c" &&
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/body" "$dir/body.c" || exit 1
record body.exp --cpus=4 --user ./body
advise body.exp --pairs=3
grep -q 'func:run=x0.5 ' "$dir/text" && ! grep -qF 'func:run+=' "$dir/text" ||
    fail "what a thread begins with: $(cat "$dir/text")"
grep -q '^The cause: runs compute < part_3 < run' "$dir/text" || fail "part_3: $(cat "$dir/text")"

left=$(ls -d "${TMPDIR:-/tmp}"/advise.* 2>/dev/null)
[ -z "$left" ] || fail "left behind: $left"
exit 0
