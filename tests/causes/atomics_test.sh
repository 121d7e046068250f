#!/bin/sh
# atomics_test.sh - waits of C++20: atomics, semaphores, barriers and latches, whose threads look a few
# times, yield, and then call the system to wait. What a change of either side brings is predicted as
# simrun --what-if measures it, and the thread that they wait for is the cause.
# timeout: 120
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-g++ >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/waits.cpp" <<'C'
#include <atomic>
#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>
#define NOINLINE __attribute__((noipa))
static NOINLINE unsigned mix(unsigned x, int n)
{
    while (n--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static NOINLINE unsigned produce(unsigned x)
{
    return mix(x, 9000) ^ 5;
}
static NOINLINE unsigned consume(unsigned x)
{
    return mix(x, 3000) ^ 9;
}
static unsigned sum[8];
static void all(void (*work)(int))
{
    std::vector<std::thread> t;

    for (int n = 0; n < 4; n++)
        t.emplace_back(work, n);
    for (auto &x : t)
        x.join();
}
#if WAIT == 1 /* an atomic: one slot */
static std::atomic<int> full{0};
static void work(int n)
{
    for (unsigned i = 0; n == 0 && i < 40; i++) {
        unsigned v = produce(i);

        full.wait(1);
        sum[0] = v;
        full = 1;
        full.notify_one();
    }
    for (unsigned i = 0; n == 1 && i < 40; i++) {
        full.wait(0);
        unsigned v = sum[0];
        full = 0;
        full.notify_one();
        sum[1] += consume(v);
    }
}
#elif WAIT == 2 /* two semaphores: four slots */
static std::counting_semaphore<4> items{0}, room{4};
static unsigned ring[4];
static void work(int n)
{
    for (unsigned i = 0; n == 0 && i < 40; i++) {
        unsigned v = produce(i);

        room.acquire();
        ring[i % 4] = v;
        items.release();
    }
    for (unsigned i = 0; n == 1 && i < 40; i++) {
        items.acquire();
        unsigned v = ring[i % 4];
        room.release();
        sum[1] += consume(v);
    }
}
#elif WAIT == 3 /* a barrier, one thread has more to do */
static std::barrier<> meet(4);
static void work(int n)
{
    for (unsigned k = 0; k < 15; k++) {
        sum[n] += n ? consume(k) : produce(k);
        meet.arrive_and_wait();
    }
}
#elif WAIT == 4 /* a semaphore as a lock */
static std::binary_semaphore lock{1};
static void work(int n)
{
    for (unsigned k = 0; k < 12; k++) {
        sum[n] += consume(k);
        lock.acquire();
        sum[7] += produce(k);
        lock.release();
    }
}
#elif WAIT == 5 /* a flag as a lock */
static std::atomic_flag lock;
static void work(int n)
{
    for (unsigned k = 0; k < 12; k++) {
        sum[n] += consume(k);
        while (lock.test_and_set())
            lock.wait(true);
        sum[7] += produce(k);
        lock.clear();
        lock.notify_one();
    }
}
#else /* epochs that one thread announces, and a latch; one thread waits for a CPU */
static std::atomic<unsigned> epoch{0};
static std::latch done(4);
static void work(int n)
{
    for (unsigned e = 1; e <= 25; e++) {
        for (unsigned now; (now = epoch.load()) < e;)
            epoch.wait(now);
        sum[n] += consume(e);
    }
    done.count_down();
}
static void announce()
{
    for (unsigned e = 1; e <= 25; e++) {
        sum[6] += produce(e);
        epoch.store(e);
        epoch.notify_all();
    }
    done.wait();
}
#endif
int main()
{
#if WAIT == 6
    std::vector<std::thread> t;

    for (int n = 0; n < 4; n++)
        t.emplace_back(work, n);
    announce();
    for (auto &x : t)
        x.join();
#else
    all(work);
#endif
    printf("%d\n", sum[1] + sum[7] != 1);
    return 0;
}
C
cycles() { # cycles OPTION...
    "$simrun" -q --mode=fast --summary=json:"$dir/json" "$@" --root "$dir:/here" --user "$dir/waits" \
        >"$out" 2>"$dir/err" || fail "$*: $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
# judge WAIT CPUS DOUBT: within a tenth of the gain or a fiftieth of all, with that doubt, or, *, any.
judge() {
    powerpc-linux-gnu-g++ -std=c++20 -O2 -g -static -DWAIT=$1 -o "$dir/waits" "$dir/waits.cpp" 2>"$dir/err" ||
        fail "$1: $(cat "$dir/err")"
    rm -rf "$dir/x.exp"
    all=$(cycles --cpus=$2 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
    for function in produce consume; do
        measured=$(cycles --cpus=$2 --what-if "func:$function+=x0.5")
        "$simprof" predict --csv "$dir/x.exp" --what-if "func:$function+=x0.5" >"$dir/csv" 2>"$dir/err" ||
            fail "$1: $(cat "$dir/err")"
        predicted=$(awk -F, 'NR == 3 { print $1 }' "$dir/csv")
        doubt=$(awk -F, 'NR == 3 { print $NF }' "$dir/csv")
        echo "$1 on $2 CPUs, $function: of $all, measured $measured, predicted $predicted $doubt"
        awk -v r="$all" -v m="$measured" -v p="$predicted" 'BEGIN {
            t = (r > m ? r - m : m - r) / 10; if (t < r / 50) t = r / 50
            exit (p > m ? p - m : m - p) > t }' || { [ "$3" = '*' ] && [ "$doubt" ]; } ||
            fail "$1, $function: of $all, measured $measured, predicted $predicted $doubt"
        [ "$3" = '*' ] || is "$1, $function: doubt" "$doubt" "$3"
    done
    "$simprof" causes --csv "$dir/x.exp" | sed -n 2p | grep -q 'produce' ||
        fail "$1: first is $("$simprof" causes --csv "$dir/x.exp" | sed -n 2p)"
}
for wait in 1 2; do
    judge $wait 4 ''
    judge $wait 2 ''
done
judge 3 4 ''
judge 4 4 order
judge 5 4 order
judge 6 4 looks
for wait in 3 4 5; do
    judge $wait 2 '*'
done
exit 0
