#!/bin/bash
# prompt_test.sh - simprof EXPERIMENT: commands from a terminal, with editing,
# completion and history; from anything else as a script, without a prompt.
# timeout: 120
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
simprof=$(realpath "$BUILD/simprof")
fail() { echo "$*"; cat "$dir/out" "$dir/err"; exit 1; }

timeout 60 "$BUILD/simrun" -q --max-cycles=3000000 -e cycles:5000 \
    --pmu-trace="$dir/a.exp" "$BUILD/guest.elf" >"$dir/run" 2>&1
[ -d "$dir/a.exp" ] || { cat "$dir/run"; exit 1; }

# Not a terminal: no prompt, mistakes by their line, one loading.
printf 'printmode csv\nnonsense\nmetrics e+exact\ncpus\n' |
    "$simprof" "$dir/a.exp" >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] || fail "status of a script with a mistake"
grep -q '(simprof)' "$dir/out" && fail "a prompt in a pipe"
grep -qx 'simprof: standard input:2: nonsense: no such command.*' "$dir/err" ||
    fail "no line number"
[ "$(grep -c ',CPU [0-3]$' "$dir/out")" -eq 4 ] || fail "no report"
"$simprof" "$dir/a.exp" </dev/null >"$dir/out" 2>"$dir/err" || fail "status"
[ -s "$dir/out" ] && fail "output of nothing"

# Each report is what it is alone, also of an interval, a CPU or a thread.
cat >"$dir/reports" <<'END'
functions
lines
calltree --cpu=1
functions --thread=3
functions --thread=4 --limit=4
functions --from=2000001 --to=2900000
lines --from=2000001 --to=2900000 --cpu=2
truth
functions --filters=cycle<2000001
functions --per-cpu --reasons
objects
END
while read -r report; do
    "$simprof" $report "$dir/a.exp"
done <"$dir/reports" >"$dir/alone" 2>"$dir/err"
"$simprof" "$dir/a.exp" <"$dir/reports" 2>>"$dir/err" >"$dir/out"
diff -B "$dir/alone" "$dir/out" >"$dir/err" || fail "reports together differ from each alone"

# Read once, however many reports: the log is opened one time, the account as
# often as for one of them.
opened() { # file, report...
    file=$1
    shift
    strace -f -e trace=openat -o "$dir/trace" "$simprof" "$dir/a.exp" "$@" >"$dir/out" 2>"$dir/err"
    grep -c "\"$file\"" "$dir/trace"
}
if command -v strace >/dev/null; then
    [ "$(opened log -functions -cpus -threads)" -eq 1 ] || fail "read again"
    [ "$(opened oracle.rec -functions -lines -calltree)" -eq "$(opened oracle.rec -functions)" ] ||
        fail "the account is read again"
fi

. tests/lib/terminal.sh
has_terminal || exit 77

# Keys when there is a prompt, each argument a burst. (libedit keeps the names
# of functions that are added to it: a leak that is not ours.)
on_terminal() {
    rm -f "$dir/typescript"
    (until grep -q '^(simprof) ' "$dir/typescript" 2>/dev/null; do sleep 0.1
        done
        for keys in "$@"; do printf "$keys"; sleep 0.5; done; sleep 1) |
        (cd "$dir" && ASAN_OPTIONS=detect_leaks=0 HOME=$dir timeout 60 script -qefc \
            "$simprof a.exp" typescript >/dev/null 2>&1)
    status=$?
    tr -d '\r' <"$dir/typescript" >"$dir/out"
}

: >"$dir/err"
on_terminal 'limi\t2\n' 'limit\n' '\033[A\n' 'nonsense\n' '\004'
[ $status -eq 0 ] || fail "status $status: mistakes at a prompt are forgiven"
grep -q '^(simprof) ' "$dir/out" || fail "no prompt"
[ "$(grep -c '^limit: 2$' "$dir/out")" -eq 2 ] ||
    fail "no completion, or no history"
grep -q '^simprof: nonsense: no such command' "$dir/out" || fail "no message"
# Names of all kinds are completed where they may stand.
on_terminal 'csingle mutex_l\t--li\t3\n' 'csingle mutex_l\t--wi\t90\n' \
    'sort e.cyc\t\n' 'sort\n' 'metrics e+exact:i.%%cyc\t\n' 'tree bu\t--ev\tcyc\t\n' \
    'interrupts --by\tpr\t\n' 'functions --sort=\t' '\025idle --t\t' '\025quit\n'
[ $status -eq 0 ] || fail "completion: status $status"
grep -q '^simprof: --li3: no such option' "$dir/out" ||
    fail "csingle has no --limit to complete"
grep -q '\*mutex_lock$' "$dir/out" || fail "no function, or no option"
grep -q '^sort: e.cycles$' "$dir/out" || fail "no metric to sort by"
grep -q '(simprof) metrics e+exact:i.%cycles' "$dir/out" || fail "no second metric"
grep -q 'samples of cycles, ' "$dir/out" || fail "no event"
grep -q '(simprof) interrupts --by=process ' "$dir/out" || fail "no word"
grep -q '^e.cycles  e.exact  i.cycles  name  *$' "$dir/out" || fail "no choice of orders"
grep -q '^table=  to=  *$' "$dir/out" || fail "no choice of options"
on_terminal 'quit\n'
[ $status -eq 0 ] || fail "quit: status $status"
exit 0
