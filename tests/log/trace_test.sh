#!/bin/sh
# trace_test.sh - the log tells what happened: instruction by instruction the
# addresses and every changed register are those that qemu-ppc traces for the
# same program, in both modes; and every load and store moved what it says.
# timeout: 120
set -eu
command -v qemu-ppc >/dev/null || { echo "no qemu-ppc here"; exit 77; }
cd "$(mktemp -d)"

cat >start.S <<'E'
    .globl _start, done
_start:
    .irp n,0,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    li \n,\n
    .endr
    lis 1,stack@ha
    addi 1,1,stack@l
    mtctr 3
    lis 31,0xfe00 # where simrun's programs return to
    ori 31,31,0x1100
    bl work
    mtlr 31
done:
    blr
    .bss
    .space 4096
stack:
    .space 64
    .section .note.GNU-stack
E
cat >work.c <<'E'
static unsigned table[16] = {9, 3,  77, 1,  42, 8, 15, 16,
                             23, 4, 99, 2, 6,  5, 31, 7};
static const char text[64] = "the quick brown fox jumps over the lazy dog";
int work(void);

static unsigned hash(const char *s)
{
    unsigned h = 5381;

    for (; *s; s++)
        h = (h << 5) + h + (unsigned char)*s;
    return h;
}

static void sort(unsigned *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            unsigned t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
}

int work(void)
{
    long long sum = 0;

    sort(table, 16);
    for (int i = 0; i < 16; i++)
        sum += (long long)(int)table[i] * (int)hash(text + i) / (i + 1);
    return (int)(sum >> 3) & 0x7F;
}
E
powerpc-linux-gnu-gcc -O2 -mcpu=604 -ffreestanding -nostdlib -static \
    -o work.elf start.S work.c -lgcc

# It ends in a jump to nowhere there; everything before that counts.
(ulimit -c 0; qemu-ppc -singlestep -d exec,cpu,nochain -D their.log work.elf) \
    >qemu.out 2>&1 || :
# "address register=value..." for each instruction: what differs between the
# registers in front of it and those in front of the next.
awk '
function settle(    line, i, name) {
    if (pc == "")
        return
    line = pc
    for (i = 0; i < 36; i++) {
        name = i < 32 ? "r" i : i == 32 ? "cr" : i == 33 ? "xer" : \
            i == 34 ? "lr" : "ctr"
        if (now[name] != old[name])
            line = line " " name "=" now[name]
        old[name] = now[name]
    }
    print line
}
/^NIP/ { next_pc = $2; now["lr"] = $4; now["ctr"] = $6; now["xer"] = $8 }
/^GPR/ {
    first = substr($1, 4) + 0
    for (i = 0; i < 4; i++)
        now["r" first + i] = substr($(i + 2), 9)
}
/^CR/ { now["cr"] = $2; settle(); pc = next_pc }' their.log |
    sed -n '/^[0-9a-f]* lr=/,$p' >theirs
[ "$(wc -l <theirs)" -gt 4000 ] || { echo "no trace"; tail their.log; exit 1; }

for mode in detailed fast; do
    status=0
    "$BUILD/simrun" --cpus=1 --mode=$mode --log=exec:our.log --log-to=done \
        work.elf || status=$?
    [ $status -eq 104 ] || { echo "$mode: status $status"; exit 1; }
    awk '{ line = $4
           for (i = 6; i <= NF; i++)
               if ($i ~ /^[a-z0-9]+=[0-9a-f]+$/)
                   line = line " " $i
           print line }' our.log | sed -n '/^[0-9a-f]* lr=/,$p' |
        sed '$d' >ours # the end itself is only in ours
    head -n "$(wc -l <ours)" theirs | cmp - ours || {
        diff theirs ours | head -n 10
        echo "$mode: not what qemu-ppc did"
        exit 1
    }
    [ "$(wc -l <ours)" -eq "$(wc -l <theirs)" ] ||
        { echo "$mode: $(wc -l <ours) lines, theirs $(wc -l <theirs)"; exit 1; }

    # Every word, half word and byte that was loaded is in its register.
    "$BUILD/simrun" --cpus=1 --mode=$mode --log=exec,mem:mem.log work.elf || :
    awk '$6 ~ /^l[bhw]z/ { pc = $4; line = $0; want = 1; next }
        want && $5 == "load" {
            loads++
            value = substr("0000000" $9, length($9)) # to eight digits
            if (line ~ /r[0-9]+=/ && index(line, "=" value) == 0) {
                print "not loaded: " line " / " $0
                bad = 1
            }
        }
        { want = 0 }
        $5 == "store" { stores++ }
        END { print loads " loads, " stores " stores"
              exit bad || loads < 500 || stores < 100 }' mem.log
done
