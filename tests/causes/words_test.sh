#!/bin/sh
# words_test.sh - a word of memory that threads wait for, as std::atomic and std::barrier have, is no
# lock, whatever value they wait with: chains say that it is waited for, `locks` and advise leave it
# out. A mutex that is waited for up to a time is a lock, and has no readers and writers.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-g++ >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/words.cpp" <<'C'
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <mutex>
#include <condition_variable>
#include <semaphore>
#include <thread>
#include <vector>
std::barrier<> meeting(4);
std::atomic<int> word_of_state(0);
std::latch done_once(4);
std::counting_semaphore<8> slots(1);
std::timed_mutex timed;
std::mutex mine;
static unsigned mix(unsigned x, int n) { while (n--) { x = x * 1664525u + 1013904223u; __asm__ volatile("" : "+r"(x)); } return x; }
unsigned sum[4];
static void wait_word(int want) { int v; while ((v = word_of_state.load()) < want) word_of_state.wait(v); }
static void run(int n)
{
    for (int i = 0; i < 5; i++) {
        sum[n] = mix(n, 2000 * (n + 1));
        meeting.arrive_and_wait();
        if (n == 0) { sum[n] = mix(n, 9000); word_of_state.store(i + 1); word_of_state.notify_all(); }
        else wait_word(i + 1);
        slots.acquire(); sum[n] = mix(n, 3000); slots.release();
        if (timed.try_lock_for(std::chrono::seconds(5))) { sum[n] += mix(n, 3000); timed.unlock(); }
        { std::lock_guard<std::mutex> g(mine); sum[n] += mix(n, 3000); }
    }
    done_once.arrive_and_wait();
}
int main() { std::vector<std::thread> all; for (int i = 0; i < 4; i++) all.emplace_back(run, i); for (auto &t : all) t.join(); return sum[0] == 1; }
C
powerpc-linux-gnu-g++ -std=c++20 -O2 -g -static -pthread -o "$dir/words" "$dir/words.cpp" 2>"$dir/err" ||
    { echo "no C++20: $(head -n 1 "$dir/err")"; exit 77; }
exp=$dir/x.exp
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$exp" --user "$dir/words" ||
    fail "does not run"

# As they were recorded some look like waits for locks, those with the value 2; but no report has them
# as such. The only mutex that threads wait for here is waited for up to a time: recorded as a queue, it
# is a lock in all reports, for the same cycles.
records "$exp/state.rec" | awk '$5 == 5 { n++ } END { print n + 0 }' >"$dir/recorded"
above "waits for locks, as recorded" "$(cat "$dir/recorded")" 4
sum() { # sum COLUMN ROW: of the last report
    awk -F, -v of="$1" -v row="${2:-.}" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k }
        NR > 1 && $0 ~ row { n += $at[of] } END { print n + 0 }' "$out"
}
"$simprof" states --csv "$exp" >"$out"
timed=$("$simprof" locks --csv --limit=0 "$exp" | awk -F, '$NF == "timed" { print $2 }')
above "waits for the mutex" "${timed:-0}" 1000
is "locks by states" "$(sum lock)" "$timed"
above "queue by states" "$(sum queue)" 60000
spun=$(sum spinning)
"$simprof" timeline --csv "$exp" >"$out"
is "locks by timeline" "$(sum cycles ,lock,)" "$timed"
"$simprof" statistics --csv "$exp" >"$out"
is "locks by statistics" "$(sum user_lock total)" "$((spun + timed))"
"$simprof" causes --table=chains --csv --limit=0 "$exp" >"$out"
for word in word_of_state done_once; do
    grep -q "waits for \"\"$word\"\" in run" "$out" || fail "nothing waits for $word"
done
is "words as locks" "$(grep -c 'the lock ""\(word_of_state\|done_once\|std::__detail\)' "$out")" 0
grep -q 'waits for the lock ""timed"" in run' "$out" || fail "no wait for a mutex up to a time"
is "waits to write" "$(grep -c 'waits to write' "$out")" 0
"$simprof" locks --csv --limit=0 "$exp" | awk -F, 'NR > 1 && $1 { print $NF }' | sort >"$dir/waited"
# A semaphore that each thread gives back that took it is one.
is "locks that threads waited for" "$(tr '\n' ' ' <"$dir/waited")" "slots timed "
"$simprof" advise --csv --pairs=3 --limit=4 "$exp" >"$out" || fail "advise"
# A semaphore of C++ that threads spin for is no lock.
cat >"$dir/sems.cpp" <<'C'
#include <semaphore>
#include <thread>
static struct { int pad; std::counting_semaphore<4> two{1}; } pool;
static volatile unsigned sum[3];
static void run(int n)
{
    for (int i = 0; i < 30; i++) {
        pool.two.acquire(); for (int k = 0; k < 150; k++) sum[n] = sum[n] * 3 + 1; pool.two.release();
        for (int k = 0; k < 50 * n; k++) sum[n] = sum[n] * 3 + 1;
    }
}
int main() { std::thread a(run, 0), b(run, 1), c(run, 2); a.join(); b.join(); c.join(); return 0; }
C
powerpc-linux-gnu-g++ -std=c++20 -O2 -g -static -pthread -o "$dir/sems" "$dir/sems.cpp" || fail "does not compile"
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$dir/sems.exp" --user "$dir/sems" ||
    fail "does not run"
"$simprof" locks --csv --spun "$dir/sems.exp" | awk -F, 'NR > 1 { print $4, $5 }' | sort >"$dir/spun"
grep -q '^semaphore pool' "$dir/spun" && ! grep -q ^lock "$dir/spun" ||
    fail "semaphores: $(cat "$dir/spun")"
"$simprof" causes "$dir/sems.exp" | grep -q 'a thread spins there for a lock, a semaphore$' || fail "no class of spins"
is "locks that are tried" "$(grep -o 'hold:[a-z_]*' "$out" | sort -u)" hold:timed
exit 0
