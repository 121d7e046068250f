/* options.c - reads options.def's options, from a command line or a script. */
#include "tools/simprof/session/options.h"

#include <getopt.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/text.h"

static const struct {
    const char *spelling, *argument, *text;
} options[] = {
#define OPTION(name, spelling, argument, text) {spelling, argument, text},
#include "tools/simprof/session/options.def"
#undef OPTION
};

const char *options_spelling(int bit)
{
    return options[bit].spelling;
}

void options_help(uint64_t takes, FILE *to)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        char left[48];

        if (!(takes & 1ull << i))
            continue;
        snprintf(left, sizeof left, "--%s%s%s", options[i].spelling,
                 options[i].argument ? "=" : "",
                 options[i].argument ? options[i].argument : "");
        report_pair(to, left, HELP_LEFT, options[i].text);
    }
}

/* No such option: what may have been meant, of this report. */
static void refuse_option(struct options *o, uint64_t takes, const char *word)
{
    char near[DID_YOU_MEAN_TEXT], name[128], spelled[OPTION_COUNT][40];
    struct did_you_mean n;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    did_you_mean_begin(&n, name);
    for (int i = 0; i < OPTION_COUNT; i++) {
        snprintf(spelled[i], sizeof spelled[i], "--%s", options[i].spelling);
        if (takes & 1ull << i)
            did_you_mean_offer(&n, spelled[i]);
        else if (!strcmp(spelled[i], name))
            report_refuse(o,
                          "%.400s: not an option of this report (its "
                          "--help lists them)",
                          word);
    }
    report_refuse(o, "%.400s: no such option%s", word,
                  n.count ? did_you_mean_text(&n, near)
                          : " (simprof REPORT --help lists them)");
}

/* ---- values -------------------------------------------------------------- */

static bool number(struct options *o, int bit, const char *text, unsigned most,
                   unsigned *n)
{
    uint64_t it;

    if (!text_number(text, &it) || it > most) {
        report_refuse(o, "--%s=%s: must be a number from 0 to %u",
                      options[bit].spelling, text, most);
        return false;
    }
    *n = (unsigned)it;
    return true;
}

/* Which of the names, ended by NULL, an option's argument is. */
static bool choice(struct options *o, int bit, const char *text,
                   const char *const *name, unsigned *which)
{
    char list[256] = "";

    for (*which = 0; name[*which]; ++*which) {
        size_t n = strlen(list);

        if (!strcmp(text, name[*which]))
            return true;
        snprintf(list + n, sizeof list - n, "%s%s",
                 !*which            ? ""
                 : name[*which + 1] ? ", "
                                    : " or ",
                 name[*which]);
    }
    report_refuse(o, "--%s=%s: must be %s", options[bit].spelling, text, list);
    return false;
}

/* As enum part has them. */
static const char *const parts[] = {"all",     "cpus",  "stacks", "tree",
                                    "classes", "roots", "chains", "states",
                                    "records", "path",  "taken",  NULL};
/* As enum marks_part has them. */
static const char *const marks[] = {"all",   "marks", "areas",      "ranges",
                                    "found", "trace", "interrupts", "shadow",
                                    "words", "cost",  NULL};
static const char *const bys[] = {"function", "pc", "thread", "process", NULL};
/* As enum viewmode_is has them. */
static const char *const views[] = {"machine", "expert", "user", NULL};
static const char *const ways[] = {"literal", "inherit", NULL};
static const char *const shows[] = {"functions", "stacks", "calltree",
                                    "callers-callees", NULL};
static const char *const formats[] = {"perf",       "gprofng", "callgrind",
                                      "speedscope", "folded",  "chrome",
                                      "csv",        NULL};

const char *const *options_words(int bit)
{
    return bit == OPTION_BIT_TABLE      ? parts
           : bit == OPTION_BIT_PART     ? marks
           : bit == OPTION_BIT_BY       ? bys
           : bit == OPTION_BIT_VIEWMODE ? views
           : bit == OPTION_BIT_DESCEND  ? ways
           : bit == OPTION_BIT_SHOW     ? shows
           : bit == OPTION_BIT_FORMAT   ? formats
                                        : NULL;
}

bool options_argument(int bit)
{
    return options[bit].argument != NULL;
}

/* Which reports have it is not known yet: they refuse a name that is none. */
static void set_part(struct options *o, const char *text)
{
    unsigned which = 0;

    while (parts[which] && strcmp(text, parts[which]))
        which++;
    o->part = (enum part)which;
}

bool report_part(const struct options *o, enum part first, enum part last)
{
    char list[256] = "all";

    if (o->part == PART_ALL || (o->part >= first && o->part <= last))
        return true;
    for (enum part n = first; n <= last; n++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 n < last ? ", " : " or ", parts[n]);
    report_refuse(o, "--table=%s%s; here: %s", o->text[OPTION_BIT_TABLE],
                  o->part == PART_NONE ? ": no report has that"
                                       : " is of another report",
                  list);
    return false;
}

static bool set_words(struct options *o, int bit, const char *text)
{
    unsigned which;

    if (bit == OPTION_BIT_TABLE) {
        set_part(o, text);
        return true;
    }
    if (!choice(o, bit, text, options_words(bit), &which))
        return false;
    if (bit == OPTION_BIT_PART)
        o->marks = (enum marks_part)which;
    else if (bit == OPTION_BIT_VIEWMODE)
        o->viewmode = (enum viewmode_is)which;
    else
        o->by = (enum interrupts_by)which;
    return true;
}

