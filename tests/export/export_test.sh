#!/bin/sh
# export_test.sh - simprof export as text: CSV has every sample, folded stacks
# and speedscope add up to the same, and what cannot be exported is said in
# one line. Writers with one mistake each are caught.
# timeout: 240
set -u
NAPS=20000 # stay, and so does the period
. tests/export/export_lib.sh
need jq jq
make_run

# ---- CSV: every record, and sums that the machine knows -------------------
records=$("$simprof" info run.exp | awk '$NF == "profile.rec" { print $1 }' |
    tr -d ,)
[ "$records" -eq $(($(wc -l <run.csv) - 1)) ] ||
    complain "$records records, $(wc -l <run.csv) lines of CSV"
awk -F, 'NF != 15 { exit 1 }' run.csv || complain "CSV: rows of other widths"
# Samples of a CPU's cycles cover its cycles but for the last period.
awk -F, '$6 == "cycles" { sum[$2] += $7; last[$2] = $1 }
    END { for (c in sum) { n++; if (sum[c] != last[c]) exit 1 }
        exit n != 4 }' run.csv ||
    complain "events of cycles are not the cycles passed"
# One CPU alone is what all have of it.
"$simprof" export --format=csv --cpu=2 run.exp >cpu2.csv
awk -F, 'NR == 1 || $2 == 2' run.csv | cmp -s - cpu2.csv ||
    complain "--cpu=2 is not what CPU 2 has in the whole"

# A part of the run is that part of the whole, in each format.
part="--cpu=1 --from=3000000 --to=4000000"
"$simprof" export --format=csv $part --filters='thread!=4' run.exp >part.csv
awk -F, 'NR == 1 || $2 == 1 && $4 != 4 && $15 == 0 && $1 >= 3000000 && $1 < 4000000' \
    run.csv >want.csv
[ "$(wc -l <part.csv)" -gt 10 ] && cmp -s part.csv want.csv ||
    complain "a part: $(diff part.csv want.csv | head -n 5)"
want=$(awk -F, '$6 == "cycles" { n += $7 } END { print n }' want.csv)
"$simprof" export --format=folded $part --filters='thread!=4' run.exp |
    awk -v want="$want" '{ n += $NF } END { exit n != want }' ||
    complain "folded stacks of a part are not those"
"$simprof" export --format=csv --filters='thread!=' run.exp >out 2>said
[ $? -eq 2 ] && grep -q "^simprof: --filters: " said ||
    complain "half a filter: $(cat said)"

# ---- folded and speedscope -------------------------------------------------
csv_folded() {
    awk -F, -v counter="$1" 'NR > 1 && $6 == counter { sum[$15 ? "<napping>" : $13] += $7 }
        END { for (s in sum) print s, sum[s] }' run.csv | sort
}

compare() {
    "$1" export --format=speedscope -o run.json run.exp || return 1
    index=0
    for counter in cycles dcache_miss; do
        csv_folded $counter >ours
        [ "$(wc -l <ours)" -gt 20 ] || { echo "$counter: nothing"; return 1; }
        "$1" export --format=folded --event=$counter run.exp | sort >theirs
        diff ours theirs >difference ||
            { echo "folded $counter:"; head difference; return 1; }
        jq -r --argjson i $index '.shared.frames as $f | .profiles[$i] |
            [.samples, .weights] | transpose[] |
            ([.[0][] | $f[.].name] | join(";")) + " " + (.[1] | tostring)' \
            run.json | sort >theirs
        diff ours theirs >difference ||
            { echo "speedscope $counter:"; head difference; return 1; }
        # What its schema asks for.
        jq -e --argjson i $index --arg name $counter '
            (.shared.frames | length > 0 and all(.name | type == "string")) and
            (.["$schema"] == "https://www.speedscope.app/file-format-schema.json")
            and (.profiles[$i] | .type == "sampled" and .name == $name and
            .unit == "none" and .startValue == 0 and
            .endValue == (.weights | add) and
            (.samples | length) == (.weights | length))' run.json >/dev/null ||
            { echo "speedscope: not as its schema says"; return 1; }
        index=$((index + 1))
    done
    [ "$(jq '.profiles | length' run.json)" -eq $index ]
}
compare "$simprof" || complain "the formats do not agree"

while read -r file edit; do
    make_twin "tools/analysis/export/$file" "$edit"
    compare ./twin >said 2>&1 && complain "not caught: $edit"
