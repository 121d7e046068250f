#!/bin/sh
# active_test.sh - active time of the worked examples: 266 cycles, 4.5 ms and
# 797 (ACT-01, ACT-06, ACT-10, ACT-19 to ACT-38). timeout: 60
set -u
dir=tests/golden/active
simprof=$BUILD/simprof
bad=0

# expect TEXT ARGUMENTS...: a line of the output is TEXT, blanks squeezed
expect() {
    want=$1
    shift
    "$simprof" active "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" || {
        echo "active $*: status $?: $(cat "$TMPDIR/err")"
        bad=1
        return
    }
    tr -s ' ' <"$TMPDIR/out" | sed 's/^ //; s/ $//' | grep -qxF "$want" || {
        echo "active $*: no line \"$want\" in"
        cat "$TMPDIR/out"
        bad=1
    }
}

# refuse TEXT TIMERS,SWITCHES,OVERHEAD: refused, and the reason contains TEXT
refuse() {
    "$simprof" active "$2" >"$TMPDIR/out" 2>"$TMPDIR/err"
    status=$?
    [ $status -eq 125 ] && grep -qF "$1" "$TMPDIR/err" || {
        echo "active $2: status $status, no \"$1\" in"
        cat "$TMPDIR/err"
        bad=1
    }
}

all=$dir/timers.csv,$dir/switches.csv,$dir/overhead.csv

# Elapsed, swapped out, overhead, active, exclusive: F, G in it, S of thread 2.
expect 1,650,376,8,266,155,266,266,1,F,function --csv "$all"
expect 1,300,186,3,111,111,111,111,1,G,function --csv "$all"
expect 1,290,107,3,180,180,180,180,2,S,function --csv "$all"
f="--function=F --thread=1"
expect "swapped out: 1,000 to 1,190, 1,225 to 1,411 (376)" $f "$all"
expect "overhead: 900 to 903, 1,200 to 1,203, 1,500 to 1,502 (8)" $f "$all"
expect "elapsed: 900 to 1,550 (650)" $f "$all"
expect "650 elapsed - 376 swapped out - 8 overhead = 266 cycles active" \
    $f "$all"

# What the last probe costs is not overhead (264), nor what 1223 would be (246).
for how in "$f" --csv; do
    "$simprof" active $how "$all" | grep -wE '264|246' && bad=1
done

# Without what the probes cost; without switches too.
expect 1,650,376,0,274,160,274,274,1,F,function --csv $dir/timers.csv,$dir/switches.csv
expect 1,650,0,0,650,350,650,650,1,F,function --csv $dir/timers.csv

# Rows in another order, columns too, others between them: the same.
reverse() { sed 1d "$1" | sort -r; }
{
    echo "note,Event,CPU,Thread ID,Time"
    reverse $dir/timers.csv | awk -F, '{ print "x," $3 ",0," $2 "," $1 }'
} >"$TMPDIR/timers.csv"
{
    echo "new thread,time [cycles],old thread"
    reverse $dir/switches.csv | awk -F, '{ print $3 "," $1 "," $2 }'
} >"$TMPDIR/switches.csv"
turned=$TMPDIR/timers.csv,$TMPDIR/switches.csv,$dir/overhead.csv
"$simprof" active --csv "$all" >"$TMPDIR/a"
"$simprof" active --csv "$turned" >"$TMPDIR/b"
cmp "$TMPDIR/a" "$TMPDIR/b" || bad=1

# Switches as one thread that goes in or out.
{
    echo time,thread,state
    sed 1d $dir/switches.csv |
        awk -F, '{ print $1 "," $2 ",out"; print $1 "," $3 ",in" }'
} >"$TMPDIR/states.csv"
"$simprof" active --csv "$dir/timers.csv,$TMPDIR/states.csv,$dir/overhead.csv" \
    >"$TMPDIR/b"
cmp "$TMPDIR/a" "$TMPDIR/b" || bad=1

