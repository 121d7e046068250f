#!/bin/sh
# modes_test.sh - stretches in detail (--detail): where they begin and end, what
# is measured of them, that a warm one takes the cycles of the same instructions
# in a run that is in detail all along, that the account keeps modes apart, that
# every schedule is deterministic; and what is refused.
# timeout: 240
set -u
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
bad=0
complain() { echo "$*"; bad=1; }

for p in branchy streams; do
    powerpc-linux-gnu-gcc -O2 -static -I. -o "$TMPDIR/$p" \
        tests/bench/prog/main.c tests/bench/prog/$p.c || exit 1
done
cp "$BUILD/guest.elf" "$TMPDIR"
cd "$TMPDIR" || exit 1
simrun=$BUILD/simrun

# Instructions and cycles that were measured.
measured() { # options and program
    "$simrun" -q --cpus=1 --summary=json:s.json "$@" >out 2>err ||
        complain "$* ends with $?: $(cat err)"
    sed -n 's/.*"detail":{.*"insns":\([0-9]*\),"cycles":\([0-9]*\)}.*/\1 \2/p' \
        s.json
}

for p in branchy streams; do
    "$simrun" -q --cpus=1 --user ./$p 1 >plain
    # The same 20,000 instructions, in detail all along, and in a warm stretch.
    read -r _ to <<T
$(measured --detail=0:620000 --detail-fill=0 --user ./$p 1)
T
    read -r _ from <<T
$(measured --detail=0:600000 --detail-fill=0 --user ./$p 1)
T
    read -r insns cycles <<T
$(measured --detail=600000:620000 --detail-fill=0 --user ./$p 1)
T
    cmp -s plain out || complain "$p prints something else"
    # A stretch ends with a group of at most four instructions.
    [ "$insns" -ge 20000 ] && [ "$insns" -le 20003 ] ||
        complain "$p: $insns instructions instead of 20000"
    true=$((to - from))
    off=$((cycles > true ? cycles - true : true - cycles))
    [ $off -le $((true / 200 + 20)) ] ||
        complain "$p: $cycles cycles warm, $true in detail all along"
    # The instructions that fill the window are left out.
    read -r insns _ <<T
$(measured --mode=fast --detail=600000:+20000 --detail-fill=7000 --user ./$p 1)
T
    [ "$insns" -ge 12997 ] && [ "$insns" -le 13003 ] ||
        complain "$p: $insns instructions behind the filling"
    cmp -s plain out || complain "$p prints something else in fast mode"
    # All of it in detail is a detailed run.
    "$simrun" -q --cpus=1 --summary=json:s.json --user ./$p 1 >out
    all=$(sed 's/.*"cycles":\([0-9]*\),.*/\1/' s.json)
    for mode in fast warm; do
        read -r _ cycles <<T
$(measured --mode=$mode --detail=0: --detail-fill=0 --user ./$p 1)
T
        [ "$cycles" = "$all" ] ||
            complain "$p, $mode: $cycles cycles all in detail, not $all"
    done
done

# Symbols and addresses, several stretches; one that never comes is said.
main=0x$(powerpc-linux-gnu-nm branchy | sed -n 's/ T bench_step$//p')
"$simrun" --summary --cpus=1 --detail=main:+2000 --detail=bench_step:+3000 \
    --detail="$main:+4000" --detail=99999999: --user ./branchy 1 2>err >out
grep -q 'in detail    3 of 4 stretches: \(59\|60\)[0-9][0-9] instructions' err ||
    complain "three stretches by address: $(grep 'in detail' err)"
cmp -s out plain || "$simrun" -q --cpus=1 --user ./branchy 1 | cmp -s - out ||
    complain "stretches by address change what is printed"

# Waiting for an address changes nothing in front of it: the stretch is that of
# the same number of instructions, with every engine.
step=$(powerpc-linux-gnu-nm branchy | sed -n 's/ T bench_step$//p')
began() { # place: the cycle in which a stretch begins there
    measured --mode=fast -f --pmu-trace=w.exp --detail-fill=0 --detail="$1" \
        --user ./branchy 1 >w.sum
    awk '$1 == "detail" { print $2; exit }' w.exp/log
}
# The log has instructions that raised an exception, too: a few more.
n=$("$simrun" -q --cpus=1 --mode=fast --log=exec:/dev/stdout --user ./branchy 1 \
    2>err | grep -n -m 1 " $step " | cut -d: -f1)
n=$((n + $(began bench_step:+20000) - $(began "$n:+20000")))
for mode in fast warm; do
    for engine in blocks interpreter; do
        by_address=$(measured --mode=$mode --engine=$engine --detail-fill=0 \
            --detail=bench_step:+20000 --user ./branchy 1)
        by_number=$(measured --mode=$mode --engine=$engine --detail-fill=0 \
            --detail=$n:+20000 --user ./branchy 1)
        [ "$by_address" = "$by_number" ] && [ -n "$by_number" ] ||
            complain "$mode, $engine: $by_address by address," \
                "$by_number behind instruction $n"
    done
done

# A stretch ends at TO even where it only fills the window, and what follows TO is
# not measured in its place; from NAME to NAME is from one time to the next.
cat >hints.c <<'END'
volatile int sum;
__attribute__((noinline)) void begin_here(void) { __asm__ volatile(""); }
__attribute__((noinline)) void end_here(void) { __asm__ volatile("nop"); }

int main(void)
{
    for (int k = 0; k < 9; k++) {
        for (int i = 0; i < 3000; i++)
            sum += i;
        begin_here();
        for (int i = 0; i < 100; i++)
            sum += i;
        end_here();
    }
    return 0;
}
END
powerpc-linux-gnu-gcc -O2 -static -o hints hints.c || exit 1
read -r insns _ <<T
$(measured --detail=begin_here:end_here --detail-fill=0 --user ./hints)
T
[ "$insns" -gt 400 ] && [ "$insns" -lt 700 ] ||
    complain "begin_here:end_here: $insns instructions, not some 500"