done <<'END'
export_stacks.c s/\.events);/.events - 1);/
export_stacks.c s/i < s.depth;/i + 1 < s.depth;/
export_stacks.c s/if (s.truncated)/if (s.cycle % 64 == 0)/
export_speedscope.c s/c->events)/c->samples)/
export_speedscope.c s/\*at = frames++/*at = frames++ \/ 2/
export_speedscope.c s/put_list(w, i, true)/put_list(w, 0, true)/
END

# ---- what cannot be exported ----------------------------------------------
refuse() { # status, words of the line, arguments
    status=$1 words=$2
    shift 2
    "$simprof" export "$@" >out 2>said
    got=$?
    [ $got -eq "$status" ] && [ "$(wc -l <said)" -eq 1 ] &&
        grep -q -e "$words" said || complain "$*: status $got, $(cat said)"
}
refuse 2 'format=pdf: must be perf, gprofng, ' --format=pdf run.exp
refuse 2 'must be perf, gprofng, ' run.exp
refuse 2 'add -o NAME' --format=perf run.exp
refuse 2 '-o run.dir: must end in .er' --format=gprofng -o run.dir run.exp
refuse 2 'the counters are cycles, dcache_miss' --format=folded --event=tea \
    run.exp
refuse 2 'holds all counters' --format=csv --event=cycles run.exp
refuse 125 '^simprof: none/x: No such file' --format=perf -o none/x run.exp
refuse 125 'no-such.exp: No such file' --format=csv no-such.exp
refuse 125 'No space left' --format=perf -o /dev/full run.exp
refuse 125 'No space left' --format=csv -o /dev/full run.exp

# Nothing to export is no mistake, but it is said.
for format in folded csv; do
    name=
    [ $format = csv ] || name='cycles: '
    "$simprof" export --format=$format --from=1 --to=2 run.exp >out 2>said || complain "$format, empty: status $?"
    [ "$(cat said)" = "simprof: note: ${name}no sample is among what is exported" ] ||
        complain "$format, empty: $(cat said)"
    "$simprof" export --format=$format run.exp >out 2>said
    grep -q "no sample" said && complain "$format: $(cat said)"
done

# Not what is read.
ln -s run.exp/profile.rec linked.csv
sum=$(md5sum <run.exp/profile.rec)
for name in run.exp/profile.rec linked.csv run.exp/archives/../map; do
    refuse 2 "^simprof: -o $name: is a file of the experiment" --format=csv \
        -o $name run.exp
done
[ "$sum" = "$(md5sum <run.exp/profile.rec)" ] || complain "it was written"

# A limit on the size of files stands in for a full disk: what was there stays,
# and nothing else comes. With room, a link stays one and a mode is kept.
mkdir -p full
echo before >full/old.csv
chmod 640 full/old.csv
ln -s old.csv full/link.csv
for name in old.csv link.csv new.csv new.er; do
    format=csv
    [ $name = new.er ] && format=gprofng
    sh -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' - "$simprof" export \
        --format=$format -o full/$name run.exp >out 2>said
    [ $? -eq 125 ] && [ "$(wc -l <said)" -eq 1 ] &&
        grep -q "full/$name: File too large, the .* is not complete" said ||
        complain "$name on a full disk: $(cat said)"
done
[ "$(cat full/old.csv)" = before ] || complain "what was there is lost"
[ "$(ls full | tr '\n' ' ')" = 'link.csv old.csv ' ] ||
    complain "left behind: $(ls full)"
(umask 027 && "$simprof" export --format=gprofng -o full/new.er run.exp) &&
    [ "$(ls full | tr '\n' ' ')" = 'link.csv new.er old.csv ' ] &&
    [ "$(stat -c %a full/new.er)" = 750 ] ||
    complain "an export with room: $(ls -l full)"
"$simprof" export --format=csv -o full/link.csv run.exp ||
    complain "no export through a link"
cmp -s full/old.csv run.csv && [ -L full/link.csv ] &&
    [ "$(stat -c %a full/old.csv)" = 640 ] ||
    complain "an export over a file: $(ls -l full)"

# Damage costs what it held, and is said.
cp -r run.exp cut.exp
size=$(wc -c <run.exp/profile.rec)
head -c $((size / 2 + 3)) run.exp/profile.rec >cut.exp/profile.rec
refuse 1 'damage: profile.rec: ends inside a record' --format=csv cut.exp
head -n "$(wc -l <out)" run.csv | cmp -s - out && [ "$(wc -l <out)" -gt 500 ] ||
    complain "half a file does not give its records"
grep -v '^profile 1 ' run.exp/log >cut.exp/log
cp run.exp/profile.rec cut.exp
refuse 1 'does not name every counter' --format=csv cut.exp
sed 's/,dcache_miss,/,counter1,/' run.csv | cmp -s - out ||
    complain "a counter without a name is not counter1"
cp run.exp/log cut.exp
rm cut.exp/profile.rec
for format in csv folded callgrind speedscope; do
    refuse 1 'damage: profile.rec: missing' --format=$format cut.exp
done
refuse 1 'damage: profile.rec: missing' --format=perf -o cut.data cut.exp
refuse 1 'damage: profile.rec: missing' --format=gprofng -o cut.er cut.exp

# Without an archive functions have no names; all samples are there.
cp run.exp/profile.rec cut.exp
rm -r cut.exp/archives
refuse 1 'damage: archives/' --format=folded cut.exp
[ "$(awk '{ n += $NF } END { print n }' out)" = \
    "$(csv_folded cycles | awk '{ n += $NF } END { print n }')" ] ||
    complain "without names the sum is another"
for format in perf gprofng callgrind speedscope; do
    refuse 1 'damage: archives/' --format=$format -o cut.$format.er cut.exp
done

# A run without samples is no mistake, and says how to get some.
timeout -s KILL 60 "$simrun" -q --append "work=busy" --max-cycles=1000000 \
    --pmu-trace=none.exp "$guest" >/dev/null 2>&1 </dev/null
for format in csv folded callgrind speedscope; do
    refuse 0 'note: no samples: simrun -e' --format=$format none.exp
done

# A reader that has seen enough.
"$simprof" export --format=csv run.exp 2>said | head -n 1 >/dev/null
[ -s said ] && complain "a closed pipe: $(cat said)"
exit $bad
