#!/bin/sh
# area_test.sh - count areas hold what the execution log says: accesses of
# every width, aligned or not, multiple, string and cleared lines, granules of
# 1, 4, 32 and 8 bytes; a bare-metal program and one under --user that read
# their own, and the guest's kernel, on 1 and 8 CPUs. What the experiment has is
# what they read, by both units, and no cycle differs.
# timeout: 120
set -u
dir=$TMPDIR
. tests/pif/area.sh
command -v ${cross}gcc >/dev/null || {
    echo "${cross}gcc is missing"; exit 77; }
bad=0
complain() {
    echo "$*"
    bad=1
}

flags="-I. -O2 -mcpu=604 -Wall -Wextra -fno-pic -static"
bare="-DBARE -ffreestanding -nostdlib -Wl,-Ttext=0x20000 -Wl,-e,_start
    -Wl,--no-warn-rwx-segments -Wl,-z,noexecstack"
# shellcheck disable=SC2086 # they are words
${cross}gcc $flags $bare -o "$dir/bare.elf" tests/pif/start.S \
    tests/pif/common.c tests/observe/area.c || exit 1
# shellcheck disable=SC2086
${cross}gcc $flags -no-pie -pthread -o "$dir/user.elf" tests/observe/area.c || exit 1

# run WHAT OPTION...: into $dir/exp, with the log
run() {
    what=$1
    shift
    rm -rf "$dir/exp"
    "$BUILD/simrun" -q --log exec,mem:"$dir/log" --pmu-trace="$dir/exp" \
        "$@" >"$dir/out" 2>"$dir/err" </dev/null ||
        complain "$what: $(head -n 3 "$dir/err")"
}
own() { # what the program read
    sort "$dir/out" | cmp -s - "$dir/by_log" ||
        complain "$1: what it reads is not what the log has"
}
for program in bare user; do
    areas "$dir/$program.elf" watched by_byte,0,400,1,2 by_word,0,400,4,4 \
        by_block,0,400,32,1 whole,0,400,512,1 part,5,301,8,4 apart,0,400,16,2
    as=
    [ $program = bare ] || as=--user
    for how in 1,detailed 8,detailed 8,fast; do
        # shellcheck disable=SC2086
        run "$program $how" $as --cpus=${how%,*} --mode=${how#*,} "$dir/$program.elf"
        judge "$program $how" 400
        own "$program $how"
    done
done
grep -q '^whole 0 255$' "$dir/by_log" || complain "no byte was full"

# The same areas named on the command line, in a program that reads them and
# does nothing with it, or never touches their page: no cycle differs from those
# of a run without.
areas "$dir/user.elf" watched by_byte,0,400,1,2 by_word,0,400,4,4 \
    by_block,0,400,32,1 part,5,301,8,4 apart,0,400,16,2
set -- --mark data:watched=area:by_byte:1:2 --mark data:watched=area:by_word \
    --mark data:watched=area:by_block:32:1 \
    --mark data:watched+5,301=area:part:8 --mark data:watched=area:apart:16:2
for how in 1,silent 1,quiet 8,quiet; do
    cpus=${how%,*}
    how=${how#*,}
    run "named, $cpus" --user --cpus=$cpus --ignore-marks "$@" "$dir/user.elf" $how
    judge "named, $cpus" 400
    rm -rf "$dir/none"
    "$BUILD/simrun" -q --user --cpus=$cpus --ignore-marks \
        --pmu-trace="$dir/none" "$dir/user.elf" $how || complain "without areas"
    [ "$(grep '^end ' "$dir/none/log")" = "$(grep '^end ' "$dir/exp/log")" ] ||
        complain "$cpus: count areas changed the cycles"
    cmp "$dir/none/oracle.rec" "$dir/exp/oracle.rec" ||
        complain "$cpus: count areas changed the account"
done
# Areas need no carrier and go with each, and with marks of the same data.
rm -rf "$dir/wide"
"$BUILD/simrun" -q --user --cpus=8 --ignore-marks "$@" --set pif_carrier=1 \
    --mark data:watched --pmu-trace="$dir/wide" "$dir/user.elf" quiet ||
    complain "widened words"
units "$dir/wide" | cmp -s - "$dir/by_log" ||
    complain "widened words: another count"
awk -F, 'function hex(s,    i, v) {
        for (i = 3; i <= length(s); i++)
            v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
        return v
    }
    $1 == "data" { n[hex($5)] = $3; words++ }
    $1 == "area" && / 1 at / { m[hex($5)] = $3 }
    END { for (a in n) bad += n[a] != m[a] + 0; exit bad || words != 100 }' \
    "$dir/csv" || complain "marks and units of words differ"

# What they would cost is charged when asked for: 16 bytes an addition.
rm -rf "$dir/charged"
"$BUILD/simrun" -q --user --cpus=1 --ignore-marks --set pif_charge=1 \
    --mark data:watched=area:by_word --pmu-trace="$dir/charged" \
    "$dir/user.elf" quiet || complain "charged: it does not end well"
awk '/^area / { n = $9 } /^shadow-bus / { bus += $3 } /^knob bus_ratio / { r = $3 }
    END { exit !(n > 100 && bus == n * 2 * r) }' "$dir/charged/log" ||
    complain "charged: $(grep -E '^(area|shadow-bus|knob bus_r)' "$dir/charged/log")"
exit $bad
