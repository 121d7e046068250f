/* stall_no_unit: six loads; all but the first wait a cycle for the path to
 * their unit: 5.
 */
#include "tests/pmu/count.h"

        counting stall_no_unit, 5
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 6
        lwz 5, 0(6)
        .endr
        done
