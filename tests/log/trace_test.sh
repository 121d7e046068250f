#!/bin/sh
# trace_test.sh - the log tells what happened: instruction by instruction the
# addresses and every changed register are those that qemu-ppc traces for the
# same programs, integer and floating point, bare and under --user, in both
# modes; and every load and store moved what it says.
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
cat >float.c <<'E'
static double d[8] = {1.5, -2.25, 3e10, 1e-300, 0.1, 7, -0.0, 1e300};
static float f[8] = {1.5f, 0.1f, 3e10f, 1e-30f, 2, 3, 4, 5};
int work(void);

int work(void)
{
    double s = 0;
    float t = 1;

    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            s += d[i] * d[j] - d[j] / (d[i] + 3);
            t = t * f[i] + f[j] / 3;
            if (s > 1e200)
                s = s * 1e-250 + i;
        }
    return (int)t + (s > 0);
}
E

# "address register=value..." for each instruction: what differs between the
# registers in front of it and those in front of the next. The program ends in
# a jump to nowhere there; everything before that counts.
theirs() { # name
    powerpc-linux-gnu-gcc -O2 -mcpu=604 -ffreestanding -nostdlib -static \
        -o $1.elf start.S $1.c -lgcc
    (ulimit -c 0
     qemu-ppc -singlestep -d exec,cpu,fpu,nochain -D trace $1.elf) \
        >qemu.out 2>&1 || :
    awk '
    function settle(    line, i, name) {
        if (pc == "")
            return
        line = pc
        for (i = 0; i < names; i++) {
            name = order[i]
            if (now[name] != old[name])
                line = line " " name "=" now[name]
            old[name] = now[name]
        }
        print line
    }
    function four(kind, from,    first, i) {
        first = substr($1, 4) + 0
        for (i = 0; i < 4; i++)
            now[kind first + i] = substr($(i + 2), from)
    }
    BEGIN {
        for (i = 0; i < 32; i++)
            order[names++] = "r" i
        split("cr xer lr ctr", others, " ")
        for (i = 1; i <= 4; i++)
            order[names++] = others[i]
        for (i = 0; i < 32; i++)
            order[names++] = "f" i
    }
    /^NIP/ { next_pc = $2; now["lr"] = $4; now["ctr"] = $6; now["xer"] = $8 }
    /^GPR/ { four("r", 9) }
    /^CR/ { now["cr"] = $2 }
    /^FPR/ { four("f", 1) }
    /^FPSCR/ { settle(); pc = next_pc }' trace |
        sed -n '/^[0-9a-f]* lr=/,$p' >$1.theirs
    [ "$(wc -l <$1.theirs)" -gt "$2" ] ||
        { echo "$1: no trace"; tail trace; exit 1; }
}
# The same from our log; an instruction that a fault took back is not one.
# FPSCR is left out: FR is always 0 there.
ours() { # name, options...
    name=$1
    shift
    "$BUILD/simrun" "$@" --log=exec,int:log --log-to=done --cpus=1 \
        $user ./$name.elf >out 2>&1 || :
    awk '
    $5 == "enter" { if ($4 == pc && $6 != "SC") line = ""; next }
    {
        if (line != "")
            print line
        pc = line = $4
        for (i = 6; i <= NF; i++)
            if ($i ~ /^[a-z0-9]+=[0-9a-f]+$/ && $i !~ /^fpscr/)
                line = line " " $i
    }' log | sed -n '/^[0-9a-f]* lr=/,$p' >ours # less the last, the end itself
    cmp -s $name.theirs ours || {
        diff $name.theirs ours | head -n 10
        echo "$name $user $*: not what qemu-ppc did"
        exit 1
    }
}

theirs work 4000
theirs float 800
user=--user
for mode in detailed fast; do
    ours float --mode=$mode
    ours work --mode=$mode
done
user=
for mode in detailed fast; do
    ours work --mode=$mode

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