# Values that thread 1 has nothing to do with do not matter.
grep -v T3 $dir/timers.csv | sed 's/^1010/1111/' >"$TMPDIR/timers.csv"
sed '/^1028/d; /^1100/d; s/^1190,2/1190,?/; s/2$/?/' $dir/switches.csv \
    >"$TMPDIR/switches.csv"
expect 1,650,376,8,266,155,266,266,1,F,function --csv "$turned"

# What ends F costs after its end.
sed 's/exit,2/exit,1002/' $dir/overhead.csv >"$TMPDIR/overhead.csv"
sed '/G$/d' $dir/timers.csv >"$TMPDIR/timers.csv"
expect 1,650,376,3,271,271,271,271,1,F,function --csv \
    "$TMPDIR/timers.csv,$dir/switches.csv,$TMPDIR/overhead.csv"

# The timing diagram, in milliseconds: 8.5 - 3.0 - 1.0 = 4.5.
printf 'time [ms],thread,event\n0.5,1,begin run\n9,1,end run\n' \
    >"$TMPDIR/t.csv"
printf 'time_ms,old,new\n3,1,2\n6,2,1\n' >"$TMPDIR/s.csv"
printf 'event,overhead (ms)\nsection begin,1\nsection end,1.0\n' >"$TMPDIR/o.csv"
expect 1,8.5,3.0,1.0,4.5,4.5,4.5,4.5,1,run,section --csv \
    "$TMPDIR/t.csv,$TMPDIR/s.csv,$TMPDIR/o.csv"
expect "8.5 elapsed - 3.0 swapped out - 1.0 overhead = 4.5 ms active" \
    --section=run "$TMPDIR/t.csv,$TMPDIR/s.csv,$TMPDIR/o.csv"

printf 'time,old,new\n3,1,2\n6,2,1\n' >"$TMPDIR/s.csv"
# 800 measured, 3 for the start, no switch: 797. Its own overhead counts
# before that of its type.
printf 'time,thread,event,overhead\n100,1,enter f,3\n900,1,exit f,\n' \
    >"$TMPDIR/t.csv"
expect 1,800,0,3,797,797,797,797,1,f,function --csv \
    "$TMPDIR/t.csv,$TMPDIR/s.csv,$dir/overhead.csv"
sed -i 's/f,3/f,5/' "$TMPDIR/t.csv"
expect 1,800,0,5,795,795,795,795,1,f,function --csv \
    "$TMPDIR/t.csv,$TMPDIR/s.csv,$dir/overhead.csv"

# Nothing that cannot be right is taken for zero.
printf 'time,thread,event\n1,1,begin x\n2,1,end x\n' >"$TMPDIR/t.csv"
refuse "the overhead of section begin is in no table" \
    "$TMPDIR/t.csv,$dir/switches.csv,$dir/overhead.csv"
printf 'time,thread,event\n1,1,visit x\n' >"$TMPDIR/t.csv"
refuse "t.csv:2: \"visit x\": must be enter, exit, begin or end" "$TMPDIR/t.csv"
printf 'time,event\n1,enter x\n' >"$TMPDIR/t.csv"
refuse "t.csv:1: no column \"thread\"" "$TMPDIR/t.csv"
printf 'time,thread,event\n-1,1,enter x\n' >"$TMPDIR/t.csv"
refuse "t.csv:2: \"-1\": must be a number" "$TMPDIR/t.csv"

# Fields in quotes are whole, with their commas and quotes; the mark in front
# of UTF-8 is none of the first column's name.
printf '\357\273\277time,thread,event\r\n1,1,"enter f(int, ""x"")"\r\n' \
    >"$TMPDIR/t.csv"
