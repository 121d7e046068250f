/* main.c - simview: an experiment in a window, or as a picture. Exit status: as
 * simprof has them: 0 all is well, 1 the experiment is damaged, 2 wrong usage,
 * 125 nothing could be shown.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/text.h"
#include "lib/base/version.h"
#include "tools/simprof/report/function_hint.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/session/options.h"
#include "tools/simview/bench.h"
#include "tools/simview/input.h"
#include "tools/simview/panels.h"

enum { EXIT_DAMAGED = 1, EXIT_USAGE = 2, EXIT_BROKEN = 125 };

#define FONTS "/usr/share/fonts/truetype/dejavu"
#define LISTEN_EVERY 50 /* ms between looks at a run that is followed */
#define LEAST 200       /* pixels, across and down */
#define MOST 8192

struct wanted {
    struct options o;
    const char *png, *fonts, *function;
    const char *base;  /* to compare with, or NULL */
    const char *where; /* of a run to follow, or NULL */
    struct follow follow;
    int width, height;
    double scale; /* 0: as the size suggests */
    enum panel panel;
    bool dark, text;
    const char *gap;    /* CPU:TIME, or NULL */
    const char *metric; /* or NULL */
    unsigned ways;      /* FLAME_... */
    bool below, differs;
    int bench; /* frames of each panel; 0: none are timed */
};

#define WORDS 19 /* columns in front of what an option does */
#define COLUMNS 79

static const struct row {
    int letter;
    const char *spelling, *argument, *text;
} rows[] = {
#define OPTION(letter, spelling, argument, text)                               \
    {letter, spelling, argument, text},
#include "tools/simview/options.def"
#undef OPTION
};
#define ROWS (sizeof rows / sizeof rows[0])

/* Text behind what is in the first `at` columns, wrapped. */
static void wrap(FILE *to, int at, const char *text)
{
    bool begun = false;

    while (*text) {
        int size = (int)strcspn(text, " ");

        if (begun && at + 1 + size > COLUMNS) {
            fprintf(to, "\n%*s", WORDS, "");
            at = WORDS;
        } else if (begun) {
            putc(' ', to);
            at++;
        }
        fprintf(to, "%.*s", size, text);
        at += size;
        begun = true;
        text += size + !!text[size];
    }
    putc('\n', to);
}

static void help(FILE *to)
{
    fputs("usage: simview [OPTION...] [BASE] EXPERIMENT\n"
          "Shows an experiment that simrun --pmu-trace made, in a window or as "
          "a picture;\nwith BASE, another one, both beside each other. In the "
          "window "
          "h lists the keys.\n\n",
          to);
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        int at =
            fprintf(to, "  --%s%s%s", row->spelling, row->argument ? "=" : "",
                    row->argument ? row->argument : "");

        if (at >= WORDS) {
            putc('\n', to);
            at = 0;
        }
        fprintf(to, "%*s", WORDS - at, "");
        wrap(to, WORDS, row->text);
    }
}

static int usage(const char *what, const char *which)
{
    fprintf(stderr, "simview: %s%s (simview --help lists what there is)\n",
            what, which);
    return EXIT_USAGE;
}

static bool read_size(struct wanted *w, const char *text)
{
    char rest;

    return strspn(text, "0123456789x") == strlen(text) &&
           sscanf(text, "%dx%d%c", &w->width, &w->height, &rest) == 2 &&
           w->width >= LEAST && w->width <= MOST && w->height >= LEAST &&
           w->height <= MOST;
}

static bool read_scale(struct wanted *w, const char *text)
{
    char rest;

    return strspn(text, "0123456789.") == strlen(text) &&
           sscanf(text, "%lf%c", &w->scale, &rest) == 1 && w->scale >= 1 &&
           w->scale <= CANVAS_SCALE_MOST;
}

/* -1, or the status to end with. */
static int read_panel(struct wanted *w, const char *text)
{
    char all[400] = "--panel: must be ";

    for (int i = 0; i < PANELS; i++)
        if (!strcmp(text, panel_name(i))) {
            w->panel = i;
            return -1;
        }
    for (int i = 0; i < PANELS; i++) {
        strcat(all, !i ? "" : i + 1 < PANELS ? ", " : " or ");
        strcat(all, panel_name(i));
    }
    return usage(strcat(all, ", not "), text);
}

/* Words of --flame; false: one is not known. */
static bool read_flame(struct wanted *w, const char *text)
{
    for (size_t size; *text; text += size + (text[size] == ',')) {
        size = strcspn(text, ",");
        if (size == 6 && !strncmp(text, "leaves", size))
            w->ways |= FLAME_LEAVES;
        else if (size == 4 && !strncmp(text, "fold", size))
            w->ways |= FLAME_FOLD;
        else if (size == 5 && !strncmp(text, "below", size))
            w->below = true;
        else if (size == 7 && !strncmp(text, "differs", size))
            w->differs = true;
        else
            return false;
    }
    return true;
}

