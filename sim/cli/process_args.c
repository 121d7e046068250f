/* process_args.c - arguments and environment of a program under --user. Format
 * of the lines: docs/experiment.md.
 */
#define _GNU_SOURCE
#include "sim/cli/process_args.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT "argument "
#define VARIABLE "environment "
#define PLACE "root "
#define SELF "self "

static void list_clear(struct process_args_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->text[i]);
    l->count = 0;
    if (l->text)
        l->text[0] = NULL;
}

void process_args_free(struct process_args *g)
{
    list_clear(&g->argument);
    list_clear(&g->variable);
    free(g->argument.text);
    free(g->variable.text);
    free(g->place);
    free(g->self);
    *g = (struct process_args){0};
}

/* Append a text that is ours from now on. */
static bool adopt(struct process_args_list *l, char *text)
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

/* Append a copy. False: no memory. */
static bool process_args_add(struct process_args_list *l, const char *text)
{
    return adopt(l, strdup(text));
}

bool process_args_copy(struct process_args_list *l, char *const *from)
{
    while (*from)
        if (!process_args_add(l, *from++))
            return false;
    return true;
}

char *const *process_args_texts(const struct process_args_list *l)
{
    static char *const none[] = {NULL};

    return l->text ? l->text : none;
}

/* ---- the environment ----------------------------------------------------- */

/* Where NAME (length bytes) is set; -1: nowhere. */
static long find(const struct process_args_list *l, const char *name,
                 size_t length)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strncmp(l->text[i], name, length) && l->text[i][length] == '=')
            return (long)i;
    return -1;
}

bool process_args_set(struct process_args *g, const char *text)
{
    size_t length = strcspn(text, "=");
    long at = find(&g->variable, text, length);
    char *copy;

    if (!length || text[length] != '=')
        return false;
    if (at < 0)
        return process_args_add(&g->variable, text);
    copy = strdup(text);
    if (!copy)
        return false;
    free(g->variable.text[at]);
    g->variable.text[at] = copy;
    return true;
}

bool process_args_unset(struct process_args *g, const char *name)
{
    struct process_args_list *l = &g->variable;
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

void process_args_clear(struct process_args *g)
{
    list_clear(&g->variable);
}

bool process_args_name(char **name, const char *text)
{
    char *copy = strdup(text);

    if (copy) {
        free(*name);
        *name = copy;
    }
    return copy != NULL;
}

/* ---- lines --------------------------------------------------------------- */

static size_t escaped_size(const char *key, const char *text)
{
    return text ? strlen(key) + 4 * strlen(text) + 1 : 0;
}

static size_t escaped_sizes(const char *key, const struct process_args_list *l)
{
    size_t size = 0;

    for (size_t i = 0; i < l->count; i++)
        size += escaped_size(key, l->text[i]);
    return size;
}

/* A line, if there is a text. Bytes that would break it as \xHH. */
static char *put_line(char *out, const char *key, const char *text)
{
    if (!text)
        return out;
    out = stpcpy(out, key);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F || *c == '\\')
            out += sprintf(out, "\\x%02x", (unsigned char)*c);
        else
            *out++ = *c;
    return stpcpy(out, "\n");
}

static char *put_lines(char *out, const char *key,
                       const struct process_args_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        out = put_line(out, key, l->text[i]);
    return out;
}

char *process_args_lines(const struct process_args *g)
{
    char *text =
        malloc(escaped_sizes(ARGUMENT, &g->argument) +
               escaped_sizes(VARIABLE, &g->variable) +
               escaped_size(PLACE, g->place) + escaped_size(SELF, g->self) + 1);
    char *out = text;

    if (!text)
        return NULL;
    out = put_lines(out, ARGUMENT, &g->argument);
    out = put_lines(out, VARIABLE, &g->variable);
    out = put_line(out, PLACE, g->place);
    out = put_line(out, SELF, g->self);
    *out = '\0';
    return text;
}

/* The text of a line, to its end. NULL: no memory. */
static char *read_text(const char *line)
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
    return text;
}

bool process_args_read(struct process_args *g, const char *line)
{
    static const char *const keys[] = {ARGUMENT, VARIABLE, PLACE, SELF};
    unsigned k = 0;
    char **name, *text;

    while (k < 4 && strncmp(line, keys[k], strlen(keys[k])) != 0)
        k++;
    if (k == 4)
        return true;
    text = read_text(line + strlen(keys[k]));
    if (k < 2)
        return adopt(k ? &g->variable : &g->argument, text);
    name = k == 2 ? &g->place : &g->self;
    free(*name);
    *name = text;
    return text != NULL;
}

bool process_args_sound(const struct process_args *g)
{
    return (!g->place || *g->place == '/') && (!g->self || *g->self == '/');
}

long process_args_departs(const struct process_args *a,
                          const struct process_args *b)
{
    const struct process_args_list *x = &a->argument, *y = &b->argument;
    size_t n = 0;

    while (n < x->count && n < y->count && !strcmp(x->text[n], y->text[n]))
        n++;
    return n == x->count && n == y->count ? -1 : (long)n;
}
