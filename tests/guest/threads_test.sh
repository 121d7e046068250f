#!/bin/sh
# threads_test.sh - shadow storage across context switches: with pif=threads each
# thread of the guest has translation tables of its own, which its kernel
# registers at every switch, on whichever processor the thread goes on
# (docs/pif.md 3, 5). What each thread executed, and how often it accessed the
# processors' blocks, is what the execution log has between the switches: all
# in all, and weighed by address, so that no word has another's count. On 2 to 8
# CPUs, several workloads and seeds, both modes. Nothing is lost, nothing strays.
# timeout: 120
set -u
. tests/guest/lib.sh
nm=powerpc-linux-gnu-nm
command -v $nm >/dev/null || { echo "$nm is missing"; exit 77; }
set -- $($nm -S "$guest" | awk '$4 == "cpus" { print $1, $2 }')
from=$(printf %d "0x$1") size=$(printf %d "0x$2")
end=$(printf %d "0x$($nm "$guest" | awk '$3 == "text_end" { print $1 }')")

cat >"$dir/judge.awk" <<'AWK'
function hex(s,    n, i) {
    if (s in known)
        return known[s]
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return known[s] = n + 0
}
function add(table, at) {
    n[table]++
    w[table] += int(at / 4)
}
FILENAME == "said" { said[hex($1)] = $2; weighs[hex($1)] = $3; next }
$5 == "enter" { next }
$5 == "load" || $5 == "store" {
    if (on[$1] && $NF != "device") {
        first = hex($7)
        for (a = first - first % 4; a < first + $6; a += 4)
            if (a >= from && a < from + size)
                add(table[$1, 1], a)
    }
    next
}
{
    if ($NF ~ /^pifseg=/)
        seg[$1] = hex(substr($NF, 8))
    else if ($NF ~ /^pifst=/) {
        table[$1, seg[$1]] = hex(substr($NF, 7))
        switches++
    }
    if (on[$1] && (a = hex($4)) < end)
        add(table[$1, 0], a)
    if ($NF ~ /^pifm=/)
        on[$1] = $NF != "pifm=00000000"
}
END {
    for (t in said) {
        tables++
        if (said[t] != n[t] + 0 || weighs[t] != w[t] % 4294967296) {
            print t ": " said[t] " weighs " weighs[t] ", the log has " n[t] + 0 \
                " weighs " w[t] % 4294967296
            bad = 1
        }
    }
    for (t in n)
        if (!(t in said)) {
            print t ": counted by nobody"
            bad = 1
        }
    print tables, switches
    exit bad || tables < 6 || switches < 30
}
AWK

threads() { # cpus, mode, boot line
    boot "$1" "sampler=off pif=threads $3" --mode="$2" \
        --log=exec,mem:"$dir/log" --log-from=threads_run \
        --log-to=say_thread
    sed -n 's/^pif: thread [0-9]* [a-z.0-9]*: tables \([0-9a-f]*\) \([0-9a-f]*\) executed \([0-9]*\) weighs \([0-9]*\) accessed \([0-9]*\) weighs \([0-9]*\)$/\1 \3 \4\
\2 \5 \6/p' "$out" >"$dir/said"
    found=$(cd "$dir" && awk -v from="$from" -v size="$size" -v end="$end" \
        -f judge.awk said log) || fail "$1 CPUs, $2: threads and log differ: $found"
}
threads 8 fast "work=switch n=25 threads=9 seed=2"
threads 8 detailed "work=switch n=25 threads=10 seed=7"
threads 4 fast "work=txn n=1 threads=5"
threads 2 detailed "work=prodcons n=1 threads=5 seed=3"
refused "pif=threads:1" "no such value"
exit 0
