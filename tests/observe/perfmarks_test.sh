#!/bin/sh
# perfmarks_test.sh - simrun --mark, --range and --data-range become marks in
# the experiment's log: the words they name, numbered ranges; nothing that the
# guest does changes, and a mistake is pointed at.
# timeout: 240
set -u
cd "$TMPDIR" || exit 1
guest=$BUILD/guest.elf
bad=0
complain() {
    echo "$1"
    bad=1
}
run() { # name, then options
    name=$1
    shift
    "$BUILD/simrun" "$@" --append "work=txn n=10" --pmu-trace=$name.exp \
        "$guest" >$name.out 2>$name.err </dev/null || complain "$name: status $?"
}
address() { # of a symbol: address and size, as the log writes them
    powerpc-linux-gnu-nm -S "$guest" | awk -v n="$1" '$4 == n { print $1, $2 }'
}
set -- $(address sched)
sched=$((0x$1)) size=$((0x$2))
set -- $(address cpus)
cpus=$((0x$1)) room=$((0x$2))
[ $size -gt 0 ] && [ $room -gt 0 ] || complain "the guest has no sched or cpus"
x() { printf '0x%x' "$1"; }

cat >list <<E
# a list
addr:$(x $((sched + 4)))=pmu
E
run plain --mode=fast
run marked --mode=fast --mark func:sched=limit:13 --mark data:cpus+8,4=count,stores-only \
    --mark file:list --mark "range:sched..sched+8=range,trace-start" \
    --range sched --range "$(x $sched)..sched+16" --data-range cpus
cat >want <<E
mark $(x $sched) $size 0x90000000 13 code func:sched=limit:13
mark $(x $((cpus + 8))) 4 0x80040000 0 data data:cpus+8,4=count,stores-only
mark $(x $((sched + 4))) 4 0x40000000 0 code file:list
mark $(x $sched) 8 0x02000000 0 code range:sched..sched+8=range,trace-start
range 0 $(x $sched) $(x $((sched + 8))) code range:sched..sched+8=range,trace-start
range 1 $(x $sched) $(x $((sched + size))) code sched
range 2 $(x $sched) $(x $((sched + 16))) code $(x $sched)..sched+16
range 0 $(x $cpus) $(x $((cpus + room))) data cpus
E
grep -E '^(mark|range) ' marked.exp/log >got
cmp want got || complain "the log: $(diff want got)"
grep -qE '^(mark|range) ' plain.exp/log && complain "marks from nowhere"
cmp plain.out marked.out || complain "the guest prints something else"
for file in idle switch thread stat irq oracle; do
    cmp plain.exp/$file.rec marked.exp/$file.rec ||
        complain "$file.rec differs when marked"
done

# Whatever is wrong: one line, the text, and a ^ below its character. What no
# program has ends with status 2, what this one has not with 125.
wrong() { # status, option, text, column, what the line says
    want=$1
    shift
    "$BUILD/simrun" "$1" "$2" "$guest" >out 2>err
    status=$?
    [ $status -eq "$want" ] || complain "$1 $2: ends with $status, not $want"
    head -n 1 err | grep -q "^simrun: $1: .*$4" || complain "$1 $2: $(cat err)"
    [ "$(sed -n 2p err)" = "  $2" ] || complain "$1 $2: the text: $(cat err)"
    [ "$(sed -n 3p err)" = "$(printf '%*s^' $(($3 + 2)) '')" ] ||
        complain "$1 $2: points elsewhere: $(cat err)"
    [ ! -e guest.1.exp ] || complain "$1 $2: left an experiment"
}
wrong 125 --mark func:schedd 5 'no symbol of this name'
wrong 2 --mark func:sched=limit:13,cuont 20 'no such action'
wrong 2 --mark fnc:sched 0 'a mark is func:'
wrong 2 --mark addr:0x2 5 'no instruction'
wrong 125 --mark addr:sched+2 5 'no instruction'
wrong 2 --mark addr:0xg 5 'no number'
wrong 125 --mark data:0xffffff00 5 'is not memory'
wrong 2 --mark line:main.c:3 5 simmark
wrong 2 --mark file:nolist 5 'cannot be read'
wrong 125 --range sched..0x10 7 'is empty'
wrong 2 --range 0x20..0x10 6 'is empty'
wrong 125 --range sched..nowhere 7 'no symbol'
wrong 125 --data-range nothing 0 'no symbol'
printf 'func:sched\n func:nope\n' >list
wrong 125 --mark file:list 5 'list:2:7: guest.elf has no symbol'
printf 'func:sched=cuont\n' >list
wrong 2 --mark file:list 5 'list:1:12: cuont: no such action'

i=0
while [ $i -lt 9 ]; do
    i=$((i + 1))
    set -- "$@" --range "sched..sched+$((4 * i))"
done
shift 2 # what set left there above
"$BUILD/simrun" "$@" "$guest" >out 2>err
[ $? -eq 2 ] && grep -q 'more than 8 ranges of instructions' err ||
    complain "nine ranges: $(cat err)"
"$BUILD/simrun" --mark func:sched=limit:1 --mark addr:sched=limit:2 "$guest" \
    >out 2>err
[ $? -eq 125 ] && grep -q 'marked with two limits, 1 and 2' err ||
    complain "two limits: $(cat err)"
exit $bad
