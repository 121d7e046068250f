#!/bin/sh
# nolines_all.sh - busybox, compiled without line numbers, packs inside Debian's Linux, once make
# linux has built it: advise tries its functions first, names the one that packs as the cause, and
# what is predicted of it, and of gzip_main, which is called through a pointer and ends with a
# jump, is what simrun --what-if measures, and is not called in doubt, though the kernel's own
# threads sleep again and again.
# timeout: 600
set -u
. tests/guest/lib.sh
. tests/linux/built.sh

go() { # go OPTION...: the run's cycles
    (cd "$dir" && "$simrun" -q --mode=fast --cpus=2 --summary=json:"$dir/json" \
        --sysroot "$linux/sysroot" --initrd "$linux/initrd.cpio" \
        --append 'console=ttyS0 quiet run="dd if=/dev/zero bs=64k count=20 | gzip | md5sum"' \
        "$@" "$linux/vmlinux") >"$out" 2>&1 </dev/null || fail "$*: $(cat "$out")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
whole=$(go --switch-stacks -e cycles:1000 --pmu-trace="$dir/x.exp")
for function in deflate fill_window_if_needed gzip_main; do
    spec=func:busybox:$function+=x0.5
    measured=$(go --what-if "$spec")
    "$simprof" predict --csv "$dir/x.exp" --what-if "$spec" >"$dir/told"
    told=$(sed -n '3s/,.*//p' "$dir/told")
    sed -n 3p "$dir/told" | grep -q ',$' || fail "in doubt: $(cat "$dir/told")"
    awk -v w="$whole" -v m="$measured" -v p="$told" 'BEGIN {
        off = p > m ? p - m : m - p
        exit !(w - m > w / 10 && off < (w - m) / 10) }' ||
        fail "$spec: of $whole $measured measured, $told predicted"
done
"$simprof" advise "$dir/x.exp" --pairs=3 --limit=3 --budget=3000 --width=200 \
    --with="--initrd=$linux/initrd.cpio --sysroot=$linux/sysroot" >"$dir/text" 2>&1 ||
    fail "advise: $(cat "$dir/text")"
sed -n 5,7p "$dir/text" | grep -c ' func:busybox:' >"$dir/count"
sed -n 6p "$dir/text" | grep -q ' func:busybox:deflate+=x0.5 ' && [ "$(cat "$dir/count")" -ge 2 ] ||
    fail "first: $(cat "$dir/text")"
grep -q '^The cause: runs deflate < pack_gzip' "$dir/text" || fail "cause: $(cat "$dir/text")"
