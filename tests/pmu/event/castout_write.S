/* castout_write: 5 sets of the data cache are filled with 4 modified lines
 * each (a way is 8 KB); one more load a set puts the oldest out: 5. A clean
 * line that is put out is not written.
 */
#include "tests/pmu/count.h"

        counting castout_write, 5
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        addis 7, 6, 1
        addi 7, 7, -32768
        prepare
        .set offset, 0
        .rept 5
        .set way, 0
        .rept 4
        stw 5, offset + way - 0(6)
        .set way, way + 8192
        .endr
        .set offset, offset + 32
        .endr
        sync
        count
        .set offset, 0
        .rept 5
        lwz 5, offset(7)
        .set offset, offset + 32
        .endr
        done
