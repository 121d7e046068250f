/* given.c - arguments and environment of a program under --user. Format of the
 * lines: docs/experiment.md.
 */
#define _GNU_SOURCE
#include "sim/given.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT "argument "
#define VARIABLE "environment "

static void list_clear(struct given_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->text[i]);
    l->count = 0;
    if (l->text)
        l->text[0] = NULL;
}

void given_free(struct given *g)
{
    list_clear(&g->argument);
    list_clear(&g->variable);
    free(g->argument.text);
    free(g->variable.text);
    *g = (struct given){0};
}

/* Append a text that is ours from now on. */
static bool adopt(struct given_list *l, char *text)
{
    if (text && l->count + 1 >= l->room) {
        size_t room = 2 * l->room + 16;
        char **more = realloc(l->text, room * sizeof *more);

        if (!more) {
            free(text);
            return false;
        }
        l->text = more;
        l->room = room;
    }
    if (!text)
        return false;
    l->text[l->count++] = text;
    l->text[l->count] = NULL;
    return true;
}

bool given_add(struct given_list *l, const char *text)
{
    return adopt(l, strdup(text));
}

bool given_copy(struct given_list *l, char *const *from)
{
    while (*from)
        if (!given_add(l, *from++))
            return false;
    return true;
}

char *const *given_texts(const struct given_list *l)
{
    static char *const none[] = {NULL};

    return l->text ? l->text : none;
}

/* ---- the environment ---------------------------------------------------- */

/* Where NAME (length bytes) is set; -1: nowhere. */
static long find(const struct given_list *l, const char *name, size_t length)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strncmp(l->text[i], name, length) && l->text[i][length] == '=')
            return (long)i;
    return -1;
}

bool given_set(struct given *g, const char *text)
{
    size_t length = strcspn(text, "=");
    long at = find(&g->variable, text, length);
    char *copy;

    if (!length || text[length] != '=')
        return false;
    if (at < 0)
        return given_add(&g->variable, text);
    copy = strdup(text);
    if (!copy)
        return false;
    free(g->variable.text[at]);
    g->variable.text[at] = copy;
    return true;
}

bool given_unset(struct given *g, const char *name)
{
    struct given_list *l = &g->variable;
    long at;

    if (!*name || strchr(name, '='))
        return false;
    while ((at = find(l, name, strlen(name))) >= 0) {
        free(l->text[at]);
        l->count--;
        memmove(l->text + at, l->text + at + 1,
                (l->count + 1 - (size_t)at) * sizeof *l->text);
    }
    return true;
}

void given_clear(struct given *g)
{
    list_clear(&g->variable);
}

/* ---- lines -------------------------------------------------------------- */

static size_t escaped_size(const struct given_list *l, const char *key)
{
    size_t size = 0;

    for (size_t i = 0; i < l->count; i++)
        size += strlen(key) + 4 * strlen(l->text[i]) + 1;
    return size;
}

/* Bytes that would break the line as \xHH. */
static char *put_lines(char *out, const struct given_list *l, const char *key)
{
    for (size_t i = 0; i < l->count; i++) {
        out = stpcpy(out, key);
        for (const char *c = l->text[i]; *c; c++)
            if ((unsigned char)*c < 0x20 || *c == 0x7F || *c == '\\')
                out += sprintf(out, "\\x%02x", (unsigned char)*c);
            else
                *out++ = *c;
        *out++ = '\n';
    }
    *out = '\0';
    return out;
}

char *given_lines(const struct given *g)
{
    char *text = malloc(escaped_size(&g->argument, ARGUMENT) +
                        escaped_size(&g->variable, VARIABLE) + 1);

    if (text)
        put_lines(put_lines(text, &g->argument, ARGUMENT), &g->variable,
                  VARIABLE);
    return text;
}

/* The text of a line, to its end. */
static bool read_text(struct given_list *l, const char *line)
{
    char *text = malloc(strlen(line) + 1), *out = text;
    unsigned byte;

    for (; text && *line && *line != '\n'; line++)
        if (line[0] == '\\' && line[1] == 'x' && isxdigit(line[2]) &&
            isxdigit(line[3])) {
            sscanf(line + 2, "%2x", &byte);
            *out++ = (char)byte;
            line += 3;
        } else {
            *out++ = *line;
        }
    if (text)
        *out = '\0';
    return adopt(l, text);
}

bool given_read(struct given *g, const char *line)
{
    if (strncmp(line, ARGUMENT, strlen(ARGUMENT)) == 0)
        return read_text(&g->argument, line + strlen(ARGUMENT));
    if (strncmp(line, VARIABLE, strlen(VARIABLE)) == 0)
        return read_text(&g->variable, line + strlen(VARIABLE));
    return true;
}

long given_departs(const struct given *a, const struct given *b)
{
    const struct given_list *x = &a->argument, *y = &b->argument;
    size_t n = 0;

    while (n < x->count && n < y->count && !strcmp(x->text[n], y->text[n]))
        n++;
    return n == x->count && n == y->count ? -1 : (long)n;
}
