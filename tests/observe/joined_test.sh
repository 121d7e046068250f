#!/bin/sh
# joined_test.sh - a stack goes on from a kernel's, over the exception, to that
# of the user code which called it, at every instruction of both and of the
# entry and the way back, however the kernel enters.
# The program begins where vectors end.
# timeout: 60
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc powerpc-linux-gnu-nm; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
functions="_start main ua ub ucall vector entry trap ksys kwork ksub"
for style in 1 2 3 4; do
    powerpc-linux-gnu-gcc -I. -DSTYLE=$style -O2 -mcpu=604 -ffreestanding \
        -fno-pic -msoft-float -nostdlib -static -Wl,-Ttext=0x16b0 \
        -Wl,--section-start=.vectors=0xc00 \
        -Wl,-e,_start -Wl,--no-warn-rwx-segments -Wl,-z,noexecstack \
        -o "$dir/joined" tests/observe/joined.S tests/observe/joined.c || exit 1
    powerpc-linux-gnu-nm -n "$dir/joined" |
        awk '$2 ~ /[tT]/ { print $1, $3 }' >"$dir/names"
    chain="_start main ua ub ucall entry trap ksys kwork"
    nested=
    [ $style = 3 ] && nested=" kcall entry trap ksub"
    marks=
    for f in $functions ${nested:+kcall}; do
        marks="$marks --mark func:$f=interrupt"
    done
    rm -rf "$dir/e.exp"
    # shellcheck disable=SC2086 # options are words
    timeout 50 "$simrun" -q --cpus 1 --mode=fast $marks \
        --pmu-trace="$dir/e.exp" "$dir/joined"
    is "$style: exit status" $? 0
    records "$dir/e.exp/trap.rec" |
        awk -f tests/unwind/stacks.awk "$dir/names" - >"$dir/stacks"
    awk -v chain="$chain$nested" '
        { at = $1; seen[$NF]++; sub(/^[^ ]* /, "") }
        { sub(/ vector$/, " entry") } # the first steps of it
        index(chain " ", $0 " ") != 1 { print at, $0 }
        END {
            n = split(chain " vector", all, " ")
            for (k = 1; k <= n; k++)
                if (!(all[k] in seen))
                    print "nothing in " all[k]
        }' "$dir/stacks" >"$dir/wrong"
    [ -s "$dir/wrong" ] && fail "style $style: $(head -n 9 "$dir/wrong")"
done
exit 0
