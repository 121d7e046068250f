#!/bin/sh
# scaled_test.sh - a scaled run (simrun --what-if func:F=xK, hold:L=xK) is the
# same to the last record whether its instructions run as blocks of host code, in
# the interpreter or one by one, as they do while a probe listens.
# timeout: 300
set -eu
${MAKE:-make} -s BUILD="$BUILD" workloads
dir=$(mktemp -d)
work=$BUILD/workloads
guest=$BUILD/guest.elf

run() { # name, arguments...
    name=$1
    shift
    mkdir "$dir/run"
    (cd "$dir/run" && "$BUILD/simrun" --mode=fast --switch-stacks -e cycles:1000 \
        -f --pmu-trace=it.exp --summary=json:summary "$@" >console 2>messages \
        </dev/null) || { echo "$name: status $?, $(cat "$dir/run/messages")"; exit 1; }
    sed -i 's/"host_seconds":[0-9.]*//; s/"functions":.*//' "$dir/run/summary"
    # The log names the probe.
    rm -f "$dir/run/it.exp/probe.rec" "$dir/run/it.exp/log" "$dir/run/messages"
    mv "$dir/run" "$dir/$name"
}

# all NAME FUNCTION ARGUMENT...: the function is one that is never entered.
all() {
    of=$1 never=$2
    shift 2
    run "$of" "$@"
    run "$of-interpreter" --engine=interpreter "$@"
    run "$of-probed" --probe="$never" "$@"
    [ -s "$dir/$of/it.exp/oracle.rec" ] || { echo "$of: no account"; exit 1; }
    diff -r "$dir/$of" "$dir/$of-interpreter" ||
        { echo "$of: the engines differ"; exit 1; }
    # A switch has a place only while something listens.
    diff -r -x switch.rec "$dir/$of" "$dir/$of-probed" ||
        { echo "$of: not as it is one by one"; exit 1; }
}

for k in 0 0.01 0.333333 0.5 2.5; do
    all half-$k abort --what-if func:post_to_ledger+=x$k --user "$work/contended_lock" 40
done
all held abort --what-if hold:ledger_lock=x0.3 --set fast_cpi=3 --user \
    "$work/contended_lock" 40
all called abort --cpus=2 --what-if func:compute=x0.5 --what-if func:encode+=x3 \
    --set jitter=16 --set jitter_every=500 --user "$work/slow_stage" 20
all account abort --set account_us=20 --what-if func:merge_parts+=x0.7 --user \
    "$work/serial_phase" 10
all guest panic --append states=on --what-if func:post_to_ledger+=x0.5 "$guest" \
    --program "$work/contended_lock" 20
all kernel panic --append "n=6" --what-if func:mutex_lock+=x0.5 \
    --what-if func:journal_write=x0 "$guest"
n=0 # more ways to be scaled than blocks are kept apart by
set --
for f in mutex_lock mutex_unlock memcpy memset journal_write txn_stage_lookup \
    txn_stage_parse txn_stage_reply txn_stage_commit txn_worker; do
    set -- "$@" --what-if "func:$f=x0.$n"
    n=$((n + 1))
done
all ways panic --append "n=6" "$@" "$guest"
