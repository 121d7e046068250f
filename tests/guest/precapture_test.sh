#!/bin/sh
# precapture_test.sh - fromidle=precapture: a from-idle sample has the stack that
# was taken while its thread waited, which is the one that simrun walked when the
# thread left its CPU, and the thread is not held up. Stacks are taken of threads
# that ran last on the idle CPU, so many a round, of none that is excluded, a
# daemon, or could not be read before; and once while a thread waits, however
# many samplers are at it.
# timeout: 240
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof

# What the records tell, in the order of time: "event WHAT cpu thread cycle ...";
# what.rec of the experiment as precapture: `take`, `use`, `late`...; a switch;
# a from-idle sample.
story() {
    {
        records "$dir/e.exp/precapture.rec" | awk '{
            split("take fail change use late exclude failed", name)
            print $4, 1, name[$5], $2, $3, $7, $8 }'
        records "$dir/e.exp/switch.rec" | awk '{
            stack = ""
            seen = 0
            for (i = 11; i <= 10 + $10; i++) {
                if (seen)
                    stack = stack " " $i
                seen = seen || $i == $9
            }
            print $4, 3, "switch", $2, $3, $7, $8 stack }'
        records "$dir/e.exp/idle.rec" | awk '$5 == 2 {
            stack = ""
            for (i = 12; i <= 9 + $9; i++)
                stack = stack " " $i
            print $4, 2, "sample", $2, $3, $6 stack }'
    } | sort -n -k1,1 -k2,2 | cut -d ' ' -f 1,3- >"$dir/story"
}

# look CPUS WORDS OPTION...: runs with what is to be taken by $what, and tells.
look() {
    cpus=$1
    words=$2
    shift 2
    rm -rf "$dir/e.exp"
    boot "$cpus" "$words fromidle=$what" --switch-stacks -f --pmu-trace="$dir/e.exp" "$@"
    story
    judge
}

count() { # the events of a kind
    grep -c " $1 " "$dir/story"
}

# What no run may show. `all`: stacks of threads of other CPUs may be taken.
judge() {
    case $what in *all*) all=1 ;; *) all=0 ;; esac
    n=${what##*:}
    case $n in *[!0-9]*) n=8 ;; esac
    records "$dir/e.exp/thread.rec" | awk '{ print $3, $6 }' >"$dir/roles"
    awk -v all=$all -v most="$n" -v roles="$dir/roles" '
        function bad(what) { if (!failed++) print what ": " $0 }
        BEGIN { while ((getline line < roles) > 0) { split(line, f, " "); role[f[1]] = f[2] } }
        $2 == "switch" {
            if ($3 in must && must[$3] != $4 && role[$4] != 2)
                bad("thread " must[$3] " was sampled, another is dispatched")
            if ($3 in must && role[$4] == 2)
                bad("a sampler holds up " must[$3])
            delete must[$3]
            on[$4] = $3; runs[$4] = 1; delete runs[$5]; delete has[$4]
            left[$5] = ""
            for (i = 7; i <= NF; i++)
                left[$5] = left[$5] " " $i
        }
        $2 == "take" || $2 == "fail" || $2 == "change" {
            if (role[$4] != 0) bad("no thread of the application")
            if (!all && on[$4] != $3) bad("it ran last on CPU " on[$4])
            if ($4 in lost) bad("could not be read before")
            if (++round[$3, $5] > most) bad("too many in a round")
            if (round[$3, $5] > top) top = round[$3, $5]
        }
        $2 == "take" {
            if ($4 in runs) bad("it runs")
            if ($4 in has) bad("it has one already")
            has[$4] = 1
        }
        $2 == "fail" { lost[$4] = 1 }
        $2 == "use" { if (!($4 in has)) bad("none was taken"); used[$3] = $4 }
        $2 == "late" { if ($4 in has) bad("one is kept") }
        $2 == "failed" { if (!($4 in lost)) bad("nothing failed") }
        $2 == "sample" {
            stack = ""
            for (i = 6; i <= NF; i++)
                stack = stack " " $i
            if ($5 != 5) bad("not by what was kept")
            if (used[$3] != $4) bad("nothing was used")
            if (left[$4] != "" && stack != left[$4]) bad("not the stack it left with:" left[$4])
            compared += left[$4] != ""
            delete used[$3]; must[$3] = $4
        }
        END {
            print failed + 0, compared + 0, top + 0
        }' "$dir/story" >"$dir/said"
    set -- $(tail -n 1 "$dir/said")
    is "what cannot be: $(head -n 1 "$dir/said")" "$1" 0
    compared=$2
    top=$3
    is "samples used and on record" "$(count use)" "$(count sample)"
}

what=precapture
look 4 "work=txn n=30"
above "stacks taken" "$(count take)" 150
above "samples whose stack was compared" "$compared" 120
above "stacks in one round" "$top" 1
is "from-idle samples" "$(total from-idle)" "$(count sample)"
[ $(($(count use) + $(count late))) -le "$(total flags)" ] || fail "more ends than flags"
# Other stacks there are not, if the sampler goes before the thread.
names() {
    "$simprof" idle "$dir/e.exp" --csv --no-intervals |
        awk -F, '$2 == "from-idle" { print $5 }' | sort
}
names >"$dir/kept"
"$simprof" idle "$dir/e.exp" >"$dir/report"
tr -s ' \n' ' ' <"$dir/report" | grep -q "Of $(count take) stacks that were taken beforehand, while their threads waited (fromidle=precapture), $(count use) are from-idle samples" ||
    fail "the report does not name them"
