#!/bin/sh
# units_test.sh - the guest's kernel counts accesses of its own variables in
# count areas of its own, by its own metadata: on 1 and 8 CPUs each unit is what
# the execution log has, and what the kernel reads and adds up is what the
# experiment has. The host's unit, without the kernel's doing, counts likewise.
# timeout: 120
set -u
. tests/guest/lib.sh
. tests/pif/area.sh
command -v ${cross}nm >/dev/null || { echo "${cross}nm is missing"; exit 77; }
complain() { fail "$@"; }
exp=$dir/exp

# What no part of this workload uses is where the units are.
size=$(printf %d 0x"$(${cross}nm -S "$guest" | awk '$4 == "cpus" { print $2 }')")
areas "$guest" cpus sites,0,"$size",8,1
size=$(printf %d 0x"$(${cross}nm -S "$guest" | awk '$4 == "threads" { print $2 }')")
echo "edges 1 $(address "$guest" threads) $size 64 4294967295" >>"$dir/areas"
echo "queue 2 $(address "$guest" journal_lock) 12 1 65535" >>"$dir/areas"
set -- data:cpus=area:sites:8:1 data:threads=area:edges:64 \
    data:journal_lock=area:queue:1:2

"$BUILD/simmark" add "$guest" "$@" -o "$dir/own.elf" >"$dir/said" || fail "simmark"
grep -q ': and 3 count areas$' "$dir/said" || fail "simmark: $(cat "$dir/said")"
"$BUILD/simmark" verify "$dir/own.elf" "$guest" >"$dir/said" || fail "verify"
plain=$guest
guest=$dir/own.elf
for cpus in 1 8; do
    rm -rf "$exp"
    boot $cpus "work=txn n=1 sampler=off pif=own" --ignore-marks \
        --log exec,mem:"$dir/log" --pmu-trace="$exp"
    judge "$cpus CPUs" 200 1
    for k in 0 1 2; do
        name=$(awk -v k=$k '$2 == k { print $1 }' "$dir/areas")
        awk -v n="$name" '$1 == n { sum += $3; used++; if ($3 > most) most = $3 }
            END { print sum + 0, used + 0, most + 0 }' "$dir/by_exp" >"$dir/want"
        sed -n "s/^pif: entry $((k + 1)): area .*: counted \([0-9]*\) in \([0-9]*\) of [0-9]* units, most \([0-9]*\) in .*/\1 \2 \3/p" \
            "$out" | cmp -s - "$dir/want" ||
            fail "$cpus CPUs: the kernel does not read $(cat "$dir/want") in $name"
    done
done
grep -q 'units, most 255 in .* lost [1-9]' "$out" || fail "no byte was full"

guest=$plain
rm -rf "$exp"
boot 8 "work=txn n=1 sampler=off" --log exec,mem:"$dir/log" --pmu-trace="$exp" \
    --mark "$1" --mark "$2" --mark "$3"
judge "the host's unit" 200

# Metadata that makes no sense ends the run with a line.
"$BUILD/simmark" add "$guest" data:cpus=area:sites:8:1 -o "$dir/bad.elf" >"$dir/said" ||
    fail "simmark"
at=$(${cross}readelf -SW "$dir/bad.elf" |
    awk '{ for (i = 1; i < NF; i++) if ($i == ".perfinst") print $(i + 3) }')
printf '\003' | dd of="$dir/bad.elf" bs=1 conv=notrunc status=none \
    seek=$((0x$at + 20 + 8 + 3)) # a granularity of 3
status=0
"$simrun" -q --mode=fast --cpus=1 --ignore-marks --append "work=txn pif=own" \
    "$dir/bad.elf" >"$out" 2>"$dir/err" || status=$?
grep -q '^pif: .perfinst, group 1, entry 1: no granularity' "$out" ||
    fail "bad metadata, status $status: $(head -n 3 "$out")"
exit 0
