#!/bin/sh
# hardware_test.sh - simview and the page of simprof html draw recorded instructions
# and lines of memory: their words are those of the rows, pictures are the same twice,
# a run that recorded none has no tab and says so, and damaged records are survived.
# timeout: 240
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
view=$BUILD/simview
fail() {
    echo "$*"
    exit 1
}
${MAKE:-make} -s BUILD="$BUILD" "$BUILD/workloads/false_sharing" || fail "make"
"$BUILD/simrun" -q --cpus=4 --pipe=count_up:300 --record-lines=count_up: --pmu-trace="$dir/x.exp" \
    --user "$BUILD/workloads/false_sharing" 2 4 >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
"$BUILD/simrun" -q --cpus=1 --pmu-trace="$dir/none.exp" --user "$BUILD/workloads/false_sharing" 1 1 >/dev/null || fail "none"

# ---- pictures ----------------------------------------------------------------
for panel in pipe lines; do
    for size in 640x480 800x600 1920x1080; do
        for n in 1 2; do
            "$view" --panel=$panel --size=$size --png="$dir/$panel.$size.$n" "$dir/x.exp" >"$dir/out" 2>&1 ||
                fail "$panel: $(cat "$dir/out")"
            [ ! -s "$dir/out" ] || fail "$panel says: $(cat "$dir/out")"
        done
        cmp -s "$dir/$panel.$size.1" "$dir/$panel.$size.2" || fail "$panel: two pictures"
    done
    "$view" --panel=$panel --text --size=2400x8000 --scale=1 "$dir/x.exp" >"$dir/$panel.text" || fail "$panel --text"
    command=$(tail -n 1 "$dir/$panel.text" | cut -f 1)
    $BUILD/$command --json >"$dir/$panel.rows" || fail "$command"
done
! cmp -s "$dir/pipe.800x600.1" "$dir/lines.800x600.1" || fail "both panels are the same"

# Every instruction stands there, in its order, behind its CPU.
jq -r '.[] | "\(.cpu) \(.instruction)"' "$dir/pipe.rows" >"$dir/want"
[ "$(wc -l <"$dir/want")" -eq 300 ] || fail "$(wc -l <"$dir/want") instructions"
sed 1,2d "$dir/pipe.text" | cut -f 1 | grep -E '^[0-3] [a-z]' | cut -c 1-18 >"$dir/got"
cut -c 1-18 "$dir/want" | cmp -s - "$dir/got" || fail "instructions: $(cut -c 1-18 "$dir/want" | diff - "$dir/got" | head -n 4)"
grep -q 'false_sharing.c:[0-9]' "$dir/pipe.text" || fail "no source line"
grep -q 'dmiss' "$dir/pipe.text" || fail "no reason"
# Every line with its numbers, and the words of its letters.
jq -r 'reduce (.[] | select(.sharing != "held")) as $r ([]; if (.[-1].k // "") == "\($r.stretch) \($r.address)"
    then .[-1].t += $r.taken | .[-1].c += $r.cycles else . + [{k: "\($r.stretch) \($r.address)", t: $r.taken, c: $r.cycles,
    a: $r.address, s: $r.sharing}] end) | .[] | "\(.t) \(.c) \(.a) \(.s)"' "$dir/lines.rows" | head -n 100 >"$dir/want"
sed -n 's/,//g; /0x[0-9a-f]\{8\}  /p' "$dir/lines.text" | head -n 100 |
    awk -F '\t' '{ split($NF, w, "  "); split(w[2], s, ":"); print $1, $2, w[1], s[1] }' >"$dir/got"
cmp -s "$dir/want" "$dir/got" || fail "lines: $(diff "$dir/want" "$dir/got" | head -n 4)"
[ "$(wc -l <"$dir/got")" -eq 100 ] || fail "$(wc -l <"$dir/got") lines"
sed 1,2d "$dir/lines.text" | grep -m 1 '0x' | grep -q 'falsely shared: counter' || fail "what is first: $(sed 1,2d "$dir/lines.text" | head -n 2)"
[ "$(grep -c '^CPU [0-3]$' "$dir/lines.text")" -eq 4 ] || fail "four caches"

# ---- the page ----------------------------------------------------------------
"$BUILD/simprof" html -o "$dir/page.html" "$dir/x.exp" || fail "html"
tests/tools/page_data "$dir/page.html" >"$dir/json"
for table in pipe:pipe cache-lines:lines; do
    jq -S ".tables[\"${table%:*}\"] | .columns as \$c | [.rows[] | [\$c, .] | transpose | map({(.[0]): .[1]}) | add]" \
        "$dir/json" >"$dir/got"
    jq -S . "$dir/${table#*:}.rows" | cmp -s - "$dir/got" || fail "the page's $table"
done

# ---- nothing, and damage -----------------------------------------------------
"$view" --text "$dir/x.exp" | head -n 2 | tail -n 1 | grep -q 'p pipe.*l lines' || fail "no tabs"
"$view" --text "$dir/none.exp" | head -n 2 | tail -n 1 | grep -q 'pipe\|lines' && fail "tabs of nothing"
"$view" --text --panel=pipe "$dir/none.exp" | grep -q 'simrun --pipe FROM:COUNT' || fail "pipe of nothing"
"$view" --text --panel=lines "$dir/none.exp" | grep -q 'simrun --record-lines FROM:TO' || fail "lines of nothing"
for file in pipe.rec line.rec; do
    cp -r "$dir/x.exp" "$dir/bad.exp"
    # Every 40th byte another one, behind the header.
    awk 'BEGIN { for (i = 64; i < 9000; i += 40) print i }' | while read -r at; do
        printf '\377' | dd of="$dir/bad.exp/$file" bs=1 seek="$at" conv=notrunc status=none
    done
    for panel in pipe lines; do
        "$view" --panel=$panel --png="$dir/bad.png" "$dir/bad.exp" 2>"$dir/err"
        [ $? -le 1 ] || fail "$file damaged, $panel: $(cat "$dir/err")"
    done
    "$BUILD/simprof" pipe --limit=0 "$dir/bad.exp" >/dev/null 2>&1
    [ $? -le 1 ] || fail "$file damaged: pipe"
    "$BUILD/simprof" cache-lines --per-cpu "$dir/bad.exp" >/dev/null 2>&1
    [ $? -le 1 ] || fail "$file damaged: cache-lines"
    rm -r "$dir/bad.exp"
done
