#!/bin/sh
# pthread_all.sh - the thread programs with which the C library's authors try
# it (mutexes, robust ones too, conditions, barriers, read-write locks,
# semaphores, spin locks, keys, once, cancellation, cleanup, signals) find
# nothing wrong, on 4 processors. They judge themselves; `--direct` keeps them
# from forking first.
# timeout: 3600
. "$(dirname "$0")/../user/real.sh"

real_unpack glibc 2.36-9+deb12u14 glibc_2.36.orig.tar.xz \
    a543c02070d46ccaf866957efd13f10c924daa74c86a90a0254db09a92a708ee
work=$TMPDIR/work
support=$TMPDIR/src/support
mkdir -p "$work/include" "$work/objects"
ln -s "$support" "$work/include/support"
ln -s "$TMPDIR/src/test-skeleton.c" "$work/include/test-skeleton.c"
for name in array_length intprops libc-pointer-arith verify; do
    cp "$TMPDIR/src/include/$name.h" "$work/include"
done
for name in libc-symbols shlib-compat config; do # only for its own build
    : >"$work/include/$name.h"
done

flags="-w -O1 -fexceptions -fno-builtin -D_GNU_SOURCE -D_ISOMAC \
    -DMODULE_NAME=testsuite -DTIMEOUTFACTOR=1 -include stdbool.h \
    -include limits.h -I$work/include -I$support"
compile() { # OBJECT FILE
    # shellcheck disable=SC2086 # flags
    powerpc-linux-gnu-gcc $flags $paths -c -o "$work/objects/$1.o" "$2" 2>&1
}
paths=$(grep -o '[A-Z_]*_PATH' "$support/support_paths.c" | sort -u |
    sed 's/.*/-D&="."/')
# What serves tests of other parts needs more than is here; without it the
# programs below would not link.
for file in "$support"/*.c; do
    case $(basename "$file") in
    tst-*|*container*|links-dso*|*time64*|*-main.c|test-driver.c) ;;
    *) compile "$(basename "$file" .c)" "$file" >"$work/log" ;;
    esac
done
powerpc-linux-gnu-ar rc "$work/support.a" "$work"/objects/*.o || exit 1

programs() {
    for name in _res1 abstime attr1 backtrace1 barrier1 barrier3 barrier4 \
        basic1 basic2 basic5 basic7 call-once cancel-self cancel10 cancel12 \
        cancel14 cancel2 cancel22 cancel23 cancel8 cancelx10 cancelx12 \
        cancelx2 cancelx8 cleanup1 cleanup2 cleanup3 cleanupx1 cleanupx2 \
        cnd-basic cnd-broadcast cnd-timedwait cond-except cond1 cond2 cond3 \
        cond5 cond7 cond8 cond9 cond10 cond11 cond14 cond15 cond19 cond20 \
        cond21 cond23 cond27 detach1 eintr2 eintr3 eintr4 exit1 exit2 exit3 \
        flock1 join1 join2 join3 join4 join5 join6 join14 join15 key1 key2 \
        key3 key4 kill2 kill3 kill5 kill6 locale1 memstream mtx-basic \
        mtx-recursive mtx-timedlock mtx-trylock mutex-errorcheck mutex2 \
        mutex3 mutex5 mutex6 mutex7 mutex7robust mutex11 once1 once2 once3 \
        once4 oncex3 oncex4 oncey3 oncey4 pt-tls1 pt-tls2 \
        pthread-exit-signal pthread-mutexattr pthread-raise-blocked-self \
        pthread_kill-exiting raise1 robust1 robust2 robust3 robust4 robust5 \
        robust6 robust7 robust9 robust10 rwlock1 rwlock5 rwlock13 rwlock14 \
        rwlock16 sem1 sem2 sem5 sem6 sem7 sem8 sem9 sem10 sem14 sem15 sem16 \
        signal4 signal5 signal6 signal8 spin1 spin3 spin4 stack1 stdio1 \
        thrd-detach thrd-sleep timer tsd1 tsd2 tsd5 tss-basic unwind-thread; do
        echo "sysdeps/pthread/tst-$name"
    done
    for name in attr2 cond22 cond26 context1 minstack-cancel minstack-exit \
        pthread-attr-affinity pthread-attr-sigmask rwlock2 rwlock3 rwlock6 \
        rwlock7 rwlock8 rwlock9 rwlock10 rwlock11 rwlock15 rwlock17 rwlock18 \
        sched1 sem17 signal3 stack2 stack3 tsd3 tsd4; do
        echo "nptl/tst-$name"
    done
}

# Two at a time, each in its own directory: "fine NAME", or what it said.
cat >"$work/one" <<'ONE'
name=$(basename "$1")
mkdir "$work/$name" && cd "$work/$name" || exit
# shellcheck disable=SC2086 # flags
powerpc-linux-gnu-gcc $flags -static -pthread -o t "$TMPDIR/src/$1.c" \
    "$work/support.a" -lm -lrt >log 2>&1 ||
    { echo "$1 does not build:"; head -n 3 log; exit; }
timeout -s KILL 300 "$BUILD/simrun" -q --root / --mode=fast --user ./t --direct \
    >log 2>&1 </dev/null
status=$?
if [ $status = 0 ]; then echo "fine $1"; else
    echo "$1: status $status"; tail -n 3 log; fi
rm -f t
ONE
export work flags
programs | xargs -P2 -n1 sh "$work/one" >"$work/verdicts" 2>&1
fine=$(grep -c '^fine' "$work/verdicts")
echo "$fine of $(programs | wc -l) programs found nothing wrong"
grep -v '^fine' "$work/verdicts" && bad=1
[ "$fine" -gt 165 ] || bad=1
exit $bad
