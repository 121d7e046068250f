/* filter.c - the language of --filters: the engine of lib/expr with the fields
 * of a record. */
#include "tools/analysis/query/filter.h"

#include <stdio.h>

#include "lib/expr/tree.h"
#include "tools/analysis/query/fields.h"

static struct expr_value value(const void *about, size_t field)
{
    return field_value(about, (int)field);
}

static bool is(const void *about, size_t field, const struct expr_value *v,
               const char *text)
{
    return field_is(about, (int)field, v, text);
}

static struct expr_value in_stack(const void *about, const char *text)
{
    return field_in_stack(about, text);
}

static const struct expr_atom fields[] = {
#define FIELD(id, holds, kinds, text) {.name = #id, .type = EXPR_##holds},
#include "tools/analysis/query/fields.def"
#undef FIELD
};

static const struct expr_language language = {
    .noun = "field",
    .atom = fields,
    .atoms = sizeof fields / sizeof *fields,
    .truth = EXPR_NUMBER,
    .largest = INT64_MAX,
    .list = "stack",
    .no_places = "no place has a name here; compare a field with it, such as "
                 "function == \"NAME\"",
    .value = value,
    .is = is,
    .in_list = in_stack,
};

struct expr *filter_parse(const char *text, struct expr_error *error)
{
    return expr_parse(&language, text, 0, error);
}

/* The field that a literal is compared with, the literal at *literal; -1: none.
 */
static int compared_with(const struct expr *e, const struct expr_node *n,
                         size_t *literal)
{
    bool swapped = e->node[n->right].op == EXPR_OP_ATOM;
    const struct expr_node *field = &e->node[swapped ? n->right : n->left];

    *literal = swapped ? n->left : n->right;
    return field->op == EXPR_OP_ATOM ? (int)field->number : -1;
}

bool filter_names(const struct expr *e, const struct filter_about *about,
                  struct expr_error *error)
{
    char why[FIELD_WHY];
    bool good = true;

    for (size_t i = 0; good && i < e->count; i++) {
        const struct expr_node *n = &e->node[i], *literal;
        size_t at = i;
        int field = -1;

        if (n->op == EXPR_OP_EQ || n->op == EXPR_OP_NE)
            field = compared_with(e, n, &at);
        literal = &e->node[at];
        if (n->op == EXPR_OP_IN_LIST)
            good = field_stack_knows(about, n->text, why);
        else if (field >= 0 && literal->op == EXPR_OP_TEXT)
            good = field_knows(about, field, literal->text, why);
        else if (field >= 0 && literal->op == EXPR_OP_NUMBER)
            good = field_counts(about, field, literal->number, why);
        if (good)
            continue;
        error->at = literal->at;
        snprintf(error->why, sizeof error->why, "%s", why);
    }
    return good;
}

struct expr *filter_open(const char *text, struct recording *r,
                         const struct samples_metrics *metrics, char *why,
                         size_t size)
{
    struct filter_about about = {r, metrics, NULL};
    struct expr_error error;
    struct expr *e = filter_parse(text, &error);

    if (e && (!r || filter_names(e, &about, &error)))
        return e;
    expr_free(e);
    expr_show(text, &error, why, size);
    return NULL;
}
