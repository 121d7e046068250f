#!/bin/sh
# html_all.sh - the page of `simprof html` in a browser: it draws without an error,
# its first sentence has the numbers of the reports, and what it says of twenty
# intervals is what `simprof timeline` prints of them, to the cycle.
# timeout: 600
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
command -v chromium >/dev/null || { echo "no chromium"; exit 77; }
dir=$(mktemp -d)
simprof=$BUILD/simprof
fail() {
    echo "$*"
    exit 1
}
# The page after its scripts have run; what they complain of goes to browser.err.
shown() { # page, address in it
    HOME=$dir timeout 60 chromium --headless --no-sandbox --disable-gpu --dump-dom \
        --enable-logging=stderr --virtual-time-budget=3000 "file://$1$2" \
        >"$dir/dom" 2>"$dir/browser.err"
    ! grep CONSOLE "$dir/browser.err" || fail "$1: the page's script fails"
    # Without the data itself.
    sed '/type="application\/json">/,/^<\/script>/d; s/<script.*//' "$dir/dom" >"$dir/seen"
}
text() { sed 's/<[^>]*>//g'; }

"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/x.exp" \
    --append "work=txn n=20 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 ||
    fail "$(cat "$dir/out")"
"$simprof" html -o "$dir/x.html" "$dir/x.exp" || fail "no page"
shown "$dir/x.html" ""
root=$("$simprof" causes --json "$dir/x.exp" | jq -r 'map(select(.what != "unknown"))[0] |
    (.functions | split("<")[0]) + " " + .line')
answer=$(grep -o '<div id="answer">.*' "$dir/seen" | sed 's/<\/div>.*//' | text)
case $answer in
*"waits for ${root% *}, "*" at ${root##* }, "*) ;;
*) fail "the first sentence is '$answer', the first root $root" ;;
esac
grep -c '<rect' "$dir/seen" >/dev/null || fail "no flame graph"
[ "$(grep -o '<rect' "$dir/seen" | wc -l)" -gt 40 ] || fail "a flame graph of few boxes"

# Its width is what the report has, without CPUs that nap; so are the ways to draw it.
sum=$("$simprof" calltree --json "$dir/x.exp" 2>/dev/null | jq '.[0].incl_cycles -
    (map(select(.function == "<napping>" and .depth == 1).incl_cycles) | add // 0)')
grep -o 'id="sum">[^<]*' "$dir/seen" | tr -d , | grep -q ">$sum cycles" ||
    fail "the flame graph has $(grep -o 'id="sum">[^<]*' "$dir/seen"), not $sum cycles"
for word in blocked "idle by root"; do
    grep -q "<option[^>]*>$word</option>" "$dir/seen" || fail "no flame graph of $word"
done

# ---- intervals -------------------------------------------------------------
step=$(sed -n '/type="application\/json">/,/^<\/script>/p' "$dir/x.html" | sed '1d;$d' | jq .step)
end=$("$simprof" info --csv "$dir/x.exp" | sed -n 's/^cycles,//p')
seed=7
for i in $(seq 20); do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    from=$((seed / 8 % (end / step) * step))
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    to=$((from + (1 + seed / 8 % 60) * step))
    [ $to -le $end ] || to=$end
    shown "$dir/x.html" "#$from-$to"
    grep -o 'id="chosen".*' "$dir/seen" | sed 's/<code>.*//; s/,\([0-9]\)/\1/g' | text >"$dir/chosen"
    grep -q "Cycles $from to $to " "$dir/chosen" || fail "$from-$to: $(cat "$dir/chosen")"
    "$simprof" timeline --json --step="$step" --from="$from" --to="$to" "$dir/x.exp" |
        jq -r '[.[] | select(.what != "cpu")] | group_by(.state)[] |
            .[0].state + " " + (map(.cycles) | add | tostring)' >"$dir/sums"
    [ -s "$dir/sums" ] || fail "$from-$to: no states"
    while read -r state cycles; do
        [ "$cycles" -eq 0 ] || grep -qE "\b$state $cycles\b" "$dir/chosen" ||
            fail "$from-$to: $state is $cycles: $(cat "$dir/chosen")"
    done <"$dir/sums"
done

# ---- runs of other kinds ---------------------------------------------------
printf 'int main(void) { for (volatile int i = 0; i < 20000; i++); }\n' >"$dir/busy.c"
"${CROSS:-powerpc-linux-gnu-}gcc" -g -static -o "$dir/busy" "$dir/busy.c" || fail "compile"
"$BUILD/simrun" -q --user --pmu-trace="$dir/u.exp" "$dir/busy" || fail "busy"
"$simprof" html -o "$dir/u.html" "$dir/u.exp" || fail "no page of busy"
shown "$dir/u.html" ""
grep -o '<div id="answer">.*' "$dir/seen" | text | grep -q 'busy 100.0 %.*main' || fail "busy's sentence"
rm -r "$dir"