printf ' 4 , T1 ,"exit f(int, ""x"")" \r\n' >>"$TMPDIR/t.csv"
expect '1,3,0,0,3,3,3,3,1,"f(int, ""x"")",function' --csv "$TMPDIR/t.csv"
for broken in '"enter f' '"enter f"" ' '"enter f"x'; do
    printf 'time,thread,event\n1,1,%s\n4,1,exit f\n' "$broken" \
        >"$TMPDIR/t.csv"
    refuse "t.csv:2: a quote without its end" "$TMPDIR/t.csv"
done
: >"$TMPDIR/t.csv"
refuse "t.csv:1: empty" "$TMPDIR/t.csv"

# Tables in different units are not mixed.
printf 'time,thread,event\n1,1,enter x\n9,1,exit x\n' >"$TMPDIR/t.csv"
printf 'time [ms],old,new\n3,1,2\n6,2,1\n' >"$TMPDIR/s.csv"
refuse "s.csv:1: time in ms, but the timers are in cycles" \
    "$TMPDIR/t.csv,$TMPDIR/s.csv"
printf 'time [ms],thread,event\n1,1,enter x\n9,1,exit x\n' >"$TMPDIR/m.csv"
printf 'time,old,new\n3,1,2\n6,2,1\n' >"$TMPDIR/n.csv"
refuse 'n.csv:1: time names no unit, but the timers are in ms' \
    "$TMPDIR/m.csv,$TMPDIR/n.csv"
printf 'time [ms],thread,event,overhead\n1,1,enter x,2\n9,1,exit x,2\n' \
    >"$TMPDIR/n.csv"
refuse 'n.csv:1: overhead names no unit, but the timers are in ms' "$TMPDIR/n.csv"
printf 'event,overhead_ms\nfunction entry,1\nfunction exit,1\n' \
    >"$TMPDIR/o.csv"
printf 'time,old,new\n' >"$TMPDIR/s.csv"
refuse "o.csv:1: overhead in ms" "$TMPDIR/t.csv,$TMPDIR/s.csv,$TMPDIR/o.csv"

# What is asked for and not there is wrong usage: one line, and no report.
for option in --function=nothing --thread=7 --thread=me --section=x; do
    "$simprof" active $option "$TMPDIR/t.csv" >"$TMPDIR/out" 2>"$TMPDIR/err"
    [ $? -eq 2 ] && [ ! -s "$TMPDIR/out" ] &&
        [ "$(wc -l <"$TMPDIR/err")" -eq 1 ] ||
        { echo "$option: $(cat "$TMPDIR/out" "$TMPDIR/err")"; bad=1; }
done
if [ -w /dev/full ]; then
    "$simprof" active "$TMPDIR/t.csv" >/dev/full 2>"$TMPDIR/err"
    [ $? -eq 125 ] && grep -q "cannot be written" "$TMPDIR/err" || bad=1
fi

# A function and a section of one name are two things; an option that asks for
# records of an experiment is not passed over.
printf 'time,thread,event\n1,1,enter x\n2,1,begin x\n5,1,end x\n9,1,exit x\n' \
    >"$TMPDIR/t.csv"
expect 1,8,0,0,8,5,8,8,1,x,function --csv "$TMPDIR/t.csv"
expect 1,3,0,0,3,3,3,3,1,x,section --csv "$TMPDIR/t.csv"
expect "3 elapsed - 0 swapped out - 0 overhead = 3 cycles active" \
    --section=x "$TMPDIR/t.csv"
for option in --filters=cpu==1 --cpu=0; do
    "$simprof" active $option "$TMPDIR/t.csv" >"$TMPDIR/out" 2>"$TMPDIR/err" &&
        { echo "$option is passed over"; bad=1; }
    grep -q "choose records of an experiment" "$TMPDIR/err" || bad=1
done
expect 1,3,0,0,3,3,3,3,1,x,section --csv --from=2 --to=3 "$TMPDIR/t.csv"
"$simprof" active --csv --from=2 --to=3 "$TMPDIR/t.csv" | grep -q function,$ &&
    bad=1
refuse "No such file" "$TMPDIR/none.csv,$dir/switches.csv"
exit $bad
