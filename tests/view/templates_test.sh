#!/bin/sh
# templates_test.sh - functions of C++ templates, and operators, have < in their names, as reports have
# " < " between functions: CSV, simview and the page of simprof html take them apart where one ends.
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

# An operator< of a template has "< <" in its name, and its caller here has "<< <".
cat >"$dir/less.cpp" <<'C'
#include <mutex>
#include <thread>
#include <vector>
template <class T> struct Key {
    T value;
};
static std::mutex lock;
template <class T> __attribute__((noipa)) bool operator<(const Key<T> &a, const Key<T> &b)
{
    std::lock_guard<std::mutex> held(lock);
    T x = a.value;

    for (int i = 0; i < 3000; i++)
        x = x * 5 + 1;
    return x < b.value;
}
template <class T> __attribute__((noipa)) void operator<<(Key<T> &a, const Key<T> &b)
{
    if (a < b)
        a.value++;
}
static void run(unsigned n)
{
    Key<unsigned> mine{n};

    for (unsigned i = 0; i < 40; i++)
        mine << Key<unsigned>{i};
}
int main()
{
    std::vector<std::thread> t;

    for (unsigned n = 0; n < 4; n++)
        t.emplace_back(run, n);
    for (auto &x : t)
        x.join();
}
C
powerpc-linux-gnu-g++ -O2 -g -static -o "$dir/less" "$dir/less.cpp" || fail "less.cpp"
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$dir/l.exp" --user "$dir/less" \
    2>"$dir/err" || fail "$(cat "$dir/err")"
less='bool operator< <unsigned int>(Key<unsigned int> const&, Key<unsigned int> const&)'
puts='void operator<< <unsigned int>(Key<unsigned int>&, Key<unsigned int> const&)'
"$BUILD/simprof" causes --json "$dir/l.exp" >"$dir/json" 2>/dev/null || fail "causes"
jq -r '.[0].functions | split(" < ")[]' "$dir/json" >"$dir/names"
printf '%s\n' "$less" "$puts" 'run(unsigned int)' | cmp -s - "$dir/names" || fail "less: $(cat "$dir/names")"
"$BUILD/simprof" causes --csv "$dir/l.exp" 2>/dev/null | sed -n 2p |
    grep -qF ",\"$less < $puts < run(unsigned int)\"," || fail "less: CSV"
"$view" --text --size=1600x1000 "$dir/l.exp" >"$dir/text" || fail "simview"
grep -qF "waits for $less, called by $puts." "$dir/text" || fail "less: the cause: $(sed -n 3,8p "$dir/text")"
"$view" --panel=time --gap=1:300000 --text --size=1600x1000 "$dir/l.exp" >"$dir/text" || fail "simview --gap"
grep -qxF "$less" "$dir/text" && grep -qxF "$puts" "$dir/text" || fail "less: gap: $(cat "$dir/text")"

command -v node >/dev/null || { echo "skipped: the page's script, no node"; exit 0; }
cat >"$dir/names.js" <<'J'
const text = require('fs').readFileSync('tools/simprof/reports/html/base.js', 'utf8');
const from = text.indexOf('const functionNames');
const functionNames = eval(text.slice(from, text.indexOf(';\n', from) + 1) + ' functionNames');
for (const names of process.argv.slice(2)) console.log(functionNames(names).join('|'));
J
node "$dir/names.js" '' a 'a < b < c' "$name < run(int)" '<lock> < f < q::operator->() < S<I<t, int> >::run()' \
    "$less < $puts < operator<(A, A) < (anonymous namespace)::f() < main" >"$dir/names" || fail "names.js"
printf '%s\n' '' a 'a|b|c' "$name|run(int)" '<lock>|f|q::operator->()|S<I<t, int> >::run()' \
    "$less|$puts|operator<(A, A)|(anonymous namespace)::f()|main" |
    cmp -s - "$dir/names" || fail "names: $(cat "$dir/names")"
exit 0
