#!/bin/sh
# marks_limit_test.sh - limits on four processors whose caches hardly hold
# anything, so that counts come and go between frames and storage: interrupts
# capture what was executed, all of it once, and behind the last one no
# processor has passed the limit.
set -u
cd "$TMPDIR" || exit 1
bad=0
captured() { # option...
    rm -rf l.exp
    timeout 60 "$BUILD/simrun" -q --cpus=4 --mark func:spin_lock=limit:100 \
        --set icache_kb=1 --set icache_ways=1 "$@" --append "work=txn n=1" \
        --pmu-trace=l.exp "$BUILD/guest.elf" >out || {
        cat out
        exit 1
    }
    "$BUILD/simprof" marks --pcs --limit=0 --width=200 l.exp | tr -d , >report
    awk '/^Interrupts of marks/ { traps = 1 }
        $1 == "host" && !traps { executed[$6] = $2 }
        traps && $3 == "host" && $4 == "limit" { captured[$NF] += $2 }
        END {
            for (at in executed) {
                left = executed[at] - captured[at]
                bad += left < 0 || left > 4 * 100
                sum += captured[at]
                n++
            }
            exit bad || n != 15 || sum < 1000
        }' report || {
        echo "$*: not each execution was captured once"
        cat report
        bad=1
    }
}
captured
captured --set pif_carrier=1
captured --set pif_host_limits=0
captured --mode=fast
exit $bad
