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

# Memory that nobody has touched can be read, and stays untouched; the oracle
# knows the whole run, although most of it has gone to the disk.
cat >quiet.c <<'E'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

volatile char never[100000];
const char *volatile file;
static volatile long sum;

static __attribute__((noinline)) void look(void)
{
    __asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void work(long times)
{
    for (long i = 0; i < times; i++)
        sum += i;
}

int main(int argc, char **argv)
{
    file = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, open(argv[1], O_RDONLY), 0);
    work(1200000);
    look();
    return never[argc * 5000];
}
E
powerpc-linux-gnu-gcc -g -O1 -static -o quiet quiet.c
printf 'words of a file' >words
place=$(powerpc-linux-gnu-objdump -d quiet | awk '/<work>:/ { in_it = 1 }
    in_it && /bdnz/ { sub(":", "", $1); print $1; exit }')
"$BUILD/simrun" --mode=fast --pmu-trace=quiet-gdb.exp \
    --gdb=unix:"$short/quiet" --user ./quiet words >out 2>&1 </dev/null &
pid=$!
for i in $(seq 200); do
    [ -S "$short/quiet" ] && break
    sleep 0.05
done
timeout 60 gdb-multiarch -nx -batch -ex "target remote $short/quiet" \
    -ex 'x/1db 77777+(char *)&never' -ex 'print sum' -ex 'break look' -ex continue \
    -ex 'x/1db 88888+(char *)&never' -ex 'x/s file' -ex 'x/2xw 0xbff00000' \
    -ex "monitor oracle 0x$place" -ex 'x/1db file+4096' -ex 'kill' quiet \
    >gdb.out 2>&1 </dev/null || :
wait $pid || :
"$BUILD/simrun" --mode=fast --pmu-trace=quiet-alone.exp --user ./quiet words \
    >out 2>&1 </dev/null
[ "$(grep -c '^at ' quiet-alone.exp/log)" -gt 2 ] ||
    { echo "nothing went to the disk early"; exit 1; }
for words in '<never+77777>:.0' '<never+88888>:.0' '= 0$' '"words of a file"' '0xbff00000:' \
    'Cannot access memory' 'since power-on'; do
    grep -q -- "$words" gdb.out ||
        { cat gdb.out; echo "not said: $words"; exit 1; }
done
awk '$1 == "CPU" { sum += $(NF - 1) } END { exit sum < 1200000 }' gdb.out ||
    { cat gdb.out; echo "cycles of the loop are missing"; exit 1; }

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
