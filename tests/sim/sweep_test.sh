#!/bin/sh
# sweep_test.sh - simrun sweep: the runs are those of the file, with its values;
# a sweep that is interrupted goes on where it was, and its table is the same,
# whatever the number of jobs or parts; means and gains are those of the rows;
# what is wrong is named by file and line.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
tests/setup/transcripts --check docs/sweep.md || fail "docs/sweep.md says something else"
cat >"$dir/prog.c" <<'C'
#include <stdlib.h>
static volatile unsigned sum;
__attribute__((noinline)) void work(unsigned n) { while (n--) sum += n; }
int main(int argc, char **argv)
{
    work(argc > 1 ? atoi(argv[1]) : 1000);
    return argc > 2 ? atoi(argv[2]) : 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -o "$dir/prog" "$dir/prog.c" || exit 1
cd "$dir" || exit 1

cat >a.sweep <<'T'
# all of it
program short = --root=.:/here --user ./prog 2000
program long = --root=.:/here --user ./prog 4000
option = --mode=fast
fast_cpi = 1 2
jitter = 16
jitter_every = 100
jitter_seed = 1..3 7
what-if = none
what-if half = func:work=x0.5
base = what-if=none
T
"$simrun" sweep -q a.sweep >one.csv 2>err || fail "status $?: $(cat err)"
[ ! -s err ] || fail "said: $(cat err)"
is "runs" "$(grep -c '^run,' one.csv)" 32
is "means" "$(grep -c '^mean,' one.csv)" 8
is "results" "$(ls a.sweep.runs/*.json | wc -l)" 32
is "files" "$(ls a.sweep.runs | wc -l)" 32

# Run 13 by itself: program short, fast_cpi 2, half, seed 2.
"$simrun" sweep --list a.sweep >list || fail "--list"
is "list" "$(wc -l <list)" 32
is "command" "$(sed -n 14p list)" "simrun --set=fast_cpi=2 --set=jitter=16 \
--set=jitter_every=100 --what-if func:work=x0.5 --set=jitter_seed=2 --mode=fast \
--root=.:/here --user ./prog 2000"
row=$(sed -n 15p one.csv)
is "row" "${row%,*,*,*,*,*,*,*,*,*,*,*}" "run,13,short,2,16,100,half,2,0"
sed -n 14p list | sed "s|^simrun|'$simrun' -q --summary=json:x.json|" >cmd
sh ./cmd || fail "the listed command"
is "cycles" "$(echo "$row" | cut -d, -f 10)" "$(sed 's/.*"cycles":\([0-9]*\).*/\1/' x.json)"

# What runs print goes where stdout says: the C library asks a device more than a file.
cat >say.c <<'C'
#include <stdio.h>
int main(void) { return puts("said") < 0; }
C
powerpc-linux-gnu-gcc -O1 -static -o say say.c || exit 1
for kind in null file; do
    to=/dev/null
    [ $kind = null ] || to=said
    "$simrun" -q --mode=fast --summary=json:x.json --root=.:/here --user ./say >$to || fail "say"
    printf 'program say = --mode=fast --root=.:/here --user ./say\nstdout = %s\n' $kind >say.sweep
    "$simrun" sweep -q say.sweep >say.csv 2>err || fail "stdout = $kind: $(cat err)"
    sed 's/.*"cycles":\([0-9]*\).*/\1/' x.json >>said.cycles
    is "stdout = $kind" "$(sed -n 2p say.csv | cut -d, -f 6)" "$(tail -n 1 said.cycles)"
done
is "kinds" "$(sort -u said.cycles | wc -l)" 2
is "files of output" "$(ls say.sweep.runs | grep -vc '\.json$')" 0
echo "stdout = terminal" >>say.sweep
"$simrun" sweep -q say.sweep >say.csv 2>err
[ $? = 2 ] && grep -q '^simrun sweep: say.sweep:3: stdout = terminal: give null or file$' err || fail "$(cat err)"

# Means, intervals and gains are those of the rows: worked out another way.
awk -F, '
    NR == 1 { next }
    $1 == "run" { key = $3 "," $4 "," $7; n[key]++; c[key, n[key]] = $10 }
    $1 == "mean" {
        key = $3 "," $4 "," $7
        base = $3 "," $4 ",none"
        m = b = g = s = v = 0
        for (k = 1; k <= 4; k++) { m += c[key, k] / 4; b += c[base, k] / 4 }
        for (k = 1; k <= 4; k++) {
            v += (c[key, k] - m) ^ 2 / 3
            s += (c[base, k] - c[key, k] - (b - m)) ^ 2 / 3
        }
        half = 3.182 * sqrt(v / 4)
        if ($13 != 4 || ($14 - m) ^ 2 > 1 || ($15 - (m - half)) ^ 2 > 4 ||
            ($16 - (m + half)) ^ 2 > 4) { print "mean: " $0; bad = 1 }
        if ($7 == "none") {
            if ($17 $18 $19 $20 != "") { print "its own base: " $0; bad = 1 }
            next
        }
        g = 100 * (b - m) / b
        half = 100 * 3.182 * sqrt(s / 4) / b
        if (($17 - b) ^ 2 > 1 || ($18 - g) ^ 2 > .0001 || ($18 < 5) ||
            ($19 - (g - half)) ^ 2 > .0001 || ($20 - (g + half)) ^ 2 > .0001) {
            print "gain: " $0; bad = 1
        }
    }
    END { exit bad }' one.csv || fail "means"

# Nothing is run twice; what is gone is run again, the table is the same.
touch stamp
"$simrun" sweep -q a.sweep >two.csv || fail "again"
is "run again" "$(find a.sweep.runs -newer stamp -name '*.json' | wc -l)" 0
cmp -s one.csv two.csv || fail "another table"
ls a.sweep.runs/*.json | sed -n '3p;9p;20p' | xargs rm
"$simrun" sweep --merge a.sweep >two.csv 2>err && fail "merged what is not there"
grep -q '3 of 32 runs have no result' err || fail "merge: $(cat err)"
"$simrun" sweep -q --jobs=1 -o two.csv a.sweep || fail "gone"
is "run again" "$(find a.sweep.runs -newer stamp -name '*.json' | wc -l)" 3
cmp -s one.csv two.csv || fail "another table, of one job"

# In parts, elsewhere, and killed in between.
for part in 3 1 2; do
    "$simrun" sweep -q --runs=parts --part=$part/3 a.sweep >out || fail "part $part"
    [ ! -s out ] || fail "a part prints: $(cat out)"
done
"$simrun" sweep --runs=parts --merge a.sweep | cmp -s - one.csv || fail "parts"
cat >slow.sweep <<'T'
program = --root=.:/here --user ./prog 40000000
option = --mode=detailed
seed = 1 2
T
"$simrun" sweep -q slow.sweep >out 2>err &
pid=$!
while ! ls slow.sweep.runs/*.part >/dev/null 2>&1; do sleep 0.1; done
kill -TERM $pid
wait $pid
is "killed" $? 143
is "left" "$(ls slow.sweep.runs)" ""
[ ! -s out ] || fail "killed, and prints"
# A program that is built anew is another one; another program's result is not.
"$simrun" sweep -q --runs=b.runs a.sweep >two.csv
powerpc-linux-gnu-gcc -O2 -static -o prog prog.c
touch stamp
"$simrun" sweep -q --runs=b.runs a.sweep >two.csv || fail "new program"
is "built anew" "$(find b.runs -newer stamp -name '*.json' | wc -l)" 32

# A table; runs that end otherwise are in no mean.
cat >t.sweep <<'T'
table = mode dcache_kb what-if
row = fast 32 none
row other = fast 16 'func:work=x0.5; func:main=x0'
program ok = --user ./prog 100
program three = --user ./prog 100 3
base = program=ok
T
"$simrun" sweep -q t.sweep >t.csv 2>err || fail "table: $(cat err)"
is "columns" "$(head -n 1 t.csv | cut -d, -f 1-6)" "kind,run,mode,dcache_kb,what-if,program"
is "rows" "$(grep -c '^run,.*,fast,16,func:work=x0.5; func:main=x0,' t.csv)" 2
is "other status" "$(grep '^mean.*,three,' t.csv | cut -d, -f 12 | sort -u)" 0

# refused STATUS PATTERN: of the file b.sweep
refused() {
    "$simrun" sweep -q b.sweep >out 2>err
    is "$2" $? "$1"
    [ "$(wc -l <err)" = 1 ] && grep -q "^simrun sweep: b.sweep:$2" err ||
        fail "$2: $(cat err)"
    [ ! -s out ] || fail "$2: prints"
}
good='program = --user ./prog'
for bad in "cpus = 9|2: cpus = 9: give" "cpsu = 2|2: cpsu is no key.*did you mean cpus" \
    "mode = slow|2: mode = slow" "dcache_kb = 7777|2: .*1 to 256" \
    "what-if = func:x|2: --what-if" "cpus|2: give KEY = VALUE" "cpus =|2: cpus = : give" \
    "seed = 3..1|2: seed = 3..1" "seed = 1 1|2: seed = 1 1" "base = cpus=2|2: base = cpus=2: cpus is no key of this file" \
    "base = cpus|2: base = cpus: give KEY=VALUE" \
    "row = 1|2: a row needs a table" "table = cpus|2: the table has no rows" \
    "cpus a b = 2|2: cpus: a label" "cpus a = 2 4|2: cpus a: a label is for one" \
    "cpus = 2 2|2: cpus has 2 already" "program = 'x|2: a quote has no end" \
    "program = $(printf '\001')|2: a byte that is no text" \
    "option = --foo=1 --mode=fast|3: --mode=fast: mode has lines"; do
    printf '%s\n%s\n' "$good" "${bad%%|*}" >b.sweep
    case $bad in *--foo*) printf '%s\n%s\n%s\n' "mode = fast" "$good" "${bad%%|*}" >b.sweep ;; esac
    refused 2 "${bad#*|}"
done
printf 'table = cpus jitter\nrow = 2\n%s\n' "$good" >b.sweep
refused 2 "2: a row of the table has 2 values"
printf '\n\nprogram = --user ./gone\n' >b.sweep
refused 125 "3: run 0: simrun: .*gone"
# What simrun itself refuses is told with the line of the value that it speaks of.
printf 'program = --user ./prog\noption = --mode=fast\n' >head
for bad in "2 dcache_kb = 16 33|3: run 1: simrun: --set dcache_kb=33" \
    "125 what-if = func:nosuch=x0|3: run 0: simrun: --what-if func:nosuch: prog has no" \
    "2 what-if = affinity:all=7|3: run 0: simrun: --what-if affinity: the machine has" \
    "2 option = --max-cycles=x|3: run 0: simrun: --max-cycles" \
    "2 chip = gone.chip|3: run 0: simrun: .*gone.chip"; do
    cp head b.sweep
    text=${bad#* }
    echo "${text%%|*}" >>b.sweep
    echo 'jitter = 0' >>b.sweep
    refused "${bad%% *}" "${bad#*|}"
done
# Runs do not share an experiment.
printf 'program = --user ./prog\noption = --pmu-trace=o.exp -f\nfast_cpi = 1 2\n' >b.sweep
refused 2 "2: --pmu-trace=o.exp: 2 runs would write there; leave it out, and give it to one"
is "no experiment" "$(ls -d o.exp 2>&1 | grep -c '^o.exp')" 0
is "listed" "$("$simrun" sweep --list b.sweep | wc -l)" 2
printf 'program = --pmu-trace=o.exp --user ./prog\nprogram = --user ./prog\nseed = 1 2\n' >b.sweep
refused 2 "1: --pmu-trace=o.exp: 2 runs"
printf 'program = --pmu-trace=o.exp --mode=fast --user ./prog\nprogram = --user ./prog\n' >b.sweep
"$simrun" sweep -q b.sweep >out 2>err || fail "one experiment: $(cat err)"
[ -d o.exp ] || fail "no experiment"
printf '\n\nprogram = --user ./gone\n' >b.sweep
"$simrun" sweep -q -k b.sweep >out 2>err || fail "keep going: $(cat err)"
grep -q '^run,0,--user ./gone,,125,0,0,.*gone' out || fail "keep going: $(cat out)"
echo 'cpus = 2' >b.sweep
"$simrun" sweep b.sweep 2>err
is "no program" $? 2
grep -q 'no line says what runs' err || fail "no program: $(cat err)"
"$simrun" sweep gone.sweep 2>err
is "no file" $? 2
for bad in "" "a b" "--jobs=0 a" "--part=4/3 a" "--part=0/3 a" "--bogus a" "--merge --list a"; do
    "$simrun" sweep $bad >out 2>err
    is "sweep $bad" $? 2
    [ "$(wc -l <err)" = 1 ] || fail "sweep $bad: $(cat err)"
done
"$simrun" sweep --help | grep -q -- --part || fail "--help"
"$simrun" sweep -o /dev/full a.sweep 2>err && fail "a full disk"
exit 0
