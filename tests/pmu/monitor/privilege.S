/* The monitor's registers belong to the supervisor: in user mode reading and
 * writing them is a privileged instruction (SRR1 0x00040000), and changes
 * nothing.
 */
#include "tests/pmu/monitor/frame.h"

        start
        set MMCR0, DIS
        set PMC1, 1234
        li 20, 0
        constant 6, PR
        mtsrr1 6
        lis 3, program@ha
        addi 3, 3, program@l
        mtsrr0 3
        li 7, 77
        bl enter
        check 20, 2, 1
        check 7, 77, 2
        mfspr 8, PMC1
        check 8, 1234, 3
        finish

enter:  rfi
program:
        mfspr 7, PMC1
        mtspr PMC1, 7
        sc

        .section .v0700, "ax"
        mfsrr1 3
        rlwinm 3, 3, 32 - 18, 31, 31
        add 20, 20, 3
        mfsrr0 3
        addi 3, 3, 4
        mtsrr0 3
        rfi

        .section .v0C00, "ax"
        li 3, 0
        mtmsr 3
        blr