read -r turn _ <<T
$(measured --detail=end_here:end_here --detail-fill=0 --user ./hints)
T
[ "$turn" -gt 15000 ] && [ "$turn" -lt 17000 ] ||
    complain "end_here:end_here: $turn instructions, not some 15500"
"$simrun" --summary --cpus=1 -f --pmu-trace=h.exp --detail=begin_here:end_here \
    --detail=begin_here:end_here --user ./hints 2>err
grep -q 'in detail    0 of 2 stretches: 0 instructions' err &&
    grep -q '2 more came to TO before --detail-fill=1000' err &&
    ! grep -q '^detail' h.exp/log ||
    complain "within the filling: $(grep -A1 'in detail' err)"

# The account keeps modes apart: what is charged with reasons of the pipeline
# are the cycles that were measured.
measured -f --pmu-trace=x.exp -e dcache_miss --detail=300000:+50000 \
    --detail=500000:+60000 --user ./branchy 1 >sum
"$BUILD/simprof" cpi x.exp --csv --limit=0 >csv
awk -F, 'NR > 1 && $1 != "<Total>" && $2 !~ /^(untimed|filling|system|nap|off)$/ {
    sum += $3 } END { print sum + 0 }' csv >reasons
awk '$1 == "detail" { sum += $3 - $2 } END { print sum }' x.exp/log >cycles
read -r insns cycles <sum
[ "$cycles" = "$(cat cycles)" ] || complain "log: $(cat cycles), not $cycles"
near=$(($(cat reasons) - cycles))
[ ${near#-} -le 20 ] ||
    complain "$(cat reasons) cycles have a reason, $cycles were measured"
"$BUILD/simprof" cpi x.exp >report
total=$(echo "$cycles" | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta')
grep -q "^in detail: 2 stretches, $total cycles; the rest in warm mode" report ||
    complain "simprof does not say $total cycles: $(head -n 5 report)"
grep -q untimed csv && grep -q filling csv || complain "no reasons of modes"

# An event that only a pipeline has counts in the stretches; it is said.
"$simrun" --summary --cpus=1 -f --pmu-trace=y.exp -e dcache_miss \
    --detail=300000:+50000 --user ./streams 1 2>err >out
grep -q 'dcache_miss was counted there alone' err ||
    complain "it is not said what was counted where: $(cat err)"
misses=$(sed -n 's/^  dcache_miss *\([0-9]*\)$/\1/p' err)
[ "${misses:-0}" -gt 100 ] && [ "$misses" -lt 25000 ] ||
    complain "$misses misses in the stretch"

# Several processors: the same bits each time; marks count as ever.
for mode in fast warm; do
    for n in 1 2; do
        rm -rf z.exp $mode.$n
        "$simrun" -q --cpus=4 --mode=$mode --pmu-trace=z.exp \
            --mark=func:mutex_lock --detail=100000:+200000 \
            --detail=txn_stage_commit:mutex_unlock --append=n=3 guest.elf \
            >$mode.out$n 2>&1 || complain "the guest ends with $?"
        mv z.exp $mode.$n
    done
    diff -r $mode.1 $mode.2 >diff && cmp -s $mode.out1 $mode.out2 ||
        complain "$mode: not deterministic: $(head -n 3 diff)"
    [ "$(grep -c '^detail ' $mode.1/log)" = 2 ] ||
        complain "$mode: stretches of the guest: $(grep '^detail' $mode.1/log)"
    "$simrun" -q --cpus=1 -f --pmu-trace=m.exp --mark=func:bench_step \
        --mode=$mode --detail=300000:+50000 --detail=500000:+9000 \
        --user ./branchy 1 >out
    "$BUILD/simprof" marks m.exp --csv | grep -q '^code,host,8000,' ||
        complain "$mode: marks: $("$BUILD/simprof" marks m.exp --csv)"
done

# A guest's counter of such an event is named.
"$simrun" --summary --cpus=1 --detail=100000:+20000 guest.elf \
    --append='n=3 trigger=event:dcache_miss:100' 2>err >out
grep -q 'not counted  dcache_miss, which the guest selected, outside' err ||
    complain "the guest's counter: $(cat err)"

"$simrun" --detail=5 x 2>err
[ $? -eq 2 ] && grep -q 'give FROM:TO' err || complain "5: $(cat err)"
"$simrun" --detail=5:900 x 2>err
[ $? -eq 2 ] && grep -q 'no longer than' err || complain "5:900: $(cat err)"
"$simrun" --detail=5:4 x 2>err
[ $? -eq 2 ] && grep -q 'TO must lie behind FROM' err || complain "5:4: $(cat err)"
"$simrun" --detail=-5:9000 x 2>err
[ $? -eq 2 ] && grep -q 'give a number' err || complain "-5: $(cat err)"
"$simrun" --detail-fill=5 x 2>err
[ $? -eq 2 ] && grep -q 'of which stretch' err || complain "fill: $(cat err)"
"$simrun" --detail=:5 x 2>err
[ $? -eq 2 ] && grep -q 'give a number' err || complain ":5: $(cat err)"
"$simrun" --mode=detailed --detail=5: x 2>err
[ $? -eq 2 ] && grep -q 'whole run' err || complain "detailed: $(cat err)"
"$simrun" --detail=mian: --user ./branchy 2>err
[ $? -ne 0 ] && grep -q 'did you mean main' err || complain "mian: $(cat err)"
exit $bad
