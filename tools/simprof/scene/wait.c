/* wait.c - see wait.h. The sentence is that of causes_words.c: clauses of a
 * thread and what it does.
 */
#include "tools/simprof/scene/wait.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/simprof/scene/words.h"

#define START " time is like this, as for "

/* The first chain as one line; the caller frees. NULL: there is none. */
static char *chain_of(const char *causes)
{
    const char *at = strstr(causes, START), *end;
    char *line;

    if (!at)
        return NULL;
    while (at > causes && at[-1] != '\n')
        at--;
    end = strstr(at, "\n\n");
    line = strndup(at, end ? (size_t)(end - at) : strlen(at));
    for (char *c = line; c && *c; c++)
        if (*c == '\n')
            *c = ' ';
    return line;
}

/* "18,738 cycles from cycle 24,602,302 on" */
static void put_gap(json_t *to, const char *at)
{
    uint64_t number[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        at += strcspn(at, "0123456789");
        for (; isdigit((unsigned char)*at) || *at == ','; at++)
            if (*at != ',')
                number[i] = number[i] * 10 + (uint64_t)(*at - '0');
    }
    json_object_set_new(to, "gap",
                        json_pack("[I, I]", (json_int_t)number[1],
                                  (json_int_t)(number[0] + number[1])));
}

/* ---- clauses ------------------------------------------------------------- */

/* Where the first of some texts stands; how long that is. NULL: nowhere. */
static const char *first_of(const char *text, const char *const *of,
                            size_t count, size_t *size)
{
    const char *best = NULL, *at;

    for (size_t i = 0; i < count; i++) {
        at = strstr(text, of[i]);
        if (at && (!best || at < best)) {
            best = at;
            *size = strlen(of[i]);
        }
    }
    return best;
}

/* Words of one who is named already join those. */
static void add_part(json_t *parts, const char *name, const char *words)
{
    json_t *part;
    size_t k;

    json_array_foreach(parts, k, part)
    {
        if (strcmp(scene_text(part, "name"), name))
            continue;
        scene_put(part, "words", "%s, %s", scene_text(part, "words"), words);
        return;
    }
    part = json_object();
    scene_put(part, "name", "%s", name);
    scene_put(part, "words", "%s", words);
    json_array_append_new(parts, part);
}

/* "in f (src/app.c:102)" without the directories. */
static void shorten(char *clause)
{
    char *bracket = strrchr(clause, '('),
         *slash = bracket ? strrchr(bracket, '/') : NULL;

    if (slash)
        memmove(bracket + 1, slash + 1, strlen(slash + 1) + 1);
}

/* "worker.6 sleeps in journal_write"; a clause without a thread is left out. */
static void add_clause(json_t *parts, char *clause)
{
    static const char *const verbs[] = {
        " waits", " sleeps", " runs", " has",  " is ",   " was ",  " may ",
        " wakes", " makes",  " does", " goes", " looks", " spins", " writes"};
    size_t size;
    const char *verb =
        first_of(clause, verbs, sizeof verbs / sizeof verbs[0], &size);

    if (!verb || verb == clause)
        return;
    shorten(clause);
    clause[verb - clause] = '\0';
    add_part(parts, clause, strcmp(verb + 1, "has") ? verb + 1 : "has it");
}

static json_t *parts_of(char *sentence)
{
    static const char *const ends[] = {", because ", "; ", ", which ",
                                       ", since ", ", and "};
    static const char all[] = "all threads run: ";
    static const struct {
        const char *text, *says;
    } begins[] = {{" is idle because ", "is idle"},
                  {" does no work: ", "does no work"}};
    bool spins = !strstr(sentence, begins[0].text);
    char *at = strstr(sentence, begins[spins].text), *end;
    json_t *parts = json_array();
    size_t size = 0, length = strlen(sentence);

    if (!at)
        return parts;
    if (length && sentence[length - 1] == '.')
        sentence[length - 1] = '\0';
    *at = '\0';
    add_part(parts, sentence, begins[spins].says);
    at += strlen(begins[spins].text);
    if (!strncmp(at, all, sizeof all - 1))
        at += sizeof all - 1;
    for (; at; at = end ? end + size : NULL) {
        end = (char *)first_of(at, ends, sizeof ends / sizeof ends[0], &size);
        if (end)
            *end = '\0';
        add_clause(parts, at);
    }
    return parts;
}

void scene_put_wait(json_t *to, const char *causes)
{
    char *chain = chain_of(causes),
         *colon = chain ? strstr(chain, " on: ") : NULL;

    scene_put(to, "chain", "%s", chain ? chain : "");
    if (colon) {
        put_gap(to, strstr(chain, START) + sizeof START - 1);
        json_object_set_new(to, "parts", parts_of(colon + 5));
    }
    free(chain);
}