is "ends without a stack in the report" \
    "$(sed -n 's/^ *\([0-9]*\) .*<late: no stack was taken since it ran>$/\1/p' "$dir/report")" \
    "$(count late)"
"$simprof" truth "$dir/e.exp" | grep -q '^from-idle  each thread .* 0\.0%' ||
    fail "samples name other threads: $("$simprof" truth "$dir/e.exp" | grep ^from-idle)"
# The time tree of idleness tells the same, and a filter leaves its part.
"$simprof" idle "$dir/e.exp" --no-intervals >"$dir/records"
"$simprof" idle "$dir/e.exp" --no-intervals --from=400000 --to=2000000 >>"$dir/records"
"$simprof" tree build "$dir/e.exp" >/dev/null || fail "no time tree"
"$simprof" idle "$dir/e.exp" --no-intervals >"$dir/tree"
"$simprof" idle "$dir/e.exp" --no-intervals --from=400000 --to=2000000 >>"$dir/tree"
cmp "$dir/records" "$dir/tree" || fail "the time tree tells another thing"
"$simprof" idle "$dir/e.exp" --filters='thread==10' >"$dir/part"
late=$(grep -Ec ' late [0-9]* 10 ' "$dir/story")
grep -q " $late .*<late: " "$dir/part" || fail "late ends of a thread, not $late"
rm -rf "$dir/e.exp"
boot 4 "work=txn n=30 fromidle=direct" -f --pmu-trace="$dir/e.exp"
names >"$dir/direct"
above "stacks" "$(wc -l <"$dir/kept")" 1
comm -13 "$dir/direct" "$dir/kept" >"$dir/other"
[ ! -s "$dir/other" ] || fail "other stacks: $(cat "$dir/other")"
grep -q 'taken beforehand' "$out" && fail "says of stacks that nobody asked for"

# Limits: one a round; of any CPU, where samplers meet.
what=precapture:1
look 4 "work=txn n=30"
above "stacks taken, one a round" "$(count take)" 100
what=precapture:all:3
look 8 "work=txn n=60 trigger=time:20000"
above "stacks taken, of all CPUs" "$(count take)" 300
above "threads left to another sampler" "$(sed -n \
    's/^samples: taken.* \([0-9]*\) left to another.*/\1/p' "$out")" 0
what=precapture:all
for words in "sampler=from-idle strategy=none" "strategy=spin toidle=direct" \
    "rearm=complete once=on idle=spin" "work=switch n=5000 trigger=time:5000"; do
    look 4 "n=20 $words"
    above "stacks taken" "$(count take)" 20
done

# Exclusions, by name and number.
what=precapture
excluded() { # excluded LIST NAME...
    list=$1
    shift
    look 2 "work=prodcons n=60 exclude=$list"
    above "stacks taken" "$(count take)" 20
    for name; do
        n=$(records "$dir/e.exp/thread.rec" | awk -v name="$name" '{
            text = ""
            for (i = 7; i <= NF; i++)
                for (k = 24; k >= 0; k -= 8)
                    text = text sprintf("%c", int($i / 2 ^ k) % 256)
            if (index(text, name) == 1) print $3 }')
        for tid in $n; do
            is "stacks of $name" "$(grep -Ec " (take|fail|use) [0-9]+ $tid " "$dir/story")" 0
        done
    done
    above "ends by them" "$(count exclude)" 0
}
excluded producer producer
excluded consumer.0,consumer.3 consumer.0 consumer.3
excluded 1 producer
"$simprof" idle "$dir/e.exp" | grep -q "$(count exclude) .*<excluded: by the boot line>" ||
    fail "the report does not name who is excluded"

refused "fromidle=precapture:0" 'fromidle=backend|direct|precapture\[:all\]\[:COUNT\]'
refused "fromidle=precapture:" fromidle=
refused "fromidle=precapture:all:" fromidle=
refused "fromidle=precapture:own" fromidle=
refused "fromidle=precapture:4:all" fromidle=
refused "fromidle=direct:4" fromidle=
refused "exclude=worker" "exclude= is about fromidle=precapture"
refused "exclude=nobody fromidle=precapture" "known: worker"
refused "exclude= fromidle=precapture" "exclude=none|"

# Programs: whole stacks, the same result; one whose stack cannot be read is tried
# once.
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
powerpc-linux-gnu-gcc -O1 -g -static -pthread -o "$dir/astray" tests/guest/prog/astray.c ||
    fail "astray.c does not compile"
for what in precapture precapture:all; do
    rm -rf "$dir/e.exp"
    line="sampler=both fromidle=$what"
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=2 --append "$line" \
        -f --pmu-trace="$dir/e.exp" --program "$dir/astray" "$guest" >"$out" 2>&1 </dev/null ||
        fail "status $?"
    is "the program prints" "$(cat "$out")" "astray: 60 rounds"
    story
    judge
    is "threads whose stack cannot be read" "$(count fail)" 2
    above "ends by them" "$(count failed)" 5
    above "stacks taken" "$(count take)" 20
    names >"$dir/kept"
    grep -q 'rester;rests;nanosleep;.*;user_entry;.*;swtch$' "$dir/kept" ||
        fail "no whole stack: $(cat "$dir/kept")"
    grep -q strays "$dir/kept" && fail "a stack that leads nowhere"
    "$simprof" idle "$dir/e.exp" |
        grep -q "$(count failed) .*<failed: its stack could not be read before>" ||
        fail "the report does not name what failed"
done
exit 0
