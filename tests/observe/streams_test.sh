#!/bin/bash
# streams_test.sh - the data address of a sample is that of the access that
# caused the event. tests/observe/streams.c reads and writes several arrays; the
# function that an event's instruction is in says which of them, and the code
# how often. With skid and without, as a Linux program (its pages are elsewhere
# in memory) and without an operating system. A snoop's is the other
# processor's. Cycles have none. timeout: 240
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/sim/lib.sh
simprof=$BUILD/simprof
nm=${cc%gcc}nm
"$cc" -O2 -static -mmultiple -fno-pie -DUSER -o "$dir/user" \
    tests/observe/streams.c || fail "streams.c is no program"
build streams -mmultiple -fno-pie

# Every sample of csv $1 as: counter, function of its instruction, array ("-":
# neither, "": it has no address), address, physical; symbols of program $2.
places() {
    "$nm" -n "$dir/$2" | grep -i ' [tbd] ' | tr ' ' , >"$dir/symbols"
    awk -F, '
    function place(a, i, low, high) {
        low = 1
        high = n
        while (low < high) {
            i = int((low + high + 1) / 2)
            if (at[i] <= a) low = i; else high = i - 1
        }
        return name[low] ~ known ? name[low] : "-"
    }
    BEGIN { known = "^(load|store|multiple|cross|reserve|touch|loaded|stored" \
                    "|many|moved|crossed|reserved|touched|hits)$" }
    NR == FNR { at[++n] = "0x" $1; name[n] = $3; next }
    FNR > 1 { print $6, place($10), $11 == "" ? "none" : place($11),
              $11, $14 }' "$dir/symbols" "$dir/$1"
}

# Of which arrays may an event of a function be? What is dispatched on a wrong
# path accesses nothing. dcbz asks for no line, but the search of its page for
# those of the page table.
cat >"$dir/rules" <<'RULES'
dcache_miss load loaded
dcache_miss store stored
dcache_miss multiple many moved
dcache_miss cross crossed
dcache_miss reserve reserved
dcache_miss touch touched
load_shared touch
load_miss_threshold load loaded
load_miss_threshold cross crossed
load_miss_threshold reserve reserved
store_miss_threshold store stored
load_completed load loaded hits
load_completed store hits
load_completed multiple many hits
load_completed cross crossed hits
load_completed reserve reserved hits
load_completed touch touched hits
store_queued store stored hits
store_queued multiple moved hits
store_queued reserve hits
store_queued touch hits
castout_write load loaded
castout_write store stored
castout_write multiple many moved
castout_write cross crossed
castout_write reserve reserved
castout_write touch touched
unaligned_load cross crossed
stwcx_success reserve reserved
reserve_request reserve reserved
load_miss_cycles load loaded
load_miss_cycles cross crossed
load_miss_cycles reserve reserved
lsu_dispatched load loaded hits none
lsu_dispatched store stored hits none
lsu_dispatched touch touched hits none
dtlb_miss load loaded hits
dtlb_miss store stored hits
dtlb_miss multiple many moved hits
dtlb_miss cross crossed hits
dtlb_miss reserve reserved hits
dtlb_miss touch touched hits
cycles load none
cycles store none
cycles touch none
int_completed load none
RULES

judge() { # csv, program
    places "$1" "$2" >"$dir/placed"
    [ "$(wc -l <"$dir/placed")" -gt 2000 ] || fail "$1: too few samples"
    # Loops save what they use on the stack: a few samples may be of that.
    awk -v file="$1" '
    NR == FNR { known[$1, $2]; for (i = 3; i <= NF; i++) may[$1, $2, $i]
                next }
    ($1, $2) in known {
        all[$1, $2]++
        if (!(($1, $2, $3) in may)) bad[$1, $2]++
        seen[$1, $2, $3]++
    }
    END {
        for (k in all)
            if (bad[k] > 2 && bad[k] * 50 > all[k]) {
                split(k, part, SUBSEP)
                printf "%s: %s of %s: %d of %d are of something else\n",
                    file, part[1], part[2], bad[k], all[k]
                status = 1
            }
        exit status
    }' "$dir/rules" "$dir/placed" >"$dir/out" || fail "wrong data"
}

