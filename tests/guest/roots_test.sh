#!/bin/sh
# roots_test.sh - simprof causes charges the idle time of programs with a planted
# cause to that cause first, where docs/workloads.md says so; every idle cycle is in
# one class; the chain names who waits for whom. Without stacks, samples or states
# it says what is missing.
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1

# record PROGRAM CPUS guest|user: to $dir/x.exp
record() {
    file=$BUILD/workloads/$1
    case $3 in
    guest) set -- "$1" "$2" --append states=on "$guest" --program "$file" ;;
    *) set -- "$1" "$2" --user "$file" ;;
    esac
    name=$1
    cpus=$2
    shift 2
    rm -rf "$dir/x.exp"
    "$simrun" -q --mode=fast --cpus=$cpus --switch-stacks -e cycles:1000 \
        --pmu-trace="$dir/x.exp" "$@" >"$out" 2>"$dir/err" </dev/null ||
        fail "$name: $(cat "$dir/err")"
}
# What CPUs napped, by another report; and what the roots add up to.
napped() {
    "$simprof" functions --csv --limit=0 --metrics=e+exact "$dir/x.exp" |
        awk -F, '$NF == "<napping>" { print $1 }'
}
rooted() {
    awk -F, 'NR > 1 { n += $1 } END { print n + 0 }' "$dir/csv"
}
firsts=0
while IFS='|' read -r none program root two four eight two_user four_user eight_user rest; do
    program=$(echo "$program" | tr -d '` ')
    set -- $(echo "$root" | tr -d '`' | sed 's/runs/\\(runs\\|system\\)/')
    what=$1
    shift
    function=$*
    for where in "2 guest $two" "4 guest $four" "8 guest $eight" \
        "2 user $two_user" "4 user $four_user" "8 user $eight_user"; do
        place=$(echo "$where" | awk '{ print $3 }')
        [ "$place" = 1 ] || continue
        record "$program" $(echo "$where" | awk '{ print $1, $2 }')
        "$simprof" causes "$dir/x.exp" --csv >"$dir/csv" || fail "$program: status $?"
        is "$program, $where: roots" "$(rooted)" "$(napped)"
        sed -n 2p "$dir/csv" | grep -q "^[0-9]*,[0-9.]*,$what,[^,]*,.*$function" ||
            fail "$program, $where: $(sed -n 1,4p "$dir/csv")"
        firsts=$((firsts + 1))
    done
done <<T
$(sed -n '/^| `.*` `.*` |\( *[0-9-]* |\)\{6\}$/p' docs/workloads.md)
T
[ $firsts -ge 70 ] || fail "$firsts are first"

# The README's own run: the lock's holder sleeps in journal_write.
boot 4 "work=txn n=40 states=on" --switch-stacks --pmu-trace="$dir/t.exp"
"$simprof" causes "$dir/t.exp" >"$dir/text" || fail "status $?"
tr '\n' ' ' <"$dir/text" >"$dir/line"
grep -q "waits for the lock \"journal_lock\" in txn_stage_commit, which worker.[0-9]* has, because worker.[0-9]* sleeps in journal_write (guest/work/txn.c:[0-9]*)" \
    "$dir/line" || fail "no chain: $(cat "$dir/text")"
grep -q "CPUs were idle for [78][0-9]\.[0-9]% of their time\. " "$dir/line" || fail "no share"
grep -q "The classes add up to the [0-9,]* cycles that CPUs napped" "$dir/line" ||
    fail "no sum: $(cat "$dir/text")"
"$simprof" causes "$dir/t.exp" --csv | sed -n 2p |
    grep -q "^[0-9]*,[5-9][0-9]\.[0-9],sleeps,guest/work/txn.c:[0-9]*,journal_write < txn_stage_commit < txn_worker,[0-9.]*,0$" ||
    fail "another root: $(cat "$dir/text")"
grep -q "with samples (simrun -e cycles:1000)" "$dir/line" || fail "no word of samples"

# CPUs and halves of the run add up to all of it.
sum() { "$simprof" causes "$dir/t.exp" --csv "$@" | awk -F, 'NR > 1 { n += $1 } END { print n + 0 }'; }
all=$(sum)
is "CPUs" $(($(sum --cpu=0) + $(sum --cpu=1) + $(sum --cpu=2) + $(sum --cpu=3))) "$all"
is "halves" $(($(sum --to=3000000) + $(sum --from=3000000))) "$all"

# So do classes, of all CPUs and of each, and chains, each of one class and of one root.
part() { "$simprof" causes "$dir/t.exp" --json --table="$@" >"$dir/json" || fail "--table=$*"; }
part classes --per-cpu
is "classes" "$(jq 'map(select(.class != "total").cycles) | add' "$dir/json")" "$all"
is "of CPUs" "$(jq 'map(select(.class == "total") | [."CPU 0", ."CPU 1", ."CPU 2", ."CPU 3"] | add) | add' \
    "$dir/json")" "$all"
lock=$(jq 'map(select(.class == "lock").cycles) | add' "$dir/json")
part chains
is "chains" "$(jq 'map(.cycles) | add' "$dir/json")" "$all"
is "chains for locks" "$(jq 'map(select(.class == "lock").cycles) | add' "$dir/json")" "$lock"
jq -e '.[0] | .class == "lock" and .what == "sleeps" and (.functions | startswith("journal_write < ")) and
    .longest <= .cycles and (.chain | endswith("sleeps in journal_write (" + $root.line + ")."))' \
    --argjson root "$(jq '.[0]' "$dir/json")" "$dir/json" >"$out" || fail "first chain: $(head -3 "$dir/json")"
for table in "causes --table=tree" "idle --table=roots" "causes --table=roots --methods"; do
    "$simprof" $table "$dir/t.exp" >"$out" 2>"$dir/err"
    [ $? = 2 ] && grep -q -e --table "$dir/err" || fail "$table: $(cat "$dir/err")"
done

# The critical path has every cycle that it says once, and is mostly that sleep.
"$simprof" path "$dir/t.exp" >"$dir/text" || fail "path: status $?"
said=$(sed -n 's/^\([0-9,]*\) cycles, from cycle .*/\1/p' "$dir/text" | tr -d ,)
is "path" "$("$simprof" path "$dir/t.exp" --csv |
    awk -F, 'NR > 1 { n += $1 } END { print n }')" "$said"
"$simprof" path "$dir/t.exp" --csv | sed -n 2p | grep -q ',[5-9][0-9]\.[0-9],sleeps,.*,journal_write < ' ||
    fail "path: $(cat "$dir/text")"

# What is missing is said.
boot 2 "work=txn n=10" --pmu-trace="$dir/n.exp"
for report in causes path "causes --csv"; do
    "$simprof" $report "$dir/n.exp" >"$out" 2>"$dir/err"
    [ $? = 125 ] && grep -q "n.exp: no states of threads were recorded" "$dir/err" ||
        fail "$report: no states, no word"
done
boot 2 "work=txn n=10 states=on" --pmu-trace="$dir/p.exp"
"$simprof" causes "$dir/p.exp" | tr '\n' ' ' | grep -q "not known: simrun records it with --switch-stacks" ||
    fail "no stacks, no word"
boot 2 "work=txn n=10 states=on idle=spin" --pmu-trace="$dir/s.exp"
"$simprof" causes "$dir/s.exp" | tr '\n' ' ' | grep -q "cycles that idle threads ran" ||
    fail "idle threads that spin are not idle"
exit 0
