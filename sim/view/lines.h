/* lines.h - the viewer's end: a Unix socket, or a process that was started, and
 * lines on it. Knows no words. Whatever comes in, it never fails: a line that
 * is too long is no command, a viewer that reads nothing for
 * two seconds is gone.
 */
#ifndef SIM_VIEW_LINES_H
#define SIM_VIEW_LINES_H

#include <stdbool.h>
#include <stddef.h>

#define VIEW_LINE 512 /* bytes of a line, with its end */
#define VIEW_PATH 108 /* what a Unix socket's name may have */

enum view_event {
    VIEW_NONE,   /* nothing to do */
    VIEW_OPENED, /* a viewer connected */
    VIEW_HEARD,  /* a line lies in `line`, without its end */
    VIEW_CLOSED, /* the viewer has gone */
    VIEW_SIGNAL  /* `signals` has something */
};

struct view_lines {
    int listener, fd; /* -1: none */
    int signals;      /* not owned */
    char path[VIEW_PATH];
    char line[VIEW_LINE];
    bool too_long; /* the line that is being read */
    size_t size;   /* of it */
    size_t got, taken;
    char input[4096]; /* not looked at yet */
};

/* Can it be a place to listen at? False: `why` has the line. */
bool view_lines_check(const char *where, char *why, size_t size);
/* Listen at "unix:PATH". False: `why` has the line. */
bool view_lines_listen(struct view_lines *l, const char *where, int signals,
                       char *why, size_t size);
/* Start `program --follow=FD`, which is connected then. */
bool view_lines_start(struct view_lines *l, const char *program, int signals,
                      char *why, size_t size);
void view_lines_close(struct view_lines *l);
/* The next thing that happened; with `wait`, not before something did. Of
 * several bytes that came at once every line is given. */
enum view_event view_lines_next(struct view_lines *l, bool wait);
/* Send a line, whose end is added. */
void view_lines_say(struct view_lines *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
