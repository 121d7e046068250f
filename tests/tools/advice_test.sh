#!/bin/sh
# advice_test.sh - what reports recommend is true of the run they are printed
# for: no report of idleness where the run has no samples of it, no option that
# was given already, no word of a boot line that is another.
set -u
cd "$(mktemp -d)" || exit 1
bad=0
complain() {
    echo "$*"
    bad=1
}
cross=${CROSS:-powerpc-linux-gnu-}
command -v "${cross}gcc" >/dev/null || { echo "no ${cross}gcc"; exit 77; }

# A bare program: never idle, no profiler, no calls.
echo 'int _start(void) { for (volatile int i = 0; i < 3000; i++) continue; return 0; }' >bare.c
"${cross}gcc" -O1 -ffreestanding -nostdlib -static -o bare bare.c || exit 1
"$BUILD/simrun" -q --cpus=2 --autoprofile=calls --pmu-trace=bare.exp bare || complain "bare"
"$BUILD/simprof" overview bare.exp >out
grep -q '^What comes next: simprof functions, cpi\.$' out || complain "bare: $(cat out)"
"$BUILD/simprof" idle --width=200 bare.exp >out
grep -Eq 'boot line|trigger|sampler=|ample more' out && complain "bare, idle: $(cat out)"
"$BUILD/simprof" calls bare.exp >out
grep -q 'autoprofile=' out && complain "counted calls are advised: $(cat out)"
"$BUILD/simprof" branches bare.exp | grep -q 'simrun --autoprofile=branches' ||
    complain "branches were not counted, and it is not said how"

# Instructions are sampled on CPU 0 alone, the other does nothing.
"$BUILD/simrun" -q --cpus=2 --sample-insns=100 --pmu-trace=one.exp bare || complain "one"
"$BUILD/simprof" sampled --cpu=1 one.exp >out
grep -q 'No sampled instruction lies in what was chosen' out || complain "sampled: $(cat out)"
"$BUILD/simprof" sampled --cpu=0 one.exp | grep -q 'sample-insns' && complain "sampled, and advised"

# The guest: its trigger by its own name, and idle where something is to be seen.
for trigger in time:20000 event:cycles:20000; do
    rm -rf guest.exp
    "$BUILD/simrun" -q --mode=fast --append "n=10 trigger=$trigger" \
        --pmu-trace=guest.exp "$BUILD/guest.elf" >console || complain "$trigger"
    "$BUILD/simprof" overview --width=200 guest.exp >out
    grep -q "simprof idle says after what" out || complain "$trigger: $(cat out)"
    grep -q "trigger=${trigger%%:*}:.* costs less" out || complain "$trigger: $(cat out)"
done
# No thread of interest: nothing to be sampled, but interrupts of idle CPUs.
rm -rf guest.exp
"$BUILD/simrun" -q --mode=fast --append "n=10 monitor=t250" --pmu-trace=guest.exp \
    "$BUILD/guest.elf" >console || complain "t250"
"$BUILD/simprof" overview guest.exp | grep -q "functions, cpi, idle" || complain "t250: no idle"
"$BUILD/simprof" idle --width=200 guest.exp >out
n=$(sed -n 's/^cpu [0-9]*:.* none \([0-9]*\) .*/\1/p' console | awk '{ n += $1 } END { print n }')
grep -Eq "^Of $n sample interrupts that found a CPU idle, 100.0% gave no stack: $n none\.$" out ||
    complain "t250: $n none: $(cat out)"
grep -q "ample more" out && complain "t250: more samples would find no more"
exit $bad
