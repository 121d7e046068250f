#!/bin/sh
# holder_test.sh - what a thread does while it has a lock is not told by a sample behind that: nothing that
# it does without the lock is said to be what others wait for. Of a run that was stopped, gains are of what
# it did by then, and it says so.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
cd "$dir" || exit 1
cat >holder.c <<'C'
#include <pthread.h>
#define NOINLINE __attribute__((noipa))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static NOINLINE void with_it(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void without_it(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void *work(void *arg)
{
    for (int i = 0; i < 60; i++) {
        without_it(150 + i % 7 * 20);
        pthread_mutex_lock(&lock);
        with_it(400);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[4];

    (void)argv;
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return argc > 1 ? 200 : 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o holder holder.c || exit 1
arguments=
record() { # record NAME OPTION...: at a sample for about two holds and a half
    name=$1
    shift
    "$simrun" -q --mode=fast --root=.:/here --cpus=4 --record-locks --switch-stacks -e cycles:3000 -f \
        --pmu-trace="$name" "$@" --user ./holder $arguments >/dev/null 2>err
}
record all.exp || fail "$(cat err)"
"$simprof" causes --table=chains --limit=0 --width=400 all.exp >chains || fail "causes"
grep -q 'has, because thread [0-9]* runs in with_it' chains || fail "nothing under the lock: $(cat chains)"
wrong=$(grep -B 1 'waits for the lock.*has, because thread [0-9]* runs in without_it' chains)
wrong=$(echo "$wrong" | sed -n 's/^\([0-9.]*\)%.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
awk -v n="$wrong" 'BEGIN { exit !(n < 5) }' || fail "$wrong % wait for what is done without the lock"

"$simprof" causes all.exp | tr '\n' ' ' | grep -q 'was stopped' && fail "it was not stopped"
arguments=more record status.exp
[ $? = 200 ] || fail "not its own status: $(cat err)"
"$simprof" causes status.exp | tr '\n' ' ' | grep -q 'was stopped' && fail "it ended with a status of its own"
record part.exp --max-cycles=300000
[ $? = 124 ] || fail "not stopped: $(cat err)"
"$simprof" causes part.exp | tr '\n' ' ' | grep -q 'The run was stopped: gain is of what it did by then\.' ||
    fail "causes: $("$simprof" causes part.exp)"
"$simprof" html -o part.html part.exp >/dev/null || fail "html"
grep -q 'in half the time what the run did until it was stopped would be about [0-9.]* % shorter\.' part.html ||
    fail "not on the first screen"
"$simprof" advise part.exp 2>err && fail "advise of a run that was stopped"
grep -q 'did not come to an end by itself' err || fail "advise: $(cat err)"
exit 0
