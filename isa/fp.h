/* fp.h - floating point on the bits. Private to isa/; no host arithmetic.
 */
#ifndef ISA_FP_H
#define ISA_FP_H

#include <stdint.h>

/* The double that an lfs of this word leaves in the register. */
uint64_t fp_widen(uint32_t single);

/* The word that an stfs of this register stores (PEM D.7). A value too small
 * for a denormal is undefined there; we store a zero of its sign. */
uint32_t fp_store_single(uint64_t bits);

#endif
