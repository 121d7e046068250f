/* candidates.c - see candidates.h. */
#include "tools/simprof/scene/candidates.h"

#include <string.h>

#include "tools/simprof/scene/words.h"

#define NAME 256      /* bytes of a function's name, with its end */
#define MORE_LEAST 10 /* percent of the time that another brings more */

bool candidates_root(const json_t *row)
{
    return strcmp(scene_text(row, "what"), "unknown") != 0;
}

/* Is there a root in front of it of the same name and kind, at another line? */
bool candidates_twin(const struct first *f, const json_t *root)
{
    char name[NAME], other[NAME];
    json_t *row;
    size_t k;

    brings_name(f, root, name);
    json_array_foreach(f->causes, k, row)
    {
        if (row == root)
            return false;
        if (!strcmp(scene_text(row, "what"), scene_text(root, "what")) &&
            !strcmp(brings_name(f, row, other), name))
            return true;
    }
    return false;
}

static bool has_function(const json_t *row, const char *name)
{
    char other[NAME];

    for (unsigned n = 0; *root_function(row, n, other); n++)
        if (!strcmp(other, name))
            return true;
    return false;
}

/* Is the root's function on its stack? What is changed about that changes this,
 * too. And what the root's function calls is the root's. */
static bool is_within(const struct first *f, const json_t *row)
{
    char name[NAME];

    return (*brings_name(f, f->root, name) && has_function(row, name)) ||
           (*brings_name(f, row, name) && has_function(f->root, name));
}

/* Is there time that waits for it? */
static bool is_candidate(const struct first *f, const json_t *row)
{
    return candidates_root(row) && row != f->root && !candidates_twin(f, row) &&
           !is_within(f, row) &&
           brings_percent(scene_number(row, "cycles") +
                              scene_number(row, "spun"),
                          f->napping + f->spun) >= .05;
}

/* Those with most idle time, what brings most first. */
size_t candidates_find(const struct first *f,
                       struct candidate list[CANDIDATES_MOST])
{
    size_t count = 0, k, at;
    struct candidate c;
    json_t *row;

    json_array_foreach(f->causes, k, row)
    {
        if (count == CANDIDATES_MOST)
            break;
        if (!is_candidate(f, row))
            continue;
        c.root = row;
        c.does = brings_next(f, row, &c.gain);
        for (at = count++; at && list[at - 1].gain < c.gain; at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
    return count;
}

/* The candidate that is predicted to bring most: in place of the root if it
 * brings much more, or as much and is a mask, which binds threads to CPUs. */
json_t *candidates_most(const struct first *f)
{
    struct candidate list[CANDIDATES_MOST];
    json_t *most = f->root;
    double gain, more;
    size_t count;

    if (!brings_untried(f, &gain))
        return most;
    more = gain + MORE_LEAST;
    count = candidates_find(f, list);
    for (size_t k = 0; k < count; k++) {
        bool mask = !strcmp(scene_text(list[k].root, "what"), "mask");

        if (list[k].gain >= (mask ? gain : more) &&
            list[k].gain >= BRINGS_STANDS) {
            most = list[k].root;
            gain = more = list[k].gain;
        }
        json_decref(list[k].does);
    }
    return most;
}
