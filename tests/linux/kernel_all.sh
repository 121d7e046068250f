#!/bin/sh
# kernel_all.sh - a Linux kernel and all that simrun sees of it: Debian 12's that make linux
# builds, or LINUX_OUT's, of any version and configuration (docs/linux.md). It boots on 1 and 4
# CPUs in fast mode and on two in detailed mode, twice with the same bits; it says its version,
# how many CPUs it has, and powers off. Its tasks have names, its functions and stacks are known
# but for one in a hundred and one in fifty, so are its waits, and idle samples are true. A
# program's lock has an owner, wherever stacks of the kernel are.
# timeout: 3000
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
release=$(cat "$linux/kernel/include/config/kernel.release")
# A CPU stores to its mapped stack before it maps (docs/linux.md).
mem=512M
! grep -qx CONFIG_VMAP_STACK=y "$linux/kernel/.config" || mem=1G

# The program of docs/linux.md, whose threads wait for a lock.
mkdir -p "$dir/root/bin"
cp -L "$linux/sysroot/bin/busybox" "$dir/root/bin"
"$cc" -O1 -g -static -pthread -I. -o "$dir/root/bin/lock" \
    guest/work/pthread/contended_lock.c guest/work/pthread/common/*.c ||
    fail "contended_lock.c does not compile"
touch -d @0 "$dir/root/bin/lock"
echo "file /bin/lock $dir/root/bin/lock 0755 0 0" >"$dir/files"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"

# boot NAME COMMAND OPTION... : what the console said is $dir/NAME, the experiment NAME.exp
boot() {
    name=$1 command=$2
    shift 2
    "$simrun" -q --max-cycles=20000000000 --mem=$mem "--pmu-trace=$dir/$name.exp" \
        --sysroot "$dir/root" --initrd "$dir/both.cpio" -e cycles:10000 "$@" \
        --append "console=ttyS0 run=\"$command; poweroff -f\"" \
        "$linux/vmlinux" >"$dir/$name" 2>"$dir/err" </dev/null
    status=$?
    cp "$dir/$name" "$dir/out"
    [ $status -eq 0 ] || fail "$name: it did not power off: status $status"
    [ ! -s "$dir/err" ] || fail "$name: something is not known of this kernel"
}

for how in fast:1 fast:4 detailed:2; do
    mode=${how%:*} cpus=${how#*:}
    case $how in
    fast:*) idle=--sample-idle=20000:all does="lock; for i in 1 2 3; do sleep 0.02; done | cat" ;;
    *) idle=--switch-stacks does="ls / | sort | head -n 3" ;;
    esac
    for again in a b; do
        boot $mode$cpus.$again "uname -r; grep -c ^processor /proc/cpuinfo; $does" \
            --mode=$mode --cpus=$cpus $idle
    done
    one=$mode$cpus.a
    cmp "$dir/$one" "$dir/$mode$cpus.b" || fail "$one: not the same twice"
    for kind in profile switch thread state wake frame oracle; do
        cmp "$dir/$one.exp/$kind.rec" "$dir/$mode$cpus.b.exp/$kind.rec" ||
            fail "$one: $kind: not the same bits twice"
    done
    tr -d '\r' <"$dir/$one" >"$dir/out"
    grep -qx "$release" "$dir/out" && grep -qx "$cpus" "$dir/out" ||
        fail "$one: it is not $release on $cpus CPUs"
    ! complains "$dir/out" || fail "$one: it complains"

    "$simprof" info "$dir/$one.exp" >"$dir/out" || fail "$one: no info"
    for line in "32,768 *0 .* idle *swapper/0" "1 *1 .* init" "2 *2 .* daemon *kthreadd" \
        "[0-9]* *[0-9]* .* $([ $mode = fast ] && echo lock || echo sort)"; do
        grep -q "^ *$line$" "$dir/out" || fail "$one: no task $line"
    done
    # Of all cycles' samples, those of no function, and those whose stack has no root.
    share() { # OPTION... : the cycles of the row "$row"
        "$simprof" functions --csv "$@" "$dir/$one.exp" |
            awk -F, -v row="$row" '$NF == row { n = $3 } END { print n + 0 }'
    }
    row="<Total>" all=$(share)
    row="<Unknown>" unknown=$(share)
    row="<Total>" cut=$(share --filters=truncated)
    # shellcheck disable=SC2046 # numbers
    set -- $(sed -n 's/^waits //p' "$dir/$one.exp/log")
    cp "$dir/$one.exp/log" "$dir/out"
    [ $# -eq 4 ] || fail "$one: the log does not tell of waits"
    echo "$one $all $unknown $cut $*" | awk -v release="$release" '{
        printf "%s, %s: of no function %.2f %%, stacks cut off %.2f %%, ", release, $1,
            100 * $3 / $2, 100 * $4 / $2
        printf "waits of no row %d of %d, %.2f %% of their time\n", $6, $5, 100 * $8 / $7
        exit !($2 > 1000000 && 100 * $3 <= $2 && 50 * $4 <= $2 && $5 > 50 &&
            100 * $6 <= $5 && 100 * $8 <= $7) }' || fail "$one: too much is not known"

    "$simprof" causes "$dir/$one.exp" >"$dir/out" || fail "$one: no causes"
    ! grep -q "please report" "$dir/out" || fail "$one: the classes do not add up"
    [ $mode = fast ] || continue
    "$simprof" truth "$dir/$one.exp" | tr '\n' ' ' >"$dir/out" || fail "$one: no truth"
    [ "$(grep -o ' 0 of [0-9]* samples name another \(thread\|stack\) than the context switches do, 0 lie in no idle period' "$dir/out" | wc -l)" -eq 3 ] ||
        fail "$one: samples are not what the switches say"
    [ "$cpus" -gt 1 ] || continue
    "$simprof" idle --csv --filters='name == "lock"' "$dir/$one.exp" >"$dir/out"
    awk -F, '$2 == "to-idle" { all += $3
            if ($5 ~ /;clerk;pthread_mutex_lock[ ;].*;futex_wait;/) lock += $3 }
        END { exit !(all > 100 && 2 * lock > all) }' "$dir/out" || fail "$one: idle is not its lock"
    "$simprof" locks "$dir/$one.exp" >"$dir/out" || fail "$one: no locks"
    grep -q "ledger_lock" "$dir/out" || fail "$one: not who has its lock"
done
rm -rf "$dir"