bool options_set(struct options *o, int bit, const char *text)
{
    unsigned n;

    switch (bit) {
    case OPTION_BIT_JSON:
        o->json = true;
        o->csv = true;
        break;
    case OPTION_BIT_CSV:
        o->csv = true;
        break;
    case OPTION_BIT_CPU:
        if (!number(o, bit, text, 255, &n))
            return false;
        o->cpu = (long)n;
        break;
    case OPTION_BIT_PER_CPU:
        o->per_cpu = true;
        break;
    case OPTION_BIT_REASONS:
        o->reasons = true;
        break;
    case OPTION_BIT_PCS:
        o->pcs = true;
        break;
    case OPTION_BIT_TABLE:
    case OPTION_BIT_PART:
    case OPTION_BIT_BY:
    case OPTION_BIT_VIEWMODE:
        if (!set_words(o, bit, text))
            return false;
        break;
    case OPTION_BIT_LIMIT:
        if (!number(o, bit, text, 1000000000, &o->limit))
            return false;
        break;
    case OPTION_BIT_FEW:
        if (!number(o, bit, text, 1000000000, &o->few))
            return false;
        break;
    case OPTION_BIT_WIDTH:
        if (!number(o, bit, text, 10000, &o->width))
            return false;
        break;
    case OPTION_BIT_WHAT_IF:
        if (o->what_ifs == OPTIONS_WHAT_IFS) {
            report_refuse(o, "--what-if: at most %d", OPTIONS_WHAT_IFS);
            return false;
        }
        o->what_if[o->what_ifs++] = text;
        break;
    default:
        break; /* the report reads o->text */
    }
    o->text[bit] = text ? text : "";
    o->standing &= ~(1ull << bit);
    return true;
}

void options_settle(struct options *o, FILE *to)
{
    if (!o->width)
        o->width = table_width(to);
    if (o->limit == UINT32_MAX)
        o->limit = o->csv ? 0 : 20;
    if (!o->text[OPTION_BIT_FEW])
        o->few = 100;
}

/* ---- words --------------------------------------------------------------- */

#define LONG 256 /* getopt_long returns this and the bit: no letter is */

/* getopt_long does not know it (c is '?'), or misses what stands behind it. */
static void refuse_word(struct options *o, uint64_t takes, int c,
                        const char *word)
{
    if (c == ':')
        report_refuse(o, "%.400s: an argument is missing behind it", word);
    else if (optopt >= LONG)
        report_refuse(o, "%.400s: takes no argument", word);
    else
        refuse_option(o, takes, word);
}

/* Does getopt_long refuse a letter of this word? */
static bool has_letter(const char *word, int letter)
{
    return word[0] == '-' && word[1] != '-' && strchr(word + 1, letter);
}

/* The word that was refused. Behind a letter in the middle of one, optind is
 * still at it; else it is past it. */
static const char *refused_word(int argc, char **argv)
{
    const char *before = argv[optind - 1];

    if (optopt <= 0 || optopt >= LONG || optind >= argc ||
        !has_letter(argv[optind], optopt))
        return before;
    return has_letter(before, optopt) && before[strlen(before) - 1] == optopt
               ? before
               : argv[optind];
}

enum options_end options_read(struct options *o, uint64_t takes, int argc,
                              char **argv, int *left)
{
    struct option table[OPTION_COUNT + 1] = {{0}};
    const char *letters = takes & OPTION_OUTPUT    ? ":o:vh"
                          : takes & OPTION_VERBOSE ? ":vh"
                                                   : ":h";
    int n = 0, c;

    for (int i = 0; i < OPTION_COUNT; i++)
        if (takes & 1ull << i)
            table[n++] = (struct option){options[i].spelling,
                                         options[i].argument ? required_argument
                                                             : no_argument,
                                         NULL, LONG + i};
    opterr = 0;
    optind = 0; /* begin anew: a script reads many lines */
    while ((c = getopt_long(argc, argv, letters, table, NULL)) >= 0) {
        if (c == '?' || c == ':') {
            refuse_word(o, takes, c, refused_word(argc, argv));
            return OPTIONS_REFUSED;
        }
        c = c == 'o'   ? OPTION_BIT_OUTPUT
            : c == 'v' ? OPTION_BIT_VERBOSE
            : c == 'h' ? OPTION_BIT_HELP
                       : c - LONG;
        if (c == OPTION_BIT_HELP)
            return OPTIONS_HELP;
        if (!options_set(o, c, optarg))
            return OPTIONS_REFUSED;
    }
    *left = optind;
    if (o->per_cpu && o->cpu >= 0) {
        report_refuse(o, "--cpu and --per-cpu do not go together");
        return OPTIONS_REFUSED;
    }
    return OPTIONS_READ;
}

bool options_operand(struct options *o, uint64_t takes, const char *word)
{
    static const int place[] = {OPTION_BIT_BASE, OPTION_BIT_FUNCTION,
                                OPTION_BIT_NAME};

    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++)
        if (takes & 1ull << place[i] && !o->text[place[i]]) {
            o->text[place[i]] = word;
            return true;
        }
    return false;
}
