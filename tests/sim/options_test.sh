#!/bin/sh
# options_test.sh - what the command line says arrives in the machine, and the
# log of the experiment repeats it; an option given twice counts once, the last.
set -u
. tests/sim/lib.sh
build facts -Wl,-Ttext-segment=0x10000 # it fits into little memory

fact() { # name, decimal
    grep -qx "$1 $(printf %08x "$2")" "$dir/out" ||
        fail "$1 is not $2: $(grep "^$1" "$dir/out")"
}

run 0 facts.elf # the defaults
fact cpus 4
fact ram 536870912
fact clock 200000000
fact timebase 16666666
fact tick 12
fact seed 1
fact stack $((0x1ffff))
grep -qx 'args ' "$dir/out" || fail "arguments from nowhere"

run 0 --cpus=3 --cpus 7 --mem=16 facts.elf --seed 99 --append 'a b="c" $d' \
    --set clock_mhz=100 --set bus_ratio=2 --set tb_bus=8 --pmu-trace=x.exp
fact cpus 7
fact ram 16777216
fact clock 100000000
fact timebase 6250000
fact tick 16
fact seed 99
fact stack $((0xfff))
grep -qx 'args a b="c" $d' "$dir/out" || fail "arguments"
for line in 'cpus 7' 'ram 16777216' 'clock 100000000' 'timebase 6250000' \
    'seed 99' 'args a b="c" $d' 'knob bus_ratio 2' 'mode detailed'; do
    grep -qxF "$line" "$dir/x.exp/log" || fail "the log lacks: $line"
done

# A text is read to its end, however long: these digits and u stand behind 130.
run 0 -e "cycles:$(printf '%0120d' 100)000:u" --pmu-trace=long.exp facts.elf
grep -qx "profile 0 cycles 100000 u" "$dir/long.exp/log" ||
    fail "a long --event: $(grep '^profile' "$dir/long.exp/log")"

# Numbers are decimal, zeros in front or not, or hexadecimal behind 0x.
for n in 010:10 08:8 0x10:16; do
    run 0 --mode=fast --set "quantum=${n%:*}" --seed="${n%:*}" \
        -e "cycles:${n%:*}000" --pmu-trace="n${n%:*}.exp" facts.elf
    for line in "knob quantum ${n#*:}" "seed ${n#*:}"; do
        grep -qxF "$line" "$dir/n${n%:*}.exp/log" || fail "${n%:*}: no $line"
    done
done
printf 'MUL MCIU 09 9 0\n' >"$dir/slow.chip"
run 0 --mode=fast --chip slow.chip facts.elf

for size in 16 0016 16M 016m 0x10; do
    run 0 --mode=fast --mem=$size facts.elf
    fact ram 16777216
done
for size in 1G:$((1 << 30)) 4032:$((0xFC000000)); do # all there can be
    (cd "$dir" && "$simrun" --mode=fast --mem="${size%:*}" facts.elf 2>&1) |
        grep -q 'the host gives no address space' &&
        { echo "no room for --mem=${size%:*} here: not tried"; continue; }
    run 0 --mode=fast --mem="${size%:*}" facts.elf
    fact ram "${size#*:}"
done
for size in 4033 4G 0G 1T 1.5G M ''; do
    run 2 --mem="$size" facts.elf
    grep -q -- '--mem' "$dir/err" || fail "--mem=$size: $(cat "$dir/err")"
done

# A knob changes what it says: a cycle an instruction, or seven.
run 0 --mode=fast --cpus=1 facts.elf --summary
one=$(sed -n 's/.* \([0-9]*\) cycles at.*/\1/p' "$dir/err")
run 0 --mode=fast --cpus=1 facts.elf --summary --set fast_cpi=7
seven=$(sed -n 's/.* \([0-9]*\) cycles at.*/\1/p' "$dir/err")
insns=$(sed -n 's/^  instructions //p' "$dir/err")
[ "$seven" -eq $((7 * insns)) ] || fail "fast_cpi=7: $seven, $insns"
[ "$one" -lt "$seven" ] || fail "fast_cpi changes nothing"

# A host without room says so. (Sanitizers need room of their own.)
if ! grep -q sanitize "$BUILD/obj/flags"; then
    (ulimit -v 500000 && run 125 facts.elf --mem=2G) || exit 1
    grep -q -- "--mem: .*ask for less" "$dir/err" || fail "no room"
fi

# The longest text that fits, and one byte more.
text=$(printf %3839s x | tr ' ' x)
run 0 --mode=fast facts.elf --append "$text"
grep -qx "args $text" "$dir/out" || fail "a long text"
run 2 --mode=fast facts.elf --append "x$text"
exit 0