/* What of a panel is shown. -1: go on; else the exit status. */
static int read_look(struct wanted *w, int c)
{
    switch (c) {
    case 'g':
        w->gap = optarg;
        return -1;
    case 'm':
        w->metric = optarg;
        return -1;
    case 'u':
        w->function = optarg;
        return -1;
    default:
        return read_flame(w, optarg)
                   ? -1
                   : usage("--flame: must be leaves, fold, below or differs, "
                           "with , between, not ",
                           optarg);
    }
}

static bool read_bench(struct wanted *w, const char *text)
{
    size_t digits = strspn(text, "0123456789");

    w->bench = digits < 6 && !text[digits] ? atoi(text) : 0;
    return w->bench > 0 && w->bench <= 10000;
}

/* -1, or the status to end with. */
static int read_sources(struct wanted *w, const char *text)
{
    struct stat st;

    if (stat(text, &st) || !S_ISDIR(st.st_mode))
        return usage("--source-path: must be a directory, not ", text);
    return options_set(&w->o, OPTION_BIT_SOURCES, text) ? -1 : EXIT_USAGE;
}

/* The last word is no option, or one without its argument, or with one that it
 * does not take, or with an empty one; `letter` is 0 where it is none. */
static int refuse_option(int letter, const char *word)
{
    char text[DID_YOU_MEAN_TEXT], all[DID_YOU_MEAN_TEXT + 40];
    struct did_you_mean near;

    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].letter == letter) {
            snprintf(all, sizeof all, "--%s: %s%s", rows[i].spelling,
                     rows[i].argument ? "needs " : "takes nothing behind =",
                     rows[i].argument ? rows[i].argument : "");
            return usage(all, "");
        }
    did_you_mean_begin(&near, word + strspn(word, "-"));
    for (size_t i = 0; i < ROWS; i++)
        did_you_mean_offer(&near, rows[i].spelling);
    snprintf(all, sizeof all, ": no such option%s",
             did_you_mean_text(&near, text));
    fprintf(stderr, "simview: %s%s\n", word,
            near.count ? all : ": no such option, simview --help lists them");
    return EXIT_USAGE;
}

/* -1: go on; else the exit status. */
static int read_option(struct wanted *w, int c)
{
    if (optarg && !*optarg)
        return refuse_option(c, "");
    switch (c) {
    case 'o':
        w->png = optarg;
        return -1;
    case 'p':
        return read_panel(w, optarg);
    case 's':
        return read_size(w, optarg)
                   ? -1
                   : usage("--size: must be WxH, 200x200 to 8192x8192, not ",
                           optarg);
    case 'c':
        return read_scale(w, optarg)
                   ? -1
                   : usage("--scale: must be 1 to 4, not ", optarg);
    case 'f':
        return options_set(&w->o, OPTION_BIT_FROM, optarg) ? -1 : EXIT_USAGE;
    case 't':
        return options_set(&w->o, OPTION_BIT_TO, optarg) ? -1 : EXIT_USAGE;
    case 'S':
        return read_sources(w, optarg);
    case 'W':
        w->where = optarg;
        return -1;
    case 'g':
    case 'm':
    case 'u':
    case 'w':
        return read_look(w, c);
    case 'b':
        return read_bench(w, optarg)
                   ? -1
                   : usage("--bench: must be 1 to 10000, not ", optarg);
    case 'F':
        w->fonts = optarg;
        return -1;
    case 'x':
        w->text = true;
        return -1;
    case 'd':
        w->dark = true;
        return -1;
    case 'h':
        help(stdout);
        return 0;
    case 'V':
        puts("simview " SIMRUN_VERSION);
        return 0;
    default:
        return EXIT_USAGE;
    }
}

