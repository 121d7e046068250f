#!/bin/sh
# coherent_test.sh - what the system reads and writes of a program's memory is
# seen by the caches: a line that another processor has modified is pushed when
# it is written to a file, and lost when a file is read into it.
set -u
cd "$(dirname "$0")/../.."
bad=0

for tool in powerpc-linux-gnu-gcc gdb-multiarch; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
short=$(mktemp -d /tmp/cohXXXXXX) # a socket's name must be short
trap 'rm -rf "$short"' EXIT
cd "$TMPDIR" || exit 1
cat >lines.c <<'E'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

char line[32] __attribute__((aligned(32)));
static volatile int turn;

__attribute__((noinline)) void mark(void)
{
    __asm__ volatile("" : : : "memory");
}

static void on(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *other(void *a)
{
    on(1);
    *(volatile char *)line = 'x';
    turn = 1;
    while (turn == 1)
        ;
    return a;
}

int main(void)
{
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    pthread_t t;

    on(0);
    pthread_create(&t, NULL, other, NULL);
    while (!turn)
        ;
    mark();
    write(fd, line, sizeof line);
    mark();
    lseek(fd, 0, SEEK_SET);
    read(fd, line, sizeof line);
    mark();
    turn = 2;
    pthread_join(t, NULL);
    return 0;
}
E
powerpc-linux-gnu-gcc -g -O1 -w -static -pthread -o lines lines.c || exit 1
at=0x$(powerpc-linux-gnu-nm lines | sed -n 's/ . line$//p')
timeout 60 "$BUILD/simrun" -q --cpus=2 --gdb=unix:"$short/s" --user ./lines \
    >out 2>&1 </dev/null &
pid=$!
for i in $(seq 200); do
    [ -S "$short/s" ] && break
    sleep 0.05
done
look="-ex continue -ex"
timeout 60 gdb-multiarch -nx -batch -ex "target remote $short/s" \
    -ex 'break mark' $look "monitor cache $at" $look "monitor cache $at" \
    $look "monitor cache $at" -ex continue lines >gdb.out 2>&1 </dev/null
wait $pid || { echo "status $?"; cat out gdb.out; bad=1; }
states=$(sed -n 's/^CPU 1  data \(.\) .*/\1/p' gdb.out | tr -d '\n')
[ "$states" = MSI ] || { echo "CPU 1 has it $states, not MSI"; cat gdb.out; bad=1; }
exit $bad
