#!/bin/sh
# html_all.sh - the page of `simprof html` in a browser: it draws without an error,
# its first sentence has the numbers of the reports, and what it says of twenty
# intervals - states, functions, causes, the flame graph - is what the reports print of
# them, to the cycle.
# timeout: 900
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
    sed '/type="application\/zlib">/,/^<\/script>/d; s/<script.*//' "$dir/dom" >"$dir/seen"
}
text() { sed 's/<[^>]*>//g'; }

"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/x.exp" \
    --append "work=txn n=20 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 ||
    fail "$(cat "$dir/out")"
"$simprof" html -o "$dir/x.html" "$dir/x.exp" || fail "no page"
shown "$dir/x.html" ""
root=$("$simprof" causes --json "$dir/x.exp" | jq -r 'map(select(.what != "unknown"))[0] |
    (.functions | split(" < ")[0]) + " " + .line')
answer=$(grep -o '<div id="answer">.*' "$dir/seen" | sed 's/<\/div>.*//' | text)
case $answer in
*"With ${root% *} (${root##*/}) in half the time "*) ;;
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

# ---- one idle gap, by its address, a key or a click ------------------------
"$simprof" gap --json --limit=200 "$dir/x.exp" >"$dir/gaps" 2>/dev/null
text_of() { # id
    grep -o "id=\"$1\".*" "$dir/seen" | sed 's/<button.*//' | text | sed "s/^[^>]*>//"
}
for k in 0 9 41; do
    gap=$(jq -c "[.[] | select(.role == \"idle\")][$k]" "$dir/gaps")
    cpu=$(echo "$gap" | jq -r '.object[4:]') from=$(echo "$gap" | jq .from_cycle)
    shown "$dir/x.html" "#gap=$cpu:$((from + 1))"
    text_of gap | grep -qF "$(echo "$gap" | jq -r .why)" || fail "gap $k: $(text_of gap)"
done
# Keys go from gap to gap in time, and back; a click finds the one below it.
with() { # script
    sed '/^<\/body>/d; /^<\/html>/d' "$dir/x.html" >"$dir/driven.html"
    cat >>"$dir/driven.html" <<HTML
<script type="module">
while (!document.body.dataset.drawn) await new Promise(done => setTimeout(done, 1));
const lanes = document.getElementById('lanes');
const key = (key, shiftKey = false) =>
    document.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true }));
$1
</script>
</body>
</html>
HTML
    shown "$dir/driven.html" ""
}
# The bar's parts are as wide as their cycles, those of a thousandth, too.
with "const bar = document.querySelector('#whole .bar'), all = bar.clientWidth;
    document.body.dataset.off = Math.max(...[...bar.children].map(s => Math.abs(
        s.getBoundingClientRect().width - parseFloat(s.style.width) / 100 * all))).toFixed(0);"
