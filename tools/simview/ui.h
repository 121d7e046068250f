/* ui.h - what simview shows and how it is asked: an interval of a run, a panel,
 * and where the user is in it. Panels draw it (panels.h); keys and mouse change
 * it (input.c). Nothing here writes to the experiment.
 */
#ifndef TOOLS_SIMVIEW_UI_H
#define TOOLS_SIMVIEW_UI_H

#include "tools/simprof/scene/align.h"
#include "tools/simprof/scene/flame.h"
#include "tools/simprof/scene/scene.h"
#include "tools/simview/canvas.h"
#include "tools/simview/follow.h"

#define UI_STEPS 64        /* intervals that back and forward know */
#define UI_TIME_STEPS 1200 /* of a scene, at most: no screen shows more */
#define UI_AREAS 8192
#define UI_WORD 128 /* bytes of what is looked for */
#define UI_TIP 512

enum panel {
    PANEL_OVERVIEW,
    PANEL_TIME,
    PANEL_CALLS,
    PANEL_FUNCTIONS,
    PANEL_CAUSES,
    PANEL_LOCKS,
    PANEL_SOURCE,
    PANEL_COMPARE, /* of two runs, as is the next */
    PANEL_DIFF,
    PANEL_PIPE, /* of what simrun recorded when it was asked to */
    PANEL_LINES,
    PANEL_TRUTH, /* of sampled counters */
    PANEL_CALLED,
    PANELS
};

/* What a click on an area does. */
enum deed {
    DEED_NONE,     /* a tip only */
    DEED_PANEL,    /* goes to panel `number` */
    DEED_ROW,      /* selects row `number` of the table */
    DEED_NODE,     /* makes node `number` the widest of the call tree */
    DEED_ORDER,    /* orders the table by column `number` */
    DEED_FUNCTION, /* goes to the source of what limits the run */
    DEED_GAP,      /* goes to the wait, in time */
    DEED_TIME,     /* begins or ends an interval, or an idle gap of a lane */
    DEED_SOURCE    /* goes to the source of what the tip begins with */
};

struct area {
    struct box box;
    enum deed deed;
    long number;
    char tip[UI_TIP];
};

struct interval {
    uint64_t from, to;
};

/* A lane of the timeline: a CPU or a thread. */
struct lane {
    char name[48];
    bool cpu;
    long number;
    json_t **step; /* objects of state to cycles, or NULL */
    /* By step: what had most of it (panel_look), of a CPU what it was idle for;
     * -1: none. */
    signed char *look;
    int64_t *busy;    /* of a CPU, by step: cycles that it was */
    const char **who; /* ... and with which thread most; or NULL; the scene's */
    unsigned seen;    /* a bit for each look that some step has */
};

/* The timeline of a scene, by lane. */
struct lanes {
    struct lane *lane;
    size_t count, room, steps;
};

/* What the width of a flame graph's box may be: a column of one of the scene's
 * call trees. */
struct metric {
    enum scene_table table;
    char column[64];
};

#define METRICS 32

/* What happened when, of the scene's moments. */
struct event {
    const char *what, *name, *by_name, *about; /* the scene's */
    uint64_t from, to;
    long cpu, thread, by; /* -1: none */
    int64_t times;
};

struct events {
    struct event *list;
    size_t count;
    json_t *rows; /* of a list of its own; NULL: the scene's */
};

/* An idle gap that is looked at: a CPU and a cycle of it. */
struct chosen {
    long cpu; /* -1: none */
    uint64_t cycle;
    json_t *is; /* scene_gap */
};

/* A panel's place: its first row, the row selected, the order. */
struct scrolled {
    long top, row;
    long order; /* a column; -1: as the report has it */
};

struct theme {
    colour paper, well, ink, faint, line, accent, alarm, mark, chosen;
};

