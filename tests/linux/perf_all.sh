#!/bin/sh
# perf_all.sh - Linux's own perf on the machine's performance monitor, once make linux
# LINUX_PERF=1 has built it: a program counts and samples itself. Counts are what the
# host's exact ones say, of a range of addresses and of marked instructions as well;
# samples are the monitor's interrupts, and simprof truth says how wrong they are. The
# same bits twice.
# timeout: 1800
set -u
LINUX_OUT=${LINUX_OUT:-$BUILD/linux-perf}
. tests/sim/lib.sh
. tests/linux/built.sh
[ -x /sbin/mke2fs ] || { echo "no mke2fs"; rm -rf "$dir"; exit 77; }
. tests/linux/perf.sh
mkdir -p "$dir/root/media"
cp "$dir/perf" "$dir/root/media"
/sbin/mke2fs -q -b 1024 -d "$dir/root/media" "$dir/disk.img" 4M >"$dir/out" 2>&1 || fail "no disk"

# go MODE CPUS COMMAND OPTION...: what it printed is $dir/said
go() {
    mode=$1 cpus=$2 command=$3
    shift 3
    "$simrun" -q "--mode=$mode" "--cpus=$cpus" --max-cycles=4000000000 --disk "$dir/disk.img,ro" \
        --sysroot "$dir/root" --initrd "$linux/initrd.cpio" "$@" \
        --append "console=ttyS0 quiet run=\"mount -o ro /dev/vda /media; $command; exit 3\"" \
        "$linux/vmlinux" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ $status -eq 3 ] || fail "$command: status $status"
    complains "$dir/out" >"$dir/complaints" && fail "$command: $(cat "$dir/complaints")"
    tr -d '\r' <"$dir/out" >"$dir/said"
}
said() { sed -n "s/^$1 //p" "$dir/said"; }

# Counts: of user mode, of threads side by side, of a range, which the host counts, too.
for cpus in 1 4; do
    go fast $cpus "/media/perf count; /media/perf threads; /media/perf range"
    near "$dir/said" instructions $((200 * 2000 * loop))
    near "$dir/said" long $((400 * 1000 * loop))
    near "$dir/said" short $((100 * 1000 * loop))
    [ "$(said main)" -lt 20000 ] || fail "main: $(said main)"
    near "$dir/said" heavy $((200 * 1500 * loop))
done
at() { "${cc%gcc}nm" "$dir/perf" | awk -v name="$1" '$3 == name { print "0x" $1 }'; }
go fast 1 "/media/perf range" --range "$(at heavy)..$(at light)" --pmu-trace="$dir/m.exp"
host=$("$simprof" marks --csv --part=ranges "$dir/m.exp" | sed -n '2s/,.*//p')
[ "$host" = "$(said heavy)" ] || fail "heavy: perf counted $(said heavy), the host $host"
# Marked instructions, in shadow storage that the driver keeps, are those the host has marked.
for mode in fast detailed; do
    go $mode 1 "/media/perf marked 2" --mark=func:perf:heavy=count --pmu-trace="$dir/k.exp" -f
    host=$("$simprof" marks --csv --limit=0 "$dir/k.exp" |
        awk -F, '$2 == "host" { n += $3 } END { print n }')
    [ "$host" = "$(said 2)" ] || fail "$mode: marked: perf counted $(said 2), the host $host"
done
go fast 4 "/media/perf marked 2 & /media/perf marked 2; wait; /media/perf marked 2"
[ "$(said 2 | sort | uniq -c | awk '{ print $1, $2 }')" = "3 $host" ] || fail "marked, 4 CPUs: $(said 2)"
go fast 1 "/media/perf refused"
[ "$(grep -c ': \(Invalid argument\|No such file or directory\)$' "$dir/said")" -eq 6 ] ||
    fail "refused: $(cat "$dir/said")"

# Samples: each is an interrupt of the monitor, three of four in heavy.
interrupts() {
    "$simprof" interrupts --csv "$1" 2>/dev/null | awk -F, '
        NR == 1 { for (k = 1; k <= NF; k++) if ($k == "perfmon") at = k; next }
        /<Total>/ { print $at }'
}
for run in "fast 1 1000" "fast 4 1000" "detailed 1 4000"; do
    # shellcheck disable=SC2086 # mode, CPUs, period
    set -- $run
    go "$1" "$2" "/media/perf sample $3" --pmu-trace="$dir/s.exp" -f
    met=$(($(said heavy) + $(said light) + $(said elsewhere) + $(said kernel)))
    [ "$(said lost)" = 0 ] || fail "$run: lost $(said lost)"
    # What was counted up to where interrupts are taken is in no period.
    periods=$(($(said counted) / $3))
    [ $periods -ge "$met" ] && [ $((periods - met)) -le $((1 + met / 100)) ] ||
        fail "$run: $met samples of $(said counted) events"
    # One that comes while its event is being stopped, or set, is no sample.
    more=$(($(interrupts "$dir/s.exp") - met))
    [ $more -ge 0 ] && [ $more -le $((3 + met / 500)) ] || fail "$run: $met samples, $more interrupts more"
    [ $(($(said heavy) * 100)) -gt $((70 * met)) ] || fail "$run: heavy $(said heavy) of $met"
    "$simprof" truth --event=perfmon "$dir/s.exp" >"$dir/truth" 2>/dev/null || fail "$run: truth"
    grep -q '^perfmon  *function' "$dir/truth" || fail "$run: $(head -n 12 "$dir/truth")"
    grep -q 'of the tasks that its interrupts met' "$dir/truth" || fail "$run: $(cat "$dir/truth")"
    # What its own handler takes is in the truth, and meets no sample.
    "$simprof" truth --csv --event=perfmon "$dir/s.exp" 2>/dev/null | grep -q ',pmu604_interrupt' ||
        fail "$run: the handler is not in the truth"
done
mv "$dir/said" "$dir/first"
go detailed 1 "/media/perf sample 4000" --pmu-trace="$dir/t.exp"
cmp -s "$dir/said" "$dir/first" || fail "twice: $(diff "$dir/first" "$dir/said")"
cmp -s "$dir/s.exp/irq.rec" "$dir/t.exp/irq.rec" || fail "twice: other interrupts"
rm -rf "$dir"
exit 0
