/* texts_fuzz.c - any text at all where the reports take one. The first byte of
 * the input picks the reader: 0 a filter, which is refused at a place inside
 * the text, or has a value for every record and the same one when asked again;
 * 1 a time; 2 a name that does not exist; 3 the tables of `active`, three texts
 * with a 0 between them.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/did_you_mean.h"
#include "tests/lib/expfuzz.h"
#include "tools/analysis/active/active_input.h"
#include "tools/analysis/query/filter.h"
#include "lib/base/text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILTER, TIME, NAME, TABLES, READERS };

/* libFuzzer has no other place for what is made once. */
static char directory[600];
static struct recording r;
static struct samples_metrics metrics;
static struct {
    uint64_t refused, taken;
} count;

static void clean(void)
{
    char command[700];

    fprintf(stderr, "%llu refused, %llu taken\n",
            (unsigned long long)count.refused, (unsigned long long)count.taken);
    samples_metrics_free(&metrics);
    recording_close(&r);
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    if (system(command))
        perror(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *base = getenv("TMPDIR");
    char experiment[650], why[1024];

    (void)argc, (void)argv;
    if (!access("/dev/shm", W_OK | X_OK))
        base = "/dev/shm";
    snprintf(directory, sizeof directory, "%s/texts_fuzz.XXXXXX",
             base ? base : "/tmp");
    assert(mkdtemp(directory));
    snprintf(experiment, sizeof experiment, "%s/it.exp", directory);
    expfuzz_make(experiment);
    assert(recording_open(&r, experiment, why, sizeof why));
    samples_metrics_open(&metrics, &r);
    atexit(clean);
    return 0;
}

static void ask(const struct expr *e, unsigned kind)
{
    struct record record;
    struct recfile f;

    if (!recording_records(&r, kind, &f))
        return;
    while (recfile_next(&f, &record)) {
        struct filter_about about = {&r, &metrics, &record};
        int64_t first, again;
        bool there = expr_value(e, &about, &first);

        assert(there == expr_value(e, &about, &again) && first == again);
        assert(expr_holds(e, &about) == (there && first));
    }
    recording_done(&r, &f);
}

static void take_filter(const char *text)
{
    struct expr_error error = {.at = 0};
    struct filter_about about = {&r, &metrics, NULL};
    struct expr *e = filter_parse(text, &error);
    char why[FILTER_WHY] = "";

    if (e && filter_names(e, &about, &error)) {
        ask(e, REC_PROFILE);
        ask(e, REC_ORACLE);
        ask(e, REC_IDLE);
        count.taken++;
    } else {
        assert(error.at <= strlen(text) && error.why[0]);
        assert(!filter_open(text, &r, &metrics, why, sizeof why) && why[0]);
        count.refused++;
    }
    expr_free(e);
}

static void take_time(const char *text)
{
    uint64_t n, cycles;

    if (text_number(text, &n)) {
        assert(text_cycles(text, 0, &cycles) && n == cycles);
        count.taken++;
    }
    count.refused += !text_cycles(text, 200000000, &cycles);
}

static void take_name(const char *text)
{
    char out[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    did_you_mean_begin(&n, text);
    for (uint32_t f = 1; f < r.map.functions; f++)
        did_you_mean_offer(&n, loadmap_name(&r.map, f));
    did_you_mean_offer(&n, text);
    assert(strlen(did_you_mean_text(&n, out)) < DID_YOU_MEAN_TEXT);
    count.taken++;
}

static void take_tables(const uint8_t *data, size_t size)
{
    struct active_input in;
    char names[2100] = "", why[1024] = "";

    for (int i = 0; i < 3; i++) {
        const uint8_t *end = memchr(data, 0, size);
        size_t n = end ? (size_t)(end - data) : size;
        char name[650];
        int fd;

        snprintf(name, sizeof name, "%s/%d.csv", directory, i);
        fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        assert(fd >= 0 && write(fd, data, n) == (ssize_t)n);
        close(fd);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i ? "," : "", name);
        if (!end)
            break;
        data = end + 1;
        size -= n + 1;
    }
    if (active_input_csv(&in, names, why, sizeof why)) {
        active_input_free(&in);
        count.taken++;
    } else {
        assert(why[0]);
        count.refused++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;

    if (!size)
        return 0;
    if (data[0] % READERS == TABLES) {
        take_tables(data + 1, size - 1);
        return 0;
    }
    text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (data[0] % READERS == FILTER)
        take_filter(text);
    else if (data[0] % READERS == TIME)
        take_time(text);
    else
        take_name(text);
    free(text);
    return 0;
}
