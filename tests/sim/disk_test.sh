#!/bin/sh
# disk_test.sh - a bare driver of the disk reads, writes, flushes and errs, in
# each mode on 1 and 8 CPUs; what it wrote is in the file afterwards, or not, as
# --disk says; time is what the knobs say; files that are no disk are refused.
# timeout: 240
set -u
. tests/sim/lib.sh
build disk -fno-pic -Wl,-Ttext-segment=0x10000

fresh() { # 8 sectors with a letter each, one file as it was, one for the run
    for letter in a b c d e f g h; do
        head -c 512 /dev/zero | tr '\0' $letter
    done >"$dir/before"
    cp "$dir/before" "$dir/image"
}

expect() {
    cat >"$dir/want" <<END
device 00000002
sectors 00000008
features 1000${features:-0244}
features 00000001
status 0000000b
type 0 status 00000000
used 00000801
sum $1
type 1 status 0000000$2
used 00000001
type 4 status 00000000
used 00000001
type 0 status 00000000
used 00000801
sum $3
type 8 status 00000000
used 00000015
simrun disk
type 0 status 00000001
used 00000001
type 0 status 00000001
used 00000001
type 5 status 00000002
used 00000001
damaged 0000004f
features 1000${features:-0244}
features 00000001
status 0000000b
type 0 status 00000000
used 00000201
spurious 00000000
END
    diff "$dir/want" "$dir/out" >"$dir/err" || fail "$4: another console"
}

# The program's sum of bytes.
sum_of() {
    od -An -v -tu1 -w1 | awk '
        { s = (s % 134217728) * 32 + int(s / 134217728) + $1; s %= 4294967296 }
        END { printf "%08x", s }'
}
fresh
first=$(tail -c +513 "$dir/before" | head -c 2048 | sum_of)
second=$(tail -c +1025 "$dir/before" | head -c 2048 | sum_of)
pattern() {
    awk 'BEGIN { for (n = 0; n < 2048; n++) printf "%d\n", n * 7 % 256 }'
}
third=$(pattern | awk '
    { s = (s % 134217728) * 32 + int(s / 134217728) + $1; s %= 4294967296 }
    END { printf "%08x", s }')

for mode in fast warm detailed; do
    for cpus in 1 8; do
        fresh
        run 0 --mode=$mode --cpus=$cpus --disk=image --mem=1M disk.elf
        expect "$first" 0 "$third" "$mode, $cpus CPUs"
        tail -c +1025 "$dir/image" | head -c 2048 |
            od -An -v -tu1 -w1 | tr -d ' ' >"$dir/bytes"
        pattern | cmp -s - "$dir/bytes" || fail "$mode: not in the file"
        cmp -s -n 1024 "$dir/image" "$dir/before" || fail "$mode: too much"
        fresh
        run 0 --mode=$mode --cpus=$cpus --disk=image,private --mem=1M disk.elf
        expect "$first" 0 "$third" "$mode, private"
        cmp "$dir/image" "$dir/before" || fail "$mode: private was written"
    done
done

# Code from the disk replaces code that ran there; reservations.
for mode in fast warm detailed; do
    run 0 --mode=$mode --disk=4K --mem=1M --append=c disk.elf
    [ "$(sed -n 's/^code //p; s/ line//p' "$dir/out" | tr '\n' ' ')" = \
        "00000001 00000002 00000001 other 00000001 same 00000000 " ] ||
        fail "$mode: not coherent"
done
features=0264
chmod a-w "$dir/image"
run 0 --mode=fast --disk=image,ro --mem=1M disk.elf
expect "$first" 1 "$second" "read only"
cmp "$dir/image" "$dir/before" || fail "ro was written"
features=0244
run 0 --mode=fast --disk=4K --mem=1M disk.elf
expect 00000000 0 "$third" "memory"
run 3 --mode=fast --mem=1M disk.elf

# 4 sectors: what is added to each knob is 12 cycles a tick of the time base.
ticks() {
    run 0 --mode=fast --disk=4K --mem=1M --append=t "$@" disk.elf
    printf '%d' "0x$(sed -n 's/^ticks //p' "$dir/out")"
}
plain=$(ticks --set disk_fixed=12000)
near() { # TICKS MORE: of a beat or an instruction there may be one
    [ "$(($1 - plain))" -ge $(($2 - 1)) ] && [ "$(($1 - plain))" -le $(($2 + 1)) ] ||
        fail "$1 ticks, $plain before: not $2 more"
}
near "$(ticks --set disk_fixed=24000)" 1000
near "$(ticks --set disk_fixed=12000 --set disk_sector=4000)" 1000
spread=$(ticks --set disk_fixed=12000 --set disk_spread=120000)
[ "$spread" -gt "$plain" ] && [ "$spread" -le $((plain + 10001)) ] ||
    fail "spread: $spread, $plain"
[ "$spread" = "$(ticks --set disk_fixed=12000 --set disk_spread=120000)" ] ||
    fail "another spread by the same seed"
[ "$spread" != "$(ticks --seed=5 --set disk_fixed=12000 --set disk_spread=120000)" ] ||
    fail "the same spread by another seed"

# Twice the same, byte for byte; and only with the disk that it was.
run 0 --mode=detailed --disk=image,private --mem=1M --pmu-trace=a disk.elf
run 0 --mode=detailed --disk=image,private --mem=1M --pmu-trace=b disk.elf
diff -r "$dir/a" "$dir/b" || fail "another experiment"
run 0 --mode=detailed --disk=image,private --mem=1M --replay=a disk.elf
# 9 requests are in the experiment; the reads moved 4096 bytes and once 512.
"$BUILD/simprof" disk --csv "$dir/a" >"$dir/report" || fail "no report"
[ "$(sed -n 2,3p "$dir/report" | cut -d, -f1-3,7-8 | tr '\n' ' ')" = \
    "9,3,6676,<all>, 5,2,4608,read,0 " ] || fail "$(cat "$dir/report")"
chmod u+w "$dir/image"
printf x | dd of="$dir/image" conv=notrunc status=none
run 125 --mode=detailed --disk=image,private --mem=1M --replay=a disk.elf
grep -q disk "$dir/err" || fail "replay: no word of the disk"

refused() { # STATUS DISK WORDS
    run "$1" --mode=fast --mem=1M --disk="$2" disk.elf
    [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -qF -- "$3" "$dir/err" ||
        fail "--disk=$2: not one line with '$3'"
}
mkdir "$dir/folder"
: >"$dir/empty"
printf x >"$dir/odd"
mkfifo "$dir/pipe"
truncate -s 1025G "$dir/large" 2>/dev/null &&
    refused 125 large "more than 1024 GiB"
refused 125 missing "No such file"
refused 125 folder "is a directory"
refused 125 empty "is empty"
refused 125 odd "whole sectors"
refused 125 pipe "not a regular file"
refused 2 100 "whole sectors"
refused 2 2000G "1024G"
refused 2 ,ro "give a file"
run 2 --user --disk=4K disk.elf

# A file that is taken by nothing: the guest's run is whole, the status tells.
fresh
(
    ulimit -f 1
    cd "$dir" && timeout 60 "$simrun" --mode=fast --mem=1M --disk=image \
        disk.elf >/dev/null 2>err
)
[ $? -eq 125 ] && grep -q 'cannot be written' "$dir/err" ||
    fail "a file that cannot be written: nothing was said"
exit 0
