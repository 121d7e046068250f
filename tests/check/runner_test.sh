#!/bin/sh
# runner_test.sh - the runner counts right and never calls a failure a pass:
# a pass, a fail, a skip, a hang, a crash and a test that cannot be started.
set -u
dir=$(mktemp -d)
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
script hang_test '# timeout: 1
(trap "" TERM; exec sleep 77.25) & sleep 30'
script crash_test 'kill -SEGV $$'
script slow_all 'true'
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
expect 1 '2 passed, 4 failed' '^ok   tests/some/slow_all.sh' --all
expect 0 '1 passed, 0 failed' '^ok   tests/some/good_test.sh' good
expect 1 '0 passed, 1 failed' '^FAIL tests/some/crash_test.sh' crash
expect 0 '1 passed, 0 failed' '1 skipped: ' -bad -hang -crash -plain
if cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\0" " " |
    grep -q "sleep 77[.]25"; then
    echo "a hanging test left something behind"
    bad=1
fi
exit $bad
