#!/bin/sh
# user_test.sh - the debugger on a Linux program under --user: threads on four
# processors are found at breakpoints and watchpoints, stepped, and left alone:
# the experiment is the one of the run without a debugger.
# timeout: 300
set -eu
command -v gdb-multiarch >/dev/null || { echo "no gdb-multiarch here"; exit 77; }
short=$(mktemp -d /tmp/gdbXXXXXX) # a socket's name must be short
trap 'rm -rf "$short"' EXIT
cd "$(mktemp -d)"

cat >four.c <<'E'
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void *work(void *much)
{
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&lock);
        sum += (long)much;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[4];

    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("%ld\n", sum);
    return sum == 3000 ? 7 : 1;
}
E
powerpc-linux-gnu-gcc -g -O1 -static -pthread -o four four.c

# A program that dies stops once more, where it died.
cat >deep.c <<'E'
static int deep(volatile int *at, int more)
{
    return more ? deep(at, more - 1) + 1 : *at;
}

int main(void)
{
    return deep((int *)0x10, 3);
}
E
powerpc-linux-gnu-gcc -g -O0 -static -o deep deep.c
"$BUILD/simrun" --gdb=unix:"$short/deep" --user ./deep >out 2>&1 </dev/null &
pid=$!
for i in $(seq 200); do
    [ -S "$short/deep" ] && break
    sleep 0.05
done
timeout 60 gdb-multiarch -nx -batch -ex "target remote $short/deep" \
    -ex continue -ex backtrace -ex 'print at' -ex continue deep >gdb.out 2>&1 \
    </dev/null || :
status=0
wait $pid || status=$?
[ $status -eq 139 ] || { cat gdb.out out; echo "status $status"; exit 1; }
for words in 'received signal SIGSEGV' '#0  0x' '#3 ' '#4 ' \
    '(volatile int *) 0x10' 'terminated with signal SIGSEGV'; do
    grep -qF "$words" gdb.out ||
        { cat gdb.out; echo "not said: $words"; exit 1; }
done

for mode in detailed fast; do
    status=0
    "$BUILD/simrun" --mode=$mode --pmu-trace=$mode-alone.exp --user ./four \
        >alone 2>&1 </dev/null || status=$?
    [ $status -eq 7 ] || { echo "$mode: status $status"; cat alone; exit 1; }
    "$BUILD/simrun" --mode=$mode --pmu-trace=$mode-gdb.exp \
        --gdb=unix:"$short/$mode" --user ./four >debugged 2>stderr </dev/null &
    pid=$!
    for i in $(seq 200); do
        [ -S "$short/$mode" ] && break
        sleep 0.05
    done
    cat >script <<E
set pagination off
set width 0
target remote $short/$mode
break work
continue
continue
backtrace
info threads
stepi 50
delete
watch sum
continue
continue
continue
thread 2
stepi 20
delete
break pthread_mutex_unlock
continue 20
delete
print sum
continue
E
    timeout 120 gdb-multiarch -nx -batch -x script four >gdb.out 2>&1 \
        </dev/null || :
    status=0
    wait $pid || status=$?
    [ $status -eq 7 ] || { cat gdb.out stderr; echo "status $status"; exit 1; }
    for words in 'hit Breakpoint 1, work (much=0x1)' \
        'hit Breakpoint 1, work (much=0x2)' 'at four.c:8' \
        'hit Hardware watchpoint 2: sum' 'hit Breakpoint 3' \
        'exited with code 07'; do
        grep -qF "$words" gdb.out ||
            { cat gdb.out; echo "$mode: not said: $words"; exit 1; }
    done
    cmp alone debugged
    diff -r $mode-alone.exp $mode-gdb.exp
done
