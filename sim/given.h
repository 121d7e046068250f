/* given.h - what a program under --user is given: arguments, environment, and
 * where its files are, and all of it as lines of an experiment's log, from
 * which the run can be done again. */
#ifndef SIM_GIVEN_H
#define SIM_GIVEN_H

#include <stdbool.h>
#include <stddef.h>

/* A list of texts with NULL behind the last; the texts are owned. */
struct given_list {
    char **text;
    size_t count, room;
};

struct given {
    struct given_list argument; /* the program's name first */
    struct given_list variable; /* NAME=VALUE */
    char *place, *self; /* what it calls the root of its files, and its own
                         * file, or NULL; owned */
};

void given_free(struct given *g);

/* Append a copy. False: no memory. */
bool given_add(struct given_list *l, const char *text);
/* All of a list that ends in NULL. False: no memory. */
bool given_copy(struct given_list *l, char *const *from);
/* A list for a program, NULL behind the last. */
char *const *given_texts(const struct given_list *l);

/* "NAME=VALUE", in the place of NAME's value if it has one. False: no memory,
 * or no name in front of an =. */
bool given_set(struct given *g, const char *text);
/* False: that is no name. */
bool given_unset(struct given *g, const char *name);
void given_clear(struct given *g);

/* Take a copy of a text in place of one that is owned. False: no memory. */
bool given_name(char **name, const char *text);

/* Lines of the log, to be freed. NULL: no memory. */
char *given_lines(const struct given *g);
/* Take a line of the log, if it is one of them. False: no memory. */
bool given_read(struct given *g, const char *line);
/* Are the names from the root, as the log has them? */
bool given_sound(const struct given *g);

/* The first argument that is not the other's, by its place; -1: none. */
long given_departs(const struct given *a, const struct given *b);

#endif
