#!/bin/sh
# marks_counts_test.sh - what marks and ranges of the host count is what the
# execution log says happened: every instruction of many functions, every word
# of a table, on 1, 4 and 8 CPUs that switch between threads, in both modes and
# with both carriers; with the limits and thresholds of others among them.
# timeout: 300
set -u
cd "$TMPDIR" || exit 1
bad=0
complain() {
    echo "$1"
    bad=1
}
words() { # of records of this file: payload words a line, decimal
    od -An -v -tu4 -j32 -w4 "$1" | awk '
        left == 0 && at == 0 { left = $1 % 65536 / 4; line = "" }
        { at++; left--; if (at > 4) line = line $1 " " }
        left == 0 { print line; at = 0 }'
}

# First the marks, then the log. In the log the accesses of an instruction
# stand behind it; a word is accessed once, however its transfers are split,
# and a device is no memory.
cat >judge.awk <<'E'
function hex(s,    n, i) {
    n = 0
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return n
}
# The address of a log as a number, remembered: there are few.
function number(s) {
    if (!(s in known))
        known[s] = hex(s)
    return known[s]
}
function complain(s) { if (++bad < 6) print s }
FILENAME == "marks" {
    if ($1 == 2)
        code[$2] = $6
    else if ($1 == 3)
        data[$2] = $6
    else {
        range[++ranges] = $1 == 7 ? "data" : "code"
        low[ranges] = $2; high[ranges] = $3
        count[ranges] = $6; entries[ranges] = $8
    }
    next
}
{ at = number($4) }
$5 != "load" && $5 != "store" {
    turn++
    executed[at]++
    for (r = 1; r <= ranges; r++)
        if (range[r] == "code") {
            now = at >= low[r] && at < high[r]
            x[r] += now
            e[r] += now && !inside[r, $1]
            inside[r, $1] = now
        }
    next
}
$NF != "device" {
    first = number($7)
    for (w = first - first % 4; w < first + $6; w += 4) {
        if (seen[w, $1] == turn)
            continue
        seen[w, $1] = turn
        accessed[w]++
        for (r = 1; r <= ranges; r++)
            if (range[r] == "data") {
                now = w >= low[r] && w < high[r]
                x[r] += now
                e[r] += now && !inside[r, $1]
                inside[r, $1] = now
            }
    }
}
END {
    for (a in code) {
        n++
        total += code[a]
        if (code[a] != executed[a] + 0)
            complain(a ": " code[a] " executions, the log has " executed[a] + 0)
    }
    for (a in data) {
        n++
        touched += data[a]
        if (data[a] != accessed[a] + 0)
            complain(a ": " data[a] " accesses, the log has " accessed[a] + 0)
    }
    for (r = 1; r <= ranges; r++)
        if (count[r] != x[r] + 0 || entries[r] != e[r] + 0)
            complain(range[r] " range " low[r] ": " count[r] ", " entries[r] \
                     " entries; the log has " x[r] + 0 ", " e[r] + 0)
    print n " words, " total " executions, " touched " accesses"
    exit bad || n < 1500 || total < 10000 || touched < 500 || ranges != 4
}
E

judge() { # cpus, mode, carrier, cycles
    rm -rf run.exp log
    "$BUILD/simrun" --cpus=$1 --mode=$2 --set pif_carrier=$3 --max-cycles=$4 \
        --log=exec,mem:log --pmu-trace=run.exp --append 'work=txn n=1' \
        --mark 'func:txn_*' --mark 'func:sched*' --mark func:trap_entry \
        --mark 'func:spin_lock=limit:13,pmu' --mark data:cpus \
        --mark 'func:kalloc=count,threshold:10' --mark data:threads \
        --range spin_lock --range sched..sched+64 --data-range cpus \
        --data-range threads+4..threads+400 "$BUILD/guest.elf" >out 2>&1 \
        </dev/null
    case $? in
    0 | 124) ;;
    *) complain "$*: $(tail -n 3 out)" ;;
    esac
    words run.exp/mark.rec >marks
    # What a limit has cleared is in the count, too.
    words run.exp/trap.rec >traps
    awk 'FILENAME == "traps" { cleared[$2] += $5; few += $5 <= 13; next }
        $1 == 2 && cleared[$2] > $6 { few++ }
        END { exit few > 0 }' traps marks ||
        complain "$*: the limit of 13 was not passed, or more was cleared than counted"
    said=$(awk -f judge.awk marks log) || complain "$*: $said"
    [ -s traps ] || complain "$*: no limit was passed"
}
judge 1 detailed 0 300000
judge 1 fast 1 300000
judge 4 fast 0 150000
judge 4 detailed 1 150000
judge 8 detailed 0 120000

# The limit is that of all processors together: every 14th execution
# interrupts, whichever processor makes it, wherever marks are carried.
# With pif_host_limits=0 it is each one's own, and the report says so.
together() { # cpus, then options
    cpus=$1
    shift
    rm -rf run.exp
    "$BUILD/simrun" --cpus=$cpus --max-cycles=150000 -q "$@" \
        --mark func:spin_lock=limit:13 --pmu-trace=run.exp --append work=txn \
        "$BUILD/guest.elf" >out 2>&1 </dev/null
    words run.exp/mark.rec >marks
    words run.exp/trap.rec >traps
    awk 'FILENAME == "traps" { traps[$2]++; all++; odd += $5 != 14; next }
        int($6 / 14) != traps[$2] + 0 { odd++ }
        END { exit odd > 0 || all < 10 }' traps marks
}
for cpus in 1 2 4 8; do
    together $cpus || complain "limit on $cpus CPUs: $(wc -l <traps) interrupts"
done
together 4 --set pif_carrier=1 || complain "limit of widened words"
together 4 --mode=fast || complain "limit in fast mode"
own="limits from outside: of each CPU's own count"
"$BUILD/simprof" marks run.exp | grep -q "$own" && complain "not its own"
together 4 --set pif_host_limits=0 && complain "each its own, and yet as one"
"$BUILD/simprof" marks run.exp | grep -q "$own" || complain "its own: no word"
rm -f log
exit $bad
