#!/bin/sh
# tprof_test.sh - trace hooks of the guest's profiler by time (tprof=on): each is
# the timer interrupt that the machine recorded, with its place, thread and process;
# simprof tprof finds with them what is hot, in the kernel and in programs, and
# whose it is (HW-108).
# timeout: 200
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof

# Each hook (tick.rec) against the interrupts of its CPU (irq.rec), the last of
# which it is, and the processes of threads. The sampler, process 100, has its
# program beside the kernel.
judge() {
    {
        records "$dir/e.exp/thread.rec" | awk '{ print $4, 0, "thread", $3, $5 }'
        records "$dir/e.exp/irq.rec" | awk '$5 == 2304 { print $4, 1, "irq", $3, $6, $2 }'
        records "$dir/e.exp/tick.rec" | awk '{ print $4, 2, "tick", $3, $6, $2, $5, $7 }'
    } | sort -n -k1,1 -k2,2 | awk '
        $3 == "thread" { process[$4] = $5; next }
        $3 == "irq" { at[$6] = $4 " " $5; next }
        {
            n++
            if (at[$6] != $4 " " $5 || process[$4] != $7 ||
                ($7 != 100 && $8 != ($5 >= 268435456))) {
                if (!bad++) print "is", at[$6], process[$4], "hook", $0
            }
        }
        END { print n + 0, bad + 0 }' >"$dir/said"
    hooks=$(tail -n 1 "$dir/said")
    is "hooks that are no interrupt: $(head -n 1 "$dir/said")" "${hooks#* }" 0
    hooks=${hooks% *}
}

boot 2 "work=calls n=1500 tprof=on trigger=time:2000 sampler=off" -f --pmu-trace="$dir/e.exp"
judge
above "hooks" "$hooks" 100
"$simprof" tprof "$dir/e.exp" --csv >"$dir/tprof" || fail "no report"
is "hooks in the report" "$(awk -F, '$NF == "<Total>" { print $1 }' "$dir/tprof")" "$hooks"
is "the hottest" "$(sed -n 3p "$dir/tprof" | sed 's/.*,//')" calls_leaf
"$simprof" tprof "$dir/e.exp" --by=thread | grep -q 'calls\.0 (thread' ||
    fail "no thread: $("$simprof" tprof "$dir/e.exp" --by=thread)"
rm -rf "$dir/e.exp"
boot 2 "work=calls n=20" -f --pmu-trace="$dir/e.exp"
is "hooks without the word" "$(wc -c <"$dir/e.exp/tick.rec")" 32
"$simprof" tprof "$dir/e.exp" | grep -q 'wrote no trace hook: tprof=on' || fail "no reason"
refused "tprof=maybe" "tprof=off|on"
refused "tprof=on trigger=event:cycles:5000" "tprof=on samples by time"
refused "tprof=on pif=auto" "want the same profiler"

# Programs: the hot function, and each process by its number.
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
mkdir -p "$dir/root/bin"
for p in turns again; do
    powerpc-linux-gnu-gcc -O1 -static -o "$dir/root/bin/$p" "tests/guest/prog/$p.c" ||
        fail "$p.c does not compile"
done
for also in "" "sampler=both"; do
    rm -rf "$dir/e.exp"
    line="tprof=on trigger=time:5000 $also run=/bin/again 3 /bin/turns 2000"
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=2 --append "$line" \
        --initrd "$dir/root" -f --pmu-trace="$dir/e.exp" "$guest" >"$out" 2>&1 </dev/null ||
        fail "status $?"
    is "the program prints" "$(sort -u "$out")" turns
    judge
    above "hooks" "$hooks" 100
    "$simprof" tprof "$dir/e.exp" --csv >"$dir/tprof"
    is "the hottest" "$(sed -n 3p "$dir/tprof" | sed 's/.*,//')" hot
    # 100 rounds of its loop to 20 of warm's: five sixths of what the two have.
    share=$(awk -F, '$NF == "hot" { h = $1 } $NF == "warm" { w = $1 }
        END { print int(100 * h / (h + w)) }' "$dir/tprof")
    [ "$share" -ge 74 ] && [ "$share" -le 92 ] || fail "hot has $share % of both"
    for pid in 1001 1002 1003; do
        "$simprof" tprof "$dir/e.exp" --by=process | grep -q "process $pid\$" ||
            fail "no process $pid: $("$simprof" tprof "$dir/e.exp" --by=process)"
        part=$("$simprof" tprof "$dir/e.exp" --csv --filters="process==$pid" |
            awk -F, '$NF == "<Total>" { print $1 }')
        is "hooks of $pid by the filter" "$part" \
            "$(records "$dir/e.exp/tick.rec" | awk -v pid=$pid '$5 == pid' | wc -l)"
    done
done
exit 0
