#!/bin/sh
# callstack_test.sh - G-H6: interrupting marks tell the whole stack: A calls B calls
# C, and in C it is A B C, behind C's return A B; a leaf without a frame is on
# it, and everything is there up to the program's root.
# timeout: 60
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc powerpc-linux-gnu-nm powerpc-linux-gnu-objdump; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
cat >"$dir/abc.c" <<'C'
#define F __attribute__((noipa))
F int C(int n) { __asm__ volatile("nop"); return n * 3; } /* no frame */
F int B(int n) { int s = C(n); __asm__ volatile("nop"); return s + 1; }
F int A(int n) { return B(n) + 1; }
int main(void) { return A(1); }
C
powerpc-linux-gnu-gcc -O1 -static -o "$dir/abc" "$dir/abc.c" || exit 1
powerpc-linux-gnu-nm -n "$dir/abc" | awk '$2 ~ /[tT]/ { print $1, $3 }' >"$dir/names"
at() { awk -v n="$1" '$2 == n { print "0x" $1 }' "$dir/names"; }
behind=0x$(powerpc-linux-gnu-objdump -d "$dir/abc" | awk 'call { sub(":", "", $1); print $1; exit } / bl .*<C>/ || /\tbl .*<C>/ { call = 1 }')
behind=$(printf 0x%08x "$behind")
for mode in fast detailed; do
    rm -rf "$dir/e.exp"
    (cd "$dir" && timeout 50 "$simrun" -q --user --cpus 1 --mode=$mode \
        --mark "addr:$(at C)=interrupt" --mark "addr:$behind=interrupt" \
        --pmu-trace="$dir/e.exp" ./abc)
    is "$mode: exit status" $? 5
    records "$dir/e.exp/trap.rec" |
        awk -f tests/unwind/stacks.awk "$dir/names" - >"$dir/stacks"
    grep -q "^$(at C) .* main A B C\$" "$dir/stacks" ||
        fail "$mode: in C: $(cat "$dir/stacks")"
    grep -q "^$behind .* main A B\$" "$dir/stacks" ||
        fail "$mode: behind C: $(cat "$dir/stacks")"
    is "$mode: stacks" "$(wc -l <"$dir/stacks")" 2
    is "$mode: from the root" "$(grep -c " __libc_start_main_impl __libc_start_call_main main A" "$dir/stacks")" 2
done

# At every instruction of theirs, those that make and undo a frame included.
for flags in -O0 -O1 "-O2 -fPIC"; do
    # shellcheck disable=SC2086 # words
    powerpc-linux-gnu-gcc $flags -static -o "$dir/abc" "$dir/abc.c" || exit 1
    powerpc-linux-gnu-nm -n "$dir/abc" | awk '$2 ~ /[tT]/ { print $1, $3 }' >"$dir/names"
    rm -rf "$dir/e.exp"
    (cd "$dir" && timeout 50 "$simrun" -q --user --cpus 1 --mode=fast \
        --mark func:A=interrupt --mark func:B=interrupt \
        --mark func:C=interrupt --pmu-trace=e.exp ./abc)
    records "$dir/e.exp/trap.rec" |
        awk -f tests/unwind/stacks.awk "$dir/names" - | awk '
        { at = $1; sub(/^[^ ]* /, ""); seen[$0]++ }
        !/^__libc_start_main_impl __libc_start_call_main main A( B( C)?)?$/ {
            print at, $0
        }
        END { k = 0; for (s in seen) k++; if (k != 3) print k " stacks" }
    ' >"$dir/wrong"
    [ -s "$dir/wrong" ] && fail "$flags: $(head -n 4 "$dir/wrong")"
done
exit 0
