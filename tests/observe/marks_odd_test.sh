#!/bin/sh
# marks_odd_test.sh - marks count what is odd as QEMU's single steps have it:
# misaligned accesses, strings and multiples, dcbz, reservations, accesses
# across blocks and pages, code that changes itself and code that is read as
# data, in random assembly; in both modes, with both carriers and tiny caches.
# timeout: 120
set -u
cd "$TMPDIR" || exit 1
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "no $tool here"; exit 77; }
done
bad=0
complain() {
    echo "$1"
    bad=1
}

# r30 and r31 point to data; r12 is an address, r3 to r10 are numbers.
make_program() { # seed
    awk -v seed=$1 'function pick(n) { return int(rand() * n) }
    function base() { return pick(2) ? 30 : 31 }
    function number() { return 3 + pick(8) }
    function say(s) { print "        " s }
    function address(align) {
        say("addi 12, " base() ", " (pick(4) ? pick(400 / align) : \
            (4096 - 32) / align + pick(64 / align)) * align)
    }
    function one(    k, n) {
        k = pick(18)
        if (k < 8) {
            address(1)
            split("lwz stw lbz sth lhz stwu lwbrx sthbrx", op, " ")
            if (k < 6) say(op[k + 1] " " number() ", " (k == 5 ? 4 : 0) "(12)")
            else say(op[k + 1] " " number() ", 0, 12")
        } else if (k < 10) {
            address(1)
            say((k == 8 ? "lswi" : "stswi") " 14, 12, " 1 + pick(32))
        } else if (k < 12) {
            say("li 12, " pick(60))
            say("mtxer 12")
            address(1)
            say((k == 10 ? "lswx" : "stswx") " 14, 0, 12")
        } else if (k == 12) {
            address(4)
            say((pick(2) ? "lmw " : "stmw ") 22 + pick(6) ", 0(12)")
            say("bl again")
        } else if (k == 13) {
            address(4)
            say("lwarx 3, 0, 12")
            if (pick(2)) say("stw 4, " 4 * pick(100) "(" base() ")")
            if (pick(3) == 0) say("stwcx. 5, 0, 31")
            say("stwcx. 4, 0, 12")
        } else if (k == 14) {
            address(4)
            say("dcbz 0, 12")
        } else if (k == 15) {
            address(4)
            split("dcbf dcbst dcbt dcbtst icbi", op, " ")
            say(op[1 + pick(5)] " 0, 12")
        } else if (k == 16) {
            address(4)
            split("lfd stfd lfs stfs", op, " ")
            say(op[1 + pick(4)] " 1, 0(12)")
        } else
            for (n = pick(4); n >= 0; n--)
                say("addi " number() ", " number() ", " pick(99))
    }
    BEGIN {
        srand(seed)
        print ".globl _start, again\n_start:"
        say("bl again\nloop:")
        for (n = 0; n < 90; n++) {
            one()
            if (pick(6) == 0) {
                say("cmpw " number() ", " number())
                say((pick(2) ? "bgt" : "bne") " 1f")
                one()
                print "1:"
            }
        }
        # Change the code at patch, read it and run it.
        say("lis 12, count@ha\n        lwz 27, count@l(12)")
        say("rlwinm 13, 27, 2, 29, 29")
        say("lis 11, patch@ha\n        addi 11, 11, patch@l")
        say("lis 12, other@ha\n        addi 12, 12, other@l")
        say("lwzx 12, 12, 13\n        stw 12, 0(11)\n        lbz 12, 5(11)")
        say("dcbst 0, 11\n        sync\n        icbi 0, 11\n        isync")
        say("mtctr 11\n        bctrl\n        lis 12, count@ha")
        say("addi 27, 27, -1\n        stw 27, count@l(12)")
        say("cmpwi 27, 0\n        bne loop")
        say("li 0, 1\n        li 3, 5\n        sc")
        print "again:\n        lis 31, one@ha\n        addi 31, 31, one@l"
        say("lis 30, two@ha\n        addi 30, 30, two@l\n        blr\nend:")
        print ".section code, \"awx\", @progbits\n.balign 32\npatch: nop"
        say("addi 3, 3, 1\n        blr\n.data\ncount: .long 8")
        print "other: addi 3, 3, 5\n        xor 3, 3, 4\n.balign 4096"
        print "one: .space 4096 - 8\ntwo: .space 8192\ndata_end:"
    }'
}

