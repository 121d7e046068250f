#!/bin/bash
# define_test.sh - simrun --event 'NAME = EVENT and CONDITION': what a program
# with 64 loads that miss, 64 that hit and 32 stores that miss (hot.c) makes
# of it, counted and sampled by the host and selected by the program; what is
# refused; and that nothing simulated changes.
# timeout: 120
set -u
. tests/sim/lib.sh
build hot -fno-pic -fno-pie

counted() { # experiment, counter
    sed -n "s/^count $2 0 \([0-9]*\) .*/\1/p" "$dir/$1/log"
}
expect() { # experiment, counter, number
    [ "$(counted "$1" "$2")" = "$3" ] ||
        fail "$1: counter $2 is $(counted "$1" "$2"), not $3"
}

run 0 --cpus=1 hot.elf --pmu-trace=plain.exp
cp "$dir/out" "$dir/plain"
run 0 --cpus=1 hot.elf --pmu-trace=a.exp \
    --event 'MISS = dcache_miss and pc in miss' -e MISS \
    --event 'HIT = dcache_miss and pc in hit' -e HIT \
    --event 'SPILL=dcache_miss and store and pc in spill' -e SPILL \
    --event 'LOADS = insn_completed and op == "lwz" and ea in lines' -e LOADS \
    --event 'SLOW = insn_completed and pc in miss and data_latency >= 24' \
    -e SLOW --event 'QUICK = insn_completed and pc in hit and
        load and not data_latency >= 24' -e QUICK \
    --event 'NOWHERE = insn_completed and marked' -e NOWHERE -e dcache_miss
expect a.exp 0 64
expect a.exp 1 0
expect a.exp 2 32
expect a.exp 3 128
expect a.exp 4 64 # to memory: 8 bus cycles of 3
expect a.exp 5 64
expect a.exp 6 0
[ "$(counted a.exp 7)" -ge 96 ] || fail "dcache_miss: $(counted a.exp 7)"

# Ranges and marks from outside.
run 0 --cpus=1 hot.elf --pmu-trace=m.exp --range spill --range miss \
    --data-range lines --mark func:hit=pmu \
    --event 'A = dcache_miss and pc in range1' -e A \
    --event 'B = insn_completed and marked' -e B \
    --event 'C = insn_completed and pc in hit' -e C \
    --event 'D = insn_completed and op == "lwz" and ea in range0' -e D \
    --event 'E = dcache_miss and pc in range0 and latency > 20 and marked' -e E \
    --event 'F = insn_completed and ea in lines and level == 2' -e F \
    --event 'G = insn_completed and ea in lines and load and level == 1' -e G \
    --event 'H = insn_completed and level == 3' -e H
expect m.exp 0 64
expect m.exp 1 "$(counted m.exp 2)"
[ "$(counted m.exp 2)" -gt 64 ] || fail "$(counted m.exp 2) in hit"
expect m.exp 3 128
expect m.exp 4 0 # not marked
expect m.exp 5 64 # that miss
expect m.exp 6 64 # and that hit
expect m.exp 7 0 # there is no other processor

# Nothing simulated knows of it, in either tempo, and nobody who asks.
same() { # experiment, experiment
    for file in oracle irq switch; do
        cmp "$dir/$1/$file.rec" "$dir/$2/$file.rec" ||
            fail "$file.rec differs from that of a run without definitions"
    done
    [ "$(grep '^end ' "$dir/$1/log")" = "$(grep '^end ' "$dir/$2/log")" ] ||
        fail "the run takes another time"
    cmp "$dir/out" "$dir/plain" || fail "it prints something else"
}
same a.exp plain.exp
run 0 --cpus=1 --event 'A = dcache_miss and load' hot.elf --pmu-trace=un.exp
same un.exp plain.exp
run 0 --cpus=1 --mode=fast hot.elf --pmu-trace=fast.exp
run 0 --cpus=1 --mode=fast hot.elf --pmu-trace=fastdef.exp \
    --event 'LOADS = insn_completed and op == "lwz" and ea in lines' -e LOADS
expect fastdef.exp 0 128
same fastdef.exp fast.exp

# Four processors that share memory: each counts its own, and parts add up.
run 0 --append "work=txn n=20" --pmu-trace=smp.exp "$BUILD/guest.elf" \
    --event 'ONE = insn_completed and cpu == 1' -e ONE -e dcache_miss \
    --event 'L = dcache_miss and load and not wrong' -e L \
    --event 'S = dcache_miss and store and kernel' -e S \
    --event 'R = dcache_miss and not (load or store)' -e R \
    --event 'O = insn_completed and level == 3' -e O
