#!/bin/sh
# html_test.sh - `simprof html` writes one page that needs nothing else; each of its
# tables is what the command beside it prints, row by row; runs without states,
# samples or idle CPUs have one too; what is asked for wrongly is refused.
# timeout: 480
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
simprof=$BUILD/simprof
fail() {
    echo "$*"
    exit 1
}
run() { # experiment, options
    to=$1
    shift
    "$BUILD/simrun" -q --pmu-trace="$dir/$to" "$@" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
}

# Each table against the command that the page names for it, which has the
# interval; objects are put together again from columns and rows.
same() { # experiment, options
    to=$1
    shift
    "$simprof" html "$@" -o "$dir/page.html" "$dir/$to" 2>"$dir/err" || fail "$to: $(cat "$dir/err")"
    tests/tools/page_data "$dir/page.html" >"$dir/json"
    jq -e . "$dir/json" >/dev/null || fail "$to: no JSON"
    [ "$(grep -c '</script>' "$dir/page.html")" -eq 2 ] || fail "$to: a script ends where it should not"
    for name in $(jq -r '.tables | keys[]' "$dir/json"); do
        command=$(jq -r ".tables[\"$name\"].command" "$dir/json")
        $BUILD/$command --json >"$dir/rows" 2>/dev/null || echo '[]' >"$dir/rows"
        jq -S ".tables[\"$name\"] | .columns as \$c | .words as \$w | (.texts // []) as \$t | [.rows[] |
            reduce \$t[] as \$k (.; .[\$k] |= if . == null then null else \$w[.] end) | [\$c, .] | transpose |
            map({(.[0]): .[1]}) | add]" "$dir/json" >"$dir/page.rows"
        jq -S . "$dir/rows" | cmp -s - "$dir/page.rows" || fail "$to $*: $name is not $command"
        echo "$name $(jq length "$dir/rows")"
    done >"$dir/tables"
    $BUILD/$(jq -r .tables.causes.command "$dir/json") --width=110 >"$dir/text" 2>"$dir/err" ||
        sed '1s/^simprof: //' "$dir/err" | tr -d '\n' >"$dir/text"
    jq -rj .chains "$dir/json" | cmp -s - "$dir/text" || fail "$to: text of causes"
    # The bar is all cycles but those of parked CPUs.
    [ "$(jq '.first.bar | map(.[1]) | add' "$dir/json")" -eq "$(jq .first.total "$dir/json")" ] &&
        [ "$(jq .first.total "$dir/json")" -eq "$($BUILD/$(jq -r .tables.functions.command \
            "$dir/json") --json 2>/dev/null | jq '(map(select(.function == "<Total>").cycles) | add) -
            (map(select(.function == "<parked>").cycles) | add // 0)')" ] || fail "$to: the bar"
}
has() { # table, rows at least
    [ "$(awk -v t="$1" '$1 == t { print $2 }' "$dir/tables")" -ge "$2" ] ||
        fail "$1: $(cat "$dir/tables")"
}

# ---- runs of several kinds -------------------------------------------------
run idle.exp --cpus=4 --switch-stacks -e cycles:20000 \
    --append "work=txn n=20 states=on" "$BUILD/guest.elf"
same idle.exp
has causes 5
has calltree 30
has timeline 500
has functions 50
has lines 20
has statistics 5
has locks 1
has gap 100
has truth:cycles 20
# Every idle gap has its stacks in the page, if there are no more than 2,000.
[ "$(jq '.tables.gap | .words as $w | [.rows[] | select($w[.[0]] == "idle")] | length' "$dir/json")" -eq \
    "$("$simprof" moments --kinds=idle --limit=0 --json "$dir/idle.exp" 2>/dev/null | jq length)" ] ||
    fail "not every idle gap"
# What halving a root saves is what predict says.
jq -r '.saves[] | select(.badge | startswith("predicted")) | .try + "|" + .saves' "$dir/json" >"$dir/saves"
[ -s "$dir/saves" ] || fail "nothing saves"
while IFS='|' read -r try saves; do
    spec=$(echo "$try" | sed "s/.*--what-if '\(.*\)' .*/\1/")
    gain=$("$simprof" predict --json --what-if "$spec" "$dir/$to" 2>/dev/null | jq '.[1].gain_percent')
    case $saves in *" $(printf %.1f "$gain") % of the run."*) ;; *) fail "$try: $saves, not $gain" ;; esac
