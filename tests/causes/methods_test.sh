#!/bin/sh
# methods_test.sh - simprof causes --methods: what each method blames agrees with the
# reports that know it, and on a pipeline with a slow stage chains and the critical path
# agree with measured gains where the longest waits do not.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1

record() { # record PROGRAM
    rm -rf "$dir/x.exp"
    user "$BUILD/workloads/$1" --cpus=4 --switch-stacks -e cycles:1000 \
        --pmu-trace="$dir/x.exp" >"$out" 2>"$dir/err" ||
        fail "$1: $(cat "$dir/err")"
    recorded=$(sed -n 's/^end //p' "$dir/x.exp/log")
}
score() { # score FUNCTION COLUMN
    "$simprof" causes --methods --csv "$dir/x.exp" | awk -F, -v f=$1 -v c=$2 '
        NR == 1 { for (n = 1; n <= NF; n++) if ($n == c) at = n }
        $NF == f { print $at }'
}
# correlation PATTERN OPTION...: of the method so called, in hundredths
correlation() {
    pattern=$1
    shift
    "$simprof" causes --methods --width=120 "$dir/x.exp" "$@" |
        awk -v p="$pattern" '$0 ~ p { printf "%d\n", $1 * 100 }'
}

# The same numbers as of locks, roots and predict; nothing is on no CPU but by naps.
record contended_lock
is "longest waits" "$(score post_to_ledger off-cpu)" \
    "$("$simprof" locks --csv "$dir/x.exp" | sed -n 2p | cut -d, -f2)"
is "roots" "$(score post_to_ledger causes)" "$("$simprof" causes --csv "$dir/x.exp" |
    awk -F, '/post_to_ledger/ { n += $1 } END { print n }')"
is "path" "$(score post_to_ledger path)" "$("$simprof" path --csv "$dir/x.exp" |
    awk -F, '/post_to_ledger/ { n += $1 } END { print n }')"
is "prediction" "$(score post_to_ledger gain)" \
    "$("$simprof" predict --csv "$dir/x.exp" --what-if func:post_to_ledger+=x0.5 |
        sed -n 3p | cut -d, -f2)"
is "a thread begins with it" "$(score clerk gain)" ""

# A sleep cannot be sped up by delaying others.
record sleep_backoff
is "virtual speed-up of a sleep" "$(($(score back_off virtual) * 5 < $(score back_off gain)))" 1

# Measured gains.
record slow_stage
echo what_if,gain >"$dir/gains"
for f in encode fetch pass_on compute; do
    user "$BUILD/workloads/slow_stage" --cpus=4 --summary=json \
        --what-if "func:$f+=x0.5" >"$out" 2>"$dir/err" </dev/null ||
        fail "$f: $(cat "$dir/err")"
    echo "func:$f+=x0.5,$((recorded - $(sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$dir/err")))"
done >>"$dir/gains"
for method in "simprof causes" "simprof path"; do
    above "$method" "$(correlation "$method" --gains="$dir/gains")" 75
done
[ "$(correlation "longest waits" --gains="$dir/gains")" -lt 50 ] ||
    fail "the longest waits: $(correlation "longest waits" --gains="$dir/gains")"
"$simprof" causes --methods "$dir/x.exp" --gains="$dir/gains" | grep -q "Against the file's gains" ||
    fail "whose gains?"
# The CSV of advise does as well: single changes that were measured, others are passed over.
awk -F, 'NR == 1 { print "predicted_cycles,measured_cycles,kind,change,what" }
    NR > 1 { print "1," $2 ",single," $1 ",\"runs \"\"it\"\", mostly\"" }
    END { print "1,5,pair,func:encode+=x0.5 and func:fetch+=x0.5,both"
        print "1,,single,func:encode+=x0.5,not measured"
        print "1,77,single,hold:lock=x0.5,\"a lock, held\"" }' "$dir/gains" >"$dir/advice"
for file in gains advice; do
    "$simprof" causes --methods --csv "$dir/x.exp" --gains="$dir/$file" >"$dir/$file.csv" 2>"$dir/err" ||
        fail "$file: $(cat "$dir/err")"
done
cmp -s "$dir/gains.csv" "$dir/advice.csv" || fail "advice: $(diff "$dir/gains.csv" "$dir/advice.csv" | head -n 4)"
grep -q '^[1-9]' "$dir/advice.csv" || fail "no gain: $(head -n 3 "$dir/advice.csv")"
# So does a sweep's table: its means over the base.
cat >"$dir/gains.sweep" <<END
program = --root=.:/here --user ./slow_stage
option = --mode=fast --cpus=4
what-if = none
$(sed -n 's/^\(func:.*\),.*/what-if = \1/p' "$dir/gains")
base = what-if=none
END
# With the paths of record(): their length is in the program's stack.
(cd "$BUILD/workloads" && "$simrun" sweep --quiet --runs="$dir/runs" -o "$dir/sweep" "$dir/gains.sweep") >"$out" 2>"$dir/err" ||
    fail "$(cat "$dir/err")"
"$simprof" causes --methods --csv "$dir/x.exp" --gains="$dir/sweep" >"$dir/sweep.csv" 2>"$dir/err" || fail "$(cat "$dir/err")"
paste -d, "$dir/gains.csv" "$dir/sweep.csv" | awk -F, -v all="$recorded" 'NR == 1 { half = NF / 2; for (i = 1; i <= half; i++) if ($i == "gain") c = i }
    NR > 1 && $c != "" { n++; d = $c - $(half + c); if (d < 0) d = -d; if (d > all / 10000) print $c, $(half + c) }
    END { if (n < 3) print n + 0, "gains" }' >"$dir/off"
is "a sweep's gains" "$(cat "$dir/off")" ""
# What the recording has not, and why there are no correlations.
printf 'what_if,gain\nfunc:nosuch+=x0.5,5\nfunc:encode+=x0.5,7\n' >"$dir/few"
"$simprof" causes --methods "$dir/x.exp" --gains="$dir/few" >"$out" 2>"$dir/err" || fail "$(cat "$dir/err")"
grep -q 'note: .*few: .* nosuch in this' "$dir/err" || fail "nosuch: $(cat "$dir/err")"
grep -q 'at least 3 functions must have a gain, and 1 here has' "$out" || fail "no word of correlations"
"$simprof" causes --methods "$dir/x.exp" | grep -q "No rank" && fail "there are correlations"
"$simprof" causes --methods "$dir/x.exp" | grep -q "Against predicted gains" || fail "whose gains?"
"$simprof" causes --methods --json "$dir/x.exp" | grep -q '"off-cpu"' || fail "no JSON"

# refuse PATTERN OPTION...
refuse() {
    pattern=$1
    shift
    "$simprof" causes "$dir/x.exp" "$@" >"$out" 2>"$dir/err" && fail "$*: taken"
    grep -q "$pattern" "$dir/err" || fail "$*: $(cat "$dir/err")"
}
refuse "goes with --methods" --gains="$dir/gains"
refuse "No such file" --methods --gains="$dir/none"
echo cycles,what >"$dir/bad"
refuse "must name the columns" --methods --gains="$dir/bad"
printf 'what_if,gain\nfunc:encode=x0.5,much\n' >"$dir/bad"
refuse "bad:2: give a gain" --methods --gains="$dir/bad"
exit 0
