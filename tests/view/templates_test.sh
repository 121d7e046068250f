#!/bin/sh
# templates_test.sh - functions of C++ templates have < and > in their names, as reports have < between
# functions: simview and the page of simprof html take them apart where one ends.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-g++ >/dev/null || { echo "no cross compiler"; exit 77; }
view=$BUILD/simview

cat >"$dir/book.cpp" <<'C'
#include <mutex>
#include <thread>
#include <vector>
template <class T> struct Book {
    std::mutex lock;
    T sum{};
    __attribute__((noipa)) void post(T x)
    {
        std::lock_guard<std::mutex> held(lock);

        for (int i = 0; i < 3000; i++)
            x = x * 5 + 1;
        sum += x;
    }
};
static Book<unsigned> book;
static void run(int n)
{
    for (int i = 0; i < 40; i++)
        book.post(i + n);
}
int main()
{
    std::vector<std::thread> t;

    for (int n = 0; n < 4; n++)
        t.emplace_back(run, n);
    for (auto &x : t)
        x.join();
    return book.sum == 3;
}
C
powerpc-linux-gnu-g++ -O2 -g -static -o "$dir/book" "$dir/book.cpp" || fail "book.cpp"
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" --user "$dir/book" \
    2>"$dir/err" || fail "$(cat "$dir/err")"
name='Book<unsigned int>::post(unsigned int)'
"$view" --text --size=1600x1000 "$dir/x.exp" >"$dir/text" || fail "simview"
grep -qF "waits for $name, called by run(int)." "$dir/text" || fail "the cause: $(sed -n 3,8p "$dir/text")"
grep -qF "func:$name=x0.5" "$dir/text" || fail "the change: $(sed -n 3,8p "$dir/text")"
"$view" --panel=time --gap=1:300000 --text --size=1600x1000 "$dir/x.exp" >"$dir/text" || fail "simview --gap"
grep -qxF "$name" "$dir/text" || fail "gap: $(cat "$dir/text")"
! grep -q '^unsigned int>' "$dir/text" || fail "gap: $(grep '^unsigned int>' "$dir/text")"

command -v node >/dev/null || { echo "skipped: the page's script, no node"; exit 0; }
cat >"$dir/names.js" <<'J'
const text = require('fs').readFileSync('tools/simprof/reports/html/base.js', 'utf8');
const from = text.indexOf('const functionNames');
const functionNames = eval(text.slice(from, text.indexOf('\n};\n', from) + 3) + ' functionNames');
for (const names of process.argv.slice(2)) console.log(functionNames(names).join('|'));
J
node "$dir/names.js" '' a 'a<b<c' "$name<run(int)" '<lock><f<q::operator->()<S<I<t, int> >::run()' >"$dir/names" ||
    fail "names.js"
printf '%s\n' '' a 'a|b|c' "$name|run(int)" '<lock>|f|q::operator->()|S<I<t, int> >::run()' |
    cmp -s - "$dir/names" || fail "names: $(cat "$dir/names")"
exit 0
