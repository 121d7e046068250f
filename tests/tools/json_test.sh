#!/bin/sh
# json_test.sh - every report that has --csv has --json: an array of objects which
# a parser takes, with the columns and values of --csv, numbers as numbers; a
# column is of one kind; names of bytes that are no text do no harm.
# timeout: 200
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
simprof=$BUILD/simprof
fail() {
    echo "$*"
    exit 1
}
"$BUILD/simrun" -q --mode=fast --cpus=2 --switch-stacks -e cycles:20000 --mark=func:mutex_lock=count \
    --append "work=txn n=20 states=on tprof=on" --pmu-trace="$dir/x.exp" "$BUILD/guest.elf" \
    >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
"$simprof" tree build "$dir/x.exp" >/dev/null || fail "no time tree"

# 12.50 and 12.5 are one number.
plain() { sed 's/\.\([0-9]*[1-9]\)0*\b/.\1/g; s/\.0*\b//g'; }
rows=0
look() {
    "$simprof" "$@" --json "$dir/x.exp" >"$dir/json" 2>"$dir/err" || fail "$*: $(cat "$dir/err")"
    "$simprof" "$@" --csv "$dir/x.exp" | plain >"$dir/csv"
    jq -r 'def quoted: if test("[,\"\n\r]") then "\"" + gsub("\""; "\"\"") + "\"" else . end;
        def line: map(. // "" | tostring | quoted) | join(",");
        if length > 0 then .[0] | keys_unsorted | line else empty end, (.[] | [.[]] | line)' \
        "$dir/json" >"$dir/lines" || fail "$*: no JSON: $(head -c 300 "$dir/json")"
    plain <"$dir/lines" >"$dir/as_csv"
    # Without rows there are no names.
    [ -s "$dir/as_csv" ] || head -n 1 "$dir/csv" >"$dir/as_csv"
    cmp -s "$dir/as_csv" "$dir/csv" || fail "$*: $(diff "$dir/csv" "$dir/as_csv" | head -n 6)"
    mixed=$(jq -r '[.[] | to_entries[] | select(.value != null) | .key + " " + (.value | type)] |
        unique | group_by(split(" ")[0]) | .[] | select(length > 1) | .[0]' "$dir/json")
    [ -z "$mixed" ] || fail "$*: of two kinds: $mixed"
    rows=$((rows + $(jq length "$dir/json")))
}

for report in $("$simprof" --help | sed -n 's/^  \([a-z-]*\)  *[a-z].*/\1/p'); do
    "$simprof" "$report" --help 2>/dev/null | grep -q '^  --csv ' || continue
    "$simprof" "$report" --help | grep -q '^  --json ' || fail "$report has no --json"
    case $report in
    fsingle | csingle) look "$report" mutex_lock ;;
    disasm | source) look "$report" --function=txn_worker ;;
    indxobj) look indxobj threads ;;
    memobj) look memobj line ;;
    compare | diff) look "$report" "$dir/x.exp" ;;
    *) look "$report" ;;
    esac
done
for table in cpus tree stacks; do look idle --table=$table; done
look locks --places
look functions --per-cpu
look functions --reasons
[ $rows -gt 2000 ] || fail "$rows rows"

# Numbers add up as in CSV.
[ "$("$simprof" states --json "$dir/x.exp" | jq 'map(.system) | add')" = \
    "$("$simprof" states --csv "$dir/x.exp" | awk -F, 'NR > 1 { n += $2 } END { print n }')" ] ||
    fail "system cycles"
[ "$("$simprof" "$dir/x.exp" -printmode json -limit 1 -cpus | jq -r '.[0].CPU')" = "<Total>" ] ||
    fail "printmode json"
"$simprof" "$dir/x.exp" -printmode xml 2>&1 | grep -q "must be text, csv or json" || fail "printmode xml"

# A name with a byte that is no UTF-8 and a quote: worker.0, each word backwards.
cp -r "$dir/x.exp" "$dir/y.exp"
perl -pi -e 's/krow0\.re/k\xff"w0.re/' "$dir/y.exp/thread.rec"
"$simprof" states --json "$dir/y.exp" | jq -e 'any(.[]; .name == "w\"?ker.0")' >/dev/null ||
    fail "$("$simprof" states --json "$dir/y.exp")"
exit 0
