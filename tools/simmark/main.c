/* main.c - simmark: marks in the section .perfinst of any PowerPC program.
 *   simmark add|remove|fix|opcodes|list|verify FILE [SPEC...]
 * The only file of simmark, verify.c and profile.c's notes apart, that prints
 * or exits.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/version.h"
#include "lib/base/did_you_mean.h"
#include "lib/base/text.h"
#include "tools/simmark/opcodes.h"
#include "tools/simmark/profile.h"
#include "tools/simmark/program.h"
#include "tools/simmark/verify.h"

#define EXIT_USAGE 2
#define MESSAGE 2048
#define SPECS 256

enum command { ADD, REMOVE, FIX, OPCODES, LIST, VERIFY, COMMANDS };

static const char *const command_names[] = {"add",     "remove", "fix",
                                            "opcodes", "list",   "verify"};

struct options {
    enum command command;
    const char *file, *output;
    const char *spec[SPECS]; /* verify: the program to compare with */
    unsigned specs;
    bool in_place, text, csv, percent;
    bool placed; /* --at */
    uint32_t at;
    struct profile_choice profile;
    struct perfinst_action action;
};

enum {
    KEY_TEXT = 256,
    KEY_CSV,
    KEY_PROFILE,
    KEY_ABOVE,
    KEY_EVENT,
    KEY_FILTERS,
    KEY_HOT,
    KEY_AT,
    KEY_USAGE
};

static const struct argp_option option_rows[] = {
    {NULL, 0, NULL, 0, "Where marks go:", 1},
    {"output", 'o', "FILE", 0, "Write the marked program there", 1},
    {"in-place", 'i', NULL, 0, "Change the file itself", 1},
    {"text", KEY_TEXT, NULL, 0,
     "add: print the marks as a list for simrun --mark file:LIST instead, and "
     "write nothing",
     1},
    {NULL, 0, NULL, 0, "What they do:", 2},
    {"action", 'a', "ACTION,...", 0,
     "What a mark does that names no action (count)", 2},
    {NULL, 0, NULL, 0, "What is marked, besides what a SPEC names:", 3},
    {"profile", KEY_PROFILE, "EXPERIMENT", 0,
     "add: mark the functions that were hot there", 3},
    {"above", KEY_ABOVE, "PERCENT", 0,
     "... those with more than this of the cycles that CPUs ran (5)", 3},
    {"event", KEY_EVENT, "NAME", 0,
     "... of the samples of this counter, instead of exact cycles", 3},
    {"filters", KEY_FILTERS, "EXPR", 0,
     "... of the records for which the expression holds", 3},
    {"hot", KEY_HOT, "functions|instructions", 0,
     "... what is marked: functions (default) or single instructions", 3},
    {NULL, 0, NULL, 0, "Of opcodes and list:", 4},
    {"at", KEY_AT, "ADDRESS", 0,
     "opcodes: where the moved instructions shall stand (where there is room)",
     4},
    {"csv", KEY_CSV, NULL, 0, "list: comma-separated values", 4},
    {"help", 'h', NULL, 0, "Print this", 5},
    {NULL, '?', NULL, OPTION_ALIAS, NULL, 5},
    {"usage", KEY_USAGE, NULL, 0, "Print a short form of it", 5},
    {"version", 'V', NULL, 0, "Print the version", 5},
    {0},
};

static const char doc[] =
    "Mark instructions and data of a PowerPC program for simrun.\v"
    "add puts marks into the program's section .perfinst, remove takes them "
    "out (all, or those at the places named), fix writes the sizes of marked "
    "functions into it so that the program can be stripped, opcodes makes a "
    "program in which instructions carry the marks: each marked one is moved "
    "behind a pmark, and a branch leads there (for simrun alone). list prints "
    "them, "
    "verify checks them and prints a checksum of each loaded segment, and "
    "compares them with those of ORIGINAL.\n"
    "A SPEC is func:NAME, addr:A, range:A..B, data:NAME[+OFFSET][,BYTES], "
    "line:FILE:N, calls:NAME, returns:, syscalls:, branches:, loads:, stores:, "
    "callers: "
    "or "
    "file:LIST, then =ACTION,... "
    "(docs/pif.md, section 11).\n\n"
    "Examples:\n"
    "  simmark add a.out func:main=count -o marked.out\n"
    "  simmark add a.out 'func:helper (a.c)' --action=limit:100 --in-place\n"
    "  simmark add a.out --profile=run.exp --above=10 -o marked.out\n"
    "  simmark list marked.out\n\n"
    "Exit status: 0 done; 1 verify found a difference, or the experiment is "
    "damaged; 2 wrong usage; 125 it cannot be done.";

