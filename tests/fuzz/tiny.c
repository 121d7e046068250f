/* tiny.c - what tests/fuzz/run damages: small enough for a fuzzer to
 * understand, and it runs as a whole system as well as under --user. */
static volatile char room[9000];
static int one = 1;
static long call(long number, long a)
{
    register long r0 __asm__("r0") = number, r3 __asm__("r3") = a;
    __asm__ volatile("sc" : "+r"(r0), "+r"(r3) : : "memory");
    return r3;
}
int _start(void)
{
    room[call(20, 0) & 4095] = (char)one; /* getpid */
    call(1, 7);                           /* exit */
    return 3;
}
