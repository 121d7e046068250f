#!/bin/bash
# traps_test.sh - what interrupts a program is called by what it interrupted:
# signal handlers, the guest's interrupt handlers. System calls cost at the
# instruction that makes them; a sampling interrupt would be taken behind it.
# A program cannot displace the sampler.
# timeout: 120
set -u
cross=${CROSS:-powerpc-linux-gnu-}
command -v "${cross}gcc" >/dev/null || { echo "no ${cross}gcc"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
complain() { echo "$*"; bad=1; }

cat >"$dir/traps.c" <<'C'
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#define F __attribute__((noipa))
static volatile unsigned sink, alarms;
F void work(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
F void on_usr(int n) { (void)n; work(20000); }
F void on_alarm(int n, siginfo_t *i, void *c)
{ (void)n; (void)i; (void)c; alarms++; work(3000); }
F void raises(void) { work(1000); kill(getpid(), SIGUSR1); }
F void leaf_spin(void) { while (alarms < 5) sink++; }
F void calls(void) { for (int i = 0; i < 500; i++) syscall(SYS_getppid); }
F void takes_profiling_over(void)
{
    struct itimerval t = {{0, 1000}, {0, 1000}};
    signal(SIGPROF, SIG_IGN);
    setitimer(ITIMER_PROF, &t, NULL);
    work(20000);
    memset(&t, 0, sizeof t);
    setitimer(ITIMER_PROF, &t, NULL);
}
int main(void)
{
    struct sigaction a = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
    struct itimerval t = {{0, 300}, {0, 300}};
    signal(SIGUSR1, on_usr);
    sigaction(SIGALRM, &a, NULL);
    for (int i = 0; i < 5; i++)
        raises();
    calls();
    setitimer(ITIMER_REAL, &t, NULL);
    leaf_spin();
    memset(&t, 0, sizeof t);
    setitimer(ITIMER_REAL, &t, NULL);
    takes_profiling_over();
    return 0;
}
C
"${cross}gcc" -O1 -g -static -mcpu=604 -o "$dir/traps" "$dir/traps.c" ||
    { echo "the program cannot be built"; exit 77; }
timeout 60 "$BUILD/simrun" --user --cpus=1 -e cycles:11 \
    --pmu-trace="$dir/t.exp" "$dir/traps" >"$dir/console" 2>&1 ||
    { cat "$dir/console"; exit 1; }
prof() { # report, options...
    "$BUILD/simprof" "$@" --csv "$dir/t.exp" >"$dir/out" 2>"$dir/err" ||
        complain "$*: status $?: $(cat "$dir/err")"
}

# ANA-54: a handler without and one with siginfo; what each interrupted.
for pair in on_usr:kill kill:raises on_alarm:leaf_spin; do
    prof csingle ${pair%:*} --metrics=a+cycles
    grep -q "^[1-9][0-9]*,${pair%:*},caller,${pair#*:}\$" "$dir/out" ||
        complain "${pair%:*} is not called by ${pair#*:}: $(cat "$dir/out")"
done
prof functions --metrics=i+cycles --limit=0
main=$(grep ',main$' "$dir/out" | cut -d, -f1)
handler=$(grep ',on_usr$' "$dir/out" | cut -d, -f1)
[ "$handler" -gt 500000 ] && [ "$main" -gt "$handler" ] ||
    complain "main has $main, a handler below it $handler"
# The two instructions that a handler returns to are no function's.
prof csingle '<Unknown>' --metrics=a+cycles
grep -q '^[1-9][0-9]*,<Unknown>,caller,\(kill\|leaf_spin\)$' "$dir/out" ||
    complain "the way back from a handler: $(cat "$dir/out")"

# ANA-55: no sample is missing, whatever the program does with SIGPROF.
prof metrics
awk -F, '$1 == "exact" { all = $4 } $1 == "cycles" { n = $6 }
    END { exit !(n * 11 > all * 0.97 && n * 11 < all * 1.03) }' "$dir/out" ||
    complain "samples are missing: $(cat "$dir/out")"

# ANA-56, ANA-57: 500 system calls of 400 cycles, to the cycle, at the sc.
prof cpi
[ "$(grep '^syscall,system,' "$dir/out" | cut -d, -f3)" -ge 200000 ] &&
    [ "$(grep '^syscall,system,' "$dir/out" | cut -d, -f3)" -lt 200100 ] ||
    complain "system calls cost $(grep '^syscall,system' "$dir/out")"
prof disasm syscall --metrics=e+exact:e+cycles
# ANA-59: the sampled profile shows them one instruction later.
awk -F, '$6 == "sc" { exact = $1; sampled = $2; getline; later = $2 }
    END { exit !(exact > 200000 && sampled < 2000 && later > 150000) }' \
    "$dir/out" || complain "around sc: $(grep -A1 ',sc$' "$dir/out")"

# The guest: its interrupt entry is called by what it interrupted.
timeout 60 "$BUILD/simrun" -q --max-cycles=8000000 -e cycles:500 \
    --pmu-trace="$dir/g.exp" "$BUILD/guest.elf" >"$dir/console" 2>&1
"$BUILD/simprof" csingle trap_entry --csv --metrics=a+cycles "$dir/g.exp" \
    >"$dir/out"
awk -F, '$3 == "caller" { all += $1; $4 ~ /^(<Total>|vectors)$/ || n++
        if ($4 == "<Total>" || $4 == "vectors") lost += $1
        if ($4 == "idle_loop") idle = $1 }
    END { exit !(n >= 4 && idle > all / 2 && lost < all / 50) }' "$dir/out" ||
    complain "trap_entry is not called by what it interrupts: $(cat "$dir/out")"

# On the way there and back, too, whatever it was: one of the latest three
# interrupts of the CPU (they nest) was taken where the stack says.
"$BUILD/simprof" export --format=csv -o "$dir/g.csv" "$dir/g.exp" || complain "CSV"
"${cross}nm" -n "$BUILD/guest.elf" | awk '$2 ~ /[tT]/ { print $1, $3 }' >"$dir/names"
{
    od -A n -v -t u4 -w4 -j 32 "$dir/g.exp/irq.rec" | awk '{ w[NR - 1] = $1 }
        END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
                print int(w[i] / 16777216), w[i + 3] * 4294967296 + w[i + 2], "I", w[i + 5] }'
    awk -F, 'NR > 1 { print $2, $1, "S", $13 }' "$dir/g.csv"
} | sort -s -k1,1n -k2,2n | awk '
    function number(s,  i, v) {
        for (i = 1; i <= length(s); i++)
            v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
        return v
    }
    function name(pc,  low, high, m) {
        low = 1
        high = n
        while (low < high) {
            m = int((low + high + 1) / 2)
            if (at[m] <= pc) low = m
            else high = m - 1
        }
        return of[low]
    }
    FNR == NR { at[++n] = number($1); of[n] = $2; next }
    $3 == "I" { c[$1] = b[$1]; b[$1] = a[$1]; a[$1] = name($4); next }
    { for (i = split($4, f, ";"); i > 0 && f[i] !~ /^trap_(entry|return)$/; i--)
          continue
      if (!i) next
      looked++
      if (f[i - 1] != a[$1] && f[i - 1] != b[$1] && f[i - 1] != c[$1]) {
          wrong++
          print $0, "but", a[$1], b[$1], c[$1]
      } }
    END { exit !(looked > 1000 && wrong * 1000 < looked) }' "$dir/names" - >"$dir/out" ||
    complain "what was interrupted: $(wc -l <"$dir/out") $(head -n 3 "$dir/out")"
exit $bad
