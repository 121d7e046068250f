#!/bin/sh
# load_all.sh - what tasks of Debian's Linux wait for where memory is short, the disk
# is busy and programs wait for each other in all ways that load.c has, once make linux
# has built it, on 4 and 8 CPUs: of all waits, and of the time that they take, at most
# one in a hundred is in no function of sim/tasks/linux-waits.def. The reports have all
# idle time, and the run is the same unseen.
# timeout: 1800
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
for tool in /sbin/mke2fs /sbin/mkswap; do
    [ -x $tool ] || { echo "no $tool"; rm -rf "$dir"; exit 77; }
done

# Three that want more memory than there is, three that write, two that wait; a named
# pipe, a lock of a file, a time. A file to swap to may have no holes.
mkdir "$dir/disk"
"$cc" -O1 -static -pthread -o "$dir/disk/load" "$beside/load.c" || fail "load.c does not compile"
head -c 8M /dev/zero | tr '\0' '\377' >"$dir/disk/swap"
chmod 600 "$dir/disk/swap"
/sbin/mkswap "$dir/disk/swap" >"$dir/out" 2>&1 || fail "no swap"
awk 'BEGIN { for (i = 0; i < 20000; i++) print i * i }' >"$dir/disk/text"
cat >"$dir/disk/script" <<'END'
swapon swap
for n in 1 2 3; do ./load pages 2500 >pages$n & done
for n in 1 2 3; do (cat text text >file$n; sync) & done
for n in 1 2; do ./load waits 2 >waits$n & done
mkfifo way; cat way | wc & sleep 0.02; cat text >way
flock text sleep 0.02 & flock text true
find / -xdev | sort >found
wait
cmp file1 file2; cmp file2 file3; cat pages* waits*
awk "/swap/ { print (\$4 > 0 ? \"paged\" : \"not paged\") }" /proc/swaps
swapoff swap
END
/sbin/mke2fs -q -b 4096 -d "$dir/disk" "$dir/disk.img" 32M >"$dir/out" 2>&1 || fail "no disk"

# go NAME CPUS OPTION...: what the console said is $dir/NAME
go() {
    name=$1 cpus=$2
    shift 2
    cp "$dir/disk.img" "$dir/$name.img"
    "$simrun" -q --mode=fast "--cpus=$cpus" --mem=16M --max-cycles=20000000000 \
        --set disk_fixed=20000 --set disk_sector=100 "$@" \
        --disk "$dir/$name.img" --initrd "$linux/initrd.cpio" \
        --append 'console=ttyS0 quiet run="mount /dev/vda /media; cd /media; sh ./script;
            cd /; umount /media; exit 3"' "$linux/vmlinux" \
        >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ $status -eq 3 ] || fail "$name: status $status"
    cp "$dir/out" "$dir/$name"
}

for cpus in 4 8; do
    go seen$cpus $cpus --sample-idle=500000:all "--pmu-trace=$dir/seen$cpus.exp"
    [ "$(grep -c '^pages 2500 195625' "$dir/out")" -eq 3 ] || fail "not the right sums"
    [ "$(grep -c '^waits 2 of 16 ways' "$dir/out")" -eq 2 ] || fail "not all waits ended"
    grep -q "^paged" "$dir/out" || fail "no page went out"
    ! complains "$dir/out" || fail "the kernel complains"
    ! grep "differ" "$dir/out" || fail "a file is not what was written"
    sed -n 's/^waits //p' "$dir/seen$cpus.exp/log" >"$dir/waits"
    read -r all unknown time lost <"$dir/waits" || fail "the log does not say"
    awk -v all="$all" -v unknown="$unknown" -v time="$time" -v lost="$lost" \
        -v cpus=$cpus 'BEGIN {
            printf "%d CPUs: %d waits, %d (%.2f %%) of no row; %.0f cycles, %.0f (%.2f %%) of no row\n",
                cpus, all, unknown, 100 * unknown / all, time, lost, 100 * lost / time
            exit !(all > 1000 && 100 * unknown <= all && 100 * lost <= time) }' ||
        fail "too much is of no row"
    # Every idle cycle has a cause, threads have all cycles, samples are true.
    "$simprof" causes "$dir/seen$cpus.exp" >"$dir/out" 2>"$dir/err" || fail "no causes"
    ! grep -q "please report" "$dir/out" || fail "the classes do not add up"
    "$simprof" threads --csv "$dir/seen$cpus.exp" >"$dir/out" 2>"$dir/err" || fail "no threads"
    awk -F, '/<no thread>/ { none = $1 } /<Total>/ { all = $1 }
        END { exit !all || none * 50 > all }' "$dir/out" || fail "much is of no thread"
    "$simprof" truth "$dir/seen$cpus.exp" | tr '\n' ' ' >"$dir/out" || fail "no truth"
    [ "$(grep -o ' 0 of [0-9]* samples name another \(thread\|stack\) than the context switches do, 0 lie in no idle period' "$dir/out" | wc -l)" -eq 3 ] ||
        fail "not what the switches say"
done
go unseen 4
cmp "$dir/seen4" "$dir/unseen" || fail "it runs otherwise when it is seen"
cmp "$dir/seen4.img" "$dir/unseen.img" || fail "another disk when it is seen"
rm -rf "$dir"
