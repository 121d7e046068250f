#!/bin/sh
# disk_test.sh - the guest's disk: /dev/vda as programs read and write it, what
# of it reaches the host's file, and waits that end by its interrupt; pages that
# go out to it and come back, on 1 to 8 CPUs; disk and memory full.
# timeout: 300
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc cmp; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
cross() { # PROGRAM
    powerpc-linux-gnu-gcc -O1 -w -static -o "$dir/$1" "tests/guest/prog/$1.c" -lpthread ||
        fail "$1 does not compile"
}
# run PROGRAM BOOTWORDS OPTIONS [ARGUMENT...]: console to $out
run() {
    program=$1 words=$2 options=$3
    shift 3
    line="$words $program $options $*"
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" -q $options --append "$words" "$guest" \
        --program "$dir/$program" -- "$@" </dev/null >"$out" 2>"$dir/err" || status=$?
}

# What stands on the disk, and what is left there. The end says where writing stops.
cross rawdisk
awk 'BEGIN { for (n = 0; n < 49152; n++) printf "%09d\n", n }' >"$dir/first"
cat >"$dir/want" <<'T'
block 1, end 491520
10 000000010

6
000000101
0across02
|
wrong 0, fsync 0
end: 3, -1 No space left on device, 0
sum 9509363
wild: -1 Bad address
T
for options in "--mode=fast --cpus=1" "--mode=fast --cpus=4 --set disk_spread=400000" --cpus=8; do
    cp "$dir/first" "$dir/img"
    run rawdisk "" "$options --disk=$dir/img"
    is "status of rawdisk" "$status $(cat "$dir/err")" "0 "
    cmp "$dir/want" "$out" || fail "rawdisk $options: $(diff "$dir/want" "$out")"
    [ -z "${image-}" ] || cmp "$dir/img" "$image" || fail "another disk, $options"
    image=$dir/before
    cp "$dir/img" "$image"
done
is "the end of the file" "$(tail -c 3 "$dir/img")" 123
run rawdisk "" "--mode=fast --disk=$dir/img,ro"
is "read-only" "$(cat "$out")" "open: Read-only file system"
run rawdisk "" "--mode=fast"
is "no disk" "$(cat "$out")" "open: No such file or directory"

# I/O wait: the program's time grows with the disk's, and the CPU is idle in it.
run rawdisk "" "--mode=fast --cpus=1 --disk=$dir/img,private --pmu-trace=$dir/d.exp"
"$BUILD/simprof" disk "$dir/d.exp" >"$dir/report" || fail "simprof disk"
grep -q 'rawdisk' "$dir/report" || fail "no one asked the disk: $(cat "$dir/report")"

# Pages go out and come back.
cross paging
qemu-ppc "$dir/paging" >"$dir/want"
sort "$dir/want" >"$dir/sorted"
for words in "memory=1M swap=30M" "memory=256K swap=30M"; do
    for options in "--mode=fast --cpus=1" "--mode=fast --cpus=8"; do
        run paging "$words" "$options --disk=32M"
        is "status of paging" $status 3
        grep -v '^made' "$out" | sort | cmp - "$dir/sorted" ||
            fail "paging prints something else: $(cat "$out")"
        set -- $(sed -n 's/^made \([0-9]*\), read \([0-9]*\), out \([0-9]*\)$/\1 \2 \3/p' "$out")
        above "pages read, $words" "$2" 1000
        above "pages out, $words" "$3" 500
    done
done
run paging "memory=2M swap=30M" "--cpus=2 --disk=32M"
is "status of paging, in detail" $status 3
grep -v '^made' "$out" | sort | cmp - "$dir/sorted" || fail "in detail"
run paging "memory=1M swap=30M" "--mode=fast --cpus=8 --disk=32M"
cp "$out" "$dir/once"
run paging "memory=1M swap=30M" "--mode=fast --cpus=8 --disk=32M"
cmp "$dir/once" "$out" || fail "two runs differ"
run paging "swap=30M" "--mode=fast --disk=32M"
is "with memory enough" "$(sed -n 's/^made .*, read/read/p' "$out")" "read 0, out 0"

# Full: a line, and the program's end.
for words in "memory=1M swap=2M" memory=1M "memory=256K swap=1M"; do
    run paging "$words" "--mode=fast --cpus=3 --disk=32M"
    is "status, $words" $status 137
    is "$words" "$(tail -n 1 "$out")" \
        "process 1000 (paging): killed, since memory is exhausted"
    is "lines, $words" "$(grep -c exhausted "$out")" "$(grep exhausted "$out" | sort -u | wc -l)"
done
run paging "memory=4M swap=8M" "--mode=fast --cpus=4 --disk=32M" more
is "status of a glutton" $status 137
grep -q '^made ' "$out" || fail "a glutton: $(cat "$out")"
run paging "swap=33M" "--mode=fast --disk=32M"
is "too small a disk" "$status $(cat "$out")" \
    "2 boot line: swap=: the disk cannot be written or has only 33554432 bytes: see simrun's --disk"
refused "memory=100K run=/bin/x" "no such value .memory=100K"
refused "memory=2X run=/bin/x" "no such value 'memory=2X'"

# Waiters for a word whose page is copied.
cross waiters
for cpus in 1 4; do
    run waiters "" "--mode=fast --cpus=$cpus"
    is "waiters on $cpus CPUs" "$status $(cat "$out")" "0 all go on, 3"
done
exit 0
