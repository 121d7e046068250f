#!/bin/sh
# longnames_test.sh - names that are longer than a text has room for: cut with "..", the function's own
# name is what is left, and a line breaks behind them; of a path the last part is. CSV and JSON are whole.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-g++ >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
mkdir -p "$dir/sources/of/the/main/office"
source=$dir/sources/of/the/main/office/books.cpp
cat >"$source" <<'C'
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace accounting_department {
namespace ledger_of_the_main_office {
std::mutex lock_of_entries;
template <typename Key, typename Value> struct BookOfEntries {
    __attribute__((noinline, noclone)) Value
    post_an_entry(Key key, const std::vector<std::pair<Key, Value>> &others)
    {
        std::lock_guard<std::mutex> guard(lock_of_entries);
        unsigned x = key;

        for (int i = 0; i < 4000; i++) {
            x = x * 3 + i;
            __asm__ volatile("" : "+r"(x));
        }
        return x + others.size();
    }
};
BookOfEntries<unsigned long long, unsigned long long> book;
}
}
static void run()
{
    for (int i = 0; i < 12; i++)
        accounting_department::ledger_of_the_main_office::book.post_an_entry(i, {});
}
int main()
{
    std::vector<std::thread> all;

    for (int i = 0; i < 4; i++)
        all.emplace_back(run);
    for (auto &t : all)
        t.join();
    return 0;
}
C
powerpc-linux-gnu-g++ -O2 -g -static -pthread -o "$dir/books" "$source" || fail "does not compile"
exp=$dir/x.exp
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$exp" --user "$dir/books" ||
    fail "does not run"
whole='accounting_department::ledger_of_the_main_office::BookOfEntries<unsigned long long, unsigned long long>::post_an_entry(unsigned long long, std::vector<std::pair<unsigned long long, unsigned long long>, std::allocator<std::pair<unsigned long long, unsigned long long> > > const&)'
inner='BookOfEntries<..>::post_an_entry(..)'

COLUMNS=80 "$simprof" causes "$exp" >"$out"
grep -q ' runs  *\.\./[a-z/]*books.cpp:[0-9]*  *\.\.BookOfEntries' "$out" ||
    fail "roots: $(grep ' runs ' "$out" | head -1)"
tr '\n' ' ' <"$out" | grep -q "runs in \.\.ledger_of_the_main_office::$inner ($source:[0-9]*)" || fail "the chain: $(cat "$out")"
is "lines that do not break" "$(sed -n '/is like this/,$p' "$out" | awk 'length > 80 && / /')" ""
for report in "causes" "causes --table=chains" "locks --places"; do
    "$simprof" $report --csv "$exp" >"$out" || fail "$report"
    grep -qF "$whole" "$out" || fail "$report --csv: $(head -3 "$out")"
    grep -qF "$source:" "$out" || fail "$report --csv: no path"
done
"$simprof" locks --places "$exp" | grep -qF "../" || fail "locks: no path is cut"
# Tables keep to the width, headings too; where there is room names are whole.
for report in causes locks states statistics "history --limit=60" path "causes --table=chains" "locks --places" timeline; do
    "$simprof" $report --width=80 "$exp" >"$out" || fail "$report"
    is "$report: wider than 80" "$(LC_ALL=C awk '/^ *[0-9]/ && length > 80' "$out")" ""
    is "$report: bytes that are no text" "$(tr -dc '\000' <"$out" | wc -c)" 0
done
"$simprof" causes --width=600 --table=roots "$exp" >"$out"
grep -qF "  $whole" "$out" || fail "not whole: $(grep " runs " "$out")"
"$simprof" causes --width=200 --table=roots "$exp" | grep -q ' runs .*  __lll_lock_wait < accounting_department::ledger_of_the_main_office::BookOfEntries<..>::post_an_entry(..) < run()$' ||
    fail "cut with room to spare: $("$simprof" causes --width=200 --table=roots "$exp" | grep " runs ")"

COLUMNS=80 "$simprof" advise --pairs=3 --limit=1 "$exp" >"$out" || fail "advise"
grep -q '^ .*=x0.5  *books.cpp:[0-9]*  runs \.\.' "$out" || fail "advise: $(cat "$out")"
tr '\n' ' ' <"$out" | grep -qF "The cause: runs ..ledger_of_the_main_office::$inner <" || fail "advise: $(cat "$out")"
"$simprof" advise --csv --pairs=3 --limit=1 "$exp" | grep -qF ",$source:" || fail "advise --csv"

"$simprof" html -o "$dir/x.html" "$exp" || fail "html"
"$simprof" export --format=chrome -o "$dir/x.json" "$exp" || fail "export"
grep -qF "$whole" "$dir/x.json" || fail "chrome"
exit 0
