/* later.h - pages that somebody outside stores to and the program has not
 * touched yet: they must not come into memory for that, since which page comes
 * first decides where it lies. What they will have is kept here until then.
 */
#ifndef SIM_USER_LATER_H
#define SIM_USER_LATER_H

#include "sim/user/space.h"

/* The bytes of the page of ea from there on, kept until it comes. NULL: it is
 * mapped to nothing, or the host has no memory. */
uint8_t *later_bytes(struct space *s, ea_t ea);
/* The same, if they are kept. */
const uint8_t *later_find(const struct space *s, ea_t ea);

/* The page came, with these bytes. */
void later_made(struct space *s, ea_t page, uint8_t *bytes);
/* What is mapped there goes, or moves. */
void later_forget(struct space *s, ea_t at, uint32_t length);
void later_move(struct space *s, ea_t from, ea_t to, uint32_t length);

#endif
