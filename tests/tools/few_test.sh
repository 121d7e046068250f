#!/bin/sh
# few_test.sh - a table says below which value a row rests on few samples: the
# rows below it are those with fewer samples than that (ANA-25), counted from
# the samples themselves. And what the sampling itself took is told.
set -u
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

"$BUILD/simrun" -q --mode=fast -e cycles:10000 --pmu-trace=x.exp \
    --append="work=txn n=40" "$BUILD/guest.elf" >/dev/null || exit 1
"$BUILD/simprof" functions --limit=0 x.exp >text
grep -q "below 1,000,000 cycles is of fewer than 100 samples: it may be 20% off" text ||
    { complain "no warning"; tail -n 3 text; }
"$BUILD/simprof" functions --few=30 x.exp | tr '\n' ' ' >text
grep -q "below 300,000 cycles is of fewer than 30 samples: it may be 37% off" text ||
    { complain "not at 30"; tail -n 3 text; }
"$BUILD/simprof" functions --few=0 x.exp | grep "A value below" &&
    complain "a warning in spite of --few=0"
"$BUILD/simprof" functions --filters='function == "<napping>"' x.exp |
    grep "A value below" && complain "a warning where there is nothing small"

# What it says is so: function by function, from the samples.
"$BUILD/simprof" export --format=csv x.exp >samples.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "function") at = i; next }
    { n[$at]++ } END { for (f in n) print f, n[f] }' samples.csv | sort >samples
"$BUILD/simprof" functions --limit=0 --csv --metrics=e+cycles x.exp |
    awk -F, 'NR > 1 && $1 && $2 !~ /^</ { print $2, $1 }' | sort | join samples - |
    awk '{ few += $2 < 100; many += $2 >= 100
        # the one whose value is near the border may fall to either side
        if (($2 < 99) != ($3 < 990000) && ($2 < 101) != ($3 < 1010000)) { print; bad = 1 } }
        END { exit bad || !few || !many }' || complain "rows are on the wrong side"

# What sampling took of the cycles that CPUs worked is what the threads had
# (ANA-26); no sampling, no word of it; seldom enough, no advice (ANA-37).
share() { "$BUILD/simprof" overview "$1" | tr '\n' ' ' | sed -n 's/.*sampling took \([0-9.]*\)% .*/\1/p'; }
"$BUILD/simprof" threads --csv --limit=0 --metrics=e+exact x.exp |
    awk -F, '/sampler/ { n += $1 } END { print n }' >sampling
"$BUILD/simprof" functions --csv --limit=0 --metrics=e+exact x.exp |
    awk -F, 'NR > 1 && $2 !~ /^<(Total|napping|parked)>/ { n += $1 } END { print n }' >working
paste sampling working | awk '{ printf "%.1f\n", 100 * $1 / $2 }' >want
[ "$(share x.exp)" = "$(cat want)" ] ||
    complain "sampling took $(share x.exp) % where threads say $(cat want) %"
"$BUILD/simprof" overview x.exp | grep -q "costs less" || complain "no advice"
for sampler in off to-idle; do
    "$BUILD/simrun" -q --mode=fast --pmu-trace=$sampler.exp \
        --append="work=txn n=40 sampler=$sampler trigger=time:2000000" \
        "$BUILD/guest.elf" >/dev/null || exit 1
    "$BUILD/simprof" overview $sampler.exp | grep "costs less" &&
        complain "$sampler: advice where there is little to save"
done
[ -z "$(share off.exp)" ] || complain "sampling although it is off"
[ -n "$(share to-idle.exp)" ] || complain "seldom sampling is not told"
exit $bad
