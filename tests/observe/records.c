/* records.c - writes records through the trace port: sound ones, and with
 * "bad" as argument every kind of nonsense in between; "many" keeps at it. */
#include "include/record.h"
#include "tests/sim/bare.h"

static u32 record[2 + REC_MAX_WORDS + 1];

static void hand_over(u32 kind, u32 words)
{
    record[0] = kind << 16 | words;
    record[1] = 5;
    __asm__ volatile("sync" : : : "memory");
    out32(BOARD_TRACE + TRACE_RECORD, (u32)record);
}

static void a_switch(u32 n)
{
    for (u32 i = 0; i < SWITCH_LEAST; i++)
        record[2 + i] = n + i;
    hand_over(REC_SWITCH, SWITCH_LEAST);
}

static void nonsense(void)
{
    hand_over(REC_IRQ, IRQ_WORDS); /* not the guest's */
    hand_over(0, 0);
    hand_over(200, 3);
    hand_over(REC_THREAD, REC_MAX_WORDS + 1);
    hand_over(REC_THREAD, 0xFFFF);
    hand_over(REC_STAT, 2);
    out32(BOARD_TRACE + TRACE_RECORD, (u32)record + 2);
    out32(BOARD_TRACE + TRACE_RECORD, 0xFFFFFFFC);
    out32(BOARD_TRACE + TRACE_RECORD, BOARD_TRACE);
    out32(BOARD_TRACE + TRACE_RECORD, in32(BOARD_INFO + INFO_RAM) - 4);
}

int _start(void)
{
    const volatile char *args = (char *)(BOARD_INFO + INFO_ARGS);

    a_switch(100);
    if (args[0] == 'b')
        nonsense();
    out32(BOARD_TRACE + TRACE_CONTEXT, 9);
    a_switch(200);
    for (u32 n = 0; args[0] == 'm'; n++) {
        a_switch(n);
        if (n % 1000 == 0)
            print("a thousand more\n");
    }
    print(in32(BOARD_TRACE + TRACE_ENABLED) ? "traced\n" : "untraced\n");
    return (int)in32(BOARD_TRACE + TRACE_CONTEXT);
}
