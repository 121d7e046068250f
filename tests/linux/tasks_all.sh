#!/bin/sh
# tasks_all.sh - the tasks of Debian's Linux, once make linux has built it: each
# with its name, what is idle and the kernel's own told apart, with the same bits
# from both engines; and the kernel runs as it does unseen.
set -u
. tests/sim/lib.sh
linux=$BUILD/linux
simprof=$BUILD/simprof
if [ ! -f "$linux/initrd.cpio" ]; then
    echo "no Linux in $linux: make linux builds it, in some ten minutes"
    rm -rf "$dir"
    exit 77
fi

# boot NAME OPTION... : what the console said is $dir/NAME
boot() {
    name=$1
    shift
    "$simrun" -q --mode=fast --cpus=2 --max-cycles=20000000000 "$@" \
        --initrd "$linux/initrd.cpio" \
        --append 'console=ttyS0 run="ls / | sort | head -n 3; exit 3"' \
        "$linux/vmlinux" >"$dir/$name" 2>"$dir/err" </dev/null
    status=$?
    cp "$dir/$name" "$dir/out"
    [ "$status" -eq 3 ] || fail "$name: status $status"
}
boot unseen
boot seen "--pmu-trace=$dir/seen.exp" -e cycles:10000
boot again "--pmu-trace=$dir/again.exp" -e cycles:10000 --engine=interpreter
cmp "$dir/unseen" "$dir/seen" || fail "it runs otherwise when it is seen"
[ -s "$dir/err" ] && fail "something to say"
for kind in oracle thread switch profile; do
    cmp "$dir/seen.exp/$kind.rec" "$dir/again.exp/$kind.rec" ||
        fail "$kind: the engines differ"
done

"$simprof" info "$dir/seen.exp" >"$dir/out" || fail "no info"
for line in "32,768 *0 .* idle *swapper/0" "32,769 *0 .* idle *swapper/1" \
    "1 *1 .* init" "2 *2 .* daemon *kthreadd" "[0-9]* *[0-9]* .* sort" \
    "[0-9]* *[0-9]* .* daemon *ksoftirqd/1"; do
    grep -q "^ *$line$" "$dir/out" || fail "not there: $line"
done
# Nobody is none but before the kernel's first task, and what sort does is done
# by the kernel for it and by its program.
"$simprof" threads --csv "$dir/seen.exp" >"$dir/out" || fail "no threads"
awk -F, '/<no thread>/ { none = $2 } END { exit none > 20 }' "$dir/out" ||
    fail "much is nobody's"
"$simprof" functions --filters='name == "sort"' "$dir/seen.exp" >"$dir/out" ||
    fail "no functions"
grep -q "load_elf_binary\|unmap_page_range" "$dir/out" || fail "not for sort"
rm -rf "$dir"