/* ---- options ------------------------------------------------------------- */

static void end_print(void)
{
    exit(fflush(stdout) || ferror(stdout) ? EXIT_BROKEN : 0);
}

static void print_help(const struct argp_state *state, unsigned flags)
{
    argp_help(state->root_argp, stdout, flags, (char *)state->name);
    end_print();
}

static void read_action(struct argp_state *state, struct options *o,
                        const char *text)
{
    struct perfinst_error e = {0};

    if (!perfinst_action_parse(text, NULL, &o->action, &e))
        argp_error(state, "--action: %s\n  %s\n  %*s^", e.why, text, (int)e.at,
                   "");
}

static void read_above(struct argp_state *state, struct options *o,
                       const char *text)
{
    char *end;

    errno = 0;
    o->profile.above = strtod(text, &end);
    if (end == text || *end || errno || !(o->profile.above >= 0) ||
        o->profile.above >= 100)
        argp_error(state, "--above=%s: give a number from 0 to 99.9", text);
    o->percent = true;
}

static void read_at(struct argp_state *state, struct options *o,
                    const char *text)
{
    uint64_t value;

    if (!text_number(text, &value) || value > UINT32_MAX)
        argp_error(state, "--at=%s: give an address, such as 0x8000", text);
    o->at = (uint32_t)value;
    o->placed = true;
}

