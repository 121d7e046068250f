#!/bin/sh
# waits_test.sh - what the tasks of a Linux kernel wait for and who wakes them,
# by its functions' names and its debugging information: a program with a
# scheduler like Linux's (waits.c), of which every state and wake-up is known.
# The same in all modes, and nothing changes for the program.
set -u
. tests/sim/lib.sh
simprof=$BUILD/simprof

# kernel NAME FLAG...
kernel() {
    name=$1
    shift
    "$cc" -I "$root" -O2 -ffreestanding -fno-pic -no-pie -mno-sdata -g \
        -msoft-float -nostdlib -static \
        -Wl,-T,"$beside/kernel.ld",--build-id=none "$@" -o "$dir/$name" \
        "$beside/start.S" "$beside/waits.c" || fail "does not compile"
}
kernel whole
kernel lacks -Dwake_up_new_task=start_new_task

# go NAME KERNEL OPTION... : the experiment is $dir/NAME.exp
go() {
    name=$1 what=$2
    shift 2
    run 5 --cpus=1 "--pmu-trace=$dir/$name.exp" "$@" "$what"
}
symbol() {
    "${cc%gcc}nm" "$dir/whole" | sed -n "s/^\([0-9a-f]*\) . $1\$/\1/p"
}

for mode in fast warm detailed; do
    go $mode whole --mode=$mode --switch-stacks
    [ -s "$dir/err" ] && fail "$mode: something to say"
    # Thread, state, kind, object, owner; states that run have no more.
    od -An -v -tx4 -j32 -w40 "$dir/$mode.exp/state.rec" |
        awk '{ print $2 + 0, $5, $6, $7, $8 }' >"$dir/states"
    none="00000000 00000000 00000000" cpus="00000006 00000001 00000000"
    cat >"$dir/want" <<END
8000 00000002 $none
1 00000004 $cpus
8000 0000000c $none
1 00000002 $none
7 00000004 $cpus
9 00000004 $cpus
1 00000005 00000002 $(symbol futex_word) 00000007
7 00000002 $none
7 00000005 00000001 $(symbol big_lock) 00000009
9 00000002 $none
9 0000000a $none
9 00000004 $cpus
9 00000002 $none
7 00000004 $cpus
9 00000004 $cpus
7 00000002 $none
1 00000004 $cpus
7 00000004 $cpus
1 00000002 $none
1 00000007 00000002 $(symbol end_word) 00000007
7 00000002 $none
1 00000004 $cpus
7 00000006 $none
1 00000002 $none
1 0000000c $none
END
    cmp "$dir/states" "$dir/want" ||
        fail "$mode: $(diff "$dir/want" "$dir/states")"
    # Woken, by what, by whom: a timer's while 32768 idled.
    od -An -v -tu4 -j32 -w40 "$dir/$mode.exp/wake.rec" |
        awk '{ print $2, $5, $6, $8 }' >"$dir/wakes"
    cat >"$dir/want" <<'END'
1 1 32768 0
7 1 1 0
9 1 1 0
9 2 32768 0
7 1 9 0
1 1 7 0
1 1 7 0
END
    cmp "$dir/wakes" "$dir/want" || fail "$mode: $(diff "$dir/want" "$dir/wakes")"
    # Of the waits one is in no function of the table; it is the one that does not
    # end. The others took what lies between two states of a thread.
    took=$(od -An -v -tu4 -j32 -w40 "$dir/$mode.exp/state.rec" | awk '{
        now = $3 + 4294967296 * $4
        if ($2 in since)
            all += now - since[$2]
        delete since[$2]
        if ($5 >= 5 && $5 < 12)
            since[$2] = now
    } END { printf "%.0f", all }')
    [ "$took" -gt 0 ] && grep -qx "waits 5 1 $took 0" "$dir/$mode.exp/log" ||
        fail "$mode: other waits: $(grep '^waits' "$dir/$mode.exp/log"), not $took"
    run 5 --cpus=1 --mode=$mode "--summary=json:$dir/json" whole
    grep -q "\"cycles\":$(sed -n 's/^end //p' "$dir/$mode.exp/log")," \
        "$dir/json" || fail "$mode: not the same cycles without an experiment"
done
go stages whole --switch-stacks --memo=off
go interpreter whole --switch-stacks --mode=fast --engine=interpreter
for kind in state wake frame switch thread oracle; do
    cmp "$dir/detailed.exp/$kind.rec" "$dir/stages.exp/$kind.rec" ||
        fail "$kind: the memo makes a difference"
    cmp "$dir/fast.exp/$kind.rec" "$dir/interpreter.exp/$kind.rec" ||
        fail "$kind: the engines differ"
done

# A task that asks for another mask has it from there on, on a CPU where it may
# stay; not if it keeps the old one, nor by what another one gets. With two CPUs
# the second task has 1 first, and then 3.
go masks whole --mode=fast --cpus=2 --switch-stacks
od -An -v -tx4 -j32 -w40 "$dir/masks.exp/state.rec" |
    awk '$2 == "00000007" { print $5, $6, $7, $10 != "00000000" }' | head -n 5 >"$dir/states"
cat >"$dir/want" <<'END'
00000004 00000006 00000001 0
00000002 00000000 00000000 0
00000004 00000006 00000003 1
00000002 00000000 00000000 0
00000005 00000001 BIG_LOCK 1
END
sed -i "s/BIG_LOCK/$(symbol big_lock)/" "$dir/want"
cmp "$dir/states" "$dir/want" || fail "masks: $(diff "$dir/want" "$dir/states")"
stack=$(od -An -v -tu4 -j32 -w40 "$dir/masks.exp/state.rec" |
    awk '$2 == 7 && $7 == 3 { print $10; exit }')
from=$(od -An -v -tx4 -j32 -w32 "$dir/masks.exp/frame.rec" |
    sed -n "${stack}p" | awk '{ print $7 }')
[ "$from" = "$(symbol set_cpus_allowed_common)" ] ||
    fail "masks: $from is not where it was asked for"

# The reports: a wait stands where the scheduler was called; CPUs idle from
# cpu_startup_entry on, and every cycle of that has a class.
"$simprof" states --csv "$dir/fast.exp" >"$dir/out" || fail "no states"
"$simprof" locks "$dir/fast.exp" >"$dir/out" 2>&1 || fail "no locks"
grep -q "big_lock" "$dir/out" || fail "no lock of the kernel's"
grep -q "__mutex_lock < second" "$dir/out" || fail "not where it waited"
"$simprof" causes "$dir/fast.exp" >"$dir/out" || fail "no causes"
grep -q "that idle threads ran by" "$dir/out" || fail "idle is not spinning"
grep -q "please report" "$dir/out" && fail "the classes do not add up"
"$simprof" timeline "$dir/fast.exp" >"$dir/out" || fail "no timeline"
"$simprof" statistics "$dir/fast.exp" >"$dir/out" || fail "no statistics"
"$simprof" export --format=chrome -o "$dir/json" "$dir/fast.exp" ||
    fail "no export"
grep -q 'big_lock' "$dir/json" || fail "export: no wait for a lock"

# Without a function that is needed a line says so, and the run goes on.
go lacks lacks --mode=fast --switch-stacks
grep -q "lacks: it has no function wake_up_new_task" "$dir/err" ||
    fail "nothing about wake_up_new_task"
[ "$(wc -c <"$dir/lacks.exp/state.rec")" -eq 32 ] || fail "states all the same"
rm -rf "$dir"
