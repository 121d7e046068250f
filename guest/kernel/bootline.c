/* bootline.c - the boot line: words of the form name=value. A word or a value
 * that nobody knows ends the run at once, with one line that says what is
 * known.
 */
#include "guest/kernel/defs.h"

static struct options chosen;
static char text[INFO_ARGS_MAX];

const struct options *options(void)
{
    return &chosen;
}

static bool take_work(struct options *o, char *value)
{
    for (unsigned i = 0; works[i]; i++) {
        if (text_equal(works[i]->name, value)) {
            o->work = works[i];
            return true;
        }
    }
    return false;
}

static bool take_sampler(struct options *o, char *value)
{
    bool both = text_equal(value, "both");

    o->to_idle = both || text_equal(value, "to-idle");
    o->from_idle = both || text_equal(value, "from-idle");
    return o->to_idle || o->from_idle || text_equal(value, "off");
}

/* One of two words. */
static bool take_choice(const char *value, const char *yes, const char *no,
                        bool *choice)
{
    *choice = text_equal(value, yes);
    return *choice || text_equal(value, no);
}

static bool take_idle(struct options *o, char *value)
{
    return take_choice(value, "spin", "nap", &o->spin);
}

static bool take_dither(struct options *o, char *value)
{
    return take_choice(value, "on", "off", &o->dither);
}

static bool take_once(struct options *o, char *value)
{
    return take_choice(value, "on", "off", &o->once);
}

static bool take_toidle(struct options *o, char *value)
{
    return take_choice(value, "direct", "backend", &o->direct_to);
}

static bool take_fromidle(struct options *o, char *value)
{
    return take_choice(value, "direct", "backend", &o->direct_from);
}

static bool take_rearm(struct options *o, char *value)
{
    return take_choice(value, "steady", "complete", &o->steady);
}

static bool take_seed(struct options *o, char *value)
{
    return text_number(value, &o->seed);
}

static bool take_limit(struct options *o, char *value)
{
    return text_number(value, &o->pif_limit) && o->pif_limit > 0;
}

static bool take_n(struct options *o, char *value)
{
    return text_number(value, &o->n) && o->n > 0;
}

static bool take_threads(struct options *o, char *value)
{
    return text_number(value, &o->threads) && o->threads > 0;
}

static const struct word {
    const char *name;
    const char *values; /* for the line that refuses */
    bool (*take)(struct options *o, char *value);
} words[] = {
    {"work", "txn|prodcons|busy|switch|calls", take_work},
    {"sampler", "both|to-idle|from-idle|off", take_sampler},
    {"trigger", "time:CYCLES (1000 or more)|event:NAME:COUNT", trigger_parse},
    {"monitor", "all|PID,tTID,NAME,...", monitor_parse},
    {"seed", "NUMBER", take_seed},
    {"dither", "on|off", take_dither},
    {"idle", "nap|spin", take_idle},
    {"once", "on|off", take_once},
    {"rearm", "steady|complete", take_rearm},
    {"toidle", "backend|direct", take_toidle},
    {"fromidle", "backend|direct", take_fromidle},
    {"pif",
     "off|auto|climb[:ADDRESS]|scan[:PAGES|:func[:COUNT]|:module|:all]|"
     "mark:ADDRESS|sweep[:ADDRESS]|own|insns[:PERIOD]|branches|trap|threads",
     autopif_parse},
    {"piflimit", "COUNT", take_limit},
    {"n", "SIZE", take_n},
    {"threads", "COUNT", take_threads},
};

#define WORDS (sizeof words / sizeof words[0])

static void refuse(const char *what, const char *word)
{
    kprintf("boot line: %s '%s'; known:", what, word);
    for (unsigned i = 0; i < WORDS; i++)
        kprintf(" %s=%s", words[i].name, words[i].values);
    kprintf("\n");
    power_off(EXIT_BAD_WORD);
}

static void take(struct options *o, char *word)
{
    char whole[64];
    char *value;

    text_copy(whole, word, sizeof whole);
    value = text_split(word, '=');
    for (unsigned i = 0; i < WORDS; i++) {
        if (!text_equal(words[i].name, word) || !value)
            continue;
        if (!words[i].take(o, value))
            refuse("no such value", whole);
        return;
    }
    refuse("unknown word", whole);
}

/* What only makes sense once the whole line is known. */
static void settle(struct options *o)
{
    const char *name = monitor_unknown(o);

    if (name) {
        kprintf("boot line: no thread of %s is called '%s'; known:",
                o->work->name, name);
        for (unsigned i = 0; o->work->roles[i]; i++)
            kprintf(" %s", o->work->roles[i]);
        kprintf("\n");
        power_off(EXIT_BAD_WORD);
    }
    if (o->n > o->work->n_max || o->threads > o->work->threads_max) {
        kprintf("boot line: %s takes n=1..%u and threads=1..%u\n",
                o->work->name, o->work->n_max, o->work->threads_max);
        power_off(EXIT_BAD_WORD);
    }
    if (o->pif && o->trigger != TRIGGER_TIME) {
        kprintf("boot line: pif= samples by time, give trigger=time:\n");
        power_off(EXIT_BAD_WORD);
    }
    if (!o->n)
        o->n = o->work->n;
    if (!o->threads)
        o->threads = o->work->threads * machine_cpus();
    if (o->threads > o->work->threads_max)
        o->threads = o->work->threads_max;
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

    chosen = (struct options){.work = works[0],
                              .to_idle = true,
                              .from_idle = true,
                              .trigger = TRIGGER_TIME,
                              .period = (uint32_t)cycles_to_ticks(50000),
                              .dither = true,
                              .steady = true,
                              .pif_limit = 13,
                              .seed = io_read(BOARD_INFO + INFO_SEED)};
    copy_args();
    while (word) {
        char *rest = text_split(word, ' ');

        if (*word)
            take(&chosen, word);
        word = rest;
    }
    settle(&chosen);
}
