#!/bin/sh
# sections_test.sh - programs mark sections with one header: assembly and C,
# bare metal and --user, optimised, stripped, garbage-collected. Active time of
# a known number of instructions is that number; what are no marks is
# refused (ACT-11, ACT-13, ACT-18, ACT-39). timeout: 120
set -u
. tests/sim/lib.sh
simprof=$BUILD/simprof

"$cc" -I. -nostdlib -static -o "$dir/asm.elf" tests/observe/sections.S ||
    fail "sections.S does not assemble"
run 0 --mode=fast --sections --pmu-trace=asm.exp asm.elf
"$simprof" active --csv "$dir/asm.exp" >"$dir/out" 2>"$dir/err" ||
    fail "simprof: status $?"
# calls, elapsed, out, overhead, active, exclusive, least, most, thread:
# begin's own cycle is overhead, that of the last end comes after the section
for want in "2,22,0,2,20,20,10,10,0,ten,section" \
    "1,18,0,3,15,5,15,15,0,both of them,section" \
    "1,5,0,3,2,2,2,2,0,twice,section"; do
    grep -qxF "$want" "$dir/out" || fail "no $want"
done
"$simprof" active --csv --section=ten "$dir/asm.exp" >"$dir/out"
[ "$(awk -F, 'NR > 1 && $12 == 11 && $13 == 0' "$dir/out" | wc -l)" -eq 2 ] ||
    fail "the machine does not say 11"
"$simprof" active "$dir/asm.exp" >"$dir/out"
grep -q "1 calls had not ended" "$dir/out" &&
    grep -q "1 ends without a begin" "$dir/out" || fail "what is open is not told"

# What a mark costs was measured, and is in the log: in fast mode what an
# instruction does; with dearer ones more.
cost() { sed -n 's/^mark_cost //p' "$dir/$1.exp/log"; }
run 0 --mode=fast --set=fast_cpi=7 --sections --pmu-trace=slow.exp asm.elf
run 0 --sections --pmu-trace=pipe.exp asm.elf
[ "$(cost asm)" = 1000 ] && [ "$(cost slow)" = 7000 ] ||
    fail "cost $(cost asm) and $(cost slow), not 1000 and 7000"
[ "$(cost pipe)" -gt 0 ] && [ "$(cost pipe)" -lt 1000 ] ||
    fail "detailed: a mark costs $(cost pipe) thousandths"
"$simprof" active --csv "$dir/slow.exp" >"$dir/out"
grep -qxF "2,154,0,14,140,140,70,70,0,ten,section" "$dir/out" || fail "slow"

# A program of Linux, optimised, without symbols, garbage-collected.
"$cc" -I. -O2 -static -pthread -ffunction-sections -Wl,--gc-sections -s \
    -o "$dir/user" tests/user/prog/sections.c || fail "sections.c"
for how in "fast 1" "fast 2" "fast 4" "detailed 1" "detailed 2" "detailed 4"; do
    set -- $how
    run 0 -q --mode=$1 --cpus=$2 --set=slice_us=50 --sections \
        --pmu-trace="$1$2.exp" --user user
    for section in turn "under the lock"; do
        "$simprof" active --csv --section="$section" "$dir/$1$2.exp" \
            >"$dir/out" 2>"$dir/err" || fail "$how: simprof"
        awk -F, 'NR > 1 { n++; out += $4; bad += $13 != 0 || $12 < 3000 }
            END { exit !(n == 24 && out && !bad) }' "$dir/out" ||
            fail "$how: $section"
    done
    "$simprof" active "$dir/$1$2.exp" >"$dir/out"
    ! grep "Thread .*:" "$dir/out" || fail "$how: records do not fit together"
done

# Refused in one line: no marks, notes that are none.
run 125 --sections --pmu-trace=x.exp "$BUILD/guest.elf"
grep -q "marks none, include/section.h says how" "$dir/err" || fail "no marks"
"${cc%gcc}objcopy" -O binary --only-section=.note.simrun \
    --set-section-flags .note.simrun=alloc "$dir/asm.elf" "$dir/notes"
size=$(wc -c <"$dir/notes")
at=1
while [ $at -lt "$size" ]; do
    head -c $at "$dir/notes" >"$dir/cut"
    "${cc%gcc}objcopy" --update-section .note.simrun="$dir/cut" \
        "$dir/asm.elf" "$dir/cut.elf"
    rm -rf "$dir/cut.exp"
    status=0
    (cd "$dir" && timeout 20 "$simrun" -q --mode=fast --sections \
        --pmu-trace=cut.exp cut.elf) >"$dir/out" 2>"$dir/err" || status=$?
    if [ $status -eq 125 ]; then
        grep -q "are no marks" "$dir/err" || fail "cut at $at"
        refused=$((${refused:-0} + 1))
    else
        [ $status -eq 0 ] || fail "cut at $at: status $status"
    fi
    at=$((at + 3))
done
[ "${refused:-0}" -gt $((size / 5)) ] || fail "$refused damaged notes refused"
exit 0
