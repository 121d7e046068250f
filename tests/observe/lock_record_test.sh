#!/bin/sh
# lock_record_test.sh - --record-locks records every lock that is taken and given back, free
# or not: of a program whose cycles can be counted, to the cycle; of programs of threads
# under --user, with shared libraries and in the guest as often as their source says; and
# nothing else in the experiment or the run is different for it.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1

# run NAME OPTION...: to $dir/NAME.exp
run() {
    name=$1
    line="$*"
    shift
    rm -rf "$dir/$name.exp"
    "$simrun" -q --pmu-trace="$dir/$name.exp" "$@" >"$dir/$name.out" 2>"$dir/err" </dev/null ||
        fail "$(cat "$dir/err")"
}
# Of a lock: taken, waited for, cycles held, longest.
lock() { "$simprof" locks --csv --limit=0 "$dir/$1.exp" | awk -F, -v l="$2" '$NF == l { print $14, $15, $16, $17 }'; }
same() { # same A B: but for what is recorded
    "$simprof" info "$dir/$1.exp" | sed "s/$1\.exp//" | grep -v -e lock -e '^ *archive' >"$dir/a"
    for f in "$dir/$1.exp"/*.rec; do
        [ "${f##*/}" = lock.rec ] || cmp "$f" "$dir/$2.exp/${f##*/}" || fail "$f differs"
    done
    cmp "$dir/$1.out" "$dir/$2.out" || fail "prints something else"
    [ "$(sed -n 's/^end //p' "$dir/$1.exp/log")" = "$(sed -n 's/^end //p' "$dir/$2.exp/log")" ] ||
        fail "another end"
}

# A lock is held from the return of the function that takes it to the entry of the one that
# gives it back: with the three instructions of the call. `plain`: 10 + 3; then 30 + 5 up
# to pthread_cond_wait, and behind that 40 + 3. `deep` once: 3 + 2 (the second call and
# its return) + 2 + 3 + 3 (of the unlock) + 5 + 3. `table`: 20 + 3. `kept`: 7 + 3, to the end;
# the last of the three is the system call, which is over 50 cycles later (syscall_cycles).
powerpc-linux-gnu-gcc -nostdlib -static -mregnames -o "$dir/counted" tests/observe/lock_record.S || exit 1
run counted --mode=fast --cpus=1 --record-locks --user "$dir/counted"
is plain "$(lock counted plain)" "3 0 $((13 + 35 + 43)) 43"
is deep "$(lock counted deep)" "1 0 $((3 + 2 + 2 + 3 + 3 + 5 + 3)) 21"
is table "$(lock counted table)" "1 0 23 23"
end=$(sed -n 's/^end \([0-9]*\).*/\1/p' "$dir/counted.exp/log")
# 3, 24 and 1, 16, 8 and so on: the kind, events, and the cycles from entry to return.
records "$dir/counted.exp/lock.rec" | awk '{ print $5, $8 }' >"$dir/events"
printf '%s\n' '1 2' '3 3' '3 3' '1 2' '1 2' '3 3' '3 3' '2 2' '3 1' '1 2' '3 0' '1 101' '3 3' '1 2' >"$dir/wanted"
cmp "$dir/events" "$dir/wanted" || fail "events: $(tr '\n' ';' <"$dir/events")"
# Behind the three instructions of a call, and the ten and three that follow.
start=$(powerpc-linux-gnu-nm "$dir/counted" | sed -n 's/ T _start$//p')
is caller "$(records "$dir/counted.exp/lock.rec" | awk 'NR < 3 { print $9 }' | tr '\n' ' ')" \
    "$((0x$start + 12)) $((0x$start + 64)) "
taken=$(records "$dir/counted.exp/lock.rec" | awk 'END { print $4 }')
is kept "$(lock counted kept)" "1 0 $((end - taken)) $((end - taken))"

# As often as the source says, free or not: 4 threads of 40 rounds.
line=contended_lock
for where in user guest; do
    case $where in
    user) set -- --user "$BUILD/workloads/contended_lock" ;;
    guest) set -- --append states=on "$guest" --program "$BUILD/workloads/contended_lock" ;;
    esac
    for mode in fast detailed; do
        run "$where-$mode" --mode=$mode --record-locks "$@"
        run plain-run --mode=$mode --switch-stacks "$@"
        same "$where-$mode" plain-run
        set_of=$(lock $where-$mode ledger_lock)
        is "$where, $mode: taken" "${set_of%% *}" 160
        # Each is given back: as many events of both kinds.
        records "$dir/$where-$mode.exp/lock.rec" | awk '
            $5 < 6 { n[$6 " " $7 " " ($5 == 3)]++ }
            END { for (k in n) { o = k; sub(/.$/, 1 - substr(k, length(k)), o)
                if (n[o] != n[k]) print k, n[k], n[o] } }' >"$dir/odd"
        # The guest ends with one of its own held.
        [ "$(wc -l <"$dir/odd")" -le 2 ] || fail "$where, $mode: $(cat "$dir/odd")"
    done
done
# In the kernel a lock is handed over, so one that is taken was waited for once.
"$simprof" locks --csv --limit=0 "$dir/guest-fast.exp" | awk -F, '
    NR > 1 && $18 == 0 { waits += $1; contended += $15; taken += $14 }
    END { print waits - contended, (waits > 0), (taken > contended) }' >"$dir/kernel"
is "the kernel's waits" "$(cat "$dir/kernel")" "0 1 1"

# The functions of a shared library are found where it is mapped.
if [ -e /usr/powerpc-linux-gnu/lib/ld.so.1 ]; then
    powerpc-linux-gnu-gcc -O2 -pthread -I. -o "$dir/shared" guest/work/pthread/contended_lock.c \
        guest/work/pthread/common/load.c || exit 1
    run shared --mode=fast --record-locks --sysroot /usr/powerpc-linux-gnu --user "$dir/shared"
    set_of=$(lock shared ledger_lock)
    is "shared: taken" "${set_of%% *}" 160
fi

# Without functions of locks there is nothing to record, and that is said.
printf '    .globl _start\n_start:\n    li 0, 1\n    sc\n' >"$dir/none.S"
powerpc-linux-gnu-gcc -nostdlib -static -mregnames -o "$dir/none" "$dir/none.S" || exit 1
"$simrun" -q --record-locks -f --pmu-trace="$dir/none.exp" --user "$dir/none" >"$out" 2>"$dir/err"
is "status" $? 125
grep -q "^simrun: --record-locks: none has no function that takes a lock, such as pthread_mutex_lock$" "$dir/err" ||
    fail "$(cat "$dir/err")"
exit 0
