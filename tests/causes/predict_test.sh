#!/bin/sh
# predict_test.sh - simprof predict says of a recording what simrun --what-if measures:
# nothing changed is the recorded time, to the cycle; the changes of docs/workloads.md
# are within its tolerance where it says so, or in doubt. What is missing or wrong is said.
# CPUS: how many the programs run on (4).
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1

# run PROGRAM CPUS guest|user OPTION...
run() {
    file=$BUILD/workloads/$1
    cpus=$2
    where=$3
    shift 3
    case $where in
    guest)
        "$simrun" -q --mode=fast --cpus=$cpus "$@" --append states=on "$guest" --program "$file"
        ;;
    *) user "$file" --cpus=$cpus "$@" ;;
    esac 2>"$dir/err" </dev/null >"$out" || fail "$file: $(cat "$dir/err")"
}
record() { # record PROGRAM CPUS WHERE [OPTION]
    rm -rf "$dir/x.exp"
    run "$1" "$2" "$3" ${4:---record-locks} -e cycles:1000 --pmu-trace="$dir/x.exp"
    recorded=$(sed -n 's/^end //p' "$dir/x.exp/log")
}
predicted() { # predicted SPEC...: cycles
    for spec in "$@"; do
        set -- "$@" --what-if "$spec"
        shift
    done
    "$simprof" predict --csv "$dir/x.exp" "$@" | sed -n '$s/,.*//p'
}
measured() { # measured PROGRAM CPUS WHERE SPEC
    run "$1" "$2" "$3" --summary=json --what-if "$4"
    sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$dir/err" "$out" | head -n 1
}
# Ten percent of the gain, or two of the time, whichever is more.
near() { # near RECORDED MEASURED PREDICTED
    awk -v r=$1 -v m=$2 -v p=$3 'BEGIN {
        t = (r > m ? r - m : m - r) / 10
        if (t < r / 50)
            t = r / 50
        exit (p > m ? p - m : m - p) > t }'
}
# Sleeps of who tries again and again: what is predicted is the most, which is said.
# Other sleeps, and work, are not of that kind. With --record-locks it is known for what.
at_most() { # at_most SPEC
    "$simprof" predict --csv "$dir/x.exp" --what-if "$1" | awk -F, 'NR == 3 { print $(NF - 1) }'
}
doubt() { # doubt SPEC
    "$simprof" predict --csv "$dir/x.exp" --what-if "$1" | awk -F, 'NR == 3 { print $NF }'
}
record sleep_backoff 4 user
is "sleep_backoff, recorded, its work" "$(doubt func:compute=x0.5)" ""
is "sleep_backoff, recorded" "$(at_most func:back_off+=x0.5)" 1
# Who has a lock first that all try is soon another one: within a tenth.
now=$(measured sleep_backoff 4 user func:compute=x0.5)
foretold=$(predicted func:compute=x0.5)
awk -v r=$recorded -v m=$now -v p=$foretold 'BEGIN {
    off = (p > m ? p - m : m - p) / (r - m)
    exit !(m < r * 0.7 && off < 0.1) }' || fail "sleep_backoff: $now, $foretold predicted"
record sleep_backoff 4 user --switch-stacks
is "sleep_backoff" "$(at_most func:back_off+=x0.5)" 1
is "sleep_backoff, its work" "$(at_most func:compute=x0.5)" 0
is "sleep_backoff, the doubt of its work" "$(doubt func:compute=x0.5)" looks
is "sleep_backoff, its doubt" "$(doubt func:back_off+=x0.5)" polls
"$simprof" predict --width=900 "$dir/x.exp" --what-if func:back_off+=x0.5 |
    grep -q '^That much at most, and maybe nothing: .*cannot be judged' || fail "no word of at most"
# How long a lock is held that others seldom wait for is not in such a recording.
record slow_producer 4 user --switch-stacks
is "slow_producer, hold, without records of locks" "$(doubt hold:items=x0.5)" held
record slow_producer 4 user
[ "$(doubt hold:items=x0.5)" != held ] || fail "slow_producer, hold, with records of locks"
record contended_lock 4 user --switch-stacks
is "contended_lock, hold" "$(doubt hold:ledger_lock=x0.5)" ""
record contended_lock 4 user
is "contended_lock" "$(at_most func:post_to_ledger+=x0.5)" 0
rm -rf "$dir/x.exp"
"$simrun" -q --mode=fast --append "states=on n=8" --switch-stacks --pmu-trace="$dir/x.exp" \
    "$guest" >"$out" 2>&1 || fail "guest: $(cat "$out")"
