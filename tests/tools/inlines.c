/* inlines.c - the inlined functions at addresses of an experiment's program,
 * as `addr2line -f -i` prints them: a line with the function, a line with file
 * and line, from the inside out. Of the outermost function only "-". */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/analysis/symbols/inlines.h"
#include "tools/analysis/symbols/sources.h"

static void put_line(const char *file, uint32_t line)
{
    const char *slash = file ? strrchr(file, '/') : NULL;

    if (!file || !line)
        puts("??:0");
    else
        printf("%s:%" PRIu32 "\n", slash ? slash + 1 : file, line);
}

static void put_function(const char *name)
{
    printf("%.*s\n", (int)strcspn(name, " "), name);
}

int main(int argc, char **argv)
{
    char why[256], text[64];
    struct recording r;
    struct sources *sources;

    if (argc < 2 || !recording_open(&r, argv[1], why, sizeof why)) {
        fprintf(stderr, "inlines: %s\n", argc < 2 ? "which experiment?" : why);
        return 1;
    }
    sources = sources_new(&r);
    while (fgets(text, sizeof text, stdin)) {
        const struct inline_level *level;
        uint32_t pc;
        size_t n;
        struct source_line line;

        if (sscanf(text, "%" SCNx32, &pc) != 1)
            continue;
        n = inlines_find(recording_inlines(&r), pc, UINT64_MAX, &level);
        line = sources_find(sources, pc, UINT64_MAX);
        for (size_t i = 0; i <= n; i++) {
            if (i < n)
                put_function(inlines_name(r.inlines, level[i].function));
            else
                puts("-");
            if (!i)
                put_line(line.file ? sources_file(sources, line.file) : NULL,
                         line.line);
            else
                put_line(level[i - 1].file, level[i - 1].line);
        }
    }
    sources_free(sources);
    recording_close(&r);
    return 0;
}
