/* deferred_write.h - pages that a debugger stores to and the program has
 * not touched yet: they must not come into memory for that, since which page
 * comes first decides where it lies. What they will have is kept here until
 * then.
 */
#ifndef SIM_USER_MM_DEFERRED_WRITE_H
#define SIM_USER_MM_DEFERRED_WRITE_H

#include "sim/user/mm/space.h"

/* The bytes of the page of ea from there on, kept until it comes. NULL: it is
 * mapped to nothing, or the host has no memory. */
uint8_t *deferred_write_bytes(struct space *s, ea_t ea);
/* The same, if they are kept. */
const uint8_t *deferred_write_find(const struct space *s, ea_t ea);

/* The page came, with these bytes. */
void deferred_write_made(struct space *s, ea_t page, uint8_t *bytes);
/* What is mapped there goes, or moves. */
void deferred_write_forget(struct space *s, ea_t at, uint32_t length);
void deferred_write_move(struct space *s, ea_t from, ea_t to, uint32_t length);

#endif
