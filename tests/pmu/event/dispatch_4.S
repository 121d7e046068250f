/* dispatch_4: four groups of a load, two additions and a CR instruction, one
 * for each unit: 4. The mtspr that stops comes a cycle later, alone. (In a
 * fifth group the third result would wait for one of the 12 rename buffers,
 * since only two results a cycle are written back.)
 */
#include "tests/pmu/count.h"

        counting dispatch_4, 4
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 4
        lwz 5, 0(6)
        addi 7, 0, 1
        addi 8, 0, 1
        crand 8, 8, 8
        .endr
        done
