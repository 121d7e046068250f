#!/bin/sh
# library_test.sh - the first screen of a program that spends its time in functions
# of a library, which have no line numbers: the line is that of the program's own
# function around them. Where no states of threads were recorded it still says what
# the busy time is lost to.
# timeout: 120
set -u
cross=${CROSS:-powerpc-linux-gnu-}
command -v "${cross}gcc" >/dev/null || { echo "no ${cross}gcc"; exit 77; }
dir=$(mktemp -d)
view=$BUILD/simview
fail() {
    echo "$*"
    exit 1
}
cat >"$dir/sorted.c" <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table[256];
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void rebuild(unsigned seed)
{
    for (int i = 0; i < 256; i++)
        table[i] = (int)((seed = seed * 1103515245u + 12345u) >> 8);
    qsort(table, 256, sizeof table[0], order); /* line 10 */
}
static void *worker(void *id)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&lock);
        rebuild(i * 7 + (int)(long)id);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void)
{
    pthread_t thread[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], 0, worker, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], 0);
    return 0;
}
C
cat >"$dir/beside.c" <<'C'
#include <pthread.h>
static struct { volatile int hits; } beside[4];
static void *bump(void *id)
{
    for (int i = 0; i < 3000; i++)
        beside[(long)id].hits++; /* line 6 */
    return 0;
}
int main(void)
{
    pthread_t thread[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], 0, bump, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], 0);
    return 0;
}
C
for name in sorted beside; do
    "${cross}gcc" -g -O2 -static -pthread -o "$dir/$name" "$dir/$name.c" || fail "$name.c"
done
"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:5000 --pmu-trace="$dir/s.exp" \
    --user "$dir/sorted" || fail "sorted"
"$view" --text "$dir/s.exp" >"$dir/text" || fail "simview"
sed -n 3p "$dir/text" | grep -q "^With rebuild (sorted\.c:10) in half the time" ||
    fail "a root of a library: $(sed -n 3p "$dir/text")"
grep -q "^> *10 .*qsort" "$dir/text" || fail "no line of it"
name=$(sed -n '3s/^With \([^ ]*\).*/\1/p' "$dir/text")
! grep -F "waits for $name, which runs $name" "$dir/text" || fail "$name runs itself"

# In the guest a waiting thread is deep in the kernel: the function of the program is
# shown with its stack, and the command whole.
"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/g.exp" \
    --append states=on --program "$dir/sorted" "$BUILD/guest.elf" || fail "the guest"
command -v jq >/dev/null && {
    "$BUILD/simprof" gap --json --limit=60 "$dir/g.exp" 2>/dev/null |
        jq -r '.[] | "\(.role)|\(.object)|\(.from_cycle)|\(.function)"' |
        awk -F '|' '$1 == "idle" { at = substr($2, 5) ":" $3 } $1 == "waits" && $4 == "worker" { print at; exit }' >"$dir/at"
    [ -s "$dir/at" ] || fail "no gap of worker"
    "$view" --text --panel=time --gap="$(cat "$dir/at")" "$dir/g.exp" >"$dir/text" || fail "--gap"
    grep -q "^\.\.\. worker" "$dir/text" || fail "no worker in its stack: $(tail -n 12 "$dir/text")"
    ! grep "what-if" "$dir/text" | grep -v "' \.\.\.$" || fail "a command is cut"
    # No command names a function that simrun does not know by that name.
    "$BUILD/simprof" gap --json --limit=200 "$dir/g.exp" 2>/dev/null |
        jq -r '.[] | "\(.role)|\(.object)|\(.from_cycle)|\(.function)"' |
        awk -F '|' '$1 == "idle" { at = substr($2, 5) ":" $3 } $1 == "root" && $4 ~ / [(]/ { print at; exit }' >"$dir/at"
    [ -s "$dir/at" ] || fail "no function that stands with its program"
    "$view" --text --panel=time --gap="$(cat "$dir/at")" "$dir/g.exp" >"$dir/text" || fail "--gap"
    grep -q "is idle because .* (sorted)" "$dir/text" || fail "no root of the program: $(cat "$dir/text")"
    ! grep "what-if" "$dir/text" || fail "simrun knows no such function"
}

# Without states: no reason for the idle time, but for the other.
"$BUILD/simrun" -q --cpus=4 --pmu-trace="$dir/b.exp" --user "$dir/beside" || fail "beside"
"$view" --text "$dir/b.exp" >"$dir/text" || fail "simview"
sed -n 3p "$dir/text" | grep -q "Why is not known" || fail "$(sed -n 3p "$dir/text")"
line=$(sed -n 4p "$dir/text")
share=$("$BUILD/simprof" functions --reasons --csv "$dir/b.exp" 2>/dev/null | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["function"] == "<Total>" { all = $column["cycles"] }
    $column["function"] == "<parked>" { all -= $column["cycles"] }
    $column["function"] == "bump" { lost = $column["store"] }
    END { printf "%.1f", lost / all * 100 }')
echo "$line" | grep -q "they lose most in bump, to store .*: $share % of all cycles" ||
    fail "not $share %: $line"
grep -q "^> *6 .*hits++" "$dir/text" || fail "no line of bump"
rm -r "$dir"