awk '$1 == "insns" { insns[$2] = $3 }
    $1 == "count" { n[$2, $3] = $4 }
    END {
        for (cpu = 0; cpu < 4; cpu++) {
            bad += n[0, cpu] != (cpu == 1 ? insns[1] : 0)
            bad += n[2, cpu] + n[3, cpu] + n[4, cpu] != n[1, cpu]
            bad += !n[1, cpu]
            bad += !n[5, cpu] # lines that another had modified
        }
        exit bad > 0
    }' "$dir/smp.exp/log" || fail "$(grep -E "^(insns|count)" "$dir/smp.exp/log")"

# Sampled: every sample is of one of its own instructions.
run 0 --cpus=1 hot.elf --pmu-trace=s.exp \
    --event 'MISS = dcache_miss and pc in miss' -e MISS:8
expect s.exp 0 64
extent=$("${cc%gcc}nm" -S "$dir/hot.elf" | awk '$4 == "miss" { print $1, $2 }')
od -An -v -t u4 -w4 -j 32 "$dir/s.exp/profile.rec" | awk -v from="$((16#${extent% *}))" \
    -v size="$((16#${extent#* }))" '
    { word[n++] = $1 }
    END {
        for (at = 0; at < n; at += word[at] % 65536 / 4) {
            samples++
            pc = word[at + 4 + 2]
            if (pc < from || pc >= from + size)
                exit 1
        }
        exit samples < 7 || samples > 9
    }' || fail "samples of something else"

# The log says what was defined, tools find the counter by its name, and a
# replay wants the same.
grep -qxF 'event 0 MISS = dcache_miss and pc in miss' "$dir/s.exp/log" ||
    fail "the log does not say what was defined"
grep -qx 'profile 0 MISS 8 uk' "$dir/s.exp/log" || fail "the counter's name"
"$BUILD/simprof" functions "$dir/s.exp" >"$dir/out" 2>&1 ||
    fail "simprof does not read it"
grep -q MISS "$dir/out" || fail "simprof does not know the counter"
run 125 --cpus=1 hot.elf --replay=s.exp --pmu-trace=r.exp -e dcache_miss:8
run 0 --cpus=1 hot.elf --replay=s.exp --pmu-trace=r.exp \
    --event 'MISS = dcache_miss and pc in miss' -e MISS:8
cmp "$dir/s.exp/profile.rec" "$dir/r.exp/profile.rec" || fail "replayed"

# The program's own counters: numbers 0 and 1; there is no number 7.
run 0 --cpus=1 hot.elf --append pif --event 'M = dcache_miss and pc in miss' \
    --event 'S = store_queued and pc in spill'
grep -qx '00000040 00000020 00000000' "$dir/out" || fail "its own counters"

# Listed, in any order; wrong ones are refused where they are wrong.
run 0 --list-events --event 'HOT = dcache_miss and latency > 20'
grep -q '^HOT  *defined .* HOT = dcache_miss and latency > 20$' "$dir/out" ||
    fail "not listed"
refused() { # status, words, caret line or nothing, argument...
    status=$1 says=$2 caret=$3
    shift 3
    run "$status" "$@" hot.elf
    grep -qF -- "$says" "$dir/err" || fail "$*: no word of '$says'"
    [ -z "$caret" ] || grep -qxF -- "  $caret" "$dir/err" ||
        fail "$*: no caret there"
}
refused 2 'no such property: hot' '                    ^' \
    -e 'A = dcache_miss and hot'
refused 2 'cycles belongs to no instruction' '    ^' -e 'A = cycles and user'
refused 2 'no such event: A' '    ^' -e 'B = A and user'
refused 2 'no such event' '' -e A -e 'A = dcache_miss'
refused 2 'no such event' '' -e defined_0
refused 2 'no such event' '' -e filtered_1
refused 2 'defined already' '' -e 'A = dcache_miss' -e 'A = icache_miss'
refused 2 'a sum of times' '' -e 'A = lsu_busy and load' -e A:100
refused 2 '8 definitions are all' '' -e 'A=fpu_result' -e 'B=fpu_result' \
    -e 'C=fpu_result' -e 'D=fpu_result' -e 'E=fpu_result' -e 'F=fpu_result' \
    -e 'G=fpu_result' -e 'H=fpu_result' -e 'I=fpu_result'
refused 125 'no such symbol: nobody' '                          ^' \
    -e 'A = dcache_miss and pc in nobody'

# What stands in the book runs as it stands there.
ln -s "$BUILD" "$dir/build"
awk '/^## / { on = $2 == "12." } /^```/ { code = 0 } on && code { print }
    on && /^```sh$/ { code = 1 }' docs/pif.md >"$dir/book"
grep -q -- --event "$dir/book" || fail "no example in docs/pif.md"
(cd "$dir" && sh -e ./book) >"$dir/out" 2>"$dir/err" || fail "the example fails"
awk '/^count/ { sum[$2] += $4 } END { exit !(sum[0] && sum[1] && sum[2]) }' \
    "$dir/hot.exp/log" || fail "the example counts nothing"
grep -q "HOTMISS" "$dir/out" || fail "the example reports nothing"
exit 0
