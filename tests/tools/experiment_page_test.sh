#!/bin/sh
# experiment_page_test.sh - docs/experiment.md is enough to write a reader:
# tests/tools/experiment.pl was written from the page alone, and finds as many
# records as the log says, the exact cycles of every CPU and function and the
# samples of every counter that simprof finds. The page has every kind of
# record and every key of the log that simrun writes.
# timeout: 240
set -u
root=$PWD
dir=$(mktemp -d)
bad=0
complain() {
    echo "$*"
    bad=1
}
command -v perl >/dev/null || { echo "no perl"; exit 77; }
cd "$dir" || exit 1
"$BUILD/simrun" "$BUILD/guest.elf" -q --append "work=txn n=20" \
    --pmu-trace=it.exp -e cycles:20000 -e dcache_miss:100:k --switch-stacks \
    --probe=txn_worker --mark func:txn_worker=count --sample-insns=5000 \
    >out 2>&1 || { cat out; exit 1; }
powerpc-linux-gnu-nm -n "$BUILD/guest.elf" >symbols || exit 77
perl "$root/tests/tools/experiment.pl" it.exp symbols >read ||
    { echo "the reader failed"; exit 1; }

# As simprof has them.
cycles=$(sed -n 's/^end //p' it.exp/log)
for cpu in 0 1 2 3; do
    grep -qx "exact $cpu $cycles" read || complain "CPU $cpu: $(grep exact read)"
done
"$BUILD/simprof" overview it.exp | tr -d , >overview
for name in cycles dcache_miss.k; do
    set -- $(grep "^counter $name " read)
    awk -v name="$name" -v samples="${3:-}" -v events="${4:-}" \
        '$1 == name && $2 == events && $3 == samples { found = 1 }
        END { exit !found }' overview ||
        complain "$name: simprof has not $*: $(grep "^$name" overview)"
done
# simprof rounds twelfths so that its rows add up: a row may be 3 cycles off.
"$BUILD/simprof" functions --csv it.exp >functions.csv ||
    complain "simprof functions failed"
awk -F, 'NR == FNR { split($0, w, " "); if (w[1] == "function") mine[w[2]] = w[3]
        next }
    FNR > 1 && $NF !~ /^</ { n++
        if (mine[$NF] - $1 > 3 || $1 - mine[$NF] > 3) { print $NF ": " $1 ", by the page " mine[$NF]
            bad = 1 } }
    END { if (n < 20) { print n " functions"; bad = 1 }; exit bad }' \
    read functions.csv || complain "functions differ"
[ "$(awk '$1 == "idle" { n += $3 } END { print n }' read)" -eq \
    "$(sed -n 's/^records 1 //p' it.exp/log)" ] || complain "idle samples"

# The page is whole.
cd "$root" || exit 1
sed -nE 's/^KIND\(([a-z]+), [A-Z]+, ([0-9]+),.*/\2 \1/p' include/record.def \
    >"$dir/kinds"
[ "$(wc -l <"$dir/kinds")" -ge 14 ] || complain "kinds: $(cat "$dir/kinds")"
while read -r kind; do
    awk -v want="### $kind" '$0 == want { inside = 1; next }
        /^###? / { inside = 0 }
        inside && /^[|] w0[ ,]/ { found = 1 }
        END { exit !found }' docs/experiment.md ||
        complain "docs/experiment.md does not describe kind $kind"
done <"$dir/kinds"
for file in $(sed -nE 's/^KIND\([^"]*"([a-z.]*)".*/\1/p' include/record.def); do
    sed -n '/^| file |/,/^$/p' docs/experiment.md | grep -q "$file" ||
        complain "docs/experiment.md: its list of files lacks $file"
done
table=$(sed -n '/^## log/,/^## map/p' docs/experiment.md | grep '^|')
{
    cut -d' ' -f1 "$dir/it.exp/log"
    # What is written to the log by a format: its first word.
    cat $(tests/setup/sources c sim pmu) | tr '\n' ' ' |
        grep -oE 'experiment_say\([^;"]*"[a-z][a-z_-]*[ "]' |
        sed 's/.*"\([a-z_-]*\).*/\1/'
    sed -n 's/^#define [A-Z]* "\([a-z]*\) "$/\1/p' sim/cli/process_args.c
} | sort -u >"$dir/keys"
[ "$(wc -l <"$dir/keys")" -ge 40 ] || complain "keys: $(cat "$dir/keys")"
while read -r key; do
    echo "$table" | grep -qE "\`$key[ \`]" ||
        complain "docs/experiment.md: the log's '$key' is missing"
done <"$dir/keys"
echo "$(wc -l <"$dir/kinds") kinds, $(wc -l <"$dir/keys") keys"
exit $bad
