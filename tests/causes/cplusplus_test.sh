#!/bin/sh
# cplusplus_test.sh - a program of C++: locks have the names that its source has, in locks, chains and
# hold:, which takes what the compiler calls them as well; lines are the program's own, also where the
# library's headers are compiled in; and what is written in those is a library's. The first screen
# knows what was tried of a function without its parameters.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-g++ >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/ledger.cpp" <<'C'
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
#define NOINLINE __attribute__((noinline))

namespace ledger {
struct Book {
    long pages;
    std::mutex lock;
    std::vector<int> entries;
};
std::mutex table_lock;
Book main_book;
}

static NOINLINE long mix(long n)
{
    unsigned x = 1;

    for (long i = 0; i < n; i++) {
        x = x * 3 + i;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}
static NOINLINE void sort_entries(std::vector<int> &all)
{
    for (int i = 0; i < 300; i++)
        all[i] = (i * 7919) % 301;
    std::sort(all.begin(), all.end());
}
static NOINLINE void post(long n)
{
    std::lock_guard<std::mutex> guard(ledger::main_book.lock); /* the line */
    ledger::main_book.pages += mix(n);
    sort_entries(ledger::main_book.entries);
}
static NOINLINE void look_up()
{
    std::lock_guard<std::mutex> guard(ledger::table_lock);
    ledger::main_book.pages ^= mix(200);
}
static void run()
{
    for (int i = 0; i < 12; i++) {
        post(900);
        look_up();
        mix(3000);
    }
}
int main()
{
    std::vector<std::thread> all;

    ledger::main_book.entries.resize(300);
    for (int i = 0; i < 4; i++)
        all.emplace_back(run);
    for (auto &t : all)
        t.join();
    std::printf("%ld\n", ledger::main_book.pages);
    return 0;
}
C
powerpc-linux-gnu-g++ -O1 -g -static -pthread -o "$dir/ledger" "$dir/ledger.cpp" || fail "does not compile"
exp=$dir/x.exp
cycles() { # cycles OPTION...
    "$simrun" -q --mode=fast --cpus=4 --summary=json:"$dir/json" "$@" --user "$dir/ledger" >"$out" 2>"$dir/err" ||
        fail "$*: $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
all=$(cycles --record-locks -e cycles:500 --pmu-trace="$exp")

"$simprof" locks --csv "$exp" >"$dir/csv" || fail "status $?"
grep -q 'ledger::table_lock' "$dir/csv" || fail "$(cat "$dir/csv")"
# Of a member DWARF has the name.
grep -q 'main_book' "$dir/csv" || fail "$(cat "$dir/csv")"
! grep -q '_ZN' "$dir/csv" || fail "as the compiler has it: $(cat "$dir/csv")"
"$simprof" causes --width=1000 "$exp" >"$dir/text" || fail "status $?"
grep -q 'waits for the lock "[a-z:]*main_book[.a-z]*" in post(long)' "$dir/text" || fail "no chain: $(cat "$dir/text")"
# Lines: no header's; where the lock is taken.
line=$(grep -n 'the line' "$dir/ledger.cpp" | sed 's/:.*//')
"$simprof" locks --csv --places "$exp" >"$dir/csv" || fail "status $?"
grep -q "ledger\.cpp:$line[,\"]" "$dir/csv" || fail "line $line: $(cat "$dir/csv")"
"$simprof" causes --csv "$exp" >"$dir/roots" || fail "status $?"
! grep -q '/usr/' "$dir/csv" "$dir/roots" || fail "lines of headers: $(grep -h /usr/ "$dir/csv" "$dir/roots" | head -n 3)"
# std::sort is compiled in, and the library's: sort_entries calls it.
grep '^[0-9]*,[0-9.]*,runs,[^,]*ledger\.cpp:[0-9]*,.*std::__' "$dir/roots" | grep -q 'sort_entries' ||
    fail "no std::sort below sort_entries: $(head -n 5 "$dir/roots")"

# hold:, by either name: the same; predicted, and measured.
name=$("$simprof" locks --csv "$exp" | grep -o 'ledger::main_book[+0-9a-fx]*' | head -n 1)
member=$("$simprof" locks --csv "$exp" | grep -o 'ledger::main_book\.[a-z]*' | head -n 1)
is "the name of the member" "$member" ledger::main_book.lock
for lock in "$member" ledger::table_lock _ZN6ledger10table_lockE ledger::main_book+0x4 _ZN6ledger9main_bookE+0x4; do
    measured=$(cycles --what-if "hold:$lock=x0")
    predicted=$("$simprof" predict --csv --what-if "hold:$lock=x0" "$exp" | awk -F, 'NR == 3 { print $1 }')
    [ "${predicted:-0}" -gt $((measured - all / 50)) ] && [ "$predicted" -lt $((measured + all / 50)) ] ||
        fail "hold:$lock: of $all, measured $measured, predicted $predicted"
    echo "$lock: of $all, measured $measured, predicted $predicted"
    case $lock in *main_book*) [ "$measured" -lt $((all * 9 / 10)) ] || fail "hold:$lock brings nothing" ;; esac
done
status=0
"$simrun" -q --mode=fast --what-if hold:ledger::table=x0 --user "$dir/ledger" >"$out" 2>"$dir/err" || status=$?
is "no such lock" "$status" 125
grep -q 'hold:ledger::table: there is no such variable' "$dir/err" || fail "$(cat "$dir/err")"
for name in ledger::main_book.lck 'ledger::main_book[0]' ledger::main_book.lock.x; do
    status=0
    "$simrun" -q --mode=fast --what-if "hold:$name=x0" --user "$dir/ledger" >"$out" 2>"$dir/err" || status=$?
    is "$name" "$status" 125
done
# A static variable, of which the C library has one of the same name: the program's is meant.
sed 's/std::mutex table_lock;/}\nstatic std::mutex cache;\nnamespace ledger {/; s/ledger::table_lock/cache/; s/mix(200)/mix(9000)/' \
    "$dir/ledger.cpp" >"$dir/static.cpp"
powerpc-linux-gnu-g++ -O1 -g -static -pthread -o "$dir/static" "$dir/static.cpp" || fail "does not compile"
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:500 --pmu-trace="$dir/static.exp" --user "$dir/static" >"$out" ||
    fail "status $?"
"$simprof" advise --budget=40 --pairs=3 --limit=8 --csv "$dir/static.exp" >"$dir/csv" 2>"$dir/err" || fail "$(cat "$dir/err")"
grep -q '^[1-9][0-9.]*,[1-9][0-9.]*,.*hold:cache=' "$dir/csv" || fail "no lock that brings something: $(cat "$dir/csv")"
"$simprof" advise --budget=40 --pairs=3 --limit=4 --csv "$exp" >"$dir/csv" 2>"$dir/err" || fail "$(cat "$dir/err")"
! grep -q '_Z\|func:std' "$dir/csv" || fail "$(cat "$dir/csv")"
# What was tried of a function is known by its name with parameters, too; by other ones it is not.
badge() {
    "$simprof" html -o "$dir/page.html" "$exp" || fail "html"
    tests/tools/page_data "$dir/page.html" | grep -o '"first": *{.*' | grep -o '"\(name\|badge\)": *"[^"]*"' |
        head -n 2 | sed 's/.*: *"\(.*\)"/\1/' | paste -s -d ' '
}
function='sort_entries(std::vector<int, std::allocator<int> >&)'
grep -q ' func:sort_entries+*=x0.5$' "$exp/tried" || fail "sort_entries is not tried: $(cat "$exp/tried")"
is "the first screen" "$(badge)" "$function tried"
sed -i 's/ func:sort_entries/&(int)/' "$exp/tried"
is "another function" "$(badge)" "$function predicted, not tried"
# gcc leaves out an argument that is not needed, and calls the function another name: its own is known.
cat >"$dir/isra.cpp" <<'C'
volatile unsigned sum;
struct logger {
    unsigned unused;
    __attribute__((noinline)) void flush(unsigned n)
    {
        while (n--)
            sum = sum * 3 + 1;
    }
};
static __attribute__((noinline)) unsigned plain(const logger *l, unsigned n)
{
    while (n--)
        sum = sum * 3 + l->unused;
    return sum;
}
int main(int argc, char **)
{
    logger l = {3};
    l.flush(5000 + argc);
    return plain(&l, 3000 + argc) == 1;
}
C
powerpc-linux-gnu-g++ -O2 -g -static -o "$dir/isra" "$dir/isra.cpp" || fail "does not compile"
run() { # run OPTION...: cycles
    "$simrun" -q --mode=fast --cpus=1 --summary=json:"$dir/json" "$@" --user "$dir/isra" >"$out" 2>"$dir/err" ||
        fail "$*: $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
powerpc-linux-gnu-nm "$dir/isra" | grep -q 'flush.*\.isra\.0$' || fail "gcc has not renamed it: mend this test"
all=$(run --record-locks -e cycles:200 --pmu-trace="$dir/isra.exp")
for name in 'logger::flush' 'logger::flush(unsigned int).isra.0'; do
    half=$(run --what-if "func:$name=x0.5")
    [ "$half" -lt $((all * 9 / 10)) ] || fail "$name: $half of $all"
    "$simprof" predict --csv --what-if "func:$name=x0.5" "$dir/isra.exp" >"$dir/csv" 2>"$dir/err" ||
        fail "$name: $(cat "$dir/err")"
    awk -F, -v m="$half" 'NR == 3 { exit !($1 > m * 0.98 && $1 < m * 1.02) }' "$dir/csv" || fail "$half: $(cat "$dir/csv")"
done
# A function that has the name for its own is meant, not one that gcc has changed.
cat >"$dir/one.c" <<'C'
unsigned other(void);
volatile unsigned sum;
__attribute__((noinline)) void work(unsigned n)
{
    while (n--)
        sum = sum * 3 + 1;
}
int main(int argc, char **argv)
{
    work(5000 + argc);
    return other() == 1 && !argv;
}
C
cat >"$dir/two.c" <<'C'
struct unused {
    unsigned n;
};
extern volatile unsigned sum;
static __attribute__((noinline)) void work(struct unused *p, unsigned n)
{
    (void)p;
    while (n--)
        sum = sum * 5 + 1;
}
unsigned other(void)
{
    struct unused x = {1};
    work(&x, 3000 + sum % 2);
    work(&x, sum % 5);
    return sum;
}
C
powerpc-linux-gnu-gcc -O2 -fno-ipa-cp -g -static -o "$dir/isra" "$dir/one.c" "$dir/two.c" || fail "does not compile"
powerpc-linux-gnu-nm "$dir/isra" | grep -q ' work\.isra\.0$' || fail "gcc has not renamed it: mend this test"
rm -rf "$dir/isra.exp"
run --record-locks -e cycles:200 --pmu-trace="$dir/isra.exp" >/dev/null
for name in work work.isra.0; do
    half=$(run --what-if "func:$name=x0.5")
    "$simprof" predict --csv --what-if "func:$name=x0.5" "$dir/isra.exp" >"$dir/csv" 2>"$dir/err" ||
        fail "$name: $(cat "$dir/err")"
    awk -F, -v m="$half" 'NR == 3 { exit !($1 > m * 0.98 && $1 < m * 1.02) }' "$dir/csv" || fail "$name: $half: $(cat "$dir/csv")"
done
exit 0
