#!/bin/sh
# sample_idle_test.sh - under --user simrun takes idle-transition samples from
# outside (--sample-idle): of the thread that the context switches name, with the
# stack that it left its processor with, and without taking a cycle.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
dir=$(mktemp -d)
bad=0
complain() { echo "$*"; bad=1; }
powerpc-linux-gnu-gcc -O1 -static -pthread -I. -o "$dir/lock" \
    guest/work/pthread/contended_lock.c guest/work/pthread/common/*.c || exit 1
go() { # EXPERIMENT OPTION...
    exp=$dir/$1.exp
    shift
    "$BUILD/simrun" -q --cpus=3 "--pmu-trace=$exp" "$@" --user "$dir/lock" \
        >"$dir/out" 2>"$dir/err" </dev/null || complain "$exp: $? $(cat "$dir/err")"
}
cycles() { sed -n 's/^end //p' "$dir/$1.exp/log"; }
size() { wc -c <"$dir/$1.exp/$2.rec"; }

for mode in fast detailed; do
    go $mode --mode=$mode --sample-idle=5000
    go $mode.again --mode=$mode --sample-idle=5000
    go $mode.plain --mode=$mode --switch-stacks
    [ "$(cycles $mode)" = "$(cycles $mode.plain)" ] || complain "$mode: samples take cycles"
    diff -r "$dir/$mode.exp" "$dir/$mode.again.exp" >/dev/null || complain "$mode: not the same again"
    for kind in switch state wake; do
        cmp "$dir/$mode.exp/$kind.rec" "$dir/$mode.plain.exp/$kind.rec" ||
            complain "$mode: $kind.rec is another one"
    done
    # Judged by the context switches: the thread of each, and the idle period.
    "$BUILD/simprof" truth "$dir/$mode.exp" >"$dir/truth" || complain "$mode: truth"
    [ "$(tr '\n' ' ' <"$dir/truth" | grep -o '0 of [0-9]* samples name another thread than the context switches do, 0 lie in no idle period' |
        wc -l)" -eq 2 ] || complain "$mode: $(cat "$dir/truth")"
    # The guest's counters that simrun writes agree with its records.
    "$BUILD/simprof" idle "$dir/$mode.exp" >"$dir/idle" 2>"$dir/err" || complain "$mode: idle"
    [ -s "$dir/err" ] && complain "$mode: $(cat "$dir/err")"
    # A sample has the stack that the record of the state has.
    "$BUILD/simprof" idle --csv "$dir/$mode.exp" >"$dir/csv"
    awk -F, '$2 == "to-idle" { n += $3; if ($5 ~ /;clerk;(post_to_ledger;)?pthread_mutex_lock/) lock += $3 }
        END { exit !(n > 50 && lock > 0.9 * n) }' "$dir/csv" || complain "$mode: $(cat "$dir/csv")"
done
[ "$(size fast.plain idle)" -eq 32 ] && [ "$(size fast.plain stat)" -eq 32 ] ||
    complain "samples unasked"

# Every interrupt that found a processor idle is a sample or has a reason, and
# what is left out is left out.
kinds() { # EXPERIMENT: kinds of rows in the report
    "$BUILD/simprof" idle --csv "$dir/$1.exp" | awk -F, 'NR > 1 { print $2 }' | sort -u | tr '\n' ' '
}
go to --mode=fast --sample-idle=5000:to
go from --mode=fast --sample-idle=5000:from
go once --mode=fast --sample-idle=5000:once
case $(kinds to) in *from*) complain "to: $(kinds to)" ;; *to-idle*) ;; *) complain "to: nothing" ;; esac
[ "$(kinds from)" = "from-idle " ] || complain "from: $(kinds from)"
case $(kinds once) in *again*) ;; *) complain "once: $(kinds once)" ;; esac
once() { # the periods that were sampled, the samples
    "$BUILD/simprof" idle --csv --table=cpus "$dir/$1.exp" |
        awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) c[$k] = k }
            $1 == "all" { print $c["sampled"] - $c["to_idle"] }'
}
[ "$(once once)" -ge 0 ] || complain "once: more samples than periods"
[ "$(once fast)" -lt 0 ] || complain "without once: no period has two"
# Another seed has them elsewhere, and as many.
go seed --mode=fast --sample-idle=5000 --seed=2
cmp -s "$dir/seed.exp/idle.rec" "$dir/fast.exp/idle.rec" && complain "the seed changes nothing"

# What cannot be obeyed.
for wrong in 0 x 5: 5:most 5:to:from 3000000000 ''; do
    "$BUILD/simrun" -q "--sample-idle=$wrong" --user "$dir/lock" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] || complain "'$wrong': $(cat "$dir/err")"
done
"$BUILD/simrun" -q "--pmu-trace=$dir/guest.exp" --sample-idle=500 "$BUILD/guest.elf" >"$dir/out" 2>"$dir/err"
[ $? -eq 125 ] || complain "our guest is sampled from outside"
grep -q 'boot word sampler' "$dir/err" || complain "$(cat "$dir/err")"
rm -rf "$dir"
exit $bad
