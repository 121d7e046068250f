#!/bin/sh
# gmp_all.sh - GMP's loops for the 604e, as Debian's source has them, take about
# as many cycles a limb as their authors measured on one: each file's comment
# has its figure, on the line "604e:". Prints the table of docs/timing.md.
# timeout: 900
#
# diveby3 suggested that a multiply takes two cycles and that a store starts
# without its datum; mod_34lsub1 and mode1o, that a carry can be read the cycle
# behind its completion and no other result so late. The others suggested
# nothing and judge. The file of add_n is newer than the loop that was measured
# ("old: 3.25").
. "$(dirname "$0")/../user/real.sh"

command -v m4 >/dev/null || { echo "m4 is missing"; exit 77; }
real_unpack gmp 2:6.2.1+dfsg1-1.1 gmp_6.2.1+dfsg1.orig.tar.xz \
    471b9e463e04362a0124f215afc5f0a4b99caedeeb62634c61bbc12988efa64c

# What configure would find out for powerpc-linux-gnu, where the loops use it.
# It quotes by < and >, so that ` and ' can be part of a value.
cat >"$TMPDIR/src/config.m4" <<'M4'
changequote(<,>)
ifdef(<__CONFIG_M4_INCLUDED__>,,<
define(<CONFIG_TOP_SRCDIR>,<`..'>)
define(<WANT_ASSERT>,0)
define(<WANT_PROFILING>,<`no'>)
define(<M4WRAP_SPURIOUS>,<no>)
define(<LSYM_PREFIX>,<.L>)
define(<GSYM_PREFIX>,<>)
define(<LABEL_SUFFIX>,<:>)
define(<ALIGN_LOGARITHMIC>,<yes>)
define(<WANT_R_REGISTERS>,<yes>)
define(<GMP_LIMB_BITS>,32)
define(<GMP_NUMB_BITS>,32)
define(<GMP_NAIL_BITS>,0)
>)
changequote(`,')
ifdef(`__CONFIG_M4_INCLUDED__',,`
include(CONFIG_TOP_SRCDIR`/mpn/asm-defs.m4')
include_mpn(`powerpc32/powerpc-defs.m4')
include_mpn(`powerpc32/elf.m4')
')
define(`__CONFIG_M4_INCLUDED__')
M4

eight='mod_34lsub1 diveby3 addmul_1 lshift rshift 750/com aors_n mul_1'
five='lshiftc addlsh1_n sublsh1_n submul_1 mode1o'
cd "$TMPDIR/src/mpn" || exit 1
for file in $eight $five; do
    name=$(basename "$file")
    operation=-DOPERATION_$name
    [ "$name" != aors_n ] || { name=add_n; operation=-DOPERATION_add_n; }
    m4 "$operation" "powerpc32/$file.asm" >"$TMPDIR/$name.s" &&
        powerpc-linux-gnu-as -mregnames -mppc -o "$TMPDIR/$name.o" \
            "$TMPDIR/$name.s" || exit 1
    # the last number on the line, "old:" or not
    sed -n 's/^C 604e: *//p' "powerpc32/$file.asm" |
        awk -v name="$name" '{ print name, $NF }'
done >"$TMPDIR/published"
cd "$here/../.." || exit 1
powerpc-linux-gnu-gcc -I. -O2 -mcpu=604 -ffreestanding -nostdlib -static \
    -Wl,-z,noexecstack -o "$TMPDIR/loops.elf" tests/core/gmp_loops.c \
    "$TMPDIR"/*.o || exit 1
"$BUILD/simrun" "$TMPDIR/loops.elf" >"$TMPDIR/simulated" || exit 1

awk '
function mean_of(what) {
    mean = sum / n
    printf "mean error of %s: %.1f %%\n", what, mean
    sum = n = 0
    if (mean > 9)
        bad = 1
}
BEGIN { print "loop          604e  simrun  error" }
NR == FNR { cycles[$1] = $2 / $3; next }
{
    error = 100 * (cycles[$1] / $2 - 1)
    printf "%-12s  %.2f  %6.2f  %4.0f %%\n", $1, $2, cycles[$1], error
    sum += error < 0 ? -error : error
    n++
}
FNR == 8 { mean_of("these eight") }
END {
    if (FNR != 13) {
        print "13 loops expected, not " FNR
        exit 1
    }
    mean_of("the other five")
    exit bad
}' "$TMPDIR/simulated" "$TMPDIR/published"