/* -1: go on. */
static int read_options(struct wanted *w, int argc, char **argv)
{
    struct option options[ROWS + 1] = {0};
    int c, status = -1;

    for (size_t i = 0; i < ROWS; i++)
        options[i] =
            (struct option){rows[i].spelling,
                            rows[i].argument ? required_argument : no_argument,
                            NULL, rows[i].letter};
    while (status < 0 &&
           (c = getopt_long(argc, argv, ":ho:", options, NULL)) != -1)
        status = c == '?' || c == ':' ? refuse_option(optopt, argv[optind - 1])
                                      : read_option(w, c);
    if (status >= 0) {
        if (w->o.refusal->text[0])
            fprintf(stderr, "simview: %s\n", w->o.refusal->text);
        return status;
    }
    if (w->where)
        return optind == argc ? -1
                              : usage("--follow: the run names its experiment, "
                                      "not ",
                                      argv[optind]);
    if (optind == argc)
        return usage("which experiment?", "");
    if (optind + 2 < argc)
        return usage("two experiments at a time, not also ", argv[optind + 2]);
    w->base = optind + 2 == argc ? argv[optind] : NULL;
    w->o.experiment = argv[argc - 1];
    if (w->differs && !w->base)
        return usage("--flame=differs: needs two experiments, BASE and "
                     "EXPERIMENT",
                     "");
    if ((w->panel != PANEL_COMPARE && w->panel != PANEL_DIFF) || w->base)
        return -1;
    return usage("--panel: needs two experiments, BASE and EXPERIMENT: ",
                 panel_name(w->panel));
}

/* ---- showing ------------------------------------------------------------- */

/* More of the run that is followed is recorded: show it, where the user is. */
static void reload(struct ui *u, struct recording *r, struct wanted *w)
{
    struct ui was = *u;
    struct recording now;
    char why[1024];

    if (!recording_open(&now, w->o.experiment, why, sizeof why)) {
        snprintf(u->status, sizeof u->status, "%.500s", why);
        return;
    }
    ui_close(u);
    recording_close(r);
    *r = now;
    ui_open(u, was.c, r, &w->o, NULL, (struct interval){0, r->end});
    u->follow = was.follow;
    u->panel = was.panel;
    u->mouse_x = was.mouse_x;
    u->mouse_y = was.mouse_y;
    memcpy(u->function, was.function, sizeof u->function);
    memcpy(u->word, was.word, sizeof u->word);
    memcpy(u->metric_name, was.metric_name, sizeof u->metric_name);
    u->ways = was.ways;
    u->below = was.below;
    u->idle = was.idle;
    ui_dark(u, was.dark);
}

/* What the run that is followed said. True: the picture is another one. */
static bool hear(struct ui *u, struct recording *r, struct wanted *w)
{
    enum follow_news news = u->follow ? follow_look(u->follow) : FOLLOW_NONE;

    if (news == FOLLOW_STOPPED)
        reload(u, r, w);
    return news != FOLLOW_NONE;
}

static bool wait(const struct ui *u, SDL_Event *e)
{
    if (u->follow && u->follow->fd >= 0)
        return SDL_WaitEventTimeout(e, LISTEN_EVERY);
    return SDL_WaitEvent(e);
}

static void run(struct ui *u, struct recording *r, struct wanted *w)
{
    SDL_Event e;

    ui_draw(u);
    canvas_show(u->c);
    while (!u->quit) {
        bool changed = false;

        /* All that have come, then one picture. */
        if (wait(u, &e))
            do {
                /* A click is of what is drawn where the mouse is by now. */
                if (changed && (e.type == SDL_MOUSEBUTTONDOWN ||
                                e.type == SDL_MOUSEBUTTONUP))
                    ui_draw(u);
                changed |= input_event(u, &e);
            } while (!u->quit && SDL_PollEvent(&e));
        changed |= !u->quit && hear(u, r, w);
        if (!changed)
            continue;
        ui_draw(u);
        canvas_show(u->c);
    }
}

/* A picture without a screen: its words, or a file, or both. */
static bool draw(struct ui *u, const struct wanted *w, char *why, size_t size)
{
    u->c->said = w->text ? stdout : NULL;
    ui_draw(u);
    if (w->text)
        putchar('\n');
    if (fflush(stdout) || ferror(stdout)) {
        snprintf(why, size, "the text cannot be written");
        return false;
    }
    return !w->png || canvas_png(u->c, w->png, why, size);
}

static bool open_canvas(struct canvas *c, const struct wanted *w, char *why,
                        size_t size)
{
    if (w->png || w->text || w->bench)
        return canvas_image(c, w->width, w->height, w->fonts, w->scale, why,
                            size);
    return canvas_window(c, w->o.experiment, w->width, w->height, w->fonts,
                         w->scale, why, size);
}

/* The gap of --gap; false: there is none, or it is no CPU and time. */
static bool choose_gap(struct ui *u, const char *text, char *why, size_t size)
{
    char *time;
    long cpu = strtol(text, &time, 10);
    uint64_t cycle;

    if (time == text || *time != ':' || cpu < 0 || cpu >= (long)u->r->cpus ||
        !text_cycles(time + 1, u->r->clock_hz, &cycle))
        snprintf(why, size,
                 "--gap=%.100s: must be a CPU and a time, such as "
                 "1:2.5ms",
                 text);
    else if (!ui_gap(u, cpu, cycle))
        snprintf(why, size, "--gap=%.100s: CPU %ld was not idle then", text,
                 cpu);
    return !*why;
}

