/* bench.c - see bench.h. Processor time, so that others on the machine do not
 * count; what is read from a disk that has it not in memory takes longer.
 */
#include "tools/simview/bench.h"

#include <time.h>

#include "tools/simview/panels.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double draw(struct ui *u)
{
    double begin = now();

    ui_draw(u);
    canvas_show(u->c);
    return now() - begin;
}

static void panel(struct ui *u, enum panel p, const char *of, int frames)
{
    double first, most = 0, sum = 0;

    u->panel = p;
    u->mouse_x = u->mouse_y = -1;
    first = draw(u);
    for (int i = 0; i < frames; i++) {
        double took;

        u->mouse_x = u->c->width * (i + 1) / (frames + 1);
        u->mouse_y = u->c->height * ((i * 7) % frames + 1) / (frames + 1);
        took = draw(u);
        most = took > most ? took : most;
        sum += took;
    }
    printf("%-10s %-14s %9.1f ms first %7.1f ms a frame %7.1f ms the slowest\n",
           panel_name(p), of, first, sum / frames, most);
    fflush(stdout);
}

void bench(struct ui *u, int frames)
{
    uint64_t end = u->r->end;

    printf("%-10s %-14s %9.1f ms\n", "open", "", now());
    for (unsigned p = 0; p < PANELS; p++)
        if (ui_tells(u, (enum panel)p))
            panel(u, (enum panel)p, "all", frames);
    ui_go(u, (struct interval){end / 2, end / 2 + end / 100 + 1});
    for (unsigned p = 0; p < PANEL_FUNCTIONS; p++)
        panel(u, (enum panel)p, "1 % of it", frames);
}
