#!/bin/sh
# idle_test.sh - idle-transition samples of a Linux kernel's tasks, taken from
# outside (--sample-idle): in a program with a scheduler like Linux's (waits.c),
# of which it is known who left the CPU idle, waiting where, and who ended that.
set -u
. tests/sim/lib.sh
simprof=$BUILD/simprof
"$cc" -I "$root" -O2 -ffreestanding -fno-pic -no-pie -mno-sdata -g -msoft-float \
    -nostdlib -static -Wl,-T,"$beside/kernel.ld",--build-id=none -o "$dir/whole" \
    "$beside/start.S" "$beside/waits.c" || fail "does not compile"

# go NAME OPTION...: the experiment is $dir/NAME.exp, its report $dir/NAME
go() {
    name=$1
    shift
    run 5 --cpus=1 "--pmu-trace=$dir/$name.exp" "$@" whole
    [ -s "$dir/err" ] && fail "$name: something to say"
    "$simprof" idle --csv "$dir/$name.exp" |
        awk -F, 'NR > 1 { print $2, $5 }' | sed 's/<static>@0x[0-9a-f]*;//' |
        sort >"$dir/$name"
}
# want NAME: what the report has
want() {
    cat >"$dir/want"
    cmp "$dir/$1" "$dir/want" || fail "$1: $(diff "$dir/want" "$dir/$1")"
}

# The CPU is idle twice. First 7 was the last program's task, in __mutex_lock,
# and it is the first one to come back; the second time the last one had ended.
tail="schedule;__schedule;_switch"
for mode in fast warm detailed; do
    go $mode --mode=$mode --sample-idle=4
    want $mode <<END
ended 
from-idle second;__mutex_lock;$tail
to-idle second;__mutex_lock;$tail
END
    run 5 --cpus=1 --mode=$mode "--summary=json:$dir/json" whole
    grep -q "\"cycles\":$(sed -n 's/^end //p' "$dir/$mode.exp/log")," "$dir/json" ||
        fail "$mode: not the same cycles without an experiment"
    "$simprof" idle "$dir/$mode.exp" >"$dir/out" 2>"$dir/err" || fail "$mode: idle"
    [ -s "$dir/err" ] && fail "$mode: counters and records differ"
done
# With the kernel's threads 9 left last, sleeping, was woken while the CPU was
# idle, and came first.
go all --mode=fast --sample-idle=4:all
want all <<END
ended 
from-idle kthread;do_nanosleep;$tail
runnable 
to-idle kthread;do_nanosleep;$tail
END
"$simprof" truth "$dir/all.exp" | tr '\n' ' ' >"$dir/out"
[ "$(grep -o '0 of [0-9]* samples name another thread than the context switches do, 0 lie in no idle period' "$dir/out" | wc -l)" -eq 2 ] ||
    fail "not what the switches say"
go once --mode=fast --sample-idle=4:once
want once <<END
again 
ended 
from-idle second;__mutex_lock;$tail
to-idle second;__mutex_lock;$tail
END
go to --mode=fast --sample-idle=4:to
want to <<END
ended 
to-idle second;__mutex_lock;$tail
END
go from --mode=fast --sample-idle=4:from
want from <<END
from-idle second;__mutex_lock;$tail
END
go stages --sample-idle=4 --memo=off
for kind in idle unsampled stat; do
    cmp "$dir/detailed.exp/$kind.rec" "$dir/stages.exp/$kind.rec" ||
        fail "$kind: the memo makes a difference"
done
# Not asked for.
run 5 --cpus=1 --mode=fast --switch-stacks "--pmu-trace=$dir/none.exp" whole
[ "$(wc -c <"$dir/none.exp/idle.rec")" -eq 32 ] || fail "samples all the same"
"$simprof" idle "$dir/none.exp" | tr '\n' ' ' | grep -q "simrun --sample-idle=20000 samples a Linux" ||
    fail "nothing about --sample-idle"
rm -rf "$dir"