for way in bare precise user; do
    program=streams.elf
    how=
    case $way in
    precise) how="--set pmi_precise=1" ;;
    user) how=--user program=user ;;
    esac
    for events in \
        "dcache_miss load_completed cycles castout_write load_shared" \
        "load_miss_cycles unaligned_load store_queued stwcx_success" \
        "reserve_request lsu_dispatched dtlb_miss int_completed" \
        "load_miss_threshold store_miss_threshold insn_dispatched"; do
        rm -rf "$dir/s.exp"
        # shellcheck disable=SC2086
        run 0 -q --cpus=1 $(for e in $events; do
            case $e in
            dtlb_miss) echo "-e $e:1" ;;
            cycles | load_completed | lsu_dispatched) echo "-e $e:301" ;;
            *) echo "-e $e:37" ;;
            esac
        done) --pmu-trace=s.exp $how $program
        "$simprof" export --format=csv "$dir/s.exp" >"$dir/$way.csv"
        case $events in
        dcache*) cp "$dir/$way.csv" "$dir/miss.csv" ;;
        esac
        judge $way.csv $program
    done
    # Each array has 8192 lines, which miss once a pass: 442 samples of 37.
    places miss.csv $program | awk '
    $1 == "dcache_miss" { n[$3]++ }
    END {
        split("loaded stored many moved crossed reserved", array, " ")
        for (i in array)
            if (n[array[i]] < 420 || n[array[i]] > 465)
                print array[i] ": " n[array[i]] " samples"
        if (n["hits"] > 3 || n["touched"] > 3)
            print "hits " n["hits"] ", touched " n["touched"]
    }' >"$dir/out"
    [ ! -s "$dir/out" ] || fail "$way: dcache_miss is not spread as it was"
done

# Two threads write an array of their own each, and one together: what snoops
# find in the other's cache is of that one.
cat >"$dir/shared.c" <<'C'
#include <pthread.h>
volatile unsigned own[2][4096] __attribute__((aligned(4096)));
volatile unsigned shared[4096] __attribute__((aligned(4096)));
static void *work(void *p)
{
    volatile unsigned *mine = p;

    for (int pass = 0; pass < 20; pass++)
        for (int i = 0; i < 4096; i += 8) {
            mine[i]++;
            shared[i]++;
        }
    return p;
}
int main(void)
{
    pthread_t other;

    pthread_create(&other, 0, work, (void *)own[1]);
    work((void *)own[0]);
    return pthread_join(other, 0);
}
C
"$cc" -O2 -static -pthread -o "$dir/shared" "$dir/shared.c" || fail "shared.c"
run 0 -q --cpus=2 -e snoop_hit:7 -e snoop_push:5 -e snoop_received:11 \
    --pmu-trace=h.exp --user shared
"$simprof" export --format=csv "$dir/h.exp" >"$dir/h.csv"
from=$("$nm" "$dir/shared" | sed -n 's/ . shared$//p')
end=$(printf '0x%08x' $((0x$from + 4096 * 4)))
awk -F, -v from="0x$from" -v end="$end" '
    FNR > 1 { all[$6]++
              none[$6] += $11 == ""
              there[$6] += $11 >= from && $11 < end }
    END {
        for (e in all)
            print e, all[e], there[e], none[e]
        exit !(all["snoop_hit"] > 300 && all["snoop_push"] > 300 &&
               there["snoop_hit"] * 100 > all["snoop_hit"] * 90 &&
               there["snoop_push"] * 100 > all["snoop_push"] * 90 &&
               none["snoop_received"] * 100 < all["snoop_received"])
    }' "$dir/h.csv" >"$dir/out" || fail "snoops of something else"
