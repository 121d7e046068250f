/* idle_options.c - what the boot line says of sampling; trigger= and monitor=
 * are read where they are used (trigger.c, thread_filter.c).
 */
#include "guest/prof/idle/idle.h"

#define PRECAPTURE_DEFAULT 8 /* stacks a round */

static struct idle_options chosen = {
    .to_idle = true, .from_idle = true, .dither = true};

const struct idle_options *idle_options(void)
{
    return &chosen;
}

struct idle_options *idle_options_change(void)
{
    return &chosen;
}

static bool sampler_named; /* the line has the word */

static bool take_sampler(char *value)
{
    bool both = text_equal(value, "both");

    sampler_named = true;
    chosen.to_idle = both || text_equal(value, "to-idle");
    chosen.from_idle = both || text_equal(value, "from-idle");
    return chosen.to_idle || chosen.from_idle || text_equal(value, "off");
}
BOOT_WORD(120, take_sampler, "sampler", "both|to-idle|from-idle|off");

static bool take_dither(char *value)
{
    return bootline_choice(value, "on", "off", &chosen.dither);
}
BOOT_WORD(160, take_dither, "dither", "on|off");

static bool take_once(char *value)
{
    return bootline_choice(value, "on", "off", &chosen.once);
}
BOOT_WORD(180, take_once, "once", "on|off");

static bool take_rearm(char *value)
{
    return bootline_choice(value, "complete", "steady", &chosen.complete);
}
BOOT_WORD(190, take_rearm, "rearm", "steady|complete");

static bool take_toidle(char *value)
{
    return bootline_choice(value, "direct", "backend", &chosen.direct_to);
}
BOOT_WORD(200, take_toidle, "toidle", "backend|direct");

/* precapture, :all or not, and :COUNT or not. */
static bool take_precapture(char *rest)
{
    uint32_t n = PRECAPTURE_DEFAULT;
    char *count = rest ? text_split(rest, ':') : NULL;

    chosen.precapture_all = rest && text_equal(rest, "all");
    if (rest && !chosen.precapture_all) {
        if (count)
            return false;
        count = rest;
    }
    if (count && (!text_number(count, &n) || !n))
        return false;
    chosen.precapture = n;
    return true;
}

static bool take_fromidle(char *value)
{
    char *rest = text_split(value, ':');

    if (text_equal(value, "precapture"))
        return take_precapture(rest);
    chosen.precapture = 0;
    return !rest &&
           bootline_choice(value, "direct", "backend", &chosen.direct_from);
}
BOOT_WORD(210, take_fromidle, "fromidle",
          "backend|direct|precapture[:all][:COUNT]");

/* Of a program nothing is sampled unless it is asked for: it shall run as it
 * does alone. */
static void settle_sampler(const struct options *o)
{
    if (o->program && !sampler_named)
        chosen.to_idle = chosen.from_idle = false;
}
HOOK(settle, 115, settle_sampler);

static void check_exclude(const struct options *o)
{
    (void)o;
    if (thread_filter_exclusions() && !chosen.precapture)
        bootline_refuse("exclude= is about fromidle=precapture");
}
HOOK(settle, 116, check_exclude);

static const char *kinds(void)
{
    if (chosen.to_idle)
        return chosen.from_idle ? "both" : "to-idle";
    return chosen.from_idle ? "from-idle" : "off";
}

static void print_sampler(void)
{
    kprintf(" sampler=%s", kinds());
}
HOOK(setting, 120, print_sampler);

static void print_dither(void)
{
    kprintf(" dither=%s", chosen.dither ? "on" : "off");
}
HOOK(setting, 140, print_dither);
