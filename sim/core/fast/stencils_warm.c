/* stencils_warm.c - the stencils of warm mode: those of fast, with loads and
 * stores that ask the data cache and its TLB.
 */
#define WARM 1
#include "sim/core/fast/stencils.c"
