#!/bin/sh
# counters_test.sh - threads of a program count for themselves by perf_event_open: each
# what it did itself, on whichever CPUs it ran and whoever ran beside it, to the
# instruction where nothing interrupts them; what there is not is refused, and so is the monitor while the sampler has it.
# timeout: 300
set -u
. tests/guest/lib.sh
. tests/linux/perf.sh

# perf CPUS MODE LINE ARGUMENT...: its words are $out
perf() {
    cpus=$1 mode=$2 line=$3
    shift 3
    "$simrun" -q "--mode=$mode" "--cpus=$cpus" --append "$line" --program "$dir/perf" \
        "$guest" -- "$@" >"$out" 2>"$dir/err" </dev/null || fail "$*: $? $(cat "$dir/err")"
}

for cpus in 1 2 4; do
    perf $cpus fast "" threads
    near "$out" long $((400 * 1000 * loop))
    near "$out" short $((100 * 1000 * loop))
    [ "$(sed -n 's/^main //p' "$out")" -lt 10000 ] || fail "main: $(cat "$out")"
    [ $cpus -gt 1 ] || cp "$out" "$dir/one"
    cmp -s "$out" "$dir/one" || fail "$cpus CPUs: $(diff "$dir/one" "$out")"
done
perf 4 fast "sampler=both" threads
near "$out" long $((400 * 1000 * loop))
perf 4 detailed "" threads
near "$out" long $((400 * 1000 * loop))
near "$out" short $((100 * 1000 * loop))

# In detailed mode there are branches, one for each round and a few; and the same twice.
perf 2 detailed "" count 0x208 2
near "$out" instructions $((200 * 2000 * loop))
near "$out" 0x208 $((200 * 2000))
cp "$out" "$dir/one"
perf 2 detailed "" count 0x208 2
cmp -s "$out" "$dir/one" || fail "twice: $(diff "$dir/one" "$out")"

perf 1 fast "" refused
is "refused" "$(grep -c 'Invalid argument\|No such file' "$out")" 6
"$simrun" -q --mode=fast --program "$dir/perf" "$guest" -- sample 1000 >"$out" 2>"$dir/err"
is "samples" "$? $(cat "$out")" "1 sample: Operation not supported"
"$simrun" -q --mode=fast --append "sampler=both trigger=event:cycles:50000" \
    --program "$dir/perf" "$guest" -- count >"$out" 2>"$dir/err"
is "the sampler's" "$? $(cat "$out")" "1 cycles: Device or resource busy"
exit 0
