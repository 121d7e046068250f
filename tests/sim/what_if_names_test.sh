#!/bin/sh
# what_if_names_test.sh - simrun --what-if func: in the guest: a name that the kernel and the
# program have is refused, and both forms that say which are told and taken; so does simprof
# predict. A name that one of them has needs no more.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/pair.c" <<'C'
static volatile unsigned sum;
__attribute__((noipa)) void mutex_lock(unsigned n) { while (n--) sum += n; }
__attribute__((noipa)) void own_work(unsigned n) { while (n--) sum += n; }
int main(void)
{
    for (unsigned i = 0; i < 20; i++) {
        mutex_lock(10000);
        own_work(5000);
    }
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -o "$dir/pair" "$dir/pair.c" || exit 1
run() {
    "$simrun" -q --mode=fast --append states=on --summary=json:"$dir/json" "$@" "$guest" \
        --program "$dir/pair" >"$out" 2>"$dir/err" </dev/null
}
cycles() {
    run "$@" || fail "$*: status $?, $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
all=$(cycles -e cycles:1000 -f --pmu-trace="$dir/pair.exp")
kernel=$(cycles --what-if 'func:mutex_lock (guest.elf)=x0.5')
[ $((all - kernel)) -lt $((20 * 10000)) ] || fail "the kernel's: $kernel of $all"
program=$(cycles --what-if 'func:mutex_lock (pair)=x0.5')
[ $((all - program)) -gt $((20 * 10000 * 4 / 2)) ] || fail "the program's: $program of $all"
[ $((all - $(cycles --what-if func:own_work+=x0.5))) -gt $((20 * 5000 * 4 / 2)) ] || fail "own_work"
cycles --what-if func:journal_write=x0.5 >"$dir/cycles" # the kernel's alone

is() { [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"; }
for spec in func:mutex_lock=x0.5 func:mutex_lock+=x0.5; do
    run --what-if $spec
    is "$spec" $? 125
    is "$spec" "$(cat "$dir/err")" "simrun: --what-if func:mutex_lock: guest.elf and pair have \
it; give 'func:mutex_lock (guest.elf)' or 'func:mutex_lock (pair)'"
    "$simprof" predict --what-if $spec "$dir/pair.exp" >"$out" 2>"$dir/err"
    for form in "'mutex_lock (guest.elf)'" "'mutex_lock (pair)'"; do
        grep -q "mutex_lock: that is the name of functions of several files; give .*$form" \
            "$dir/err" || fail "predict $spec: $(cat "$dir/err")"
    done
    is "predict $spec" "$(wc -l <"$dir/err")" 1
done
predicted=$("$simprof" predict --csv --what-if 'func:mutex_lock (pair)=x0.5' "$dir/pair.exp" |
    sed -n '$s/,.*//p')
[ $((predicted - program)) -lt $((all / 50)) ] && [ $((program - predicted)) -lt $((all / 50)) ] ||
    fail "predicted: $predicted, not $program"
"$simprof" predict --what-if func:nosuch=x0.5 "$dir/pair.exp" 2>&1 |
    grep -q 'nosuch: no function of that name is in the recording' || fail "nosuch"
exit 0
