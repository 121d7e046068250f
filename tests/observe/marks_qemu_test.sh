#!/bin/sh
# marks_qemu_test.sh - another emulator, stepping one instruction at a time,
# comes to the same number of executions of every instruction of random
# programs, and of entries of ranges, as marks do, with all three carriers.
# timeout: 240
set -u
cd "$TMPDIR" || exit 1
command -v qemu-ppc >/dev/null || { echo "no qemu-ppc here"; exit 77; }
bad=0
complain() {
    echo "$1"
    bad=1
}

# A program of functions that loop, branch on what a table holds, and call
# those behind them; without a library, so that each instruction is its own.
make_program() { # seed
    awk -v seed=$1 'function pick(n) { return int(rand() * n) }
    function term(k) {
        return pick(2) ? "table[(i + " pick(64) ") % 64]" : "(n " \
            substr("+-^&|", pick(5) + 1, 1) " " 1 + pick(99) ")"
    }
    BEGIN {
        srand(seed)
        print "unsigned table[64] = {3, 1, 4, 1, 5, 9, 2, 6};"
        for (f = 7; f >= 0; f--) {
            print "__attribute__((noinline)) unsigned f" f "(unsigned n)\n{"
            print "    unsigned s = n;\n    for (unsigned i = 0; i < " \
                2 + pick(3) "; i++) {"
            for (k = 2 + pick(4); k; k--) {
                kind = pick(4)
                if (kind == 0)
                    print "        table[(s + " pick(64) ") % 64] += " term() ";"
                else if (kind == 1)
                    print "        if (" term() " % " 2 + pick(5) ") s += " \
                        term() "; else s ^= " term() ";"
                else if (kind == 2 && f < 7)
                    print "        s += f" f + 1 + pick(7 - f) "(s + " term() ");"
                else
                    print "        s = s * " 3 + 2 * pick(20) " / (1 + " term() " % 7);"
            }
            print "    }\n    return s;\n}"
        }
        print "void _start(void)\n{\n    unsigned s = 0;"
        print "    for (unsigned i = 0; i < 20; i++)\n        s += f0(i + s);"
        print "    register unsigned r0 __asm__(\"0\") = 1;"
        print "    register unsigned r3 __asm__(\"3\") = s & 63;"
        print "    __asm__ volatile(\"sc\" : : \"r\"(r0), \"r\"(r3));\n}"
    }'
}
words() { # of records of this file: payload words a line, decimal
    od -An -v -tu4 -j32 -w4 "$1" | awk '
        left == 0 && at == 0 { left = $1 % 65536 / 4; line = "" }
        { at++; left--; if (at > 4) line = line $1 " " }
        left == 0 { print line; at = 0 }'
}

all=0
for seed in 1 2 3 4 5 6; do
    make_program $seed >p.c
    powerpc-linux-gnu-gcc -O$((seed % 4)) -ffreestanding -nostdlib -static -no-pie \
        -fno-pic -fno-asynchronous-unwind-tables -o p.elf p.c || exit 1
    timeout 60 qemu-ppc -singlestep -d cpu -D qemu.log p.elf
    status=$?
    set -- $(powerpc-linux-gnu-nm p.elf | awk '$3 == "f3" { print $1 }')
    "$BUILD/simmark" opcodes p.elf 'func:*' -o moved.elf >out || complain "$(cat out)"
    for carrier in 0 1 2; do
        rm -rf p.exp
        if [ $carrier = 2 ]; then # marker instructions; ranges do not go along
            "$BUILD/simrun" --cpus=1 --mode=detailed --pmu-trace=p.exp \
                --user moved.elf >out 2>&1
        else
            "$BUILD/simrun" --cpus=1 --mode=fast --set pif_carrier=$carrier \
                --mark 'func:*' --range f3 --pmu-trace=p.exp --user p.elf \
                >out 2>&1
        fi
        got=$?
        [ $got -eq $status ] || complain "$seed: status $got, not $status: $(cat out)"
        words p.exp/mark.rec >marks
        said=$(awk -v carrier=$carrier 'FILENAME == "marks" {
                if ($1 == 2)
                    want[sprintf("%08x", $2)] = $6
                else {
                    low = sprintf("%08x", $2); high = sprintf("%08x", $3)
                    executed = $6; entries = $8
                }
                next
            }
            /^NIP/ {
                n[$2]++
                now = $2 >= low && $2 < high
                x += now
                e += now && !inside
                inside = now
            }
            END {
                for (a in want) {
                    words++
                    total += want[a]
                    if (want[a] != n[a] + 0 && ++bad < 5)
                        print a ": " want[a] ", qemu " n[a] + 0
                }
                for (a in n)
                    if (!(a in want) && ++bad < 5)
                        print a ": no mark, qemu " n[a]
                if (carrier != 2 && (x != executed || e != entries)) {
                    print "range: " executed ", " entries "; qemu " x ", " e
                    bad++
                }
                print words " words, " total " executions"
                exit bad || words < 100
            }' marks qemu.log) || complain "seed $seed, carrier $carrier: $said"
        said=${said##* words, }
        all=$((all + ${said% executions}))
    done
done
[ $all -gt 90000 ] || complain "no more than $all executions in all"
exit $bad
