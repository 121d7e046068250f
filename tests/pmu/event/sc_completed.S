/* sc_completed: 10 system calls, each answered by a bare rfi at 0xC00. */
#include "tests/pmu/count.h"

        counting sc_completed, 10
        lis 3, vector@ha
        lwz 3, vector@l(3)
        stw 3, 0xC00(0)
        li 3, 0xC00
        dcbst 0, 3
        sync
        icbi 0, 3
        sync
        isync
        prepare
        count
        .rept 10
        sc
        .endr
        done

vector: rfi