static void no_command(struct argp_state *state, const char *arg)
{
    char near[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    did_you_mean_begin(&n, arg);
    for (unsigned c = 0; c < COMMANDS; c++)
        did_you_mean_offer(&n, command_names[c]);
    argp_error(state, "%.200s: no such command%s", arg,
               n.count ? did_you_mean_text(&n, near)
                       : "; there are add, remove, fix, opcodes, list, verify");
}

static void read_argument(struct argp_state *state, struct options *o,
                          char *arg)
{
    if (state->arg_num == 0) {
        o->command = 0;
        while (o->command < COMMANDS &&
               strcmp(arg, command_names[o->command]) != 0)
            o->command++;
        if (o->command == COMMANDS)
            no_command(state, arg);
    } else if (state->arg_num == 1) {
        o->file = arg;
    } else if (o->specs == SPECS) {
        argp_error(state, "more than %d marks; put them into a list, file:LIST",
                   SPECS);
    } else {
        o->spec[o->specs++] = arg;
    }
}

/* Do the options and the command go together? */
static void finish(struct argp_state *state, const struct options *o)
{
    bool writes = o->command <= OPCODES && !o->text;
    bool profile = o->profile.event || o->profile.filters || o->percent ||
                   o->profile.instructions;

    if (!o->file)
        argp_error(state, "usage: simmark COMMAND FILE [SPEC...]");
    if (o->text && o->command != ADD)
        argp_error(state, "--text: only add has it");
    if (o->csv && o->command != LIST)
        argp_error(state, "--csv: only list has it");
    if (writes && !o->output == !o->in_place)
        argp_error(state, "where to? give --output=FILE or --in-place");
    if (!writes && (o->output || o->in_place))
        argp_error(state, "--output, --in-place: nothing is written here");
    if (o->profile.experiment && o->command != ADD)
        argp_error(state, "--profile: only add has it");
    if (profile && !o->profile.experiment)
        argp_error(state, "--above, --event, --filters, --hot: of which "
                          "--profile?");
    if (o->command == ADD && !o->specs && !o->profile.experiment)
        argp_error(state, "what is to be marked? name it, or a --profile");
    if ((o->command == FIX || o->command == LIST) && o->specs)
        argp_error(state, "%s: %s is about the whole file", o->spec[0],
                   command_names[o->command]);
    if (o->placed && o->command != OPCODES)
        argp_error(state, "--at: only opcodes has it");
    if (o->command == VERIFY && o->specs > 1)
        argp_error(state, "%s: verify compares with one program", o->spec[1]);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'o':
        o->output = arg;
        break;
    case 'i':
        o->in_place = true;
        break;
    case KEY_TEXT:
        o->text = true;
        break;
    case 'a':
        read_action(state, o, arg);
        break;
    case KEY_PROFILE:
        o->profile.experiment = arg;
        break;
    case KEY_ABOVE:
        read_above(state, o, arg);
        break;
    case KEY_EVENT:
        o->profile.event = arg;
        break;
    case KEY_FILTERS:
        o->profile.filters = arg;
        break;
    case KEY_HOT:
        o->profile.instructions = !strcmp(arg, "instructions");
        if (!o->profile.instructions && strcmp(arg, "functions") != 0)
            argp_error(state, "--hot=%s: give functions or instructions", arg);
        break;
    case KEY_AT:
        read_at(state, o, arg);
        break;
    case KEY_CSV:
        o->csv = true;
        break;
    case '?':
    case 'h':
        print_help(state, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC);
        break;
    case KEY_USAGE:
        print_help(state, ARGP_HELP_USAGE);
        break;
    case 'V':
        printf("simmark %s\n", SIMRUN_VERSION);
        end_print();
        break;
    case ARGP_KEY_ARG:
        read_argument(state, o, arg);
        break;
    case ARGP_KEY_END:
        finish(state, o);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ---- printing ------------------------------------------------------------ */

static int say(const char *why)
{
    fprintf(stderr, "simmark: %s\n", why);
    return EXIT_BROKEN;
}

/* "name (file.c)+0x10", or "" where nothing is known. */
static void name_text(const struct program *p, const struct perfinst_entry *e,
                      char out[256])
{
    const struct perfinst_symbol *s = program_symbol(p, e->address, e->data);
    bool file = s && program_has_another(p, s);
    size_t n = 0;

    out[0] = '\0';
    if (s)
        n = (size_t)snprintf(out, 256, "%.150s%s%.50s%s", s->name,
                             file ? " (" : "", file ? s->source : "",
                             file ? ")" : "");
    if (s && s->address != e->address)
        snprintf(out + n, 256 - n, "+0x%" PRIx32, e->address - s->address);
    text_printable(out);
}

/* An entry as a line of a list of marks, or of CSV. */
static void print_entry(const struct program *p, const struct perfinst_entry *e,
                        bool csv)
{
    char name[256], action[PERFINST_TEXT], place[64];

    name_text(p, e, name);
    if (e->count.granule)
        snprintf(action, sizeof action,
                 "area:0x%" PRIx32 ":%" PRIu32 ":%" PRIu32, e->count.area,
                 e->count.granule, e->count.unit);
    else
        perfinst_text(e->flags, e->limit, NULL, action);
    if (csv) {
        printf("0x%08" PRIx32 ",%" PRIu32 ",%s,0x%08" PRIx32 ",%" PRIu32
               ",\"%s\",%s\n",
               e->address, e->length, e->data ? "data" : "code", e->flags,
               e->limit, action, name);
        return;
    }
    if (e->data)
        snprintf(place, sizeof place, "data:0x%" PRIx32 ",%" PRIu32, e->address,
                 e->length);
    else if (e->length == 4)
        snprintf(place, sizeof place, "addr:0x%" PRIx32, e->address);
    else
        snprintf(place, sizeof place, "range:0x%" PRIx32 "..0x%" PRIx32,
                 e->address, e->address + e->length);
    printf("%s=%s%s%s\n", place, action, *name ? "  # " : "", name);
}

static void print_list(const struct program *p, const struct perfinst *list,
                       bool csv)
{
    for (size_t k = 0; k < list->count; k++)
        print_entry(p, &list->entry[k], csv);
}

/* Those that instructions carry, at the places where they were. */
static void print_markers(const struct program *p, bool csv)
{
    for (uint32_t k = 0; k < p->markers.entries; k++) {
        const struct marker *m = &p->markers.entry[k];

        print_entry(p,
                    &(struct perfinst_entry){.address = m->home,
                                             .length = 4,
                                             .flags = m->indicator,
                                             .limit = m->limit,
                                             .text = ""},
                    csv);
    }
}

static int list(const struct program *p, const struct options *o)
{
    if (o->csv)
        printf("address,length,kind,flags,limit,actions,symbol\n");
    print_markers(p, o->csv);
    print_list(p, &p->loaded, o->csv);
    print_list(p, &p->own, o->csv);
    return 0;
}

/* ---- marks --------------------------------------------------------------- */

/* What the arguments name. 0, or the exit status: said. */
static int read_specs(const struct program *p, const struct options *o,
                      struct perfinst *to)
{
    struct perfinst_error e = {0};

    for (unsigned k = 0; k < o->specs; k++)
        if (!perfinst_parse(to, &p->world, o->spec[k], &o->action, &e)) {
            fprintf(stderr, "simmark: %s\n", e.why);
            if (e.at != PERFINST_NOWHERE)
                fprintf(stderr, "  %s\n  %*s^\n", o->spec[k], (int)e.at, "");
            return e.lacking ? EXIT_BROKEN : EXIT_USAGE;
        }
    return 0;
}

/* Is a word, or a range, among what is to be removed? */
static bool is_named(const struct perfinst *names, uint32_t address,
                     uint32_t length, bool data)
{
    for (size_t k = 0; k < names->count; k++) {
        const struct perfinst_entry *e = &names->entry[k];
        uint32_t first = e->address & ~UINT32_C(3);

        if (e->data == data && address >= first &&
            (uint64_t)address + length <=
                (((uint64_t)e->address + e->length + 3) & ~UINT64_C(3)))
            return true;
    }
    return false;
}

/* The marks but those at these places. False: said. */
static bool take_away(const struct program *p, const struct perfinst *names,
                      struct perfinst *to)
{
    struct perfinst_marks m;
    char why[MESSAGE];

    if (!perfinst_marks(&p->own, &p->world, &m, why, sizeof why)) {
        say(why);
        return false;
    }
    for (size_t k = 0; k < m.words; k++) {
        const struct perfinst_word *w = &m.word[k];

        if (!is_named(names, w->address, 4, w->data))
            perfinst_add(to, &(struct perfinst_entry){.address = w->address,
                                                      .length = 4,
                                                      .flags = w->indicator,
                                                      .limit = w->limit,
                                                      .data = w->data,
                                                      .text = ""});
    }
    for (unsigned k = 0; k < m.ranges; k++) {
        const struct perfinst_range *r = &m.range[k];

        if (!is_named(names, r->low, r->high - r->low, r->data))
            perfinst_add(to,
                         &(struct perfinst_entry){.address = r->low,
                                                  .length = r->high - r->low,
                                                  .flags = PERFINST_RANGE,
                                                  .data = r->data,
                                                  .text = ""});
    }
    for (size_t k = 0; k < p->own.count; k++) {
        const struct perfinst_entry *e = &p->own.entry[k];

        if (e->count.granule && !is_named(names, e->address, e->length, true))
            perfinst_add(to, e);
    }
    perfinst_marks_free(&m);
    return true;
}

/* Write the program, and say what is in it. */
static int write_marks(const struct program *p, const struct options *o,
                       const struct perfinst *marks)
{
    const char *path = o->in_place ? o->file : o->output;
    struct perfinst_marks m;
    size_t data = 0;
    char why[MESSAGE];
    bool ok;

    if (!perfinst_marks(marks, &p->world, &m, why, sizeof why))
        return say(why);
    for (size_t k = 0; k < m.words; k++)
        data += m.word[k].data;
    ok = program_write(p, marks, path, why, sizeof why);
    if (ok)
        printf("%s: %zu instructions, %zu words of data and %u ranges are "
               "marked\n",
               path, m.words - data, data, m.ranges);
    if (ok && m.areas)
        printf("%s: and %u count areas\n", path, m.areas);
    if (ok && p->loaded.count)
        printf("%s: and %zu entries in a " PERFINST_SECTION " that is loaded, "
               "which stays as it is\n",
               path, p->loaded.count);
    perfinst_marks_free(&m);
    return ok ? 0 : say(why);
}

static int add(const struct program *p, const struct options *o)
{
    struct perfinst marks = {0};
    bool damaged = false, ok = true;
    char why[MESSAGE];
    int status = EXIT_BROKEN;

    for (size_t k = 0; k < p->own.count && !o->text; k++)
        perfinst_add(&marks, &p->own.entry[k]);
    if (o->profile.experiment) {
        ok = profile_mark(&marks, p, &o->profile, &o->action, &damaged, why,
                          sizeof why);
        if (!ok)
            say(why);
    }
    if (ok)
        status = read_specs(p, o, &marks);
    if (!status && o->text)
        print_list(p, &marks, false);
    else if (!status)
        status = write_marks(p, o, &marks);
    perfinst_free(&marks);
    return !status && damaged ? EXIT_DIFFERS : status;
}

static int take(const struct program *p, const struct options *o)
{
    struct perfinst names = {0}, marks = {0};
    int status = read_specs(p, o, &names);

    if (!status && o->specs && !take_away(p, &names, &marks))
        status = EXIT_BROKEN;
    if (!status)
        status = write_marks(p, o, &marks);
    perfinst_free(&names);
    perfinst_free(&marks);
    return status;
}

/* What the program marks itself, and what is named. */
static int opcodes(const struct program *p, const struct options *o)
{
    const char *path = o->in_place ? o->file : o->output;
    struct perfinst all = {0};
    struct perfinst_marks m = {0};
    struct opcodes_done done;
    char why[MESSAGE];
    int status;
    bool ok;

    for (size_t k = 0; k < p->loaded.count + p->own.count; k++)
        perfinst_add(&all, k < p->loaded.count
                               ? &p->loaded.entry[k]
                               : &p->own.entry[k - p->loaded.count]);
    status = read_specs(p, o, &all);
    if (status) {
        perfinst_free(&all);
        return status;
    }
    ok = perfinst_marks(&all, &p->world, &m, why, sizeof why) &&
         opcodes_write(p, &m, o->placed ? &o->at : NULL, path, &done, why,
                       sizeof why);
    if (ok)
        printf("%s: %" PRIu32
               " instructions are marked by instructions, %" PRIu32
               " bytes at 0x%" PRIx32 "\n",
               path, done.marks, done.bytes, done.address);
    if (ok && done.left)
        printf("%s: %zu marked words are no instructions and stay as they "
               "are\n",
               path, done.left);
    perfinst_marks_free(&m);
    perfinst_free(&all);
    return ok ? 0 : say(why);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_rows,
        .parser = parse,
        .args_doc = "add|remove|fix|opcodes|list|verify FILE [SPEC...]",
        .doc = doc,
    };
    struct options o = {.action = {PERFINST_COUNT, 0}, .profile.above = 5};
    struct program p;
    char why[MESSAGE];
    int status;

    signal(SIGXFSZ, SIG_IGN); /* write says so */
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &o);
    if (!program_open(&p, o.file, why, sizeof why))
        return say(why);
    status = o.command == ADD       ? add(&p, &o)
             : o.command == REMOVE  ? take(&p, &o)
             : o.command == FIX     ? write_marks(&p, &o, &p.own)
             : o.command == OPCODES ? opcodes(&p, &o)
             : o.command == LIST
                 ? list(&p, &o)
                 : program_verify(&p, o.specs ? o.spec[0] : NULL);
    program_close(&p);
    if (fflush(stdout) || ferror(stdout))
        return say("the answer cannot be written");
    return status;
}
