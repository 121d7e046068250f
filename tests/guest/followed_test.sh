#!/bin/sh
# followed_test.sh - the guest's driver of sampled instructions and of the
# branch record (docs/pif.md 13). Every record of an instruction that the guest
# wrote is that of the same instruction by the host, which followed all: address,
# stages, cycles, data, what became of it, and as many instructions behind the
# one before as the guest says. Every reading of the branch record has the
# latest taken branches of the execution log. simprof's reports add up to the
# records.
# timeout: 120
set -u
. tests/guest/lib.sh

cat >"$dir/judge.c" <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MAX 3000000
struct rec { uint32_t w[11], cpu; };
static struct rec *host, *guest;
static int same(const struct rec *h, const struct rec *g)
{
    for (int n = 0; n < 9; n++) {
        uint32_t want = n > 2 && h->w[n] > 65535 ? 65535 : h->w[n];
        if ((n ? want : want & 0xFFFF) != (n ? g->w[n] : g->w[0] & 0xFFFF))
            return 0;
    }
    return h->cpu == g->cpu;
}
int main(int argc, char **argv)
{
    FILE *f = fopen(argv[1], "rb");
    unsigned char b[16];
    uint32_t p[1024];
    long hosts = 0, guests = 0, bad = 0, exact = 0;
    (void)argc;
    host = malloc(MAX * sizeof *host);
    guest = malloc(MAX * sizeof *guest);
    if (!f || fseek(f, 32, SEEK_SET))
        return 2;
    while (fread(b, 16, 1, f) == 1) {
        unsigned size = b[0] | b[1] << 8;
        struct rec r = {.cpu = b[3]};
        if (size > 4000 || fread(p, 1, size - 16, f) != size - 16)
            return 2;
        memcpy(r.w, p, sizeof r.w);
        if (r.w[0] & 0x20000)
            guest[guests++] = r;
        else
            host[hosts++] = r;
        if (hosts == MAX || guests == MAX)
            return 2;
    }
    /* Records of a processor are in the order of their ends; the guest's are
     * found in it one behind the other. */
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        long at = 0;
        for (long k = 0; k < guests; k++) {
            if (guest[k].cpu != cpu)
                continue;
            while (at < hosts && !same(&host[at], &guest[k]))
                at++;
            if (at == hosts) {
                printf("CPU %u: record %ld of the guest is not the host's\n", cpu, k);
                bad++;
                break;
            }
            exact += guest[k].w[9] > 0;
        }
    }
    printf("%ld %ld\n", hosts, guests);
    return bad || guests < 100 || exact < guests - 8;
}
C
$CC -O2 -o "$dir/judge" "$dir/judge.c" || fail "no judge"

insns() { # cpus, boot line
    rm -rf "$dir/e.exp"
    boot "$1" "sampler=off $2" --mode=detailed --sample-insns 1 --pmu-trace="$dir/e.exp"
    n=$("$dir/judge" "$dir/e.exp/sampled.rec") || fail "guest and host differ: $n"
    is "records, said and written" "$(sed -n 's/^pif: \([0-9]*\) instructions were followed.*/\1/p' "$out")" \
        "${n#* }"
}
insns 1 "work=calls n=40 pif=insns:61 dither=off"
insns 3 "work=txn n=1 threads=3 pif=insns:400"
# The report of a run in which the host follows none has the guest's.
rm -rf "$dir/e.exp"
boot 2 "work=txn n=2 threads=3 sampler=off pif=insns:100" --pmu-trace="$dir/e.exp"
records=$(sed -n 's/^pif: \([0-9]*\) instructions were followed.*/\1/p' "$out")
above "instructions" "$records" 300
is "instructions in the report" "$("$BUILD/simprof" sampled "$dir/e.exp" --csv --limit=0 |
    awk -F, 'NR > 1 { n += $1 } END { print n }')" "$records"

# The branch record: what is taken while it is not frozen - from the entry of an
# exception to the write of BRC - goes into it, eight at most.
cat >"$dir/branches.awk" <<'AWK'
function hex(s,    n, i) {
    if (s in known)
        return known[s]
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return known[s] = n + 0
}
function keep(c) { # what it was at the freeze
    for (k = 1; k <= 8; k++)
        kept[c, k] = ring[c, top[c] - k + 1]
}
function check(c,    line, want, k) { # the next record of c
    line = record[c, ++read_[c]]
    want = ""
    for (k = 1; k <= 8 && kept[c, k] != ""; k++)
        want = want " " kept[c, k]
    if (line != want) {
        if (++bad < 4)
            print "CPU " c ", reading " read_[c] ":" line ", the log has" want
    }
    checked++
}
FILENAME == "readings" {
    line = ""
    for (f = 7; f + 1 <= 6 + 2 * $6; f += 2)
        line = line " " $f - $f % 4 ">" $(f + 1) - $(f + 1) % 4
    record[$2, ++records[$2]] = line
    stamp[$2, records[$2]] = $4
    next
}
{
    c = $1
    while (read_[c] < records[c] && stamp[c, read_[c] + 1] < $2)
        check(c)
}
$5 == "enter" { # a branch that was last went where the interrupt came
    if (on[c] && !frozen[c]) {
        at = hex(substr($7, 6))
        if (branch[c] && (always[c] || at != branch[c] + 4))
            ring[c, ++top[c]] = branch[c] ">" at
        keep(c)
    }
    frozen[c] = 1
    branch[c] = 0
    next
}
{
    at = hex($4)
    if (branch[c] && (always[c] || at != branch[c] + 4) && on[c] && !frozen[c])
        ring[c, ++top[c]] = branch[c] ">" at
    op = hex(substr($5, 1, 2))
    branch[c] = 0
    if (op >= 64 && op < 68 || op >= 72 && op < 76 || op >= 76 && op < 80 && $6 ~ /^b/)
        branch[c] = at
    # Taken even to the next instruction: swtch returns into thread_entry.
    always[c] = $6 ~ /^(b|bl|ba|bla|blr|blrl|bctr|bctrl)$/
    if ($NF ~ /^brc=/) {
        now = hex(substr($NF, 5))
        if (!on[c] && now >= 2147483648)
            top[c] = 0
        if (!on[c])
            for (k = 0; k < 9; k++)
                ring[c, -k] = ""
        on[c] = now >= 2147483648
        frozen[c] = 0
    }
}
END {
    for (c in records)
        if (read_[c] != records[c]) {
            print "CPU " c ": " records[c] " readings, " read_[c] " checked"
            bad++
        }
    print checked
    exit bad || checked < 30
}
AWK
rm -rf "$dir/e.exp"
boot 2 "work=txn n=1 threads=3 sampler=off trigger=time:2000 pif=branches" \
    --log=exec,int:"$dir/log" --log-from=branches_run --pmu-trace="$dir/e.exp"
records "$dir/e.exp/branches.rec" >"$dir/readings"
said=$(cd "$dir" && awk -f branches.awk readings log) || fail "branches: $said"
is "readings" "$(wc -l <"$dir/readings")" \
    "$(sed -n 's/^pif: the branch record was read \([0-9]*\) times$/\1/p' "$out")"
is "branches in the report" "$("$BUILD/simprof" branches "$dir/e.exp" --csv --limit=0 |
    awk -F, 'NR > 1 { n += $2 } END { print n }')" "$(awk '{ n += $6 } END { print n }' "$dir/readings")"
refused "pif=insns:0" "no such value"
refused "pif=branches:4" "no such value"
exit 0
