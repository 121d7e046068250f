/* common.h - see common.c. */
#ifndef TESTS_PIF_COMMON_H
#define TESTS_PIF_COMMON_H

#include "tests/pif/pif.h"

#define MAIN_BYTES 0x100000u

/* Every lookup, in every state. */
#define MODE                                                                   \
    (PIFM_IE | PIFM_DE | PIFM_US | PIFM_SU | PIFM_P1 | PIFM_P0 | PIFM_XE |     \
     PIFM_RE)

extern unsigned failures;

void print(const char *s);
void print_number(uint32_t v);
/* A test: says so and counts when it is not. */
void is(const char *what, uint32_t got, uint32_t want);

/* Vectors 0x200 to 0x1500 lead to handle(). */
void install(void);
void handle(struct frame *f);

void turn_on(uint32_t mode);
#define LINE_MAX 64
/* Bytes of a block, a cache line, as the processor says. */
extern uint32_t block_bytes;
/* Shadow storage for all below MAIN_BYTES, nothing marked. */
void register_segment(void);
/* The full shadow block of the line of `at`, made if need be. */
volatile uint32_t *shadow(const volatile void *at);
/* What it has about the word at `at`: indicator, count, limit, hits. */
volatile uint32_t *shadow_word(const volatile void *at);
/* Its entry in the translation table. */
volatile uint32_t *entry_of(const volatile void *at);
/* Replace a word's mark; its counts begin at 0. pifsync makes it hold. */
void mark(const volatile void *at, uint32_t indicator, uint32_t limit);
uint32_t hits(const volatile void *at);
void unmark_all(void);

#endif
