/* bootline.c - the boot line: words of the form name=value, each entered by the
 * file that it is about (hook.h). An unknown word or value ends the run at
 * once, with one line that lists the known ones.
 */
#include <stdarg.h>

#include "guest/kernel/hook.h"

static struct options chosen;
static char text[INFO_ARGS_MAX];
static const char *about_work; /* a word that a system has no use for */

const struct options *options(void)
{
    return &chosen;
}

struct options *options_to_set(void)
{
    return &chosen;
}

bool bootline_choice(const char *value, const char *yes, const char *no,
                     bool *choice)
{
    *choice = text_equal(value, yes);
    return *choice || text_equal(value, no);
}

void bootline_refuse(const char *format, ...)
{
    va_list ap;

    kprintf("boot line: ");
    va_start(ap, format);
    format_text(console_put, format, ap);
    va_end(ap);
    kprintf("\n");
    power_off(EXIT_BAD_WORD);
}

/* ---- the kernel's own words --------------------------------------------- */

static bool take_seed(char *value)
{
    return text_number(value, &chosen.seed);
}
BOOT_WORD_KIND(150, take_seed, "seed", "NUMBER", WORD_FOR_ALL);

static bool take_idle(char *value)
{
    return bootline_choice(value, "spin", "nap", &chosen.spin);
}
BOOT_WORD_KIND(170, take_idle, "idle", "nap|spin", WORD_FOR_ALL);

/* ---- the line ------------------------------------------------------------ */

static void print_word(const struct boot_word *w)
{
    kprintf(" %s=", w->name);
    if (w->values) {
        kprintf("%s", w->values);
        return;
    }
    FOR_TABLE (work, work)
        kprintf("%s%s", work == work_table ? "" : "|", (*work)->name);
}

static void refuse_word(const char *what, const char *word)
{
    kprintf("boot line: %s '%s'; known:", what, word);
    FOR_TABLE (w, word)
        print_word(*w);
    kprintf("\n");
    power_off(EXIT_BAD_WORD);
}

const char *bootline_about_work(void)
{
    return about_work;
}

/* The value of a word that takes the rest of the line goes on. */
static void rejoin(char *value, char *rest)
{
    while (*value)
        value++;
    if (rest)
        *value = ' ';
}

/* The rest of the line, unless the word has taken it. */
static char *take_word(char *word, char *rest)
{
    char whole[64];
    char *value;

    text_copy(whole, word, sizeof whole);
    value = text_split(word, '=');
    FOR_TABLE (w, word) {
        if (!text_equal((*w)->name, word) || !value)
            continue;
        if ((*w)->kind == WORD_REST) {
            rejoin(value, rest);
            rest = NULL;
            chosen.program = true;
        } else if ((*w)->kind == WORD_OF_WORK) {
            about_work = (*w)->name;
        }
        if (!(*w)->take(value))
            refuse_word("no such value", whole);
        return rest;
    }
    refuse_word("unknown word", whole);
    return NULL;
}

static void copy_args(void)
{
    const volatile char *args = (const volatile char *)(BOARD_INFO + INFO_ARGS);
    unsigned i = 0;

    while (i < INFO_ARGS_MAX - 1 && args[i]) {
        text[i] = args[i];
        i++;
    }
    text[i] = '\0';
}

void bootline_parse(void)
{
    char *word = text;

    chosen.seed = io_read(BOARD_INFO + INFO_SEED);
    copy_args();
    while (word) {
        char *rest = text_split(word, ' ');

        word = *word ? take_word(word, rest) : rest;
    }
    FOR_TABLE (hook, settle)
        (*hook)(&chosen);
}
