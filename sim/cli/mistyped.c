/* mistyped.c - options of which there are none, several, or that want an
 * argument or none. Prints nothing.
 */
#include "sim/cli/mistyped.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/did_you_mean.h"

#define HELP "simrun --help=all lists the options"

/* The options that begin with these letters; one that is exactly so is the
 * only one. */
static unsigned find(const struct argp_option *rows, const char *text,
                     size_t length, const struct argp_option **found)
{
    unsigned n = 0;

    for (; rows->name; rows++) {
        if (strncmp(rows->name, text, length) != 0)
            continue;
        if (!rows->name[length]) {
            *found = rows;
            return 1;
        }
        if (!n++)
            *found = rows;
    }
    return n;
}

static void none_such(const struct argp_option *rows, const char *text,
                      char *why, size_t size)
{
    char near_by[DID_YOU_MEAN_TEXT], name[64];
    struct did_you_mean n;

    snprintf(name, sizeof name, "--%.*s", (int)strcspn(text, "="), text);
    did_you_mean_begin(&n, name + 2);
    for (; rows->name; rows++)
        did_you_mean_offer(&n, rows->name);
    did_you_mean_text(&n, near_by);
    snprintf(why, size, "%s: no such option%s%s", name, near_by,
             *near_by ? "" : "; " HELP);
}

static void several(const struct argp_option *rows, const char *text, char *why,
                    size_t size)
{
    size_t used = (size_t)snprintf(why, size, "--%s: this may be any of", text);
    size_t length = strcspn(text, "=");

    for (; rows->name && used < size; rows++)
        if (strncmp(rows->name, text, length) == 0)
            used +=
                (size_t)snprintf(why + used, size - used, " --%s", rows->name);
}

static void long_option(const struct argp_option *rows, const char *text,
                        char *why, size_t size)
{
    const struct argp_option *row = NULL;
    size_t length = strcspn(text, "=");
    unsigned n = find(rows, text, length, &row);

    if (n == 0)
        none_such(rows, text, why, size);
    else if (n > 1)
        several(rows, text, why, size);
    else if (row->arg)
        snprintf(why, size, "--%s: something is missing behind it: --%s=%s",
                 row->name, row->name, row->arg);
    else
        snprintf(why, size, "--%s: --%s takes nothing behind it", text,
                 row->name);
}

static void letter(const struct argp_option *rows, char key, char *why,
                   size_t size)
{
    for (; rows->name; rows++)
        if (rows->key == key && rows->arg) {
            snprintf(why, size, "-%c: something is missing behind it: -%c %s",
                     key, key, rows->arg);
            return;
        }
    snprintf(why, size, "-%c: no such option; " HELP, key);
}

/* The first letter of a cluster that is none, or that wants more. */
static char culprit(const struct argp_option *rows, const char *text)
{
    for (; *text; text++) {
        const struct argp_option *row = rows;

        while (row->name && row->key != *text)
            row++;
        if ((!row->name && *text != '?') || row->arg)
            break;
    }
    return *text;
}

void mistyped_option(const struct argp_option *rows, char *const *argv,
                     int next, char *why, size_t size)
{
    const char *text = next > 1 ? argv[next - 1] : "";
    const struct argp_option *row;

    if (strncmp(text, "--", 2) == 0) {
        long_option(rows, text + 2, why, size);
        return;
    }
    /* In the middle of a cluster getopt still stands in front of it. */
    if (text[0] != '-' || !culprit(rows, text + 1))
        text = argv[next] ? argv[next] : "-";
    if (find(rows, text + 1, strcspn(text + 1, "="), &row) == 1 && text[2])
        snprintf(why, size, "%s: such an option begins with two dashes: --%s",
                 text, text + 1);
    else
        letter(rows, culprit(rows, text + 1), why, size);
}
