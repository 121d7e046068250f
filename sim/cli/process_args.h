/* process_args.h - what a program under --user is given: arguments,
 * environment, and where its files are, and all of it as lines of an
 * experiment's log, from which the run can be done again. */
#ifndef SIM_CLI_PROCESS_ARGS_H
#define SIM_CLI_PROCESS_ARGS_H

#include <stdbool.h>
#include <stddef.h>

/* A list of texts with NULL behind the last; the texts are owned. */
struct process_args_list {
    char **text;
    size_t count, room;
};

struct process_args {
    struct process_args_list argument; /* the program's name first */
    struct process_args_list variable; /* NAME=VALUE */
    char *place, *self; /* what it calls the root of its files, and its own
                         * file, or NULL; owned */
};

void process_args_free(struct process_args *g);

/* All of a list that ends in NULL. False: no memory. */
bool process_args_copy(struct process_args_list *l, char *const *from);
/* A list for a program, NULL behind the last. */
char *const *process_args_texts(const struct process_args_list *l);

/* "NAME=VALUE", in the place of NAME's value if it has one. False: no memory,
 * or no name in front of an =. */
bool process_args_set(struct process_args *g, const char *text);
/* False: that is no name. */
bool process_args_unset(struct process_args *g, const char *name);
void process_args_clear(struct process_args *g);

/* Take a copy of a text in place of one that is owned. False: no memory. */
bool process_args_name(char **name, const char *text);

/* Lines of the log, to be freed. NULL: no memory. */
char *process_args_lines(const struct process_args *g);
/* Take a line of the log, if it is one of them. False: no memory. */
bool process_args_read(struct process_args *g, const char *line);
/* Are the names from the root, as the log has them? */
bool process_args_sound(const struct process_args *g);

/* The first argument that is not the other's, by its place; -1: none. */
long process_args_departs(const struct process_args *a,
                          const struct process_args *b);

#endif
