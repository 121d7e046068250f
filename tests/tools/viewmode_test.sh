#!/bin/sh
# viewmode_test.sh - the three views of one call stack (ANA-64, ANA-66): totals are the same in all;
# the expert's has the state of a wait in front of what was walked, and the user's is that without
# functions of the system, as worked out here from the machine's; in reports and in exports. Of a
# program under --user no function is the system's.
# timeout: 60
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
program=$BUILD/workloads/contended_lock
"$simrun" -q --mode=fast --switch-stacks --append states=on -e cycles:2000 --pmu-trace="$dir/guest.exp" \
    "$guest" --program "$program" >"$out" 2>"$dir/err" || fail "$(cat "$dir/err")"
"$simrun" -q --mode=fast --switch-stacks -e cycles:2000 --pmu-trace="$dir/user.exp" --user "$program" >"$out" ||
    fail "status $?"
"$simrun" -q --mode=fast --switch-stacks --append "work=txn n=4 states=on" -e cycles:5000 \
    --pmu-trace="$dir/kernel.exp" "$guest" >"$out" || fail "status $?"

# Totals, and rows that add up to them: exact cycles, samples, waits.
columns=e.exact:e+exact:e+cycles:i+cycles:e+blocked:i+blocked:e+lock
for exp in guest user; do
    for mode in machine expert user; do
        "$simprof" functions --csv --viewmode=$mode --metrics=$columns "$dir/$exp.exp" >"$dir/$mode.csv" || fail "status $?"
        awk -F, 'NR == 2 { print $2, $3, $4, $5, $6, $7 }' "$dir/$mode.csv" >"$dir/$mode.total"
        cmp -s "$dir/machine.total" "$dir/$mode.total" || fail "$exp $mode: $(cat "$dir/machine.total" "$dir/$mode.total")"
        awk -F, 'NR == 2 { a = $2; b = $3; c = $5; d = $7 } NR > 2 { a -= $2; b -= $3; c -= $5; d -= $7 }
            END { if (a || b || c || d) print a, b, c, d }' "$dir/$mode.csv" >"$dir/off"
        is "$exp $mode: rows" "$(cat "$dir/off")" ""
    done
done

# Functions of the system: those of the guest's image, with its name behind those of both, or that of
# their file.
nm "$guest" | awk '{ print $3; print $3 " (guest.elf)" }' | sort -u >"$dir/system"
folded() { # folded EXP EVENT MODE
    "$simprof" export --format=folded --event="$2" --viewmode="$3" "$dir/$1.exp" | sort
}
# The user's view of the machine's, with a leaf in place of the system's innermost functions.
hide() { # hide LEAF
    awk -v leaf="$1" 'NR == FNR { system_[$0]; next }
        function ours(name) { sub(/ \([^)]*\.c\)$/, "", name); return !(name in system_) }
        { n = split($0, f, ";"); count = f[n]; sub(/.* /, "", count); sub(/ [0-9]*$/, "", f[n]); line = ""
          for (i = 1; i <= n; i++) if (ours(f[i])) line = line (line == "" ? "" : ";") f[i]
          last = leaf != "" ? leaf : ours(f[n]) ? "" : "<system>"
          if (last != "") line = line (line == "" ? "" : ";") last
          sum[line] += count }
        END { for (l in sum) print l, sum[l] }' "$dir/system" - | sort
}
for state in lock queue barrier; do
    folded guest $state user >"$dir/got"
    folded guest $state machine | hide "<$state>" >"$dir/want"
    cmp -s "$dir/got" "$dir/want" || fail "$state: $(diff "$dir/got" "$dir/want" | head -n 4)"
    [ -s "$dir/got" ] || fail "$state: nothing"
    folded guest $state expert | sed "s/;<$state> / /" >"$dir/got"
    folded guest $state machine >"$dir/want"
    cmp -s "$dir/got" "$dir/want" || fail "expert, $state: $(diff "$dir/got" "$dir/want" | head -n 4)"
done
folded guest cycles user >"$dir/got"
folded guest cycles machine | hide "" >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "cycles: $(diff "$dir/got" "$dir/want" | head -n 4)"
grep -q ';<system> ' "$dir/got" || fail "no cycles of the system"
# What each state has is what `states` has of it.
for state in lock queue barrier timer; do
    "$simprof" functions --csv --limit=0 --viewmode=user --metrics=e+blocked "$dir/guest.exp" |
        awk -F, -v f="<$state>" '$2 == f { n = $1 } END { print n + 0 }' >"$dir/got"
    "$simprof" states --csv "$dir/guest.exp" | awk -F, -v s=$state 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == s) c = i }
        NR > 1 { n += $c } END { print n + 0 }' >"$dir/want"
    cmp -s "$dir/got" "$dir/want" || fail "<$state>: $(cat "$dir/got" "$dir/want")"
done
"$simprof" csingle --csv --viewmode=user --metrics=a+lock --function='<lock>' "$dir/guest.exp" | grep -q '__lll_lock_wait' ||
    fail "no callers of <lock>"

# Of samples that are not asked for no number is told.
"$simprof" functions --metrics=i.blocked "$dir/guest.exp" | grep -q '^cycles: not shown (--metrics)$' || fail "samples"

# Under --user only leaves are new.
for mode in expert user; do
    folded user lock $mode | sed 's/;<lock> / /' >"$dir/got"
    folded user lock machine >"$dir/want"
    cmp -s "$dir/got" "$dir/want" || fail "--user $mode: $(diff "$dir/got" "$dir/want" | head -n 4)"
    grep -q . "$dir/got" || fail "--user $mode: nothing"
done
# A script's setting is the option.
printf 'viewmode user\nfunctions --csv --metrics=e+blocked\n' >"$dir/script"
"$simprof" -script "$dir/script" "$dir/guest.exp" | grep -q ',<lock>$' || fail "viewmode of a script"

refuses() { # refuses WORDS OPTION...
    words=$1 status=0
    shift
    "$simprof" "$@" >"$out" 2>"$dir/err" || status=$?
    is "$*" "$status" 2
    grep -q -- "$words" "$dir/err" || fail "$*: $(cat "$dir/err")"
}
refuses "--viewmode=other: must be machine, expert or user" functions --viewmode=other "$dir/guest.exp"
refuses "--viewmode=user: nothing ran but the system's own threads" functions --viewmode=user "$dir/kernel.exp"
refuses "--viewmode=user: nothing ran but" export --format=folded --viewmode=user "$dir/kernel.exp"
refuses "--viewmode goes with neither --per-cpu nor --reasons" functions --viewmode=expert --per-cpu "$dir/guest.exp"
refuses "--viewmode goes with --format=folded and speedscope" export --format=perf -o "$dir/x" --viewmode=user "$dir/guest.exp"
"$simprof" functions --viewmode=expert --metrics=e+blocked "$dir/kernel.exp" | grep -q '<lock>' || fail "no lock of the kernel's"
exit 0