grep -o 'data-off="[0-9]*"' "$dir/seen" | grep -qx 'data-off="0"' ||
    fail "the bar's parts are not as wide as their cycles: $(grep -o 'data-off="[^"]*"' "$dir/seen")"
"$simprof" moments --json --kinds=idle "$dir/x.exp" 2>/dev/null >"$dir/idle"
says() { text_of said | tr -d , | grep -q "$1" || fail "$2: '$(text_of said)', not $1"; }
at() { jq ".[$1].from_cycle" "$dir/idle"; }
with 'key("n");'
says "from cycle $(at 0) " n
with 'key("n"); key("n"); key("n");'
says "from cycle $(at 2) " "n n n"
with 'key("n"); key("n"); key("n"); key("N", true);'
says "from cycle $(at 1) " "n n n N"
with 'key("t");'
says "No later execution" t
longest=$(jq -c '.[0]' "$dir/gaps")
end=$("$simprof" info --csv "$dir/x.exp" | sed -n 's/^cycles,//p')
part=$(echo "$longest" | jq "(.from_cycle + .to_cycle) / 2 / $end")
lane=$(echo "$longest" | jq -r '.object[4:]')
with "const b = lanes.getBoundingClientRect();
    const o = { clientX: b.left + 150 + (b.width - 150) * $part, clientY: b.top + 17 * $lane + 8, pointerId: 1 };
    lanes.setPointerCapture = () => 0;
    for (const what of ['pointerdown', 'pointerup']) lanes.dispatchEvent(new PointerEvent(what, o));"
text_of gap | grep -qF "$(echo "$longest" | jq -r .why)" || fail "a click: $(text_of gap) $(text_of said)"

# ---- source beside instructions: every line's and instruction's exact cycles ----
shown "$dir/x.html" ""
name=$(tests/tools/page_data "$dir/x.html" |
    jq -r '.tables | keys_unsorted | map(select(startswith("disasm:")))[0][7:]')
for report in source "disasm --reasons"; do
    # shellcheck disable=SC2086
    "$simprof" $report --function="$name" --json "$dir/x.exp" 2>/dev/null |
        jq -r '.[] | select(.line != null and .excl_exact > 0 and (.address // "x") != "") | .excl_exact'
done | sort >"$dir/want"
grep -o 'id="code-sides".*' "$dir/seen" | sed 's/<tr data-line/\
&/g' | sed -n 's/^<tr data-line="[0-9]*"><td>\([0-9,]*\)<.*/\1/p' | tr -d , | sed '/^$/d' | sort >"$dir/got"
[ "$(wc -l <"$dir/want")" -gt 5 ] || fail "few lines of $name"
cmp -s "$dir/want" "$dir/got" || fail "source of $name: $(diff "$dir/want" "$dir/got" | head)"

# ---- samples and what is known; two runs ------------------------------------
shown "$dir/x.html" ""
exact=$("$simprof" truth --event=cycles --json "$dir/x.exp" 2>/dev/null | jq -r '.[1] | .function')
grep -o 'id="trust-table".*' "$dir/seen" | grep -q ">$exact<" || fail "no $exact held against what is known"
grep -q '<span class="about"> ±[0-9]' "$dir/seen" || fail "no number of samples says how far it may be off"
"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/b.exp" \
    --append "work=txn n=16 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
"$simprof" html -o "$dir/two.html" "$dir/b.exp" "$dir/x.exp" 2>/dev/null || fail "no page of two"
shown "$dir/two.html" ""
sum=$("$simprof" calltree --json "$dir/b.exp" 2>/dev/null | jq '.[0].incl_cycles -
    (map(select(.function == "<napping>" and .depth == 1).incl_cycles) | add // 0)')
tr -d , <"$dir/seen" | grep -q "aria-label=\"&lt;Total&gt;[^\"]*before $sum\"" || fail "the flame graph of two runs has not $sum before"
before=$("$simprof" info --csv "$dir/b.exp" | sed -n 's/^cycles,//p')
after=$("$simprof" info --csv "$dir/x.exp" | sed -n 's/^cycles,//p')
most=$("$simprof" compare --json --base="$dir/b.exp" "$dir/x.exp" 2>/dev/null |
    jq -r 'map(select(.function[0:1] != "<"))[0] | "of functions \(.function) changed most by +\(.excl_exact_change) cycles"')
grep -o 'id="brings".*' "$dir/seen" | tr -d , | text | grep -qF "$after cycles before $before (+" ||
    fail "the first screen of two runs: $(grep -o 'id="brings".*' "$dir/seen" | text)"
grep -o 'id="brings".*' "$dir/seen" | tr -d , | text | grep -qF "$most" || fail "not $most"

# Over a lane of the run before, where CPU 0 was busy most: that cycle of it.
tests/tools/page_data "$dir/two.html" >"$dir/json"
jq -r '.step as $step | ([.to, .base.to] | max / $step | ceil * $step) as $all | .base.timeline |
    (.columns | index("from_cycle")) as $at | (.columns | index("cycles")) as $c |
    ([.rows[] | select(.[1] == "cpu" and .[2] == 0)] | max_by(.[$c])[$at]) as $from |
    "\($from) \(($from + .step / 2) / $all)"' "$dir/json" >"$dir/place"
read -r from part <"$dir/place"
cp "$dir/x.html" "$dir/one.html"
cp "$dir/two.html" "$dir/x.html"
with "const b = lanes.getBoundingClientRect();
    lanes.dispatchEvent(new PointerEvent('pointermove', { clientX: b.left + 150 + (b.width - 150) * $part,
        clientY: b.top + 17 + 8, pointerId: 1 }));"
cp "$dir/one.html" "$dir/x.html"
grep -o 'id="aligned".*' "$dir/seen" | grep -q "Aligned by cycle. First record that differs: " || fail "how two runs are aligned"
grep -o 'id="tip".*' "$dir/seen" | text | tr -d , | grep -q "CPU 0 before from cycle $from\b" ||
    fail "over a lane of the run before: $(grep -o 'id="tip".*' "$dir/seen" | text | head -2), not $from"

# ---- intervals -------------------------------------------------------------
# What the page shows of an interval, and what the reports print of it.
name_and_cycles() { sed -n 's/^\(.*\): \([0-9,]*\), [0-9.]* %.*/\2 \1/p' | tr -d ,; }
plain() { sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/&quot;/"/g'; }
# The rows of a table, its text columns first as the page has them.
cells() { # id of what it is in; nothing where there is no table
    grep -o "<div id=\"$1\">.*" "$dir/seen" | perl -ne 'print unless m{^(?:(?!<table).)*</div>}' | sed 's/<\/table>.*//; s/.*<tbody>//' | sed 's/<\/tr>/\
/g' | sed 's/<\/td>/|/g' | text | plain | sed 's/\([0-9]\),/\1/g; s/|$//' | sed '/^$/d'
}
# Rows of JSON so: columns of texts, which are named, in front.
shows() {
    jq -r --argjson texts "$1" '(map(.spun // 0) | add) as $spun | .[] | del(.twelfths) | if $spun == 0 then del(.spun) else . end | [.[$texts[]], (to_entries[] | select(.key as $k | $texts | index($k) | not) |
        if .value == null then "" elif .key | test("percent") | not then .value
        else .value * 10 | round | "\(. / 10 | floor).\(. % 10)" end)] | map(tostring) | join("|")'
}
tables_same() { # from, to
    to_option=--to=$2
    [ "$2" -lt "$end" ] || to_option=
    # shellcheck disable=SC2086
    set -- "$1" "$2" --json --from="$1" $to_option "$dir/x.exp"
    from=$1 to=$2
    shift 2
    "$simprof" functions --reasons --limit=200 "$@" 2>/dev/null | shows '["function"]' >"$dir/want"
    [ "$(wc -l <"$dir/want")" -gt 3 ] || fail "$from-$to: few functions"
    cells functions | cmp -s - "$dir/want" || fail "$from-$to: functions: $(cells functions | diff - "$dir/want" | head)"
    "$simprof" causes "$@" 2>/dev/null | shows '["what", "line", "functions"]' >"$dir/want"
    cells causes | cmp -s - "$dir/want" || fail "$from-$to: causes: $(cells causes | diff - "$dir/want" | head)"
    "$simprof" locks "$@" 2>/dev/null | shows '["lock"]' >"$dir/want"
    cells locks | cmp -s - "$dir/want" || fail "$from-$to: locks: $(cells locks | diff - "$dir/want" | head)"
    "$simprof" statistics "$@" 2>/dev/null | shows '["of", "name"]' >"$dir/want"
    cells statistics | cmp -s - "$dir/want" || fail "$from-$to: threads: $(cells statistics | diff - "$dir/want" | head)"
    [ "$(cells statistics | wc -l)" -gt 8 ] || fail "$from-$to: few threads"
    "$simprof" truth --event=cycles --limit=30 "$dir/x.exp" --from="$from" $to_option 2>/dev/null |
        sed -n '/shares by function/,/^$/s/^ *\([0-9.]*\)% *\([0-9.]*\)% *\([0-9.]*\)% *\([0-9.]*\)%\([ *]*\) \([^ ].*\)/\1 %|\2 %|\3 % to \4 %||\5|\6/p' |
        sed 's/| *\* *|/|off|/; s/| *|\([^|]*\)$/||\1/' >"$dir/want"
    cells trust-table | cmp -s - "$dir/want" || fail "$from-$to: truth: $(cells trust-table | diff - "$dir/want" | head)"
    # Every box that is drawn is a node of the report's, and its sum is the report's.
    "$simprof" calltree --limit=3000 "$@" 2>/dev/null >"$dir/calls"
    jq -r '.[] | "\(.incl_cycles) \(.function)"' "$dir/calls" | sort >"$dir/want"
    grep -o 'id="tree".*<\/svg>' "$dir/seen" | grep -o 'aria-label="[^"]*"' | sed '1d; s/^aria-label="//; s/"$//' |
        plain | name_and_cycles | sort >"$dir/got"
    sum=$(jq '.[0].incl_cycles - (map(select(.function == "<napping>" and .depth == 1).incl_cycles) | add // 0)' "$dir/calls")
    grep -qx "$sum <Total>" "$dir/got" || fail "$from-$to: the flame graph has not $sum cycles: $(head -3 "$dir/got")"
    grep -v ' <Total>$' "$dir/got" | comm -23 - "$dir/want" >"$dir/more"
    [ ! -s "$dir/more" ] || fail "$from-$to: boxes that are no nodes: $(head "$dir/more")"
    [ "$(wc -l <"$dir/got")" -gt 2 ] || fail "$from-$to: a flame graph of few boxes"
}
edges=$(tests/tools/page_data "$dir/x.html" | jq -r '.slices.edges | map(tostring) | join(" ")')
# shellcheck disable=SC2086
set -- $edges
last=$(($# - 1))
seed=7
for i in $(seq 20); do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    a=$((seed / 65536 % last))
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    b=$((a + 1 + seed / 65536 % (last - a)))
    eval "from=\${$((a + 1))} to=\${$((b + 1))}"
    shown "$dir/x.html" "#$from-$to"
    grep -o 'id="chosen".*' "$dir/seen" | sed 's/<code>.*//; s/,\([0-9]\)/\1/g' | text >"$dir/chosen"
    grep -q "Cycles $from to $to " "$dir/chosen" || fail "$from-$to: $(cat "$dir/chosen")"
    "$simprof" timeline --json --step=$((to - from)) --from="$from" --to="$to" "$dir/x.exp" |
        jq -r '[.[] | select(.what != "cpu")] | group_by(.state)[] |
            .[0].state + " " + (map(.cycles) | add | tostring)' >"$dir/sums"
    [ -s "$dir/sums" ] || fail "$from-$to: no states"
    while read -r state cycles; do
        [ "$cycles" -eq 0 ] || grep -qE "\b$state $cycles\b" "$dir/chosen" ||
            fail "$from-$to: $state is $cycles: $(cat "$dir/chosen")"
    done <"$dir/sums"
    tables_same "$from" "$to"
done
# Of a read-write lock who reads, too.
if command -v powerpc-linux-gnu-gcc >/dev/null; then
    cat >"$dir/rw.c" <<'C'
#include <pthread.h>
static pthread_rwlock_t cache = PTHREAD_RWLOCK_INITIALIZER;
static volatile int sink;
static void spend(int n) { while (n--) sink += n; }
static void *work(void *writes)
{
    for (int i = 0; i < 12; i++) {
        if (writes)
            pthread_rwlock_wrlock(&cache);
        else
            pthread_rwlock_rdlock(&cache);
        spend(writes ? 2500 : 800);
        pthread_rwlock_unlock(&cache);
        spend(300);
    }
    return 0;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, work, i ? 0 : (void *)1);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/rw" "$dir/rw.c" || fail "rw.c"
    "$BUILD/simrun" -q --cpus=4 --switch-stacks --record-locks -e cycles:5000 --pmu-trace="$dir/rw.exp" --user "$dir/rw" || fail "rw"
    "$simprof" html -o "$dir/rw.html" "$dir/rw.exp" || fail "no page of rw"
    tests/tools/page_data "$dir/rw.html" | jq -r '.slices.edges | "\(.[1]) \(.[-2])"' >"$dir/edges"
    read -r rw_from rw_to <"$dir/edges"
    shown "$dir/rw.html" "#$rw_from-$rw_to"
    "$simprof" locks --json --from="$rw_from" --to="$rw_to" "$dir/rw.exp" 2>/dev/null >"$dir/json"
    jq -e 'any(.[]; .read_waits > 0 and .read_taken > 0)' "$dir/json" >/dev/null || fail "rw: nobody reads"
    shows '["lock"]' <"$dir/json" >"$dir/want"
    cells locks | cmp -s - "$dir/want" || fail "rw: locks: $(cells locks | diff - "$dir/want" | head)"
    # Of threads that spin for what.
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/spin" tests/tools/spin.c || fail "does not compile"
    "$BUILD/simrun" -q --mode=fast --cpus=3 --set account_us=300 --record-locks -e cycles:500 \
        --pmu-trace="$dir/spin.exp" --user "$dir/spin" || fail "spin"
    "$simprof" html -o "$dir/spin.html" "$dir/spin.exp" || fail "no page of spin"
    tests/tools/page_data "$dir/spin.html" | jq -r '.slices.edges | "\(.[1]) \(.[-2])"' >"$dir/edges"
    read -r spin_from spin_to <"$dir/edges"
    shown "$dir/spin.html" "#$spin_from-$spin_to"
    "$simprof" causes --json --from="$spin_from" --to="$spin_to" "$dir/spin.exp" 2>/dev/null >"$dir/json"
    jq -e 'any(.[]; .spun > 0)' "$dir/json" >/dev/null || fail "spin: nobody spins"
    shows '["what", "line", "functions"]' <"$dir/json" >"$dir/want"
    cells causes | cmp -s - "$dir/want" || fail "spin: causes: $(cells causes | diff - "$dir/want" | head)"
fi
# A brush takes the slices that it touches; Escape goes back to all.
with "const b = lanes.getBoundingClientRect(), at = cycle => b.left + 150 + (b.width - 150) * cycle / $end;
    const brush = (from, to) => {
        for (const [what, x] of [['pointerdown', at(from)], ['pointermove', at(to)], ['pointerup', at(to)]])
            lanes.dispatchEvent(new PointerEvent(what, { clientX: x, clientY: b.top + 8, pointerId: 1 }));
    };
    lanes.setPointerCapture = () => 0;
    brush($(($3 + 30000)), $(($6 - 30000)));"
tables_same "$3" "$6"
with "const b = lanes.getBoundingClientRect(), at = cycle => b.left + 150 + (b.width - 150) * cycle / $end;
    lanes.setPointerCapture = () => 0;
    for (const [what, x] of [['pointerdown', at($3)], ['pointermove', at($6)], ['pointerup', at($6)]])
        lanes.dispatchEvent(new PointerEvent(what, { clientX: x, clientY: b.top + 8, pointerId: 1 }));
    lanes.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));"
tables_same 0 "$end"

# ---- runs of other kinds ---------------------------------------------------
printf 'int main(void) { for (volatile int i = 0; i < 20000; i++); }\n' >"$dir/busy.c"
"${CROSS:-powerpc-linux-gnu-}gcc" -g -static -o "$dir/busy" "$dir/busy.c" || fail "compile"
"$BUILD/simrun" -q --user --pmu-trace="$dir/u.exp" "$dir/busy" || fail "busy"
"$simprof" html -o "$dir/u.html" "$dir/u.exp" || fail "no page of busy"
shown "$dir/u.html" ""
grep -o '<div id="brings">.*' "$dir/seen" | text | grep -q 'busy 100\.0[^0-9]*%.*main' || fail "busy's sentence"
rm -r "$dir"
