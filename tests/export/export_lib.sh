# export_lib.sh - for tests of simprof export; sourced from the root of the
# tree. Makes one experiment, run.exp, and moves to $TMPDIR; complain() notes
# a failure in $bad.
root=$PWD
cd "$TMPDIR" || exit 1
: >spelling # a sed script: names as gprofng has them to ours
simrun=$BUILD/simrun simprof=$BUILD/simprof guest=$BUILD/guest.elf
for file in "$simrun" "$simprof" "$guest"; do
    [ -f "$file" ] || { echo "$file is not built"; exit 77; }
done
export PERF_CONFIG=/dev/null LC_ALL=C
bad=0
complain() {
    echo "$1"
    bad=1
}

need() { # program, package
    command -v "$1" >/dev/null 2>&1 ||
        { echo "no $1 here (package $2)"; exit 77; }
}

# A nap is <napping> here, and in other tools at an address without a name: it is
# left out on both sides (tests/user/naps_test.sh has them).
awake() { # program: in place of it, one that leaves naps out
    mv "$1" "$1.all" 2>/dev/null || ln -s "$simprof" "$1.all"
    cat >"$1" <<END
#!/bin/sh
case " \$* " in
*--filters*|*" tree "*|" info "*|" idle "*|*--help*) exec "$PWD/$1.all" "\$@" ;;
*) exec "$PWD/$1.all" "\$@" --filters='!napping' ;;
esac
END
    chmod +x "$1"
}
[ -n "${NAPS:-}" ] || { awake simprof && simprof=$PWD/simprof; }

make_run() {
    timeout -s KILL 300 "$simrun" -q -e cycles:${NAPS:-8000} -e dcache_miss:100 \
        --append "work=txn n=40" --pmu-trace=run.exp "$guest" >console 2>&1 \
        </dev/null || { cat console; exit 1; }
    "$simprof" export --format=csv -o run.csv run.exp || exit 1
    [ "$(wc -l <run.csv)" -gt 600 ] || { echo "too few samples"; exit 1; }
}

# Events of a counter by function, "EVENTS NAME", from the CSV.
functions_of() { # counter, CSV
    awk -F, -v counter="$1" 'NR > 1 && $6 == counter { sum[$12] += $7 }
        END { for (f in sum) print sum[f], f }' "$2" | sort
}

# A simprof that differs from ours by one edit of a file of tools/analysis, as
# ./twin. The edit must find its place.
make_twin() { # file, sed script
    sed "$2" "$root/$1" >twin.c
    cmp -s twin.c "$root/$1" && { complain "twin: $2 changes nothing"; return; }
    (cd "$root" && $CC -std=gnu11 -I. -w -c -o "$TMPDIR/twin.o" \
        "$TMPDIR/twin.c" && $CC -o "$TMPDIR/twin" \
        $(tests/setup/sources c tools/simprof |
            sed "s,^,$BUILD/obj/,; s,c\$,o,") \
        "$TMPDIR/twin.o" $(tests/setup/libraries tools)) || exit 1
    [ -n "${NAPS:-}" ] || awake twin
}