# First the disassembly, then registers in front of every instruction.
cat >judge.awk <<'E'
function hex(s,    n, i) {
    n = 0
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return n
}
function touch(at, bytes,    w) {
    for (w = at - at % 4; w < at + bytes; w += 4)
        if (w >= low && w < high)
            accessed[w]++
}
# The address that the operands of `at` name.
function address(at,    a) {
    if (match(what[at], /[(]r[0-9]+[)]/)) {
        a = substr(what[at], 1, RSTART - 1)
        sub(/.*,/, "", a)
        return a + r[substr(what[at], RSTART + 2, RLENGTH - 3) + 0]
    }
    a = what[at]
    sub(/.*,r/, "", a)
    if (op[at] == "lwzx")
        return r[12] + r[13]
    return r[a + 0]
}
function step(at,    o, n) {
    executed[at]++
    o = op[at]
    if (o in size)
        touch(address(at), size[o])
    else if (o == "dcbz")
        touch(address(at) - address(at) % 32, 32)
    else if (o == "lmw" || o == "stmw") {
        n = what[at]
        sub(/,.*/, "", n)
        touch(address(at), 4 * (32 - substr(n, 2)))
    } else if (o == "lswi" || o == "stswi") {
        n = what[at]
        sub(/.*,/, "", n)
        touch(r[12], n == 0 ? 32 : n)
    } else if (o == "lswx" || o == "stswx")
        touch(r[12], xer % 128)
    else if (o == "stwcx.")
        waiting = address(at) + 1 # does it store? CR says so in the next
}
BEGIN {
    n = split("lwz 4 stw 4 lbz 1 sth 2 lhz 2 stwu 4 lwbrx 4 sthbrx 2 lwarx 4 " \
        "lfd 8 stfd 8 lfs 4 stfs 4 lwzx 4", s, " ")
    for (k = 1; k < n; k += 2)
        size[s[k]] = s[k + 1]
    low = hex(low)
    high = hex(high)
}
FILENAME == "listing" {
    if ($1 ~ /^[0-9a-f]+:$/) {
        at = hex(substr($1, 1, length($1) - 1))
        op[at] = $6
        what[at] = $7
    }
    next
}
/^NIP/ { pc = hex($2); xer = hex($8) }
/^GPR/ { for (k = 2; k <= NF; k++) r[substr($1, 4) + k - 2] = hex($k) }
/^CR / {
    if (waiting && index("2367abef", substr($2, 1, 1)))
        touch(waiting - 1, 4)
    waiting = 0
    # Floating point that is not aligned is for the system.
    if (op[pc] ~ /^(l|st)f/ && address(pc) % 4)
        next
    step(pc)
}
END {
    for (a in executed)
        print "code", a, executed[a]
    for (a in accessed)
        print "data", a, accessed[a]
}
E

symbol() { powerpc-linux-gnu-nm p.elf | awk -v s=$1 '$3 == s { print $1 }'; }
words() { # of records of this file: payload words a line, decimal
    od -An -v -tu4 -j32 -w4 "$1" | awk '
        left == 0 && at == 0 { left = $1 % 65536 / 4; line = "" }
        { at++; left--; if (at > 4) line = line $1 " " }
        left == 0 { print line; at = 0 }'
}

for seed in 1 2 3; do
    make_program $seed >p.S
    powerpc-linux-gnu-gcc -Wa,-m604 -nostdlib -static -no-pie \
        -Wl,--no-warn-rwx-segments -o p.elf p.S || exit 1
    powerpc-linux-gnu-objdump -Mraw,604 -d p.elf >listing
    low=$(symbol one) high=$(symbol data_end)
    timeout 60 qemu-ppc -singlestep -d cpu,nochain -D qemu.log p.elf
    [ $? -eq 5 ] || complain "seed $seed: not what qemu can run"
    awk -v low=$low -v high=$high -f judge.awk listing qemu.log | sort >want
    [ "$(grep -c data want)" -gt 120 ] || complain "seed $seed: little data"
    # With widened words a plain store of code takes its mark away.
    grep -v "^code $(printf %d 0x$(symbol patch)) " want >want.1
    for options in --mode=fast --mode=detailed \
        '--mode=fast --set pif_carrier=1' '--set pif_carrier=1 --cpus=1' \
        '--set dcache_kb=1 --set icache_kb=1 --set pif_charge=1'; do
        rm -rf p.exp
        timeout 60 "$BUILD/simrun" $options --mark range:_start..end \
            --mark range:patch..patch+12 --mark data:0x$low,12280 \
            --pmu-trace=p.exp --user p.elf >out 2>&1
        [ $? -eq 5 ] || complain "seed $seed, $options: $(head -n 3 out)"
        words p.exp/mark.rec |
            awk '$6 { print $1 == 2 ? "code" : "data", $2, $6 }' | sort >got
        expect=want
        case $options in
        *carrier=1*)
            expect=want.1
            sed -i "/^code $(printf %d 0x$(symbol patch)) /d" got
            ;;
        esac
        diff $expect got >differ ||
            complain "seed $seed, $options: $(head -n 6 differ)"
    done
done
exit $bad
