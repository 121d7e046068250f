/* ee_off_cycles: with the mtspr that starts beginning at T, the mtmsr that
 * sets EE dispatches at T + 2 and acts at T + 3: 3 cycles without. The one
 * that clears it acts at cycle X and completes at X + 1; the mtspr that stops
 * dispatches at X + 2 and acts at X + 3: 3 more. What lies between does not
 * count. Nothing interrupts: the decrementer is far away.
 */
#include "tests/pmu/count.h"

        counting ee_off_cycles, 3 + 3
        mfmsr 4
        ori 3, 4, 0x8000
        lis 5, 0x7FFF
        mtdec 5
        prepare
        count
        mtmsr 3
        .rept 20
        addi 5, 5, 1
        .endr
        mtmsr 4
        done
