/* single.h - the two forms of a single-precision number: a word in memory, a
 * double in a register. For every room that carries one across.
 */
#ifndef ISA_SINGLE_H
#define ISA_SINGLE_H

#include <stdint.h>

/* The double that an lfs of this word leaves in the register. */
uint64_t fp_widen(uint32_t single);

/* The word that an stfs of this register stores (PEM D.7). A value too small
 * for a denormal is undefined there; we store a zero of its sign. */
uint32_t fp_store_single(uint64_t bits);

#endif