is "journal_write" "$(at_most func:journal_write+=x0.5)" 0
held=0
while IFS='|' read -r none program spec g2 g4 g8 u2 u4 u8 rest; do
    program=$(echo "$program" | tr -d '` ')
    spec=$(echo "$spec" | sed 's/^ *`//; s/` *$//')
    for at in "2 guest $g2" "4 guest $g4" "8 guest $g8" \
        "2 user $u2" "4 user $u4" "8 user $u8"; do
        set -- $at
        case " ${CPUS:-4} " in *" $1 "*) ;; *) continue ;; esac
        record "$program" $1 $2
        is "$program, $at, nothing changed" "$(predicted)" "$recorded"
        is "$program, $at, played" "$("$simprof" predict --csv --verbose "$dir/x.exp" 2>&1 | grep 'plays as')" ""
        is "$program, $at, factor 1" "$(predicted "${spec%x*}x1")" "$recorded"
        m=$(measured "$program" $1 $2 "$spec")
        p=$(predicted "$spec")
        why=$(doubt "$spec")
        is "$program, $at, no doubt of nothing" "$(doubt "${spec%x*}x1")" ""
        if [ "$3" = yes ] && [ "$why" ]; then
            fail "$program, $at, $spec: in doubt: $why"
        elif near $recorded $m $p; then
            [ "$3" = yes ] && held=$((held + 1))
        elif [ "$3" = yes ] || { [ "$3" = said ] && [ -z "$why" ]; }; then
            fail "$program, $at, $spec: of $recorded, measured $m, predicted $p"
        else
            echo "miss: $program, $at, $spec: of $recorded, measured $m, predicted $p" \
                "${why:+in doubt: $why}"
        fi
    done
done <<T
$(sed -n '/^| `[a-z_]*` | `[a-z:_+]*=x[0-9.]*` |/p' docs/workloads.md)
T
[ $held -ge 12 ] || fail "only $held are within tolerance"

# Why, in words. Threads that had ended have to end, and consumers take items as they come.
record lock_convoy 4 user
is "lock_convoy" "$(doubt func:fair_unlock+=x0.5)" convoy
"$simprof" predict --width=900 "$dir/x.exp" --what-if func:fair_unlock+=x0.5 |
    grep -q '^That may not hold: threads hand something' || fail "no word of a convoy"
record slow_producer 2 guest
is "slow_producer" "$(doubt func:make_item+=x0.5)" order
"$simprof" predict --width=900 "$dir/x.exp" --what-if func:make_item+=x0.5 |
    grep -q '^That may not hold: .* another order' || fail "no word of order"
record rw_starvation 2 guest # a thread spins within a function that takes a lock
is "rw_starvation" "$(predicted)" "$recorded"
record slow_producer 2 user
near $recorded "$(measured slow_producer 2 user func:make_item+=x0)" "$(predicted func:make_item+=x0)" ||
    fail "slow_producer, its consumers: $(predicted func:make_item+=x0)"

# Without records of locks who has one is known only while another thread waits for it.
rm -rf "$dir/x.exp"
user "$BUILD/workloads/slow_producer" --cpus=4 --switch-stacks --pmu-trace="$dir/x.exp" >"$out" 2>&1 ||
    fail "slow_producer: $(cat "$out")"
[ "$(predicted hold:items=x0.5)" -gt $(($(predicted) * 95 / 100)) ] ||
    fail "slow_producer, its queue's lock: $(predicted hold:items=x0.5) of $(predicted)"

# Programs from a seed, in the guest: more is predicted than is taken away; threads meet at the
# kernel's locks; and nothing of that kind, also of who looks again and again at a word.
generated() { # generated SEED DOUBT, or any
    tests/causes/generate $1 >"$dir/one.c" &&
        powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/one" "$dir/one.c" 2>"$dir/err" ||
        fail "seed $1: $(cat "$dir/err")"
    rm -rf "$dir/x.exp"
    "$simrun" -q --mode=fast --cpus="$(sed -n 's/^ \* cpus: //p' "$dir/one.c")" --append states=on \
        --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" "$guest" --program "$dir/one" \
        >"$out" 2>&1 </dev/null || fail "seed $1: $(cat "$out")"
    [ "$2" = any ] || is "seed $1" "$(doubt "$(sed -n 's/^ \* change: //p' "$dir/one.c")")" "$2"
}
generated 36 beyond
"$simprof" predict --width=900 "$dir/x.exp" --what-if 'func:part_7+=x0.5' |
    grep -q '^That may not hold: it is more than' || fail "no word of what is beyond"
