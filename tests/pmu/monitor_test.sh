#!/bin/sh
# monitor_test.sh - the programs of tests/pmu/monitor on simrun: what several
# counters show together, who may read them, what signals the interrupt, when
# it is taken, what SIA, SDA and the counters hold then. Each returns 0 or the
# number of the check that failed; fast_* run in fast mode. Prints a line each.
set -u
CROSS=${CROSS:-powerpc-linux-gnu-}
command -v "${CROSS}gcc" >/dev/null || {
    echo "needs ${CROSS}gcc to assemble the programs"
    exit 77
}
dir=${TMPDIR:-/tmp}/monitor
mkdir -p "$dir"
bad=0
for source in tests/pmu/monitor/*.S; do
    name=$(basename "$source" .S)
    sections=
    for vector in 0700 0900 0C00 0F00; do
        sections="$sections -Wl,--section-start=.v$vector=0x$vector"
    done
    "${CROSS}gcc" -I. -nostdlib -static -mcpu=604 -Wl,--build-id=none \
        -Wl,-Ttext=0x10000 $sections -o "$dir/$name.elf" "$source" || exit 1
    mode=detailed
    case $name in fast_*) mode=fast ;; esac
    "$BUILD/simrun" --mode=$mode --cpus=2 --max-cycles=1000000 "$dir/$name.elf" \
        >"$dir/out" 2>&1
    status=$?
    if [ $status -eq 0 ]; then
        echo "ok   $name"
    else
        echo "FAIL $name: check $status"
        cat "$dir/out"
        bad=1
    fi
done
exit $bad
