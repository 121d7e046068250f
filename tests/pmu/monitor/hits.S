/* Three counters at once: accesses are loads and stores that go to their
 * queues, misses are lines requested. 20 loads and 10 stores, of which 4 and 3
 * come to a line first: 30 accesses, 7 misses, 23 hits. The second pass finds
 * every line: 30 accesses, none missed.
 */
#include "tests/pmu/monitor/frame.h"

#define DCACHE_MISS 6
#define LOAD_QUEUED 8
#define STORE_QUEUED 9

        .macro accesses
        .set line, 0
        .rept 4
        .rept 5
        lwz 7, line(6)
        .endr
        .set line, line + 32
        .endr
        stw 7, line(6)
        .set line, line + 32
        stw 7, line(6)
        stw 7, line + 4(6)
        stw 7, line + 8(6)
        .set line, line + 32
        .rept 6
        stw 7, line(6)
        .endr
        sync
        .endm

        .macro counted
        mtspr MMCR0, 21
        mfspr 8, PMC2
        mfspr 9, PMC3
        mfspr 10, PMC4
        .endm

        start
        constant 21, DIS | PMC2SELECT(DCACHE_MISS)
        mtspr MMCR0, 21
        set MMCR1, PMC3SELECT(LOAD_QUEUED) | PMC4SELECT(STORE_QUEUED)
        set PMC2, 0
        set PMC3, 0
        set PMC4, 0
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        constant 20, PMC2SELECT(DCACHE_MISS)
        mtspr MMCR0, 20
        accesses
        counted
        check 8, 7, 1
        check 9, 20, 2
        check 10, 10, 3
        mtspr MMCR0, 20
        accesses
        counted
        check 8, 7, 4
        check 9, 2 * 20, 5
        check 10, 2 * 10, 6
        finish
