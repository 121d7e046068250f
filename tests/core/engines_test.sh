#!/bin/sh
# engines_test.sh - what runs the instructions of --mode=fast changes nothing
# that is printed or recorded: the guest on 1 to 8 processors, its samplers,
# host counters, marks, probes, logs and a Linux program give the same bytes with
# --engine=blocks as with --engine=interpreter.
# timeout: 300
set -eu
guest=$BUILD/guest.elf
dir=$(mktemp -d)
"${CROSS:-powerpc-linux-gnu-}gcc" -O2 -static -DROUNDS=40 -DHOSTED \
    -o "$dir/work" tests/bench/work.c

both() { # name, arguments...
    name=$1
    shift
    for engine in interpreter blocks; do
        mkdir -p "$dir/run"
        status=0
        (cd "$dir/run" && "$BUILD/simrun" --mode=fast --engine=$engine \
            --pmu-trace=it.exp --summary=json:summary "$@" \
            >console 2>messages </dev/null) || status=$?
        echo $status >"$dir/run/status"
        # The host's own time is the one thing that may differ.
        sed -i 's/"host_seconds":[0-9.]*//' "$dir/run/summary"
        mv "$dir/run" "$dir/$name-$engine"
    done
    [ -s "$dir/$name-blocks/it.exp/oracle.rec" ] ||
        { echo "$name: nothing was recorded"; exit 1; }
    diff -r "$dir/$name-interpreter" "$dir/$name-blocks" ||
        { echo "$name: the engines differ"; exit 1; }
}

for cpus in 1 2 4 8; do
    both guest-$cpus --cpus=$cpus "$guest" --append="work=txn n=12"
done
both sampled --cpus=2 -e insn_completed:997 "$guest" --append="work=txn n=12"
both samplers --cpus=2 "$guest" --append="work=txn n=12 trigger=time:5000"
both marks --cpus=2 --mark=func:txn_stage_lookup=count "$guest" \
    --append="work=txn n=8"
both program --user "$dir/work"
both slow --set=fast_cpi=3 --user "$dir/work"
both account --set=account_us=20 --user "$dir/work"
both period -e insn_completed:1009 --user "$dir/work"
both cut --max-cycles=1234567 --user "$dir/work"
both logged --log=exec:log --max-cycles=30000 --user "$dir/work"