done <"$dir/saves"
# Without scripts the answer and the report are there.
sed -n '/^<noscript>/,/<\/noscript>/p' "$dir/page.html" | grep -q "waits for $(jq -r .first.name "$dir/json")" || fail "nothing without scripts"
[ "$(stat -c %s "$dir/page.html")" -lt 3000000 ] || fail "more than 3 MB"
! grep -oE '(src|href)=|@import|fetch\(|https?:[^ ]*' "$dir/page.html" | grep -v www.w3.org/2000/svg ||
    fail "the page asks for something else"
# The cause's line is there with the text about it, of the tree's own source.
[ "$(jq -r '.source | .text[(.line | split(":")[1] | tonumber) - .first]' "$dir/json")" = \
    "$(sed -n "$(jq -r '.source.line | split(":")[1]' "$dir/json")p" \
        "$(jq -r '.source.line | split(":")[0]' "$dir/json")")" ] || fail "source line"
same idle.exp --from=5ms --to=10ms
[ "$(jq .from "$dir/json")" -eq 1000000 ] || fail "--from"

# Beside another run: its trees, and what compare and diff print.
run before.exp --cpus=4 --switch-stacks -e cycles:20000 \
    --append "work=txn n=24 states=on" "$BUILD/guest.elf"
same idle.exp --base="$dir/before.exp"
has compare 50
has diff 5
jq -S '.base.tables.calltree | .columns as $c | [.rows[] | [$c, .] | transpose | map({(.[0]): .[1]}) | add]' \
    "$dir/json" >"$dir/got"
"$simprof" calltree --limit=3000 --json "$dir/before.exp" 2>/dev/null | jq -S . | cmp -s - "$dir/got" ||
    fail "the tree of the run before"

run plain.exp --cpus=1 --append "work=txn n=4" "$BUILD/guest.elf"
same plain.exp
# A name that would end the page's data.
cross=${CROSS:-powerpc-linux-gnu-}
"${cross}gcc" -O1 -g -c -o "$dir/odd.o" -x c - <<'C' || fail "compile"
#include <stdio.h>
__attribute__((noinline)) int odd(int n);
int odd(int n) { int s = 0; for (volatile int i = 0; i < n; i++) s += i; return s; }
int main(void) { printf("%d\n", odd(20000)); }
C
"${cross}objcopy" --redefine-sym 'odd=</script><!--' "$dir/odd.o" &&
    "${cross}gcc" -static -o "$dir/odd" "$dir/odd.o" || fail "link"
run odd.exp --user -e cycles:1000 "$dir/odd"
same odd.exp
has calltree 3
grep -q '</script><!--' "$dir/json" || fail "the odd name is not there"

# ---- refusals --------------------------------------------------------------
refused() { # status, words, then arguments
    status=$1 words=$2
    shift 2
    "$simprof" html "$@" >"$dir/page" 2>"$dir/err"
    [ $? -eq "$status" ] || fail "html $*: not $status: $(cat "$dir/err")"
    grep -q "$words" "$dir/err" || fail "html $*: $(cat "$dir/err")"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "html $*: $(cat "$dir/err")"
}
refused 125 "nowhere/page" "$dir/plain.exp" -o "$dir/nowhere/page"
refused 2 "plain.exp/log" "$dir/plain.exp" -o "$dir/plain.exp/log"
refused 2 "below" "$dir/plain.exp" --from=2 --to=1
[ ! -s "$dir/page" ] || fail "a page without an interval"
refused 2 "nowhere" "$dir/plain.exp" --base="$dir/nowhere"
[ ! -s "$dir/page" ] || fail "a page without the run to compare with"
# A disk that is full leaves the page that was there.
echo before >"$dir/kept"
(ulimit -f 16; trap '' XFSZ; "$simprof" html "$dir/idle.exp" -o "$dir/kept") 2>"$dir/err"
[ "$(cat "$dir/kept")" = before ] || fail "the old page is lost: $(cat "$dir/err")"
rm -r "$dir"