# Of which of these programs it is in doubt for that reason is the guest's timing's.
one_of() { # one_of DOUBT SEED...: $spec
    why=$1
    shift
    for seed; do
        generated $seed any
        spec=$(sed -n 's/^ \* change: //p' "$dir/one.c")
        [ "$(doubt "$spec")" != "$why" ] || return
    done
    fail "of no program is it in doubt: $why"
}
one_of plays 48 55 2251 2206
several=$spec
"$simprof" predict --width=900 "$dir/x.exp" --what-if "$several" >"$out"
grep -q '^That may not hold: there are several plays' "$out" &&
    grep -q '^ *cycles  *gain  *of run  plays  *with$' "$out" || fail "plays: $(cat "$out")"
"$simprof" predict --csv "$dir/x.exp" --what-if "$several" |
    awk -F, 'NR == 2 && ($4 != $1 || $5 != $1) || NR == 3 && ($4 >= $1 || $5 <= $1) { exit 1 }' ||
    fail "plays: not least < mean < most"
one_of meets 31 67 33 57 21
generated 3 ""
generated 2020 ""
generated 1006 ""

# Who has been woken comes too late for a lock, again and again, and ends last (12). Who waits for
# an item finds that it need not sleep, and meets the one that put it (43). A call that wakes is
# not made where none waits (15). Another thread comes last to a barrier (2027), or the same one
# (78). Who ends the run waits for a thread that had ended before, but is the last now (84).
close() { # close SEED DOUBT PART: off by less than a part in so many of the run
    generated $1 "$2"
    spec=$(sed -n 's/^ \* change: //p' "$dir/one.c")
    "$simrun" -q --mode=fast --cpus="$(sed -n 's/^ \* cpus: //p' "$dir/one.c")" --append states=on \
        --summary=json --what-if "$spec" "$guest" --program "$dir/one" >"$out" 2>&1 </dev/null ||
        fail "seed $1: $(cat "$out")"
    awk -v r="$(predicted)" -v m="$(sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$out")" \
        -v p="$(predicted "$spec")" -v part=$3 \
        'BEGIN { d = m > p ? m - p : p - m; exit !(d < r / part) }' ||
        fail "seed $1: $spec: $(predicted "$spec") of $(predicted), measured $(cat "$out")"
}
for seed in 12 43 15 78; do
    close $seed "" 50
done
close 2027 any 50
close 84 "" 40

# A function that ends with a jump to another one is in no stack, but where it was called.
cat >"$dir/tail.c" <<'C'
#include <stdio.h>

static __attribute__((noipa)) unsigned mix(unsigned x, unsigned steps)
{
    for (unsigned n = 0; n < steps; n++)
        x = x * 1664525 + 1013904223;
    return x;
}

static __attribute__((noipa)) unsigned write_item(unsigned x)
{
    return mix(x, 9000);
}

