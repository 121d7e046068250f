#!/bin/sh
# sections_test.sh - sections that a guest marks itself, under its scheduler:
# nested, recursive, left by a long jump, open at the end, in threads that go
# from CPU to CPU. Each call's active time is what the machine's own context
# registers say, to the cycle (ACT-11, ACT-12, ACT-35, ACT-39, ACT-40).
# timeout: 120
set -u
. tests/guest/lib.sh
cross=${CROSS:-powerpc-linux-gnu-}
command -v "${cross}gcc" >/dev/null || { echo "no ${cross}gcc"; exit 77; }

. tests/guest/link.sh
"${cross}gcc" -I. $(flags GUEST_CFLAGS) -c -o "$dir/work.o" \
    tests/guest/sections_work.c || fail "the workload does not compile"
link "$dir/guest.elf" $(objects boot kernel lib process prof work) "$dir/work.o"
guest=$dir/guest.elf

go() { # NAME OPTION...: 3 CPUs, 6 threads of 20 rounds
    name=$1
    shift
    timeout 60 "$simrun" -q --cpus=3 --append "work=sections threads=6" \
        --pmu-trace="$dir/$name.exp" "$@" "$guest" >"$dir/$name.out" 2>&1 ||
        fail "$name: status $?: $(cat "$dir/$name.out")"
    ! grep FAIL "$dir/$name.out" || fail "$name: a check failed"
}
active() {
    "$BUILD/simprof" active "$@" 2>"$dir/err" || fail "active $*: $(cat "$dir/err")"
    [ ! -s "$dir/err" ] || fail "active $*: $(cat "$dir/err")"
}

for mode in fast detailed; do
    go $mode --mode=$mode --sections
    go $mode-off --mode=$mode
    go $mode-dear --mode=$mode --sections --set=probe_cycles=40
    # Recording changes nothing; off, there are no records.
    cmp "$dir/$mode.out" "$dir/$mode-off.out" || fail "$mode: recording shows"
    for file in switch irq oracle; do
        cmp "$dir/$mode.exp/$file.rec" "$dir/$mode-off.exp/$file.rec" ||
            fail "$mode: recording changes $file.rec"
    done
    is "$mode: records, off" "$(records "$dir/$mode-off.exp/probe.rec" | wc -l)" 0

    records "$dir/$mode.exp/probe.rec" >"$dir/probes"
    awk '$4 < last[$2] { print "CPU " $2 ": " $4 " behind " last[$2]; exit 1 }
        { last[$2] = $4 }' "$dir/probes" || fail "$mode: records out of order"
    for name in $mode $mode-dear; do
        active --csv "$dir/$name.exp" >"$dir/active"
        awk -F, -v name=$name '
            { calls[$10] += $1 }
            $11 != "section" && NR > 1 { print "no section: " $0; bad = 1 }
            NR > 1 && $2 != $3 + $4 + $5 { print "does not close: " $0; bad = 1 }
            END {
                if (calls["round"] != 120 || calls["deep"] != 120 ||
                    calls["locked"] != 120 || calls["left"] || calls["open"]) {
                    print "calls:", calls["round"], calls["deep"], \
                        calls["locked"], calls["left"], calls["open"]
                    bad = 1
                }
                exit bad
            }' "$dir/active" || fail "$name: $(cat "$dir/active")"
        for section in round deep locked; do
            active --csv --section=$section "$dir/$name.exp" >"$dir/calls"
            awk -F, -v s=$section -v mode=$mode '
                NR == 1 { next }
                { calls++; inner += $11 > 0; out += $4; bad += $13 != 0; sum += $13
                  if ($12 != $6 + $5 - $13) { print "parts: " $0; bad = 99 }
                  if (mode == "fast" ? $13 : $13 * $13 > 64 * 64) {
                      print "residual: " $0
                      bad = 99
                  } }
                END { want = s == "deep" ? 360 : 120
                    # The records of switches and the context registers may divide
                    # a switch otherwise: what one thread has too much, another
                    # lacks, so that the sum stays near 0.
                    if (calls != want || (s == "deep" && inner != 240) ||
                        sum * sum > 64 * 64 || bad > want / 3 ||
                        (s == "round" && !out)) {
                        print calls " calls, " inner " inner, " bad \
                            " disagree by " sum ", out " out
                        exit 1
                    } }' "$dir/calls" || fail "$name: $section"
        done
        active --width=400 "$dir/$name.exp" >"$dir/text"
        is "$name: left open" "$(grep -c ' 1 calls had not ended' "$dir/text")" 6
        is "$name: left by a jump" \
            "$(grep -c ' 5 begins without an end' "$dir/text")" 6
    done
    above "$mode: threads that were on several CPUs" \
        "$(awk '!(($3, $2) in on) { on[$3, $2]; n[$3]++ }
            END { for (t in n) m += n[t] > 1; print m + 0 }' "$dir/probes")" 3

    # Every mark costs 40, and in fast mode its own cycle: what is subtracted
    # is the begin and the 8 marks inside a round, 9 in one with a jump.
    active --csv --section=round "$dir/$mode-dear.exp" |
        awk -F, -v mode=$mode 'NR > 1 { n[$5]++ }
            END { own = mode == "fast" ? 41 : 40
                  if (n[9 * own] + n[10 * own] != 120 || n[10 * own] != 30) {
                      for (k in n) print k, n[k]
                      exit 1
                  } }' || fail "$mode: overhead of rounds"
done
[ "$(awk '$1 == "mark_cost" { print $2 }' "$dir/fast.exp/log")" = 1000 ] ||
    fail "in fast mode a mark is an instruction, 1 cycle"
exit 0
