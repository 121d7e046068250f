/* causes_end.c - see causes_end.h. */
#include "tools/simprof/reports/causes/causes_end.h"

#include "lib/base/grow.h"
#include "tools/simprof/reports/causes/causes_words.h"

enum causes_end causes_end(struct recording *r, char **sentence)
{
    enum causes_end end = CAUSES_END_OTHER;
    char text[CAUSES_SENTENCE];
    struct places places;
    struct scene scene;
    struct causes c = {.r = r, .scene = &scene, .places = &places};

    *sentence = NULL;
    if (!r->ended)
        return end;
    scene_read(&scene, r);
    places_open(&places, r, &scene);
    if (causes_deadlock(&c, text))
        end = CAUSES_END_DEADLOCK;
    else if (causes_waits_for_ever(&c, text))
        end = CAUSES_END_FOR_EVER;
    if (end != CAUSES_END_OTHER)
        *sentence = grow_text(text);
    places_close(&places);
    scene_free(&scene);
    return end;
}
