#!/bin/sh
# vectors_all.sh - the vectors of Berkeley TestFloat (from QEMU's source
# package): add, subtract, multiply, divide, fused, conversions, compares, in
# four rounding modes, give on the processor the result and the exceptions
# that they say. Fast mode takes every 5th, detailed every 100th.
# timeout: 1800
. "$(dirname "$0")/../user/real.sh"

archive=$("$here/fetch" qemu 1:7.2+dfsg-7+deb12u18 qemu_7.2+dfsg.orig.tar.xz \
    91aca71520040edc40b8d437aa3004dae614f58e286cf653ee8996c07af2962f \
    2>"$TMPDIR/fetch.err") || {
    status=$?
    cat "$TMPDIR/fetch.err"
    exit $status
}
mkdir "$TMPDIR/src"
tar -xJf "$archive" -C "$TMPDIR/src" --strip-components=3 \
    --wildcards '*/tests/fp/berkeley-*' || exit 1
real_build make -C berkeley-softfloat-3/build/Linux-x86_64-GCC -j2
real_build make -C berkeley-testfloat-3/build/Linux-x86_64-GCC testfloat_gen
generate=$TMPDIR/src/berkeley-testfloat-3/build/Linux-x86_64-GCC/testfloat_gen
powerpc-linux-gnu-gcc -O2 -mcpu=604e -static -o "$TMPDIR/vectors" \
    tests/conform/vectors.c || exit 1

# A line: what it is for vectors.c, options, list. Conversions are few; the
# fused ones six million a mode.
lists() {
    for op in add sub mul div; do
        echo "f32_$op - 1 f64_$op - 1"
    done
    for op in lt le lt_quiet le_quiet eq; do
        echo "f32_$op - 1 f64_$op - 1"
    done
    echo "f32_mulAdd - 80 f64_mulAdd - 80"
    echo "f32_to_i32 -exact 0 f64_to_i32 -exact 0 f64_to_f32 - 0"
}
vectors() { # every how many
    for mode in near_even:0 minMag:1 max:2 min:3; do
        for list in $(lists | tr ' ' ,); do
            echo "$list" | tr , '\n' | paste - - - |
                while read -r name flag step; do
                    [ "$flag" = - ] && flag=
                    echo "= $name ${mode#*:}"
                    # shellcheck disable=SC2086 # perhaps none
                    "$generate" "-r${mode%:*}" -tininessbefore $flag "$name" |
                        awk -v n=$(($1 * step)) 'n == 0 || NR % n == 0'
                done
        done
        for name in f32_to_i32 f64_to_i32; do
            echo "= ${name}_z ${mode#*:}"
            "$generate" -rminMag -exact $name
        done
    done
}

for pair in fast:5 detailed:100; do
    vectors ${pair#*:} >"$TMPDIR/vectors.txt"
    "$BUILD/simrun" -q --mode=${pair%:*} --user "$TMPDIR/vectors" \
        <"$TMPDIR/vectors.txt" >"$TMPDIR/out" || bad=1
    cat "$TMPDIR/out"
    awk -v mode=${pair%:*} 'END { exit !($1 > (mode == "fast" ? 600000 : 40000)) }' \
        "$TMPDIR/out" || { echo "fewer vectors than expected"; bad=1; }
done
exit $bad
