#!/bin/sh
# rerun_test.sh - advise makes runs as the recorded one was: of a program that changes files one at
# a time; in the guest with the RAM disk that is given, beside --program; of functions that C++
# names; with a standard output of the same kind. Runs that end otherwise are told, and their changes count as not tried. A root's gain is
# no more than its own function brings, however deep the rest of the caller's work lies.
# timeout: 100
set -u
. tests/guest/lib.sh
. tests/lib/terminal.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

# Function names as a C++ compiler writes them.
cat >"$dir/job.c" <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define DEEP __attribute__((noipa))

static char how;

static DEEP unsigned mix(unsigned x, int steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static DEEP unsigned sum(unsigned x) { return mix(x, 1000) ^ 1; }
DEEP unsigned pack(unsigned x, int n) __asm__("_ZN4tree4packEji");
DEEP unsigned pack(unsigned x, int n) { return mix(x, n) ^ 2; }
DEEP unsigned pack_all(unsigned x) __asm__("_ZN4tree4packEj");
DEEP unsigned pack_all(unsigned x) { return pack(x, 9000) ^ 9; }
DEEP unsigned walk(unsigned x, int n) __asm__("_ZN4tree4walkEjRKi");
DEEP unsigned walk(unsigned x, int n) { return pack(x, n) ^ 3; }
static DEEP unsigned third(unsigned x) { return walk(x, 12000) ^ 4; }
static DEEP unsigned second(unsigned x) { return third(x) ^ 5; }
static DEEP unsigned first(unsigned x) { return second(x) ^ 6; }
static DEEP unsigned piece(unsigned x) { return first(sum(x)) ^ 7; }
static DEEP unsigned other(unsigned x) { return sum(x) ^ 8; }
static void *work(void *arg)
{
    unsigned *x = arg;

    for (int i = 0; i < 12; i++)
        *x = other(piece(*x));
    return NULL;
}
int main(int argc, char **argv)
{
    unsigned x[3] = {1, 2, 3};
    struct timespec t;
    pthread_t thread[3];

    how = argc > 1 ? *argv[1] : 0;
    if (how == 'w') {
        int fd = open("made", O_CREAT | O_EXCL | O_WRONLY, 0666);

        if (fd < 0 || write(fd, "x", 1) != 1)
            return 3;
    }
    if (how == 'r' && access(argv[2], R_OK))
        return 4;
    x[0] = pack_all(1);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, &x[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (how == 'w')
        unlink("made");
    if (how == 't')
        return t.tv_nsec < atol(argv[2]);
    return x[0] + x[1] + x[2] == 1;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/job" "$dir/job.c" 2>"$dir/err" ||
    fail "$(cat "$dir/err")"
cd "$dir" || exit 1
run() { # run OPTION...: its cycles
    "$simrun" -q --mode=fast --cpus=4 --summary=json:json "$@" >out 2>err </dev/null || fail "$*: $(cat err)"
    sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' json
}
advise() { # advise OPTION...
    "$simprof" advise --pairs=3 "$@" x.exp >text 2>err || fail "advise $*: $(cat err)"
    tr -s ' \n' '  ' <text >line
}
recorded() { # recorded ARGUMENT...
    rm -rf x.exp
    run --record-locks -e cycles:500 -f --pmu-trace=x.exp --user ./job "$@"
}

whole=$(recorded)
is "changes-files" "$(grep -c '^changes-files' x.exp/log)" 0
half=$(run --what-if 'func:_ZN4tree4walkEjRKi+=x0.5' --user ./job)
[ "$half" -lt $((whole * 3 / 4)) ] || fail "$half of $whole"
for name in 'tree::walk(unsigned int, int const&)' 'tree::walk'; do
    is "$name" "$(run --what-if "func:$name+=x0.5" --user ./job)" "$half"
done
run --what-if 'func:tree::pack(unsigned int)+=x0.5' --user ./job >out
"$simrun" -q --mode=fast --what-if 'func:tree::pack+=x0.5' --user ./job >out 2>err
[ $? = 125 ] && grep -q 'func:tree::pack: job has several of that name: give the parameters, too' err ||
    fail "tree::pack: $(cat err)"
"$simrun" -q --mode=fast --what-if 'func:tree::pick=x0.5' --user ./job >out 2>err
[ $? = 125 ] && grep -q 'job has no such function' err || fail "tree::pick: $(cat err)"
advise
grep -q ' func:tree::walk+=x0.5 ' text || fail "no short name: $(cat text)"
grep -q 'func:tree::pack(unsigned int)+=x0.5' text || fail "no whole name: $(cat text)"
grep -q 'did not end as\|one run was made' line && fail "$(cat text)"

# `sum` has two callers, and is a twentieth of piece, three more functions of which come in between.
"$simprof" causes --csv x.exp >csv || fail causes
gain=$(awk -F, '/,mix < sum < piece,|,sum < piece < / { n += $(NF - 1) } END { print n + 0 }' csv)
brings=$("$simprof" predict --csv --what-if func:sum+=x0.5 x.exp | awk -F, 'NR == 3 { print $3 }')
awk -v gain="$gain" -v brings="$brings" 'BEGIN { exit !(brings > 1 && gain > 1 && gain <= brings + 1) }' ||
    fail "sum: $gain, brings $brings: $(cat csv)"

# main makes three threads: a fifth CPU has none.
"$simrun" -q --mode=fast --cpus=5 --switch-stacks -f --pmu-trace=y.exp --user ./job >out 2>err || fail "5 CPUs"
"$simprof" causes y.exp | tr -s ' \n' '  ' | grep -q 'CPUs not yet released, [0-9,]* cycles, are not idle here: 1 of 5 never had a thread\.' ||
    fail "5 CPUs: $("$simprof" causes y.exp)"

# One run at a time, or the file that one makes is in another one's way.
recorded w >out
grep -q '^changes-files yes$' x.exp/log || fail "it makes a file: $(tail -n 3 x.exp/log)"
advise
grep -q 'The program changes files, so one run was made at a time\.' line || fail "$(cat text)"
grep -q 'did not end as' line && fail "$(cat text)"
grep -q '^The cause' text || fail "$(cat text)"

# A program that ends otherwise once it is faster.
recorded t $((whole * 5 * 9 / 10)) >out
advise
grep -q 'With [1-9] of the [1-9] changes runs did not end as the recorded one, so that they count as not tried: the program ended' line ||
    fail "$(cat text)"

# Runs have a standard output of the kind that was recorded, as far as the C library asks.
cat >say.c <<'C'
#include <pthread.h>
#include <stdio.h>
static void *work(void *arg)
{
    for (volatile unsigned i = 0; i < 30000; i++)
        ;
    return arg;
}
int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 20; i++) /* a terminal gets each line by itself */
        puts("said");
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o say say.c 2>err || fail "$(cat err)"
say() { "$simrun" -q --mode=fast --cpus=2 --record-locks -e cycles:500 -f --pmu-trace=x.exp --user ./say; }
for kind in pipe file null; do
    case $kind in
    pipe) say | cat >out ;;
    file) say >out ;;
    null) say >/dev/null ;;
    esac
    advise --limit=1
    ! grep -q "Done again" line || fail "$kind: $(cat text)"
done
if has_terminal; then
    script -qec "'$simrun' -q --mode=fast --cpus=2 --record-locks -e cycles:500 -f --pmu-trace=x.exp --user ./say" \
        /dev/null </dev/null >out || fail "in a terminal"
    advise --limit=1
    grep -q "Done again .*: its standard output was a terminal, and is none now\." line ||
        fail "terminal: $(cat text)"
fi

# In the guest, with a file of a RAM disk.
mkdir -p root/data && echo text >root/data/it || exit 1
rm -rf x.exp
run --append states=on --record-locks -e cycles:500 -f --pmu-trace=x.exp --initrd=root --program ./job \
    "$guest" -- r /data/it >out
"$simprof" advise --pairs=3 x.exp >out 2>err
[ $? = 125 ] && grep -q "does not end as it did; are its files where they were; --with='--initrd=FILE' gives" err ||
    fail "no RAM disk: $(cat err)"
advise --with=--initrd=root
grep -q '[1-9]% *[0-9.]*% *func:tree::walk+=x0.5 ' text || fail "with its RAM disk: $(cat text)"
exit 0
