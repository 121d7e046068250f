#!/bin/bash
# types_test.sh - the names of data addresses by DWARF: programs print the
# addresses of variables, elements, members, bit-fields and what unions share,
# with what the compiler calls them; ours are the same, of C and C++, linked
# statically and as PIE, in each version of DWARF and in type units. Damaged
# DWARF is read without harm. simprof memobj says them of samples, where a PIE
# was loaded, too.
# timeout: 200
set -u
CC=${CC:-gcc}
cross=powerpc-linux-gnu-
here=tests/tools/types
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
complain() { echo "$*"; bad=1; }
for tool in gcc g++ nm; do
    command -v "$cross$tool" >/dev/null || { echo "no $cross$tool"; exit 77; }
done
$CC -std=gnu11 -I. -g -o "$dir/names" $here/names.c \
    $(tests/setup/libraries tools) $(grep -q fsanitize "$BUILD/obj/flags" &&
        echo -fsanitize=address,undefined) || exit 1

# program: what it prints, less where it was loaded, are the names
check() { # program least
    local bias=0 at linked
    "$BUILD/simrun" -q --mode=fast --user "$dir/$1" >"$dir/$1.at" ||
        complain "$1: status $?"
    at=$(sed -n 's/^0x\([0-9a-f]*\) \(plain\|geo::shown\)$/\1/p' "$dir/$1.at")
    linked=$("${cross}nm" -C "$dir/$1" | sed -n 's/ . \(plain\|geo::shown\)$//p')
    bias=$(printf %x $((0x${at:-0} - 0x${linked:-0})))
    "$dir/names" "$dir/$1" "$bias" <"$dir/$1.at" >"$dir/$1.names" ||
        complain "$1:" "$(cat "$dir/$1.names")"
    [ "$(sed -n 's/ names$//p' "$dir/$1.names")" -ge "$2" ] ||
        complain "$1: few names"
    case $1 in
    *pie*) [ "$bias" != 0 ] || complain "$1: is not moved" ;;
    esac
}
for how in "static -g" "pie -g -O2" "v4 -gdwarf-4" "v3 -gdwarf-3" \
    "v2 -gdwarf-2 -gstrict-dwarf" "units -g -fdebug-types-section" \
    "packed -g -gz"; do
    set -- $how
    name=$1
    shift
    link=-static
    [ "$name" != pie ] || link=-pie
    "${cross}gcc" $link "$@" -o "$dir/c-$name" $here/data.c || exit 1
    check "c-$name" 44
    case $name in # older ones have no inline variables
    v2 | v3) continue ;;
    esac
    "${cross}g++" -std=c++17 $link "$@" -o "$dir/cc-$name" $here/data.cc ||
        exit 1
    check "cc-$name" 12
done
"${cross}gcc" -static -o "$dir/bare" $here/data.c
"$dir/names" "$dir/bare" 0 <"$dir/c-static.at" | grep -q 'is called nothing' ||
    complain "names without DWARF"

# what begins at an address; and what of the implementation lies within
cat >"$dir/objects.c" <<'END'
#include <pthread.h>
#include <stdio.h>

static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct { int least, most; } items[4];
} queue[3];
static pthread_cond_t turn;
static struct { int spare; pthread_mutex_t mutex; } one;

#define SAY(what, plus, name) \
    printf("0x%lx %s\n", (unsigned long)&(what) + (plus), name)

int main(void)
{
    SAY(queue[0], 0, "queue[0]");
    SAY(queue[2].lock, 0, "queue[2]");
    SAY(queue[2].lock, 8, "queue[2].lock");
    SAY(queue[1].changed, 0, "queue[1].changed");
    SAY(queue[1].changed, 20, "queue[1].changed");
    SAY(queue[1].items, 0, "queue[1].items");
    SAY(queue[1].items[2], 0, "queue[1].items[2]");
    SAY(queue[1].items[2], 4, "queue[1].items[2].most");
    SAY(turn, 12, "turn");
    SAY(one.mutex, 0, "one.mutex");
    return pthread_mutex_lock(&queue[0].lock) + pthread_cond_signal(&turn);
}
END
"${cross}gcc" -static -g -o "$dir/objects" "$dir/objects.c" &&
    "$BUILD/simrun" -q --mode=fast --user "$dir/objects" >"$dir/objects.at" &&
    "$dir/names" "$dir/objects" objects <"$dir/objects.at" >"$dir/out" &&
    grep -q '^10 names' "$dir/out" ||
    complain "what begins there:" "$(cat "$dir/out")"

# damaged
for program in c-static cc-units c-v2; do
    timeout 100 "$dir/names" "$dir/$program" fuzz "${SEED:-1}" 2000 \
        >"$dir/fuzz" || complain "$program, damaged: $?" "$(cat "$dir/fuzz")"
done

# samples
for name in static pie; do
    "$BUILD/simrun" -q -f -e load_completed:53 \
        --pmu-trace="$dir/a.exp" --user "$dir/c-$name" >"$dir/out" ||
        complain "c-$name: status $?"
    "$BUILD/simprof" memobj member --csv --limit=8 "$dir/a.exp" >"$dir/members"
    for member in stats.misses 'matrix\[1\]\[2\]\[3\]' own; do
        grep -q ",\"*$member  CPU 0" "$dir/members" ||
            complain "c-$name: no sample of $member:" "$(cat "$dir/members")"
    done
    "$BUILD/simprof" memobj variable --csv \
        --filters='variable == "stats" and member == "stats.misses"' \
        "$dir/a.exp" >"$dir/variables"
    [ "$(sed 1,2d "$dir/variables" | sed 's/.*,//' | sort -u)" = \
        "stats  CPU 0" ] || complain "c-$name:" "$(cat "$dir/variables")"
    "$BUILD/simprof" memobj line "$dir/a.exp" --csv >"$dir/lines"
    grep -q 'stats.hits..' "$dir/lines" ||
        complain "c-$name: lines" "$(cat "$dir/lines")"
done
exit $bad
