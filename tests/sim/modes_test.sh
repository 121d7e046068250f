#!/bin/sh
# modes_test.sh - a system call that simrun carries out is the kernel's time:
# cycles of user and supervisor state add up to all, those of system calls are
# not the user's (ANA-35), and every one has its samples, in either tempo.
set -u
cc=powerpc-linux-gnu-gcc
command -v $cc >/dev/null || { echo "$cc is missing"; exit 77; }
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$mode: $*"; bad=1; }

cat >calls.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 2000; i++)
        syscall(SYS_getppid);
    return 0;
}
C
$cc -O2 -static -o calls calls.c || exit 1
for mode in fast detailed; do
    rm -rf x.exp
    env -i "$BUILD/simrun" -q --mode=$mode --cpus=1 -e cycles -e cycles:100:u \
        -e cycles:100:k -e cycles:100 --set syscall_cycles=731 \
        --pmu-trace=x.exp --user ./calls || exit 1
    set -- $(awk '$1 == "count" { print $4, $5 }' x.exp/log)
    [ "$1" = $(($3 + $5)) ] || complain "all $1, user $3, kernel $5"
    [ "$2$4$6$8" = 0000 ] || complain "samples are lost"
    # 2,000 calls of main and a few of the library.
    [ "$5" -gt $((2000 * 731)) ] && [ "$5" -lt $((2040 * 760)) ] ||
        complain "$5 cycles in system calls"
    "$BUILD/simprof" cpi --csv --limit=0 x.exp |
        awk -F, '$1 == "<Total>" && $2 == "system" { print $3 }' >system
    [ "$(cat system)" -le "$5" ] || complain "the account has more: $(cat system)"
    # The events of all samples of a counter, and what is left: what it counted.
    "$BUILD/simprof" export --format=csv x.exp |
        awk -F, 'NR > 1 { n[$6]++; sum[$6] += $7
            if ($6 ~ /#/) state[$8]++
            else bad += $8 != ($6 == "cycles:u" ? "user" : "kernel") }
            END { print sum["cycles:u"], sum["cycles:k"], state["user"], state["kernel"], n["cycles#3"], bad + 0 }' >sums
    read -r user kernel as_user as_kernel all wrong <sums
    [ $(($3 - user)) -lt 120 ] && [ $(($3 - user)) -ge 0 ] || complain "user: $user of $3"
    # Nobody comes back from the last call, exit.
    [ $(($5 - kernel)) -lt $((120 + 731)) ] && [ $(($5 - kernel)) -ge 0 ] || complain "kernel: $kernel of $5"
    [ "$wrong" = 0 ] || complain "$wrong samples of the other state"
    # Samples of all cycles fall into either state as its share is, within 3 %.
    [ $((as_kernel * 100 - all * 100 * $5 / $1)) -lt $((all * 3)) ] &&
        [ $((all * 100 * $5 / $1 - as_kernel * 100)) -lt $((all * 3)) ] ||
        complain "$as_user user, $as_kernel kernel of $all samples"
done
exit $bad
