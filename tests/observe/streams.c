/* streams.c - several streams of data at once, each in an array of its own:
 * some always miss, some always hit. Which array an event comes from follows
 * from the code alone. Without an operating system, or as a Linux program. */
#define SIZE (256 * 1024) /* eight times the data cache */
#define LINE 32
#define F __attribute__((noipa))

typedef unsigned char area[SIZE] __attribute__((aligned(4096)));

area loaded, stored, many, moved, crossed, reserved, touched;
volatile unsigned hits[16] __attribute__((aligned(64)));

/* A load that misses, and between it and the next eight that hit. */
F static unsigned load(void)
{
    unsigned sum = 0;

    for (int at = 0; at < SIZE; at += LINE) {
        sum += *(volatile unsigned *)(loaded + at);
        for (int k = 0; k < 8; k++)
            sum += hits[k];
    }
    return sum;
}

F static void store(void)
{
    for (int at = 0; at < SIZE; at += LINE) {
        *(volatile unsigned *)(stored + at) = (unsigned)at;
        for (int k = 8; k < 16; k++)
            hits[k]++;
    }
}

/* 24 words across two lines or three: 96 bytes from the middle of one on. */
F static void multiple(void)
{
    for (int at = 16; at + 96 <= SIZE; at += 96) {
        register unsigned char *from __asm__("4") = many + at;
        register unsigned char *to __asm__("5") = moved + at;

        __asm__ volatile("lmw 8,0(%0); stmw 8,0(%1)"
                         :
                         : "b"(from), "b"(to)
                         : "8", "9", "10", "11", "12", "14", "15", "16", "17",
                           "18", "19", "20", "21", "22", "23", "24", "25", "26",
                           "27", "28", "29", "30", "31", "memory");
        hits[0]++;
    }
}

/* The first half is of the line that the one before brought. */
F static unsigned cross(void)
{
    unsigned sum = 0, n;

    for (int at = LINE - 2; at + 4 <= SIZE; at += LINE) {
        __asm__ volatile("lwz %0,0(%1)" : "=r"(n) : "b"(crossed + at));
        sum += n + hits[1];
    }
    return sum;
}

F static void reserve(void)
{
    unsigned n;

    for (int at = 0; at < SIZE; at += LINE) {
        __asm__ volatile("1: lwarx %0,0,%1; addi %0,%0,1; stwcx. %0,0,%1;"
                         " bne- 1b"
                         : "=&b"(n)
                         : "b"(reserved + at)
                         : "cr0", "memory");
        hits[2]++;
    }
}

F static void touch(void)
{
    for (int at = 0; at < SIZE; at += LINE) {
        __asm__ volatile("dcbz 0,%0" : : "b"(touched + at) : "memory");
        for (int k = 0; k < 8; k++)
            hits[k]++;
    }
}

static int run(void)
{
    unsigned sum = 0;

    for (int pass = 0; pass < 2; pass++) {
        sum += load();
        store();
        multiple();
        sum += cross();
        reserve();
        touch();
    }
    return sum == 12345;
}

#ifdef USER
int main(void)
#else
int _start(void)
#endif
{
    return run();
}
