#!/bin/sh
# boot_all.sh - Debian's Linux, once make linux has built it: boots on 1, 2, 4 and 8
# processors in fast mode, on two in detailed mode, twice the same; its programs
# run; its disk is a file system; it ends as it was told.
# timeout: 900
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
release=$(cat "$linux/kernel/include/config/kernel.release")

# boot STATUS NAME COMMAND OPTION... : what the console said is $dir/NAME
boot() {
    want=$1 name=$2 command=$3
    shift 3
    "$simrun" -q --max-cycles=20000000000 "$@" --initrd "$linux/initrd.cpio" \
        --append "console=ttyS0 run=\"$command\"" "$linux/vmlinux" \
        >"$dir/$name" 2>"$dir/err" </dev/null
    status=$?
    cp "$dir/$name" "$dir/out"
    [ "$status" -eq "$want" ] || fail "$name: status $status instead of $want"
}
says() { grep -q "$2" "$dir/$1" || fail "$1: not said: $2"; }

for cpus in 1 2 4 8; do
    for again in a b; do
        boot $((cpus + 2)) fast.$cpus.$again \
            "uname -rm; grep -c ^processor /proc/cpuinfo; exit $((cpus + 2))" \
            --mode=fast --cpus=$cpus
    done
    cmp "$dir/fast.$cpus.a" "$dir/fast.$cpus.b" || fail "$cpus: not the same"
    says fast.$cpus.a "^$release ppc"
    says fast.$cpus.a "^$cpus"
    ! complains "$dir/fast.$cpus.a" || fail "$cpus CPUs: the kernel complains"
done
# What is typed at the shell reaches it, and how it is told to end.
for word in poweroff reboot halt; do
    printf 'echo hello $((40 + 2))\n%s\n' $word | timeout 100 "$simrun" -q --mode=fast \
        --max-cycles=2000000000 --initrd "$linux/initrd.cpio" --append console=ttyS0 \
        "$linux/vmlinux" >"$dir/$word" 2>"$dir/err"
    status=$?
    cp "$dir/$word" "$dir/out"
    [ $status -eq 0 ] || fail "$word: status $status instead of 0"
    says $word "^hello 42"
done
# Up to the prompt ours is so many instructions (docs/linux.md): seconds depend on the
# host.
boot 0 prompt "exit 0" --mode=fast --cpus=1 "--summary=json:$dir/json"
insns=$(grep -o '"insns":[0-9]*' "$dir/json" | head -n 1 | cut -d: -f2)
if [ -z "${LINUX_OUT:-}" ]; then
    [ "$insns" -gt 20000000 ] && [ "$insns" -lt 60000000 ] ||
        fail "$insns instructions up to the prompt"
fi
boot 0 date "date -u" --mode=fast --cpus=1 --set user_epoch=1700000000
says date "Tue Nov 14 22:13:2[0-9] UTC 2023"
# The first program ends: the kernel panics.
"$simrun" -q --mode=fast --cpus=2 --max-cycles=20000000000 \
    --initrd "$linux/initrd.cpio" --append "console=ttyS0 rdinit=/bin/true" \
    "$linux/vmlinux" >"$dir/out" 2>"$dir/err" </dev/null
status=$?
[ $status -eq 126 ] || fail "panic: status $status instead of 126"
grep -q "Kernel panic" "$dir/out" || fail "it did not say why"
boot 0 disk "mke2fs -q /dev/vda && mount /dev/vda /media && echo kept >/media/a &&
umount /media && mount -o ro /dev/vda /media && cat /media/a" \
    --mode=fast --cpus=2 --disk=8M
says disk "^kept"
for again in a b; do
    boot 0 random.$again "od -An -tx1 -N16 /dev/hwrng" --mode=fast
done
cmp "$dir/random.a" "$dir/random.b" || fail "random bytes: not the same"
says random.a "^\( [0-9a-f][0-9a-f]\)\{16\}"
boot 0 random.c "od -An -tx1 -N16 /dev/hwrng" --mode=fast --set seed=2
! cmp -s "$dir/random.a" "$dir/random.c" || fail "random bytes: of no seed"
# From fast to detailed mode and back, wherever the kernel is.
for again in a b; do
    boot 0 modes.$again "ls / | sort | head -n 3" --mode=fast --cpus=2 \
        --detail=schedule:do_exit
done
cmp "$dir/modes.a" "$dir/modes.b" || fail "modes: not the same"
says modes.a "^bin"
for again in a b; do
    boot 0 detailed.$again "ls / | sort | head -n 3" --cpus=2
done
cmp "$dir/detailed.a" "$dir/detailed.b" || fail "detailed: not the same"
says detailed.a "^bin"
rm -rf "$dir"
