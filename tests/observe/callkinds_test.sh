#!/bin/sh
# callkinds_test.sh - simrun --autoprofile=calls tells apart what HW-121 does:
# calls, returns, system calls, interrupts, and returns from both, of a program
# with a kernel of its own; each by its place, and in the report. Conditional
# calls and returns count when they are taken.
# timeout: 60
set -u
cd "$TMPDIR" || exit 1
CROSS=${CROSS:-powerpc-linux-gnu-}
command -v "${CROSS}gcc" >/dev/null || { echo "${CROSS}gcc is missing"; exit 77; }
bad=0
complain() { echo "$*"; bad=1; }
cat >kinds.S <<'S'
	.macro	vector at
	.org	\at
	b	handler
	.endm
	.section .vectors, "ax"
	.org	0
	vector	0x700
	.org	0xC00
system:	rfi
	.text
	.globl	_start
	.type	_start, @function
_start:	mflr	31
	lis	3, table@ha
	lwz	3, table@l(3)
	mtctr	3
	li	4, 5
again:	sc			# 5 times
one:	bl	leaf
	cmpwi	4, 3
two:	bcl	12, 2, leaf	# at the third alone
three:	bctrl
	bcl	20, 31, next	# only wants to know where it is
next:	mflr	5
	addi	4, 4, -1
	cmpwi	4, 0
	bne	again
bad:	.long	0		# illegal, twice
	.long	0
	li	3, 0
	mtlr	31
out:	blr
	.size	_start, . - _start
	.type	leaf, @function
leaf:	cmpwi	4, 2
early:	beqlr			# at the second from the end: twice
late:	blr
	.size	leaf, . - leaf
	.type	handler, @function
handler: mfspr	20, 26
	addi	20, 20, 4
	mtspr	26, 20
back:	rfi
	.size	handler, . - handler
	.data
table:	.long	leaf
S
sed -i 's/^	b	handler/	ba	handler/' kinds.S
"${CROSS}gcc" -nostdlib -static -mcpu=604 -Wl,--build-id=none -Wl,-Ttext=0x10000 \
    -Wl,--section-start=.vectors=0 -Wl,-z,noexecstack -o kinds.elf kinds.S || exit 1
at() { "${CROSS}nm" kinds.elf | awk -v n="$1" '$3 == n { sub(/^0+/, "", $1); print "0x" $1 }'; }
next() { printf '0x%x' $(($(at "$1") + 4)); }
first=$(next again)
sort >want <<W
call $(at one) $(at leaf) 5
call $(at two) $(at leaf) 1
call $(at three) $(at leaf) 5
exception $(at again) 0xc00 5
exception $(at bad) 0x700 1
exception $(next bad) 0x700 1
return $(at early) $(next one) 1
return $(at early) $(next three) 1
return $(at late) $(next one) 4
return $(at late) $(next two) 1
return $(at late) $(next three) 4
return $(at out) 0xfe001100 1
rfi $(at back) $(next bad) 1
rfi $(at back) $(printf '0x%x' $(($(at bad) + 8))) 1
rfi $(at system) $first 5
W
for mode in fast detailed; do
    rm -rf k.exp
    timeout 20 "$BUILD/simrun" -q --cpus=1 --mode=$mode --autoprofile=calls \
        --pmu-trace=k.exp kinds.elf || complain "$mode: status $?"
    grep -E '^(call|return|rfi|exception) ' k.exp/log | sort >got
    cmp -s want got || complain "$mode: $(diff want got)"
    "$BUILD/simprof" calls k.exp >report
    grep -q '^11 calls, 12 returns:$' report || complain "$mode: $(cat report)"
    grep -q '^7 exceptions - system calls, interrupts, faults; 7 returns by rfi:$' report ||
        complain "$mode: $(cat report)"
    grep -Eq '^ *5 +1 +_start +system call$' report || complain "$mode: no system calls"
    grep -Eq '^ *2 +2 +_start +program$' report || complain "$mode: no interrupts"
    "$BUILD/simprof" calls --limit=0 k.exp | grep -q 'handler$' &&
        complain "$mode: an interrupt's handler is no function that returns"
done
exit $bad
