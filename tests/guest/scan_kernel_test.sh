#!/bin/sh
# scan_kernel_test.sh - scanned=all: the scan daemon marks the kernel's text, too,
# part after part while it runs, so that what executes with interrupts off is counted,
# which no timer meets; what all of it at once counts is what the execution log has.
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
nm=powerpc-linux-gnu-nm
powerpc-linux-gnu-gcc -O1 -static -o "$dir/turns" tests/guest/prog/turns.c || fail "turns.c"
address() {
    $nm "$guest" | sed -n "s/^0*\([0-9a-f]*\) [tT] $1$/\1/p"
}
run() { # WORDS ROUNDS [OPTION...]
    line=$1 rounds=$2
    shift 2
    status=0
    timeout $((200 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=1 --append "$line" "$@" \
        --program "$dir/turns" "$guest" -- "$rounds" >"$out" 2>"$dir/err" </dev/null || status=$?
}
executed() { # PROGRAM: in all
    sed -n "s/^pif: $1: scan: .* parts, executed \([0-9]*\)$/\1/p" "$out"
}

# All at once, against the log from where each is marked on. The code that attaches the
# pages of the second, the last one first, is in one of them: what is executed in pages
# that are attached by then is counted, too.
mkfifo "$dir/pipe"
exec 3<>"$dir/pipe"
awk -v text="$(address text_end)" -v from="$(address process_vectors)" -v end="$(address process_functions)" \
    -v marked="$(address marks_kernel)" -v behind="$(address marks_turn)" \
    -v attach="$(address attach)" -v both="$(address lent_begin)" '
    function long(s) { return substr("00000000" s, length(s) + 1) }
    function page(s,  n, k) {
        for (k = 1; k <= 5; k++)
            n = 16 * n + index("0123456789abcdef", substr(s, k, 1)) - 1
        return n
    }
    BEGIN {
        text = long(text); from = long(from); end = long(end)
        marked = long(marked); behind = long(behind)
        attach = long(attach); both = long(both); last = page(end)
    }
    $4 == marked { calls++ }
    $4 == attach && calls == 2 && !begun { attached++ }
    calls == 1 && $4 >= marked && $4 < behind { kernel = 0 }
    $4 == both && !begun++ { process = early }
    attached && !begun && $4 >= from && $4 < end && page($4) > last - attached + 1 { early++ }
    $4 >= "00002000" && $4 < text { kernel++ }
    $4 >= from && $4 < end { process++ }
    END { print kernel + 0, process + 0, early + 0 }' <"$dir/pipe" >"$dir/log" 3>&- &
run "pif=scan:all scanned=all trigger=time:4000000" 5 --log=exec:"$dir/pipe" \
    --log-from=marks_kernel --log-to=scan_programs_end
exec 3>&-
wait
is "status" "$status" 0
counted() { # PROGRAM LOGGED: but for a thousandth
    is "parts of $1" "$(grep -c "^pif: $1: all" "$out")" 1
    above "$1 in the log" "$2" 10000
    is "$1: $(executed $1) executed, the log has $2" "$(awk -v l="$2" -v e="$(executed $1)" \
        'BEGIN { d = e - l; print ((d < 0 ? -d : d) * 1000 < l) }')" 1
}
set -- $(cat "$dir/log")
above "while pages are attached" "$3" 10000
counted kernel "$1"
counted process "$2"

# Part after part, in turns: all have some; no hook of a timer is in what runs with
# interrupts off, and its executions are counted.
run "pif=scan:12 scanned=all trigger=time:400000 tprof=on" 3000 -f --pmu-trace="$dir/t.exp"
is "status" "$status" 0
for part in kernel process turns; do
    sed -n "s/^pif: $part: page [0-9a-f]* to [0-9a-f]*: executed \([0-9]*\) in \([0-9]*\) turns$/\2/p" \
        "$out" >"$dir/turns.$part"
    above "turns of $part" "$(awk '{ n += $1 } END { print n + 0 }' "$dir/turns.$part")" 3
done
above "kernel" "$(executed kernel)" 500
above "process" "$(executed process)" 500
above "program" "$(executed turns)" 500
"$BUILD/simprof" tprof "$dir/t.exp" --csv >"$dir/tprof" || fail "no tprof"
found=0
for name in spin_lock next_thread timer_slice; do
    counted=$(sed -n "s/^pif: kernel: function $(address $name): executed \([0-9]*\)$/\1/p" "$out")
    [ "${counted:-0}" -gt 0 ] || continue
    found=$((found + 1))
    ! grep -q ",$name\$" "$dir/tprof" || fail "a hook of $name, which has interrupts off"
done
above "functions with interrupts off that are counted" "$found" 0

run "pif=own scanned=all" 5
is "without a scan" "$status $(cat "$out")" "2 boot line: scanned=all is about pif=scan with trigger=time: and run="
run "pif=scan scanned=kernel trigger=time:400000" 5
is "another value" "$status $(grep -c 'scanned=programs|all' "$out")" "2 1"
exit 0
