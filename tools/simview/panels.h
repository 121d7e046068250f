/* panels.h - what each panel draws in the box it is given. */
#ifndef TOOLS_SIMVIEW_PANELS_H
#define TOOLS_SIMVIEW_PANELS_H

#include "tools/simview/ui.h"

#define MARGIN 10
#define PANEL_NAMES 140 /* pixels left of lanes */

/* The name of a panel, as --panel has it. */
const char *panel_name(enum panel p);
/* The rows that a panel shows as a table, or NULL. */
json_t *panel_rows(struct ui *u, enum panel p);

/* The colour of the n-th kind of work, those with most cycles first. */
colour panel_working(size_t n);

void panel_overview(struct ui *u, struct box b);
/* How a state of threads looks: a number from 0 on. */
int panel_look(const char *state);
/* One lane of a scene: its name, then its time. */
void panel_lane(struct ui *u, const struct scene *s, const struct lanes *l,
                const struct lane *lane, struct box b);
/* Which letter and colour is which state; of those that lanes have. It is as
 * wide as the box at most, and as high as PANEL_KEY and a line of text and
 * *down pixels, what lies above its last line. Returns the width of that one,
 * 0: there are none. */
#define PANEL_KEY 4
int panel_key(struct ui *u, struct box b, const struct lanes *l, int *down);
void panel_time(struct ui *u, struct box b);
/* The idle gap that is looked at; returns its height. */
int panel_gap(struct ui *u, struct box b);
void panel_calls(struct ui *u, struct box b);
/* Rows that are objects, a column each key; text stands left. */
void panel_table(struct ui *u, struct box b, json_t *rows);
/* Functions as samples found them beside how they are: rows of `truth`. */
void panel_truth(struct ui *u, struct box b, json_t *rows);
void panel_source(struct ui *u, struct box b);
void panel_pipe(struct ui *u, struct box b);
void panel_memory(struct ui *u, struct box b);

/* Row `number` of the table as it is ordered now; NULL: there is none. */
json_t *panel_row(struct ui *u, json_t *rows, long number);

/* The first text of a row that is a function's name, or NULL. */
const char *row_function(const json_t *row);

#endif
