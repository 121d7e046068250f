#!/bin/sh
# determinism_test.sh - the same bits, whoever compiled the simulator: two runs
# of one build (at different times, in different directories), a build by the
# other compiler, and by determinism_all.sh one without optimisation, on the same
# guest, give the same console output and byte-identical experiments; another
# seed does not.
# timeout: 600
set -eu
root=$PWD
guest=$BUILD/guest.elf
dir=$(mktemp -d)
other=clang
case ${CC:-gcc} in *clang*) other=gcc ;; esac

run() { # simulator, name, arguments...
    simulator=$1
    name=$2
    shift 2
    mkdir -p "$dir/$name/deeper/$name"
    (cd "$dir/$name/deeper/$name" && "$simulator" "$guest" "$@" \
        --pmu-trace=it.exp >console 2>summary </dev/null) ||
        { echo "$name: status $?"; tail -n 5 "$dir/$name/deeper/$name"/*; exit 1; }
}
same() { # name, as name
    a=$dir/$1/deeper/$1
    b=$dir/$2/deeper/$2
    cmp "$a/console" "$b/console" || { echo "$1, $2: console"; exit 1; }
    diff -r "$a/it.exp" "$b/it.exp" || { echo "$1, $2: experiment"; exit 1; }
}

for mode in detailed fast; do
    set -- --mode=$mode --append "work=txn n=40"
    run "$BUILD/simrun" $mode-first "$@"
    sleep 1 # another second of the host's clock
    run "$BUILD/simrun" $mode-second "$@"
    same $mode-first $mode-second
    [ -s "$dir/$mode-first/deeper/$mode-first/it.exp/idle.rec" ]
done
run "$BUILD/simrun" seeded --set seed=7 --append "work=txn n=40"
if cmp -s "$dir/detailed-first/deeper/detailed-first/it.exp/idle.rec" \
    "$dir/seeded/deeper/seeded/it.exp/idle.rec"; then
    echo "another seed, the same samples: is the seed used?"
    exit 1
fi

# The other compiler and no optimisation, on a run that is short enough.
short="--cpus=2 --append=n=20"
run "$BUILD/simrun" short $short
mkdir -p "$BUILD/other"
flock "$BUILD/other/lock" \
    make -s BUILD="$BUILD/other" CC=$other "$BUILD/other/simrun"
run "$BUILD/other/simrun" other $short
same short other
if [ "${more:-}" ]; then
    mkdir -p "$BUILD/slow"
    make -s BUILD="$BUILD/slow" CC=$other OPT=-O0 "$BUILD/slow/simrun"
    run "$BUILD/slow/simrun" slow $short
    same short slow
fi

# Nothing of this machine is inside, neither a path ...
if grep -rlF -e "$dir" -e "$root/build" -e "$root/guest" \
    "$dir"/detailed-first/deeper/detailed-first/it.exp; then
    echo "a path of this machine is in the experiment"
    exit 1
fi
# ... nor anything that the simulator would have to ask the host for.
if nm -u "$BUILD"/libsim.a "$BUILD"/libpmu.a "$BUILD"/libisa.a \
    "$BUILD"/liblib.a |
    grep -wE 'U (gethostname|uname|getpid|getuid|getenv)' ||
    nm -u "$BUILD"/libsim.a "$BUILD"/libpmu.a "$BUILD"/libisa.a \
    "$BUILD"/liblib.a |
    grep -wE 'U (time|clock_gettime|gettimeofday|getrandom|random|rand)'; then
    echo "a part of the simulator asks the host"
    exit 1
fi