int main(void)
{
    unsigned x = 1;

    for (unsigned n = 0; n < 30; n++)
        x = write_item(mix(x, 3000)) + 1;
    printf("%u\n", x);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -o "$dir/tail" "$dir/tail.c" || exit 1
rm -rf "$dir/x.exp"
"$simrun" -q --mode=fast --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" --user "$dir/tail" \
    >"$out" 2>&1 || fail "$(cat "$out")"
measured=$("$simrun" -q --mode=fast --summary=json --what-if func:write_item+=x0.5 --user "$dir/tail" \
    2>&1 | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p')
recorded=$(predicted)
near $recorded $measured "$(predicted func:write_item+=x0.5)" ||
    fail "a tail call: of $recorded $measured measured, $(predicted func:write_item+=x0.5) predicted"
[ "$measured" -lt $((recorded * 4 / 5)) ] || fail "a tail call: $measured of $recorded"

# So it is where it is called through a pointer, if it was seen there; what is called there by
# itself as well, as a table of functions says, is not taken for its.
cat >"$dir/table.c" <<'C'
#include <stdio.h>

static __attribute__((noipa)) unsigned mix(unsigned x)
{
    for (unsigned n = 0; n < 9000; n++)
        x = x * 1664525 + 1013904223;
    return x;
}

static __attribute__((noipa)) unsigned pack_main(unsigned x)
{
    for (volatile unsigned n = 0; n < 500; n++)
        x += n;
    return mix(x);
}

static __attribute__((noipa)) unsigned other_main(unsigned x)
{
    for (volatile unsigned n = 0; n < 2000; n++)
        x ^= n;
    return x;
}

static unsigned (*const table[])(unsigned) = {pack_main, other_main,
#ifdef POINTED
    mix, mix, mix
#endif
};

int main(void)
{
    unsigned x = 1;

    for (unsigned n = 0; n < 40; n++)
        x = table[n % (sizeof table / sizeof *table)](x) + 1;
    printf("%u\n", x);
    return 0;
}
C
for pointed in "" -DPOINTED; do
    powerpc-linux-gnu-gcc -O2 -g -static $pointed -o "$dir/table" "$dir/table.c" || exit 1
    rm -rf "$dir/x.exp"
    "$simrun" -q --mode=fast --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" \
        --user "$dir/table" >"$out" 2>&1 || fail "$(cat "$out")"
    measured=$("$simrun" -q --mode=fast --summary=json --what-if func:pack_main+=x0.5 \
        --user "$dir/table" 2>&1 | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p')
    recorded=$(predicted) is=$(predicted func:pack_main+=x0.5)
    if [ -z "$pointed" ]; then
        near $recorded $measured $is ||
            fail "a tail call by a pointer: of $recorded $measured measured, $is predicted"
        [ "$measured" -lt $((recorded * 7 / 10)) ] || fail "a tail call by a pointer: $measured"
    else
        [ "$is" -ge "$measured" ] || fail "all of mix is pack_main's: $is, measured $measured"
    fi
done

# What runs long without a wait does one thing, then another: each interval tells of itself.
cat >"$dir/long.c" <<'C'
#include <stdio.h>

static __attribute__((noipa)) unsigned mix(unsigned x, unsigned steps)
{
    for (unsigned n = 0; n < steps; n++)
        x = x * 1664525 + 1013904223;
    return x;
}

static __attribute__((noipa)) unsigned pack(unsigned x)
{
    return mix(x, 300000) + 1;
}

static __attribute__((noipa)) unsigned other(unsigned x)
{
    for (volatile unsigned n = 0; n < 100000; n++)
        x ^= n;
    return x;
}

int main(void)
{
    unsigned x = mix(1, 5000);

    for (unsigned n = 0; n < 5; n++)
        x = other(pack(x));
    printf("%u\n", x);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -o "$dir/long" "$dir/long.c" || exit 1
rm -rf "$dir/x.exp"
"$simrun" -q --mode=fast --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" --user "$dir/long" \
    >"$out" 2>&1 || fail "$(cat "$out")"
measured=$("$simrun" -q --mode=fast --summary=json --what-if func:pack+=x0.5 --user "$dir/long" \
    2>&1 | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p')
near "$(predicted)" $measured "$(predicted func:pack+=x0.5)" ||
    fail "one thing, then another: of $(predicted) $measured, $(predicted func:pack+=x0.5) predicted"

# Several specs are one change; a mask that is lifted; a CPU more.
record contended_lock 4 user
[ "$(predicted func:post_to_ledger+=x0.5 func:compute=x0.25)" -lt "$(predicted func:post_to_ledger+=x0.5)" ] ||
    fail "two changes bring less than one"
near $recorded $recorded "$(predicted cpus=+1)" || fail "a CPU more: $(predicted cpus=+1)"
record wrong_affinity 4 user
near $recorded "$(measured wrong_affinity 4 user affinity:all=all)" "$(predicted affinity:all=all)" ||
    fail "no mask: $(predicted affinity:all=all)"

# refuse STATUS PATTERN OPTION...: as simrun does, 125 if the program has not what is asked for
refuse() {
    wanted=$1 pattern=$2
    shift 2
    status=0
    "$simprof" predict "$dir/x.exp" "$@" >"$out" 2>"$dir/err" || status=$?
    is "$*" "$status" "$wanted"
    grep -q "$pattern" "$dir/err" || fail "$*: $(cat "$dir/err")"
}
refuse 125 "no function of that name is in the recording$" --what-if func:no_such=x0.5
refuse 125 "no function of that name is in the recording; did you mean .*compute" --what-if func:comptue=x0.5
refuse 125 "no lock of that name" --what-if hold:no_such=x0.5
refuse 2 "a factor of compute already" --what-if func:compute=x0.5 --what-if func:compute+=x0.4
refuse 2 "give 'func:NAME=xK'" --what-if func:compute=0.5
refuse 2 "give 'func:NAME=xK'" --what-if func:compute=x1001
refuse 2 "another priority changes; simrun --what-if 'priority:all=low' tries it" --what-if priority:all=low
refuse 2 "give cpus=+N or cpus=-N, N from 1 to 7," --what-if cpus=+8
refuse 2 "there would be 0 CPUs" --what-if cpus=-4
boot 2 "work=txn n=10" --pmu-trace="$dir/n.exp"
"$simprof" predict "$dir/n.exp" >"$out" 2>"$dir/err"
[ $? = 125 ] && grep -q "n.exp: no states of threads were recorded" "$dir/err" || fail "no states, no word"
exit 0
