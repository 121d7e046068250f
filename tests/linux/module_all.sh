#!/bin/sh
# module_all.sh - idle transitions of Debian's Linux sampled from inside, by the module
# guest/linux/idle_samples.c, once make linux has built both: in its report are the
# threads that the context switches name, which simrun has of the same run, and of the
# planted program of docs/linux.md its lock. Says what the module costs the program.
# Functions of the module have names. By each strategy, and of one process alone.
# timeout: 1200
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
[ -f "$linux/modules/idle_samples.ko" ] || { echo "no idle_samples.ko: make linux builds it"; rm -rf "$dir"; exit 77; }

mkdir -p "$dir/root/bin"
"$cc" -O1 -g -static -pthread -I. -o "$dir/root/bin/lock" \
    guest/work/pthread/contended_lock.c guest/work/pthread/common/*.c ||
    fail "contended_lock.c does not compile"
cp "$linux/modules/idle_samples.ko" "$dir"
cp -L "$linux/sysroot/bin/busybox" "$dir/root/bin"
touch -d @0 "$dir/idle_samples.ko" "$dir/root/bin/lock"
{
    echo "file /bin/lock $dir/root/bin/lock 0755 0 0"
    echo "file /idle_samples.ko $dir/idle_samples.ko 0644 0 0"
} >"$dir/files"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"

cpus=2
# go NAME BEFORE: the console is $dir/NAME, the experiment $dir/NAME.exp
go() {
    "$simrun" -q --mode=fast --cpus=$cpus --max-cycles=2000000000 --switch-stacks \
        --sysroot "$dir/root" -e cycles:5000 "--pmu-trace=$dir/$1.exp" --initrd "$dir/both.cpio" \
        --append "console=ttyS0 quiet run=\"$2 lock; cat /proc/idle_samples; exit 4\"" \
        "$linux/vmlinux" >"$dir/$1" 2>"$dir/err" </dev/null
    status=$?
    cp "$dir/$1" "$dir/out"
    [ $status -eq 4 ] || fail "$1: status $status"
    grep -q "^contended_lock: 160 postings" "$dir/out" || fail "$1: the program failed"
}
# So many cycles the program took.
took() {
    "$simprof" threads --from=begin:lock --to=end:lock "$1" 2>"$dir/err" |
        sed -n 's/.*from cycle \([0-9,]*\) on, before \([0-9,]*\).*/\1 \2/p' | tr -d , |
        awk '{ print $2 - $1; exit }'
}
go seen "insmod /idle_samples.ko;"
! complains "$dir/out" && ! grep lost "$dir/out" || fail "the kernel complains"

# The module's functions have names, and with them all but one cycle in a hundred; their
# stacks go on into the kernel.
"$simprof" functions --csv --limit=0 "$dir/seen.exp" >"$dir/table" || fail "no functions"
for function in rest comes_to_rest interrupt notify; do
    grep -q ",$function\$" "$dir/table" || { cp "$dir/table" "$dir/out"; fail "no $function"; }
done
awk -F, '/<Total>/ { all = $1 } /<Unknown>/ { none = $1 }
    END { exit !all || none * 100 > all }' "$dir/table" || fail "much has no name"
"$simprof" export --format=folded "$dir/seen.exp" |
    grep -q ";do_idle;default_idle_call;arch_cpu_idle;rest" ||
    fail "no stack from the kernel through the module"
# judge NAME LEAST [PROCESS]: the samples of the run, so many to-idle ones at least, name the
# threads of programs, or of a process, that the switches name. Threads of the kernel's own,
# and those that idle, are not of interest. A tick of the time base is 4 of the bus, and that
# 3 of the CPU.
judge() {
    "$simprof" info "$dir/$1.exp" | awk -v of="${3:-0}" '
        $1 ~ /^[0-9,]+$/ && $3 ~ /^[0-9,]+$/ {
            gsub(",", "", $1); gsub(",", "", $2)
            none[$1] = $4 == "daemon" || $4 == "idle" || (of && $2 != of) }
        END { for (n in none) if (none[n]) print n }' >"$dir/system"
    perl "$beside/judge.pl" "$dir/$1.exp/switch.rec" $((4 * 3)) "$dir/system" \
        <"$dir/$1" >"$dir/out" || fail "no judgement"
    awk -v name="$1" -v least="$2" '{ n[$1] = $2
            printf "%s: %s: %d samples, %d of another thread, %d in no idle period\n",
                name, $1, $2, $3, $4
            bad += $4 }
        END { exit bad || n["to-idle"] < least || n["from-idle"] < least / 10 }' "$dir/out" ||
        fail "$1: not what the switches say"
    cat "$dir/out" >>"$dir/judged"
}
judge seen 50
# Samples of the program: of its threads that left for the lock. Each is in the tree.
awk '/^(to|from)-idle / { of[$1] += $2; if ($3 ~ /^lock;.*futex_wait;/) lock[$1] += $2 }
    /^sample / { one[$2]++ }
    END { exit !(lock["to-idle"] > 10 && lock["from-idle"] > 2 &&
        of["to-idle"] == one["to-idle"] && of["from-idle"] == one["from-idle"]) }' "$dir/seen" ||
    { cp "$dir/seen" "$dir/out"; fail "not its lock"; }
go plain ""
with=$(took "$dir/seen.exp") without=$(took "$dir/plain.exp")
awk -v with="$with" -v without="$without" 'BEGIN {
    printf "the program takes %d cycles without the module, %d with it (%+.1f %%)\n",
        without, with, 100 * (with / without - 1)
    exit !(without > 0 && with < 1.5 * without) }' || fail "that is too much"
# The other strategies, and one process of several.
for strategy in spin none; do
    go $strategy "insmod /idle_samples.ko strategy=$strategy;"
    ! complains "$dir/out" || fail "$strategy: the kernel complains"
    judge $strategy 50
    grep -q "^to-idle [0-9]* lock;.*;0x.*futex_wait;" "$dir/$strategy" || fail "$strategy: no stack"
done
cpus=4
go one "lock & lock & insmod /idle_samples.ko pid=\$!; echo only \$!; wait;"
only=$(sed -n 's/^only \([0-9]*\).*/\1/p' "$dir/one")
judge one 20 "$only"
# Of all of these together, since one of a few is more than one in fifty.
awk '{ n[$1] += $2; other[$1] += $3 }
    END { for (k in n) {
        printf "all: %s: %d samples, %d of another thread\n", k, n[k], other[k]
        bad += 50 * other[k] > n[k] }
        exit bad || n["from-idle"] < 50 }' "$dir/judged" || fail "not what the switches say"
go refused "insmod /idle_samples.ko strategy=what;"
grep -q "insmod: .*invalid parameter" "$dir/refused" || fail "strategy=what is one"
rm -rf "$dir"
