#!/bin/sh
# kernel_test.sh - the kernel without its profilers: linked without guest/prof it
# boots on 1 to 8 CPUs, in both modes, and every workload runs to its end with
# the result it has beside them; nobody is left over. It knows no word of theirs.
# A workload that is linked beside the others is known to the boot line without
# a line elsewhere (docs/guest.md).
# timeout: 120
set -u
. tests/guest/lib.sh
cross=${CROSS:-powerpc-linux-gnu-}
command -v "${cross}gcc" >/dev/null || { echo "no ${cross}gcc"; exit 77; }
. tests/guest/link.sh

whole=$guest
link "$dir/kernel.elf" $(objects boot kernel lib work)
guest=$dir/kernel.elf
found=$("${cross}nm" "$guest" | grep -ciE ' (sampl|schedmon|trigger|tprof|pif_|autopif|climb_|thread_filter)')
is "names of profilers in the kernel" "$found" 0

result() { # the workload's own line, without times, sums of noise and counts
    grep -E "^$1: " "$out" | sed 's/ in [0-9]* us.*//; s/[0-9]* switches//'
}
compare() { # CPUS MODE WORK WORDS
    boot "$1" "work=$3 $4" --mode="$2"
    alone=$(result "$3")
    [ -n "$alone" ] || fail "$3 says nothing"
    above "switches of $3" "$(total switches)" 0
    guest=$whole
    boot "$1" "work=$3 $4" --mode="$2"
    guest=$dir/kernel.elf
    is "$3 without profilers on $1 CPUs, $2" "$alone" "$(result "$3")"
}
for cpus in 1 2 8; do
    compare $cpus fast txn n=20
    compare $cpus fast prodcons n=20
    compare $cpus fast busy n=10
    compare $cpus fast switch n=1000
    compare $cpus fast calls n=100
done
for work in txn prodcons busy calls; do
    compare 4 detailed $work n=5
done
compare 4 detailed switch n=300
boot 3 ""
grep -q '^guest: 3 CPUs, work=txn n=100 threads=6 idle=nap seed=' "$out" ||
    fail "$(head -n 1 "$out")"
! grep -qE 'sampl|trigger|pif' "$out" || fail "a profiler speaks"

# The workloads, in the order of their ranks.
works=$(for file in guest/work/*.c; do
    name=$(sed -n 's/.*struct work .*{\.name = "\([^"]*\)".*/\1/p' "$file")
    sed -n "s/^WORK(\([0-9]*\),.*/\1 $name/p" "$file"
done | sort | sed 's/.* //' | paste -sd "|")
refused "sampler=off" \
    "unknown word 'sampler=off'; known: work=$works seed=NUMBER idle=nap|spin n=SIZE threads=COUNT$"
refused "pif=auto" "unknown word 'pif=auto'"

# A workload beside the others, from its own file.
"${cross}gcc" -I. $(flags GUEST_CFLAGS) -c -o "$dir/work.o" \
    tests/guest/sections_work.c || fail "the workload does not compile"
link "$dir/more.elf" $(objects boot kernel lib work) "$dir/work.o"
guest=$dir/more.elf
boot 2 "work=sections n=2"
grep -q '^sections: 2 rounds of 12 threads' "$out" || fail "sections"
refused "work=none" "work=$works|sections seed="
exit 0
