#!/bin/sh
# multiarch_test.sh - the stock debugger agrees: gdb-multiarch finds source
# lines, backtraces, threads, registers, breakpoints and watchpoints, and calls
# functions, in a program of one processor and in the guest on four.
# timeout: 300
set -eu
command -v gdb-multiarch >/dev/null || { echo "no gdb-multiarch here"; exit 77; }
dir=$(mktemp -d)
short=$(mktemp -d /tmp/gdbXXXXXX) # a socket's name must be short
trap 'rm -rf "$short"' EXIT

session() { # name, program, options of simrun...; the script is on stdin
    name=$1
    program=$2
    shift 2
    { printf 'set pagination off\nset confirm off\nset width 0\n'
      printf 'target remote %s/%s\n' "$short" "$name"
      cat; } >"$dir/$name.gdb"
    "$BUILD/simrun" --gdb=unix:"$short/$name" "$@" "$program" \
        >"$dir/$name.console" 2>"$dir/$name.summary" </dev/null &
    pid=$!
    for i in $(seq 200); do
        [ -S "$short/$name" ] && break
        sleep 0.05
    done
    timeout 120 gdb-multiarch -nx -batch -x "$dir/$name.gdb" "$program" \
        >"$dir/$name.out" 2>&1 </dev/null || :
    status=0
    wait $pid || status=$?
    out=$dir/$name.out
}
says() { # every argument is a line's pattern, in this order
    awk 'BEGIN { n = ARGC - 1; for (i = 1; i <= n; i++) want[i] = ARGV[i]
                 at = 1; ARGC = 1 }
        at <= n && $0 ~ want[at] { at++ }
        END { if (at <= n) { print "not said: " want[at]; exit 1 } }' \
        "$@" <"$out" || { cat "$out"; exit 1; }
}

cat >"$dir/sum.c" <<'E'
static int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
volatile int total;
static int __attribute__((noinline)) add(int a, int b)
{
    return a + b;
}
int _start(void)
{
    for (int i = 0; i < 8; i++)
        total = add(total, table[i]);
    return total;
}
E
powerpc-linux-gnu-gcc -g -O1 -ffreestanding -nostdlib -static -o "$dir/sum" \
    "$dir/sum.c"

for mode in detailed fast; do
    session one-$mode "$dir/sum" --cpus=1 --mode=$mode <<'E'
break add
continue
print a
print b
backtrace
continue 3
print b
finish
delete
watch total
continue
delete
stepi
x/i $pc
print/x $msr
print $f1 = 1.5
print add(2, 40)
set var total = 100
continue
E
    [ $status -eq 122 ] || { cat "$out"; echo "status $status"; exit 1; }
    # 3 + 1 + 4 are done when add has got 8 and 1; then total becomes 100,
    # and 5 + 9 + 2 + 6 are to come
    says 'Breakpoint 1, add .a=0, b=3.' '^\$1 = 0$' '^\$2 = 3$' \
        '^#0 .*add .a=0, b=3. at .*sum.c:5' '^#1 .*in _start .. at .*sum.c:10' \
        'Breakpoint 1, add .a=8, b=1.' '^\$3 = 1$' 'Value returned is .* = 9$' \
        'atchpoint 2: total' '^Old value = 8$' '^New value = 9$' '^=> 0x' \
        '^\$5 = 0x0$' '^\$6 = 1.5$' '^\$7 = 42$' \
        'Inferior 1 .* exited with code 0172'
done

# The guest: its threads wander over four processors, which gdb sees.
session guest "$BUILD/guest.elf" --cpus=4 --append "work=prodcons n=50" <<'E'
info threads
break cond_wait
continue
backtrace 1
info threads
delete
tbreak queue_put
continue
delete
thread 1
stepi
info registers pc msr srr0 pmc1 ibat0u
info registers pmu
monitor cpus
x/2i $pc
print machine.cpus
print *(int *)0xfe000000
E
[ $status -eq 0 ] || { cat "$out"; echo "status $status"; exit 1; }
says '1 .*Thread 1 .CPU 0, running' '2 .*Thread 2 .CPU 1, parked' \
    '4 .*Thread 4 .CPU 3, parked' 'hit Breakpoint 1, cond_wait' \
    '#0 .*cond_wait' 'Thread 4 .CPU 3, ' 'hit Temporary breakpoint 2, queue_put' \
    '^pc ' '^msr ' '^srr0 ' '^pmc1 ' '^ibat0u ' '^mmcr0 ' '^CPU 3 ' '^=> 0x' \
    ' = 4$' 'Cannot access memory at address 0xfe000000'
grep -q '^PASS' "$dir/guest.console" ||
    { echo "the guest did not end as ever"; tail "$dir/guest.console"; exit 1; }
