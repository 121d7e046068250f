#!/bin/sh
# variation_test.sh - jitter holds instructions, so that a race that
# the steady machine never shows is seen; layout moves stack, heap, mappings and
# frames. Each seed gives one run, the same every time, with the memo or without;
# 0 gives the run that there is without the knob.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
cat >"$dir/race.c" <<'C'
#include <pthread.h>
#include <stdio.h>
/* Three threads add to one variable without a lock. */
static volatile int begun, sum;
static void *add(void *p)
{
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    while (begun < 3)
        ;
    for (int i = 0; i < 300; i++) {
        sum++;
        for (volatile int k = 0; k < (long)p; k++)
            ;
    }
    return p;
}
int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, add, (void *)(i + 3));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    printf("%d\n", sum);
    return 0;
}
C
cat >"$dir/where.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char *m = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *h;
    int n;
    for (n = 0; n < 3000000; n += 4096) { /* pages of many frames */
        h = malloc(4096);
        memset(h, n >> 12, 4096);
        if (h[0] != (char)(n >> 12) || h[4095] != h[0] || m[n & 4095])
            return 1;
    }
    printf("%p %p %p\n", (void *)argv, sbrk(0), (void *)m);
    return argc != 1;
}
C
for program in race where; do
    powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/$program" \
        "$dir/$program.c" || exit 1
done

${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1

# run NAME OPTION... PROGRAM: output and experiment, of that name.
run() {
    name=$1
    shift
    "$simrun" -q --pmu-trace="$dir/$name.exp" "$@" >"$dir/$name.out" ||
        fail "$name: status $?"
}
alike() { # NAME NAME: all but the knobs that the log names
    diff -r -x log "$dir/$1.exp" "$dir/$2.exp" >/dev/null &&
        cmp -s "$dir/$1.out" "$dir/$2.out"
}
run plain --user "$dir/race"
run seed --set jitter_seed=7 --set jitter_every=2 --user "$dir/race"
alike plain seed || fail "without jitter its seed changes the run"
is "the race without jitter" "$(cat "$dir/plain.out")" 900
seen=
for seed in 1 2 3; do
    run j$seed --set jitter=20 --set jitter_seed=$seed --user "$dir/race"
    [ "$(cat "$dir/j$seed.out")" -lt 900 ] || fail "seed $seed shows no race"
    seen="$seen $(cat "$dir/j$seed.out")"
done
[ "$(echo $seen | tr ' ' '\n' | sort -u | wc -l)" -gt 1 ] ||
    fail "all seeds are one: $seen"
run again --memo=off --set jitter=20 --set jitter_seed=3 --user "$dir/race"
diff -r "$dir/j3.exp" "$dir/again.exp" >/dev/null || fail "a seed gives two runs"
# In fast mode the same, whichever engine runs it.
for seed in 1 2; do
    for engine in blocks interpreter; do
        run f$seed$engine --mode=fast --engine=$engine --set jitter=20 \
            --set jitter_every=100 --set jitter_seed=$seed --user "$dir/race"
    done
    diff -r "$dir/f${seed}blocks.exp" "$dir/f${seed}interpreter.exp" >/dev/null ||
        fail "fast, seed $seed: engines differ"
done
alike f1blocks f2blocks && fail "fast: two seeds give one run"
run most --set jitter=1 --set jitter_every=1 --user "$dir/race"

# Layout. Frames are mixed, and each is used once: the program checks its pages.
run l0 --mode=fast --set layout=0 --user "$dir/where"
run none --mode=fast --user "$dir/where"
alike l0 none || fail "layout=0 is not what there was"
for seed in 1 2 3; do
    run l$seed --mode=fast --set layout=$seed --user "$dir/where"
    cat "$dir/l$seed.out" >>"$dir/places"
done
cat "$dir/none.out" >>"$dir/places"
for place in 1 2 3; do
    is "places of kind $place" \
        "$(cut -d' ' -f$place "$dir/places" | sort -u | wc -l)" 4
done
run l3b --mode=fast --set layout=3 --user "$dir/where"
diff -r "$dir/l3.exp" "$dir/l3b.exp" >/dev/null || fail "a layout gives two runs"
end() { sed -n 's/^end //p' "$dir/$1.exp/log"; }
for seed in 0 1 2; do
    run d$seed --set layout=$seed --user "$BUILD/workloads/contended_lock" 3 2
    end d$seed >>"$dir/ends"
done
[ "$(sort -u "$dir/ends" | wc -l)" -gt 1 ] || fail "no layout changes a cycle"
"$simrun" -q --mem=8M --set layout=5 --mode=fast --user "$dir/where" >/dev/null ||
    fail "in little memory: status $?"
for knob in layout user_disk; do
    "$simrun" --set $knob=1 "$BUILD/guest.elf" >/dev/null 2>"$dir/err" && fail "$knob without --user"
    grep -q "^simrun: --set $knob: .*--user; --" "$dir/err" || fail "$knob: $(cat "$dir/err")"
done
exit 0
