#!/bin/sh
# idle_proof_test.sh - make idle-proof in small: every run is a line, the table says
# what the lines come to, confined targets stay; captures that moved, and shares
# that are off, are found out; tests/lib/paired knows Student's t.
# timeout: 300
set -u
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
# 97.5 % points as tables of statistics have them.
printf '%s\n' 1 4 9 19 30 | tests/lib/paired -v quantiles=1 >"$dir/t" || fail "paired"
[ "$(tr '\n' ' ' <"$dir/t")" = "1 12.7062 4 2.7764 9 2.2622 19 2.0930 30 2.0423 " ] ||
    fail "Student's t: $(cat "$dir/t")"
printf 'a %s\n' 1 2 3 4 | tests/lib/paired >"$dir/t"
[ "$(cat "$dir/t")" = "a 4 2.5 0.44574 4.55426" ] || fail "an interval: $(cat "$dir/t")"
echo "a b" | tests/lib/paired >/dev/null 2>&1 && fail "a word as a number"

mkdir "$dir/build"
for f in simrun simprof guest.elf; do ln -s "$(realpath "$BUILD/$f")" "$dir/build/$f"; done
proof() { BUILD=$dir/build SEEDS=2 CPUS=4 WORKLOADS=txn RATES=50000 "$@" tests/bench/idle-proof; }
proof env >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/out" "$dir/err")"
grep -q '^With affinity no target moved' "$dir/out" || fail "$(cat "$dir/out")"
csv=$dir/build/idle-proof.csv
[ "$(wc -l <"$csv")" -eq 7 ] || fail "$(cat "$csv")" # 2 seeds, 3 strategies
[ "$(wc -l <"$dir/build/idle-proof-rates.csv")" -eq 9 ] || fail "rates"
grep -q '</svg>' "$dir/build/idle-proof.svg" || fail "no plot"
awk -F, 'NR > 1 && ($9 < 40 || $9 > 100 || $10 < 40 || $10 > 100 || $13 < 50 || $6 <= 0) { bad = 1 }
    END { exit bad }' "$csv" || fail "shares: $(cat "$csv")"
# The table's mean share is that of the lines.
mean=$(awk -F, '$3 == "affinity" { n++; s += $9 } END { printf "%.1f", s / n }' "$csv")
grep -E '^txn +4 affinity' "$dir/out" | head -n 1 | awk -v m="$mean" '$5 != m { exit 1 }' ||
    fail "the table's share is not $mean: $(cat "$dir/out")"

# A limit of time leaves whole seeds; a clock that goes on by ten seconds at each look.
mkdir "$dir/bin"
cat >"$dir/bin/date" <<'S'
#!/bin/sh
echo . >>"$LOOKS"
echo $((1000 + 10 * $(wc -l <"$LOOKS")))
S
chmod +x "$dir/bin/date"
export LOOKS="$dir/looks"
proof env SEEDS=9 RATES= STRATEGIES=affinity MINUTES=1 PATH="$dir/bin:$PATH" >"$dir/out" 2>"$dir/err" ||
    fail "$(cat "$dir/out" "$dir/err")"
seeds=$(sed -n 's/^idle-proof: \([0-9]*\) seeds in 1 minutes$/\1/p' "$dir/out")
[ "${seeds:-0}" -ge 2 ] && [ "$seeds" -lt 9 ] || fail "seeds in a minute: $(cat "$dir/out")"
[ "$(wc -l <"$csv")" -eq $((1 + seeds)) ] || fail "lines of $seeds seeds: $(cat "$csv")"
proof env MINUTES=0 >"$dir/out" 2>"$dir/err" && fail "no time at all"
grep -q '^idle-proof: not even one seed' "$dir/err" || fail "$(cat "$dir/out" "$dir/err")"

# Reports that lie: the stack with most idle time gets few of the samples.
rm "$dir/build/simprof"
cat >"$dir/build/simprof" <<'S'
#!/bin/sh
"$REAL" "$@" | awk '/^to-idle-causes:/ { on = 1 } on && $2 ~ /%$/ && !seen++ { $2 = "1.0%" } { print }'
S
chmod +x "$dir/build/simprof"
REAL=$(realpath "$BUILD/simprof")
export REAL
proof env RATES= >"$dir/out" 2>"$dir/err" && fail "shares that are off are not found out"
grep -q '^FAIL: txn/4/affinity: samples are off' "$dir/out" || fail "$(cat "$dir/out" "$dir/err")"
# Runs that fail.
WORKLOADS=txn BUILD=$dir/build SEEDS=1 CPUS=9 RATES= tests/bench/idle-proof >"$dir/out" 2>"$dir/err" &&
    fail "nine CPUs"
grep -q '^idle-proof: txn on 9 CPUs' "$dir/err" || fail "$(cat "$dir/err")"
rm -r "$dir"
