#!/bin/sh
# log_test.sh - the log begins and ends where it is told, names symbols and
# interrupts, changes nothing in the run it looks at, and says when it cannot
# be written.
# timeout: 300
set -eu
cd "$(mktemp -d)"
bad() {
    echo "$1"
    exit 1
}

cat >small.S <<'E'
    .globl _start, loop, done
_start: li 4,10
    mtctr 4
loop: addi 5,5,1
    bdnz loop
    stw 5,-4(1)
    li 3,0
done: blr
E
powerpc-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x10000 -o small.elf small.S
log() { # options; the result in `log`
    "$BUILD/simrun" --cpus=1 --log=exec:log "$@" small.elf || bad "status $?"
}

for mode in detailed fast; do
    # 2 + 10 x 2 + 3 instructions
    log --mode=$mode
    cp log all
    [ "$(wc -l <all)" -eq 25 ] || bad "$(wc -l <all) lines, not 25"
    log --mode=$mode --log-from=5 --log-to=9
    sed -n 6,9p all | cmp - log
    log --mode=$mode --log-from=loop --log-to=done
    sed 1,2d all | cmp - log
    log --mode=$mode --log-from=loop+4 --log-to=0x1000c
    sed -n 4p all | cmp - log
    log --mode=$mode --log-from=0x10010
    sed -n '/ 00010010 /,$p' all | cmp - log
    cycle=$(awk 'NR == 12 { print $2 }' all)
    log --mode=$mode --log-from=cycle:$cycle --log-to=cycle:$((cycle + 1))
    awk -v c="$cycle" '$2 == c' all | cmp - log
    log --mode=$mode --log-from=100000
    [ ! -s log ] || bad "an end that never came has lines"
done
awk '$4 == "00010008" && $5 == "38a50001" && $6 == "addi" && $10 == "loop" &&
     $11 ~ /^r5=0000000[1-9a]$/ { n++ } END { exit n != 10 }' all ||
    bad "loop: $(grep loop all)"
"$BUILD/simrun" --cpus=1 --log=mem:log small.elf
grep -Eq ' 00010010 store    4 1fffffec = 0000000a$' log || bad "$(cat log)"
[ "$(wc -l <log)" -eq 1 ] || bad "$(cat log)"

# The pipeline: fetch, decode, dispatch, issue, finish, complete, one behind
# the other (604 UM p.231), in the cycles of the line in front.
"$BUILD/simrun" --cpus=1 --log=exec,pipe:log small.elf
awk '$5 != "pipe" { cycles = $2 " " $3 " " $4; next }
    { lines++ }
    $2 " " $3 " " $4 != cycles || $7 != "fetch" || $9 != "issue" ||
    $11 != "finish" || $8 + 2 > $2 || $2 + 1 > $10 || $10 >= $12 || $12 > $3 {
        print; bad = 1 }
    $6 == "LSU" { loads++ }
    END { exit bad || lines != 25 || loads != 1 }' log || bad "$(cat log)"
status=0
"$BUILD/simrun" --cpus=1 --mode=fast --log=exec,pipe:log small.elf 2>err || status=$?
[ $status -eq 2 ] && grep -q 'mode=fast has no stages' err || bad "fast: $(cat err)"

# On the guest: every interrupt of the experiment is in the log, instructions
# come in the order of the machine, and the run is the one it is without.
for mode in detailed fast; do
    "$BUILD/simrun" --mode=$mode --append "work=prodcons n=50" --pmu-trace=alone.exp \
        "$BUILD/guest.elf" >alone </dev/null
    "$BUILD/simrun" --mode=$mode --append "work=prodcons n=50" --pmu-trace=logged.exp \
        --log=int:log "$BUILD/guest.elf" >logged </dev/null
    cmp alone logged
    diff -r alone.exp logged.exp >/dev/null || bad "$mode: another experiment"
    lines=$(grep -cE ' enter   (EXTERNAL|PERFMON|DECREMENTER) ' log)
    records=$((($(wc -c <alone.exp/irq.rec) - 32) / 32))
    [ "$lines" -eq "$records" ] || bad "$lines interrupts, $records records"
    rm -r alone.exp logged.exp

    "$BUILD/simrun" --mode=$mode --append "work=prodcons n=50" --pmu-trace=logged.exp \
        --log=exec,mem,int:log --log-to=100000 "$BUILD/guest.elf" >logged \
        </dev/null
    cmp alone logged
    completed=$(awk '$5 ~ /^[0-9a-f]+$/ && length($5) == 8' log | wc -l)
    [ "$completed" -ge 100000 ] || bad "$completed instructions"
    awk '{ cpus[$1]++ } END { exit length(cpus) != 4 }' log ||
        bad "not every processor is in it"
    if [ $mode = detailed ]; then
        awk 'length($5) == 8' log >order
        sort -s -n -k2,2 -k1,1 order | cmp - order
    fi
    rm -r logged.exp
done

# Mistakes.
refused() { # status, words in the message, options...
    want=$1
    words=$2
    shift 2
    status=0
    "$BUILD/simrun" "$@" small.elf >out 2>&1 </dev/null || status=$?
    [ $status -eq "$want" ] || bad "$*: status $status"
    grep -q -e "$words" out || bad "$*: $(cat out)"
}
refused 2 'give exec, mem, int' --log=every
refused 2 'give exec, mem, int' --log=exec,
refused 2 'no file behind' --log=exec:
refused 2 'say what' --log-from=3
refused 125 'give a number of instructions' --log=exec --log-from=nowhere
refused 2 'give a number of instructions' --log=exec --log-to=12x
refused 2 'give a number of instructions' --log=exec --log-from=cycle:x
refused 125 'cannot be written' --log=exec:/nonexistent/file
[ ! -e /dev/full ] || refused 125 'incomplete' --log=exec:/dev/full

# The tables: a line for each row.
"$BUILD/simrun" --dump-insns >insns
root=$OLDPWD
rows=$(grep -c '^INSN(' "$root/isa/insns.def")
[ "$(grep -vc '^#' insns)" -eq "$rows" ] || bad "insns: not $rows rows"
awk '!/^#/ && gsub(/[ -~]/, "&", $0) && split($0, cell, /  +/) < 10 {
    print; bad = 1 } END { exit bad }' insns || bad "a row without its columns"
grep -Eq '^divw  .*DIV +MCIU +20 +19 +user ' insns || bad "$(grep divw insns)"
grep -Eq '^rfi  .* super ' insns || bad "$(grep rfi insns)"
"$BUILD/simrun" --list-events >events
"$BUILD/simrun" --dump-events | cmp - events
rows=$(grep -c '^EVENT(' "$root/pmu/events.def")
[ "$(grep -vc '^#' events)" -eq "$rows" ] || bad "events: not $rows rows"
grep -Eq '^dcache_miss +point +lsu +- +6 +- +- ' events ||
    bad "$(grep dcache_miss events)"
