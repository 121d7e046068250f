#!/bin/sh
# export_real_all.sh - programs that nobody here wrote: what perf, gprofng and
# callgrind_annotate say of bzip2 and Lua by function, and by instruction,
# line, call tree, callers and callees, thread, CPU, load object and time, is
# what simprof says, zero difference. Symbols are one an address: of several
# each tool shows another, and perf takes labels for functions. f.part.0 is named
# f_part_0, or simprof would show f as its caller, where the export has none.
# timeout: 1200
. "$(dirname "$0")/../user/real.sh"
CC=${CC:-gcc}
programs=$TMPDIR/programs
mkdir -p "$programs"

real_unpack bzip2 1.0.8-5 bzip2_1.0.8.orig.tar.gz \
    ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269
real_build make CC=powerpc-linux-gnu-gcc AR=powerpc-linux-gnu-ar \
    RANLIB=powerpc-linux-gnu-ranlib CFLAGS="-O2 -gdwarf-4" LDFLAGS=-static bzip2
cp "$TMPDIR/src/bzip2" "$programs"
rm -rf "$TMPDIR/src"
real_unpack lua5.4 5.4.4-3+deb12u1 lua5.4_5.4.4.orig.tar.gz \
    164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61
real_build make -C src -j2 lua CC="powerpc-linux-gnu-gcc -std=gnu99" \
    CFLAGS="-O2 -gdwarf-4 -DLUA_COMPAT_5_3 -DLUA_USE_POSIX" \
    AR="powerpc-linux-gnu-ar rcu" RANLIB=powerpc-linux-gnu-ranlib SYSLIBS=-static
cp "$TMPDIR/src/src/lua" "$programs"

. tests/export/export_lib.sh # moves to $TMPDIR
need perf linux-perf
need gprofng binutils
need callgrind_annotate valgrind
. "$root/tests/export/export_gate.sh"
. "$root/tests/export/export_reports.sh"
few=1

real_text 300 >text
cat >script.lua <<'LUA'
local t = {}
for i = 1, 3000 do t[i] = (i * 7919) % 1009 end
table.sort(t)
local words = {}
for w in (("the cat sat on the mat "):rep(200)):gmatch("%a+") do
  words[w] = (words[w] or 0) + 1
end
-- read_int and check_match are statics of two files each, one of them the C library's.
local long = {}
for i = 1, 300 do long[i] = string.format("%12d%7.3f%-8s", i, i / 7, "x") end
for i = 1, 60 do assert(load("do local f = function(a) return (a) end return f end")) end
print(t[1], t[3000], words.the, #table.concat(long), string.format("%.14g", 1 / 3), pcall(error, "x"))
LUA

one_name() { # program: one symbol an address, no labels
    powerpc-linux-gnu-readelf -sW "programs/$1" | awk '
        $4 ~ /^(FUNC|NOTYPE|IFUNC)$/ && $7 ~ /^[0-9]+$/ { print $2, $4, $8 }' |
        sort -u | awk '$2 == "NOTYPE" { print $3; next }
            !($1 in first) || $3 < first[$1] { first[$1] = $3 }
            { name[$3] = 1 }
            END { for (a in first) keep[first[a]] = 1
                for (n in name) if (!(n in keep)) print n }' >dropped
    powerpc-linux-gnu-nm "programs/$1" | awk '$3 ~ /[.](part|cold)/ { new = $3
        gsub(/[.]/, "_", new); print $3, new }' | sort -u >renamed
    powerpc-linux-gnu-objcopy --strip-symbols=dropped --redefine-syms=renamed \
        "programs/$1" "$1" || exit 1
}

# gprofng has no name for a function of size 0 (_fini), but where it begins in
# the file.
nameless() { # program: a sed script
    powerpc-linux-gnu-readelf -SW "$1" |
        sed -n 's/^ *\[ *[0-9]*\] //p' | awk '$2 == "PROGBITS" { print $3, $4, $5 }' >sections
    powerpc-linux-gnu-readelf -sW "$1" |
        awk '$3 == 0 && $4 == "FUNC" && $7 != "UND" { print $2, $8 }' | sort -u |
        while read -r at name; do
            while read -r start offset size; do
                in=$((0x$at - 0x$start))
                [ $in -lt 0 ] || [ $in -ge $((0x$size)) ] ||
                    printf 's/<static>@0x%x\>/%s/\n' $((0x$offset + in)) "$name"
            done <sections
        done
    echo 's/ (<[^>]*>)//' # which load object
}

judge() { # program, arguments
    rm -rf run.exp blind
    elf=$1
    one_name "$1"
    nameless "$1" >spelling
    timeout -s KILL 300 "$simrun" -q --user --clear-env --cpus=1 -e cycles:3000 \
        -e dcache_miss:20 --pmu-trace=run.exp "./$@" >output 2>&1 </dev/null ||
        { cat output; complain "$1: status $?"; return; }
    "$simprof" export --format=csv -o run.csv run.exp || exit 1
    statics=$(powerpc-linux-gnu-nm "$1" | awk '$2 == "t" { print $3 }' | sort |
        uniq -d | wc -l)
    gate_export
    [ -s notes ] && complain "$1: $(cat notes)"
    gate cycles 1
    gate dcache_miss 2
    for counter in cycles dcache_miss; do
        for report in instructions lines tree callers threads objects seconds; do
            $report $counter >said || complain "$1, $report: $(cat said)"
        done
    done
    echo "$1: $(wc -l <run.csv) samples"
}
judge bzip2 -kc text
judge lua script.lua
exit $bad
