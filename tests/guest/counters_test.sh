#!/bin/sh
# counters_test.sh - threads of a program count for themselves by perf_event_open: each
# what it did itself, on whichever CPUs it ran and whoever ran beside it, to the
# instruction where nothing interrupts them; what there is not is refused, and so is the monitor while the sampler has it.
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/perf" tests/linux/perf.c ||
    fail "perf.c does not compile"

# perf CPUS MODE LINE ARGUMENT...: its words are $out
perf() {
    cpus=$1 mode=$2 line=$3
    shift 3
    "$simrun" -q "--mode=$mode" "--cpus=$cpus" --append "$line" --program "$dir/perf" \
        "$guest" -- "$@" >"$out" 2>"$dir/err" </dev/null || fail "$*: $? $(cat "$dir/err")"
}

# near NAME WANTED: what was counted is that, and up to 1 % more of loops about it.
near() {
    is=$(sed -n "s/^$1 //p" "$out")
    [ "$is" -ge "$2" ] && [ "$is" -le $(($2 + $2 / 100)) ] || fail "$1: $is for $2: $(cat "$out")"
}

# Rounds of heavy() and light() have as many instructions, but for their begin and end.
loop=$(powerpc-linux-gnu-objdump -d --no-show-raw-insn --disassemble=heavy "$dir/perf" |
    awk '/^ *[0-9a-f]+:/ { at[n++] = $1; if ($2 ~ /^bdnz/) { to = $3; end = n } }
        END { sub(/^0*/, "", to); for (k = 0; k < n; k++) if (at[k] ~ to ":") print end - k }')
[ "${loop:-0}" -gt 2 ] || fail "no loop in heavy"

for cpus in 1 2 4; do
    perf $cpus fast "" threads
    near long $((400 * 1000 * loop))
    near short $((100 * 1000 * loop))
    [ "$(sed -n 's/^main //p' "$out")" -lt 10000 ] || fail "main: $(cat "$out")"
    [ $cpus -gt 1 ] || cp "$out" "$dir/one"
    cmp -s "$out" "$dir/one" || fail "$cpus CPUs: $(diff "$dir/one" "$out")"
done
perf 4 fast "sampler=both" threads
near long $((400 * 1000 * loop))
perf 4 detailed "" threads
near long $((400 * 1000 * loop))
near short $((100 * 1000 * loop))

# In detailed mode there are branches, one for each round and a few; and the same twice.
perf 2 detailed "" count 0x208 2
near instructions $((200 * 2000 * loop))
near 0x208 $((200 * 2000))
cp "$out" "$dir/one"
perf 2 detailed "" count 0x208 2
cmp -s "$out" "$dir/one" || fail "twice: $(diff "$dir/one" "$out")"

perf 1 fast "" refused
is "refused" "$(grep -c 'Invalid argument\|No such file' "$out")" 5
"$simrun" -q --mode=fast --program "$dir/perf" "$guest" -- sample 1000 >"$out" 2>"$dir/err"
is "samples" "$? $(cat "$out")" "1 sample: Operation not supported"
"$simrun" -q --mode=fast --append "sampler=both trigger=event:cycles:50000" \
    --program "$dir/perf" "$guest" -- count >"$out" 2>"$dir/err"
is "the sampler's" "$? $(cat "$out")" "1 cycles: Device or resource busy"
exit 0
