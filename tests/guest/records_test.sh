#!/bin/sh
# records_test.sh - the samples, held against the record of every switch: the
# to-idle target is the last monitored thread that left the CPU, a from-idle
# target is what the CPU runs next, no target runs while it is sampled,
# samplers stay at home, and other CPUs go on working meanwhile.
set -u
. tests/guest/lib.sh

# All records in the order of time; at equal cycles switches first.
story() {
    for kind in thread switch idle; do records "$dir/e.exp/$kind.rec"; done |
        awk '{ print ($1 == 3 ? 0 : $4), ($1 == 1), $0 }' |
        sort -n -k1,1 -k2,2 | cut -d ' ' -f 3-
}

# kind cpu thread cycle words: see include/record.def.
judge() {
    story | awk '
        $1 == 3 { # thread: pid, what it is
            role[$3] = $6 # 0 application, 2 sampler
            pid[$3] = $5
            next
        }
        $1 == 2 { # switch: the incoming, and the outgoing in $7
            cpu = $2; in_ = $3; out = $7
            if (role[in_] == 2) {
                if (home[in_] != "" && home[in_] != cpu) strays++
                home[in_] = cpu
                began[cpu] = " "
                last[cpu] = saved[cpu]
                for (c in runs) {
                    if (c != cpu && role[runs[c]] == 0) beside++
                    began[cpu] = began[cpu] runs[c] " "
                }
            }
            if (role[out] == 0 && out in role) {
                for (c in saved) if (saved[c] == out) saved[c] = ""
                saved[cpu] = out
            }
            if (role[in_] == 0 && cpu in due) {
                if (due[cpu] == in_) next_++; else other++
                delete due[cpu]
            }
            for (c in due) if (due[c] == in_) { elsewhere++; delete due[c] }
            runs[cpu] = in_
            next
        }
        { # idle: the target; kind in $5, pid in $7, number in $8, depth $9
            cpu = $2
            if (role[$3] != 0 || pid[$3] != $7) foreign++
            # It may run again before the record is written, not before
            # the sampler had it.
            if (index(began[cpu], " " $3 " ")) running++
            if (role[runs[cpu]] != 2) not_by_sampler++
            if (++number[cpu] != $8) miscounted++
            if ($5 == 1) { to++; if (last[cpu] != $3) not_last++ }
            if ($5 == 2) { from++; due[cpu] = $3 }
            by[$5 " " $6]++
            leaf[$10]++
            if ($9 > 1) root[$(9 + $9)]++
        }
        END {
            for (l in leaf) leaves++
            for (r in root) roots++
            print "to-idle", to + 0
            print "from-idle", from + 0
            print "beside", beside + 0
            print "next", next_ + 0
            print "other", other + 0
            print "elsewhere", elsewhere + 0
            print "strays", strays + 0
            print "foreign", foreign + 0
            print "running", running + 0
            print "not-by-sampler", not_by_sampler + 0
            print "miscounted", miscounted + 0
            print "not-last", not_last + 0
            for (b in by) print "by", b
            print "leaves", leaves
            print "roots", roots
        }' >"$dir/verdict"
}

got() {
    sed -n "s/^$1 //p" "$dir/verdict"
}

check() {
    rm -rf "$dir/e.exp"
    # Exact order between CPUs, so that time stamps tell who was first.
    boot 4 "$1" --pmu-trace="$dir/e.exp" --set fast_quantum=0
    judge
    is "to-idle records" "$(got to-idle)" "$(total to-idle)"
    is "from-idle records" "$(got from-idle)" "$(total from-idle)"
    above "to-idle records" "$(got to-idle)" 100
    above "from-idle records" "$(got from-idle)" 100
    for what in strays foreign $2 not-by-sampler miscounted not-last; do
        is "$what" "$(got $what)" 0
    done
    # The sampled thread runs next; seldom is it taken by another idle CPU,
    # or does it wait behind one that the sampler's end lets go first.
    above "target ran next, of ten" \
        $((10 * $(got next) / $(got from-idle))) 6
    above "threads at work beside a sampler" "$(got beside)" 20
    [ "$(got leaves)" -le 2 ] || fail "$(got leaves) leaves: swtch, new thread"
    [ "$(got roots)" -le 2 ] || fail "$(got roots) roots: thread_begin"
}

# Who confined the target: 4 the back-end, 2 the interrupt handler, 1 the
# scheduler; for to-idle (1) and from-idle (2).
set_by() {
    is "affinity set by" "$(got by | sort | tr '\n' ',')" "$1"
}

check "work=txn n=50" running
set_by "1 4,2 4,"
check "work=prodcons n=50" running
check "work=switch n=5000 trigger=time:10000" running
# Set off by the scheduler, a sampler that has just finished may go on with the
# next sample without being dispatched anew: who runs beside it is not known.
check "work=prodcons n=50 toidle=direct fromidle=direct rearm=complete" ""
set_by "1 2,2 1,"
exit 0
