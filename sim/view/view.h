/* view.h - a viewer follows a run (simrun --view): it pauses it, lets it step
 * and run to a moment, through lines on a Unix socket (docs/view.md). The
 * machine stops where it would have been anyway, so nothing that is simulated
 * changes, and the experiment has the same bytes.
 */
#ifndef SIM_VIEW_VIEW_H
#define SIM_VIEW_VIEW_H

#include "sim/machine/machine.h"
#include "sim/observe/stretch/moment.h"
#include "sim/view/lines.h"

enum view_aim {
    VIEW_RUN, /* on, until something is asked for */
    VIEW_TO   /* up to a moment */
};

/* What of the host it needs: the program that is started as its viewer; a file
 * that says of signals, or -1; and a clock, in seconds. */
struct view_host {
    const char *viewer;
    int signals;
    double (*seconds)(void);
};

struct view {
    struct view_host host;
    struct machine *machine; /* NULL: no viewer; not owned */
    struct view_lines lines;
    char experiment[4096]; /* its whole path */
    struct observer observer;
    struct names names;
    bool listens;         /* the observer is subscribed */
    bool stopped, killed; /* the machine stands still; the viewer ended it */
    enum view_aim aim;
    struct moment to; /* VIEW_TO */
    bool hit;         /* the observer has stopped the machine... */
    unsigned hit_cpu; /* ... in front of the next instruction of it */
    ea_t hit_pc;      /* ... which is there */
    bool passes;      /* it may go on from there */
    cycle_t looked;   /* the beat at which the lines were last asked */
    double told;      /* when the viewer heard last how far it is, s */
};

/* Listen at "unix:PATH", or where that is NULL start the viewer of `host`, and
 * let it follow m. Its signals end waiting. False: `why` has the line.
 * view_close is due in any case. */
bool view_open(struct view *v, const char *where, struct view_host host,
               struct machine *m, char *why, size_t size);
/* The experiment is there, in this directory. */
void view_experiment(struct view *v, const char *path);
/* As machine_run, for a machine that is followed: waits for the viewer first,
 * and stands still then. Goes on alone where the viewer has gone. */
void view_run(struct view *v);
/* For a wait in the middle of a beat: hear the viewer, who may pause the
 * machine here. False: the run is over. */
bool view_poll(struct view *v);
/* The file whose readiness calls for view_poll, or -1. */
int view_file(const struct view *v);
/* The run is over, all is recorded: tell the viewer the exit status. */
void view_ends(struct view *v, int status);
void view_close(struct view *v);

#endif
