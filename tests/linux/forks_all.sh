#!/bin/sh
# forks_all.sh - ten thousand processes inside Debian's Linux, once make linux has
# built it, in fast mode and in detailed mode, and fewer on two CPUs: all end as
# they should, with the same bits from a second run, in ten minutes of a processor. FULL=1:
# in fast mode ten times as many.
# timeout: 3600
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
"$cc" -O1 -static -o "$dir/forks" "$beside/forks.c" || fail "forks.c does not compile"
touch -d @0 "$dir/forks"
echo "file /bin/forks $dir/forks 0755 0 0" >"$dir/files"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"

# go NAME MODE CPUS: what the console said is $dir/NAME, with the run's cycles
go() {
    "$simrun" -q "--mode=$2" "--cpus=$3" --max-cycles=2000000000000 \
        "--summary=json:$dir/json" --initrd "$dir/both.cpio" \
        --append "console=ttyS0 run=\"forks $count; exit 3\"" "$linux/vmlinux" \
        >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ $status -eq 3 ] || fail "$1: status $status"
    grep -o '"cycles":[0-9]*' "$dir/json" | head -n 1 >>"$dir/out"
    cp "$dir/out" "$dir/$1"
}
for how in fast:1 fast:2 detailed:2 detailed:1; do
    mode=${how%:*} cpus=${how#*:}
    case ${FULL:-0}$how in
    0fast:1 | 1fast:2 | *detailed:1) count=10000 ;;
    *detailed:2) count=100 ;;
    0fast:2) count=1000 ;;
    *) count=100000 ;;
    esac
    sum=$(awk -v n="$count" 'BEGIN {
        for (i = 0; i < n; i++) s += i % 128
        print s + 28 }')
    go once "$mode" "$cpus"
    grep -q "^$((count + 8)) processes, $sum, none lost" "$dir/once" || fail "not all ended well"
    ! complains "$dir/once" || fail "the kernel complains"
    go again "$mode" "$cpus"
    cmp "$dir/once" "$dir/again" || fail "not the same bits twice"
    echo "$count processes, $mode mode, $cpus CPUs: $(tail -n 1 "$dir/once")"
done
rm -rf "$dir"
