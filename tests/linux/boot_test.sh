#!/bin/sh
# boot_test.sh - the boot protocol of a Linux kernel, with a program that begins
# as one does (kernel.c): registers, tree, RAM disk, the other processors, the
# firmware's services, and every end. boot_all.sh has the kernel itself.
set -u
. tests/sim/lib.sh
kernel=$dir/vmlinux
build_kernel() { # FILE OPTION...
    file=$1
    shift
    "$cc" -I "$root" -O2 -ffreestanding -fno-pic -no-pie -mno-sdata -msoft-float \
        -nostdlib -static -Wl,-T,"$beside/kernel.ld",--build-id=none "$@" \
        -o "$file" "$beside/start.S" "$beside/kernel.c" || fail "does not compile"
}
build_kernel "$kernel"

# boot STATUS ARGUMENT... : everything on stdout, in $dir/out
boot() {
    want=$1
    shift
    "$simrun" -q "$@" "$kernel" >"$dir/out" 2>"$dir/err"
    status=$?
    [ "$status" -eq "$want" ] || fail "$*: status $status instead of $want"
}
says() { grep -qx "$1" "$dir/out" || fail "not said: $1"; }

mkdir "$dir/root"
echo hello >"$dir/root/greeting"
for mode in fast detailed; do
    boot 0 --mode=$mode --cpus=4 --mem=64M --initrd "$dir/root" \
        --append "a=b end=off"
    says "tree: yes"
    says "other registers: 0"
    says "bootargs: a=b end=off"
    says "memory: 64"
    says "initrd: greeting"
    says "processors: 4"
    says "a call that there is not: 1"
    says "get-time-of-day: 0"
    says "year: 2001"
    says "month: 9"
    says "hour: 1"
    says "set-time-of-day: 0"
    says "year: 1999"
    cp "$dir/out" "$dir/$mode"
done
cmp "$dir/fast" "$dir/detailed" || fail "fast and detailed differ"
boot 0 --mode=fast --cpus=1 --append end=reboot --set user_epoch=86400
says "processors: 1"
grep -q "^initrd" "$dir/out" && fail "there is no RAM disk"
says "year: 1970"
says "month: 1"
boot 126 --mode=fast --cpus=2 --append end=panic
boot 7 --mode=fast --cpus=2 --append end=7
# A processor whose stack is mapped, before it maps: there has to be memory.
kernel=$dir/mapped
build_kernel "$kernel" -DMAPPED
boot 125 --mode=fast --cpus=2 --mem=64M --append end=off
grep -q "CONFIG_VMAP_STACK needs memory there.*: --mem=1G" "$dir/err" || fail "no hint"
boot 0 --mode=fast --cpus=2 --mem=1G --append end=off
kernel=$dir/vmlinux

# The tree of --dump-dtb is the one that the kernel gets; with --dtb it is
# another's, in which command line and RAM disk are new.
boot 0 --cpus=3 --dump-dtb "$dir/tree" --append end=6 --mem=96M
[ -s "$dir/out" ] && fail "--dump-dtb ran the kernel"
boot 5 --mode=fast --cpus=3 --dtb "$dir/tree" --append end=5 --mem=96M \
    --initrd "$dir/root"
says "bootargs: end=5"
says "memory: 96"
says "processors: 3"
says "initrd: greeting"
boot 6 --mode=fast --cpus=3 --dtb "$dir/tree" --mem=96M
says "bootargs: end=6"

# What cannot be is said in one line.
refused() {
    text=$1
    want=$2
    shift 2
    "$simrun" -q "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ "$status" -eq "$want" ] || fail "$*: status $status instead of $want"
    grep -q -- "$text" "$dir/err" || fail "$*: not '$text'"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$*: more than a line"
}
echo no tree >"$dir/no"
head -c 100 "$dir/tree" >"$dir/half"
build status
refused "is no flattened device tree" 125 --dtb "$dir/no" "$kernel"
refused "is no flattened device tree" 125 --dtb "$dir/half" "$kernel"
refused "No such file" 125 --dtb "$dir/none" "$kernel"
refused "No such file" 125 --dump-dtb "$dir/none/tree" "$kernel"
refused "is no Linux kernel" 125 --dtb "$dir/tree" "$dir/status.elf"
refused "is no Linux kernel" 125 --dump-dtb "$dir/t" "$dir/status.elf"
refused "directory of --initrd" 125 --program "$dir/no" "$kernel"
head -c 1032000 /dev/zero >"$dir/large"
refused "no room for the device tree" 125 --mem=1M --initrd "$dir/large" \
    "$kernel"
head -c 1048000 /dev/zero >"$dir/large"
refused "do not fit" 125 --mem=1M --initrd "$dir/large" "$kernel"
rm -rf "$dir"
