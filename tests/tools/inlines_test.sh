#!/bin/bash
# inlines_test.sh - functions that the compiler inlined: simprof --inlines puts
# them on stacks as if they had been called. addr2line -i judges every
# instruction of the guest; values add up as without.
# timeout: 120
set -u
CC=${CC:-gcc}
cross=${CROSS:-powerpc-linux-gnu-}
simprof=$(realpath "$BUILD/simprof")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
complain() { echo "$*"; bad=1; }
command -v "${cross}addr2line" >/dev/null || { echo "no addr2line"; exit 77; }

$CC -std=gnu11 -I. -g -o "$dir/inlines" tests/tools/inlines.c \
    $(tests/setup/libraries tools) $(grep -q fsanitize "$BUILD/obj/flags" &&
        echo -fsanitize=address,undefined) || exit 1
timeout 60 "$BUILD/simrun" -q --max-cycles=6000000 -e cycles:2000 \
    --pmu-trace="$dir/a.exp" "$BUILD/guest.elf" >"$dir/console" 2>&1
[ -d "$dir/a.exp" ] || { cat "$dir/console"; exit 1; }

# Every fifth word of the code, and those around it.
"${cross}objdump" -d -j .text "$BUILD/guest.elf" |
    sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' | awk 'NR % 5 < 2' >"$dir/addresses"
"$dir/inlines" "$dir/a.exp" <"$dir/addresses" >"$dir/ours"
# Of the outermost function only that it is one: an address begins each block.
"${cross}addr2line" -a -f -i -e "$BUILD/guest.elf" <"$dir/addresses" |
    awk '/^0x/ { if (n) end(); n = 0; next }
         { line[++n] = $1 }
         function end(i) { line[n - 1] = "-"
             for (i = 1; i <= n; i++) {
                 sub(/.*\//, "", line[i]); sub(/.*:[?0]$/, "??:0", line[i])
                 print line[i] } }
         END { end() }' >"$dir/theirs"
[ "$(grep -cv -e : -e '^-$' "$dir/theirs")" -gt 500 ] ||
    complain "hardly anything is inlined in the guest"
cmp -s "$dir/ours" "$dir/theirs" ||
    complain "other levels than addr2line's:
$(diff "$dir/ours" "$dir/theirs" | head -n 12)"

prof() { # file, report, options...
    out=$dir/$1
    shift
    "$simprof" "$@" "$dir/a.exp" >"$out" 2>"$dir/err" ||
        complain "$*: status $?: $(cat "$dir/err")"
}
columns=--metrics=e+exact:e+cycles:i+cycles
prof plain functions --csv $columns
prof unfolded functions --csv $columns --inlines
[ "$(sed -n 2p "$dir/plain")" = "$(sed -n 2p "$dir/unfolded")" ] ||
    complain "another total"
for column in 1 2; do
    awk -F, -v c=$column 'NR == 2 { all = $c } NR > 2 { sum += $c }
        END { exit sum != all }' "$dir/unfolded" ||
        complain "column $column does not add up"
done
# A function's inclusive cycles stay: what was inlined into it is called by it.
awk -F, 'NR == FNR { incl[$4] = $3; next }
    $4 !~ /inlined/ && incl[$4] != $3 { print $4, incl[$4], $3; bad = 1 }
    END { exit bad }' "$dir/plain" "$dir/unfolded" ||
    complain "inclusive values changed"
grep -q ',fold (inlined)$' "$dir/unfolded" || complain "fold has no row"
grep -q 'inlined' "$dir/plain" && complain "unfolded unasked"

# Callers and callees, by either name; the line of the call in the caller.
prof single csingle fold --inlines --csv --metrics=a+cycles
grep -q '^[1-9][0-9]*,fold (inlined),caller,txn_stage_parse$' "$dir/single" ||
    complain "csingle: $(cat "$dir/single")"
prof source source txn_stage_parse --inlines --csv --metrics=i+cycles
awk -F, '/fold\(/ && $1 > 0 { found = 1 } END { exit !found }' "$dir/source" ||
    complain "source: the line that calls fold has nothing inclusive"
"$simprof" functions --inlines --reasons "$dir/a.exp" >"$dir/out" 2>&1
[ $? -eq 2 ] || complain "--inlines --reasons: status"

# C++: inlined functions keep their namespaces, as addr2line has them demangled;
# those that only one file knows, which have no such names, those they stand in.
cat >"$dir/names.cc" <<'C'
#define A __attribute__((always_inline))
#define N __attribute__((noipa))
static volatile unsigned sink;
namespace geo { namespace deep {
template <class T> A inline T twice(T n) { for (int i = 0; i < 40; i++) n = n * 3 + sink; return n; }
struct Point { unsigned x; A unsigned norm() const { unsigned s = x; for (int i = 0; i < 40; i++) s = s * 5 + sink; return s; } };
A static inline unsigned helper(unsigned n) { for (int i = 0; i < 40; i++) n = n * 7 + sink; return n; }
} }
namespace { A inline unsigned hidden(unsigned n) { for (int i = 0; i < 40; i++) n = n * 9 + sink; return n; } }
N unsigned run(unsigned n)
{
    geo::deep::Point p = {n};
    auto odd = [](unsigned k) A { for (int i = 0; i < 40; i++) k = k * 11 + sink; return k; };
    return geo::deep::twice(n) + geo::deep::twice<unsigned long long>(n) + p.norm() +
        geo::deep::helper(n) + hidden(n) + odd(n);
}
extern "C" void _start(void)
{
    for (unsigned i = 0; i < 50; i++)
        sink = run(i);
    register int r0 __asm__("r0") = 1, r3 __asm__("r3") = 0;
    __asm__ volatile("sc" : : "r"(r0), "r"(r3));
}
C
"${cross}g++" -g -O2 -nostdlib -static -fno-exceptions -o "$dir/names" "$dir/names.cc" &&
    (cd "$dir" && "$BUILD/simrun" -q --user --cpus=1 -e cycles:50 \
        --pmu-trace="$dir/n.exp" ./names) || complain "no C++ program"
"$simprof" functions --inlines --csv --metrics=i+cycles "$dir/n.exp" |
    sed -n 's/^[0-9]*,"*\(.*\) (inlined)"*$/\1/p' | sort >"$dir/ours"
printf '%s\n' '(anonymous namespace)::hidden' 'geo::deep::Point::norm() const' \
    'geo::deep::helper' 'run::<lambda>::operator()' \
    'unsigned int geo::deep::twice<unsigned int>(unsigned int)' \
    'unsigned long long geo::deep::twice<unsigned long long>(unsigned long long)' |
    sort >"$dir/wanted"
cmp -s "$dir/ours" "$dir/wanted" ||
    complain "names in C++: $(diff "$dir/ours" "$dir/wanted")"
"${cross}objdump" -d "$dir/names" | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' |
    "${cross}addr2line" -C -f -i -e "$dir/names" | sort -u >"$dir/theirs"
grep ' const$\|>(' "$dir/ours" | comm -23 - "$dir/theirs" >"$dir/odd"
[ -s "$dir/odd" ] && complain "addr2line has no $(cat "$dir/odd")"
exit $bad
