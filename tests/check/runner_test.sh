#!/bin/sh
# runner_test.sh - the runner counts right and never calls a failure a pass:
# a pass, a fail, a skip, a hang, a crash and a test that cannot be started; what
# is around it reaches no test.
set -u
dir=$(mktemp -d)
# How long the hanging test sleeps is its name among all processes, since others
# may run this one at the same time.
nap=77.$$
mkdir -p "$dir/tests/some" "$dir/out"
cp tests/run "$dir/tests"
bad=0
script() { # name, text
    printf '#!/bin/sh\n%s\n' "$2" >"$dir/tests/some/$1.sh"
    chmod +x "$dir/tests/some/$1.sh"
}
script good_test 'test -n "$BUILD" && test -d "$TMPDIR"'
script bad_test 'echo why it failed; exit 3'
script skip_test 'echo no oven here; exit 77'
script hang_test "# timeout: 1
(trap '' TERM; exec sleep $nap) & sleep 30"
script crash_test 'kill -SEGV $$'
script slow_all 'true'
script clean_all '
bad=0
wrong() { echo "$*"; bad=1; }
[ -z "${STRAY:-}" ] || wrong a stray variable
[ "$(umask)" = 0022 ] || wrong umask
[ "$HOME" = "$TMPDIR" ] || wrong home
[ ! -e /proc/$$/fd/9 ] || wrong an open file
[ "$(ulimit -c)" = 0 ] || wrong dumps of core
[ "$(ulimit -n)" = 1024 ] || [ "$(ulimit -H -n)" -lt 1024 ] || wrong files
sh -c "kill -HUP \$\$"
[ $? -eq 129 ] || wrong HUP is ignored
sh -c "kill -PIPE \$\$"
[ $? -eq 141 ] || wrong PIPE is ignored
exit $bad'
script plain_test 'true'
chmod -x "$dir/tests/some/plain_test.sh"

expect() { # status, last line, a line that must be there, arguments...
    status_=$1
    last=$2
    line=$3
    shift 3
    BUILD=$dir/out TIMES=1 "$dir/tests/run" "$@" >"$dir/log" 2>&1
    got=$?
    if [ $got -ne "$status_" ] || [ "$(tail -n 1 "$dir/log")" != "$last" ] ||
        ! grep -q -- "$line" "$dir/log"; then
        echo "tests/run $*: status $got, wanted $status_, '$last', '$line':"
        cat "$dir/log"
        bad=1
    fi
}
expect 1 '1 passed, 4 failed' 'why it failed'
expect 1 '1 passed, 4 failed' 'SKIP tests/some/skip_test.sh: no oven here'
expect 1 '1 passed, 4 failed' 'no end after 1 s'
expect 1 '3 passed, 4 failed' '^ok   tests/some/slow_all.sh' --all
expect 0 '1 passed, 0 failed' '^ok   tests/some/good_test.sh' good
expect 1 '0 passed, 1 failed' '^FAIL tests/some/crash_test.sh' crash
expect 0 '1 passed, 0 failed' '1 skipped: ' -bad -hang -crash -plain
# What whoever starts it has around: nothing of that reaches a test.
(
    STRAY=1
    export STRAY
    umask 077
    ulimit -S -n 500
    exec 9</dev/null
    trap '' HUP PIPE
    RUN_CLEAN='' expect 0 '1 passed, 0 failed' '^ok   tests/some/clean_all' \
        --all clean
    exit $bad
) || bad=1
mkdir "$dir/a place"
cp -r "$dir/tests" "$dir/a place"
if BUILD=$dir/a\ place/out "$dir/a place/tests/run" good >"$dir/log" 2>&1 ||
    ! grep -q 'without a space' "$dir/log"; then
    echo "a path with a space is not refused:"
    cat "$dir/log"
    bad=1
fi
# A process that was killed is there until a busy machine gets to it.
naps() {
    cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\0" " " |
        grep -q "sleep 77[.]$$ " # no line of itself
}
tries=0
while naps && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
if naps; then
    echo "a hanging test left something behind:"
    ps -eo pid,ppid,pgid,stat,ni,etimes,args | grep "77[.]$$"
    bad=1
fi
exit $bad