struct ui {
    struct canvas *c;
    struct recording *r;
    const struct options *o;
    const char *base;      /* the experiment to compare with, or NULL */
    struct follow *follow; /* a run that goes on, or NULL; not owned */
    struct scene scene;    /* of the interval shown */
    json_t *first;         /* this and what follows: read when it is needed */
    struct lanes lanes;
    struct scene gap; /* about the wait that the first screen tells */
    struct lanes gap_lanes;
    struct events events;
    bool happened;       /* events are read */
    struct events jumps; /* of the whole run: to jump to */
    bool jumped;         /* these are read */
    long jump;           /* the last one that was jumped to; -1: none */
    struct chosen gap_at;
    struct metric metrics[METRICS];
    size_t metric_count;
    struct flame flame; /* of metrics[metric] */
    bool called;        /* it is read */
    struct recording
        *other; /* the base's, once its flame graph was asked for */
    struct options base_options;
    struct scene before;
    struct align align; /* of both runs */
    bool aligned;       /* it is read */
    struct scene old;   /* the base's timeline, beside the scene's: beside.h */
    struct lanes old_lanes;
    struct interval been[UI_STEPS]; /* been[at] is shown */
    size_t beens, at;
    enum panel panel;
    struct scrolled place[PANELS];
    char function[UI_WORD];    /* whose source is shown */
    json_t *source, *code;     /* its rows; NULL: to be read */
    json_t *compared, *parted; /* of two runs, likewise */
    size_t metric;             /* of the call tree */
    char metric_name[64];      /* asked for by name; "": not */
    unsigned judged;           /* of counters: whose samples are judged */
    unsigned ways;             /* FLAME_... */
    bool below;                /* callers below */
    bool differs;              /* beside the base's */
    long node;                 /* the widest */
    bool idle;                 /* idle CPUs in the call tree too */
    bool dark, typing, helps, quit, dragging;
    bool aiming; /* what is typed is where to run to: */
    bool begins; /* the key that began it may come as text too */
    char aim[UI_WORD];
    char word[UI_WORD];  /* looked for */
    char status[UI_TIP]; /* instead of the command, once */
    int drag_from, mouse_x, mouse_y;
    struct box time; /* where the timeline's lanes are */
    long rows;       /* of the table shown, and how many fit */
    long fit;
    struct theme theme;
    struct area *area;
    size_t areas;
};

/* The whole run at the overview; base may be NULL. The recording, options and
 * canvas must outlive it. */
void ui_open(struct ui *u, struct canvas *c, struct recording *r,
             const struct options *o, const char *base, struct interval of);
void ui_close(struct ui *u);

/* Show another interval; where it is empty or the same, nothing happens. */
void ui_go(struct ui *u, struct interval to);
/* The one before, or after it again. */
void ui_back(struct ui *u, bool forward);
/* Show the source of a function. */
void ui_function(struct ui *u, const char *name);
void ui_dark(struct ui *u, bool dark);

/* Before first and gap, lanes, or calls are looked at. */
void ui_need_first(struct ui *u);
void ui_need_lanes(struct ui *u);
void ui_need_events(struct ui *u);
void ui_need_jumps(struct ui *u);
void ui_need_calls(struct ui *u);

/* The base's recording and scene; false: there is none, or it cannot be read,
 * which is said. */
bool ui_need_before(struct ui *u);

/* Look at the idle gap of a CPU at a cycle; -1: at none. False: that CPU was
 * not idle then. */
bool ui_gap(struct ui *u, long cpu, uint64_t cycle);
/* The flame graph is made anew from the next drawing on. */
void ui_flame(struct ui *u);

/* Is a panel one to go to: of two runs, are there two? */
bool ui_has(const struct ui *u, enum panel p);
/* Has it anything to show? What this run did not record has no tab. */
bool ui_tells(const struct ui *u, enum panel p);
/* The key that goes to it: a digit or a letter. */
char ui_key(enum panel p);
/* Rows of a panel of two runs, which are read when first asked for. */
json_t *ui_two_runs(struct ui *u, enum panel p);

/* What prints the rows of the panel; the caller frees. */
char *ui_command(const struct ui *u);

/* Draw all of it. */
void ui_draw(struct ui *u);

/* A place that can be pointed at, for this frame; tip may be "". */
void ui_area(struct ui *u, struct box b, enum deed deed, long number,
             const char *format, ...) __attribute__((format(printf, 5, 6)));
const struct area *ui_at(const struct ui *u, int x, int y);

/* Is what is looked for in a name, capitals or not? */
bool ui_wants(const struct ui *u, const char *name);

/* "1,234" and "1.234 ms" in a buffer of the caller. */
#define UI_NUMBER 40
const char *ui_count(int64_t n, char out[UI_NUMBER]);
const char *ui_time(const struct ui *u, uint64_t cycles, char out[UI_NUMBER]);

#endif
