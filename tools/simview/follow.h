/* follow.h - a simulation that runs: what simrun --view says of it, and what it
 * is asked for (docs/view.md). Never waits but while it is opened.
 */
#ifndef TOOLS_SIMVIEW_FOLLOW_H
#define TOOLS_SIMVIEW_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLLOW_LINE 5000 /* bytes of a line, with its end */

struct follow {
    int fd; /* -1: simrun has gone, or none is followed */
    char experiment[FOLLOW_LINE];
    bool stopped; /* it stands still; else it runs, or has ended: */
    bool ended;
    int status;
    uint64_t cycle, insns; /* as far as it is */
    int cpu;               /* whose instruction is next; -1: not known */
    char place[128];       /* ... and where it is */
    char error[512];       /* what it did not understand; "": all */
    char line[FOLLOW_LINE];
    size_t size;
    char names[64][128]; /* by CPU: where it is */
};

/* Connect to "unix:PATH", or take the open file of that number, and hear where
 * the experiment is and that the machine stands still. False: `why` has the
 * line; nothing is held. */
bool follow_open(struct follow *f, const char *where, char *why, size_t size);
void follow_close(struct follow *f);

enum follow_news {
    FOLLOW_NONE,
    FOLLOW_SOME,   /* how far it is, or a mistake */
    FOLLOW_STOPPED /* it stands still or has ended: there is more to read */
};

/* What was said since. */
enum follow_news follow_look(struct follow *f);
/* "pause", "run", "step N", "to PLACE", "quit"; harmless where it has gone. */
void follow_ask(struct follow *f, const char *what, const char *with);
/* What it does, in words. */
void follow_words(const struct follow *f, char *out, size_t size);

#endif