/* Of samples, or of what else calls have here. False: it is neither. */
static bool choose_metric(struct ui *u, const char *name, char *why,
                          size_t size)
{
    char counter[SCENE_COUNTER];
    size_t used;
    bool is = false;

    snprintf(u->metric_name, sizeof u->metric_name, "%s", name);
    for (unsigned n = 0; scene_counter(&u->scene, n, counter); n++)
        if (!strcmp(counter, name)) {
            u->judged = n;
            is = true;
        }
    if (is)
        return true;
    ui_need_calls(u);
    for (size_t i = 0; i < u->metric_count; i++)
        is |= !strcmp(u->metrics[i].column + 5, name);
    if (is)
        return true;
    used = (size_t)snprintf(why, size, "--metric=%.200s: not recorded here%s",
                            name, u->metric_count ? "; there is " : "");
    for (size_t i = 0; i < u->metric_count && used < size; i++)
        used += (size_t)snprintf(why + used, size - used, "%s%s", i ? ", " : "",
                                 u->metrics[i].column + 5);
    return false;
}

/* The function of --function; false: there is none, or none of that name. */
static bool choose_function(struct ui *u, const struct wanted *w, char *why,
                            size_t size)
{
    snprintf(u->function, sizeof u->function, "%s", w->function);
    if (function_hint(u->r, u->function) != LOADMAP_UNKNOWN)
        return true;
    function_refuse(u->r, &w->o, w->function);
    snprintf(why, size, "--function=%.600s", w->o.refusal->text);
    return false;
}

/* What the options say beside the panel; false: what is asked for is not
 * there. */
static bool settle_ui(struct ui *u, const struct wanted *w, char *why,
                      size_t size)
{
    u->panel = w->panel;
    u->mouse_x = u->mouse_y = -1;
    u->ways = w->ways;
    u->below = w->below;
    u->differs = w->differs && w->base;
    ui_dark(u, w->dark);
    if (w->function && !choose_function(u, w, why, size))
        return false;
    if (w->metric && !choose_metric(u, w->metric, why, size))
        return false;
    return !w->gap || choose_gap(u, w->gap, why, size);
}

static int show(struct recording *r, struct wanted *w, struct interval of)
{
    char why[1024] = "";
    struct canvas c;
    struct ui u;
    bool good = open_canvas(&c, w, why, sizeof why);
    int status = EXIT_BROKEN;

    if (good) {
        ui_open(&u, &c, r, &w->o, w->base, of);
        u.follow = w->where ? &w->follow : NULL;
        good = settle_ui(&u, w, why, sizeof why);
        status = good ? EXIT_BROKEN : EXIT_USAGE;
        if (good && w->bench)
            bench(&u, w->bench);
        else if (good && (w->png || w->text))
            good = draw(&u, w, why, sizeof why);
        else if (good)
            run(&u, r, w);
        ui_close(&u);
    }
    canvas_close(&c);
    if (!good)
        fprintf(stderr, "simview: %s\n", why);
    return good ? 0 : status;
}

/* Notes are for those who read reports. */
static void say_damage(const struct recording *r)
{
    for (size_t i = 0; i < r->problems.count; i++)
        if (r->problems.list[i].level == PROBLEM_DAMAGE)
            fprintf(stderr, "simview: damage: %s\n", r->problems.list[i].text);
}

int main(int argc, char **argv)
{
    struct refusal refusal = {.text = ""};
    struct wanted w = {
        .o = {.cpu = -1, .refusal = &refusal},
        .fonts = FONTS,
        .width = 800,
        .height = 600,
    };
    int status = read_options(&w, argc, argv);
    struct interval of;
    struct recording r;
    char why[1024];

    if (status >= 0)
        return status;
    if (w.where && !follow_open(&w.follow, w.where, why, sizeof why)) {
        fprintf(stderr, "simview: %s\n", why);
        return EXIT_BROKEN;
    }
    if (w.where)
        w.o.experiment = w.follow.experiment;
    if (!recording_open(&r, w.o.experiment, why, sizeof why)) {
        text_printable(why);
        fprintf(stderr, "simview: %s\n", why);
        return EXIT_BROKEN;
    }
    if (option_interval(&r, &w.o, &of.from, &of.to)) {
        status = show(&r, &w, of);
    } else {
        fprintf(stderr, "simview: %s\n", refusal.text);
        status = EXIT_USAGE;
    }
    say_damage(&r);
    if (!status && problems_damage(&r.problems))
        status = EXIT_DAMAGED;
    recording_close(&r);
    if (w.where)
        follow_close(&w.follow);
    return status;
}
