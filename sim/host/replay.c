/* replay.c - reads `input`, `debug` and `stdio` lines back from the log of an
 * experiment. Format: include/record.h.
 */
#include "sim/host/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/record.h"

/* A list of n elements, with room for one more: it grows whenever all bits of n
 * are ones. NULL: no memory, and the list is as it was. */
static void *grown(void *list, size_t n, size_t size)
{
    return n & (n + 1) ? list : realloc(list, (2 * n + 1) * size);
}

static bool add(struct replay *r, uint64_t at, uint8_t byte)
{
    void *more = grown(r->bytes, r->count, sizeof *r->bytes);

    if (!more)
        return false;
    r->bytes = more;
    r->bytes[r->count++] = (struct replay_byte){at, byte};
    return true;
}

static bool add_poke(struct replay *r, const struct replay_poke *p)
{
    void *more = grown(r->pokes, r->npokes, sizeof *r->pokes);

    if (!more)
        return false;
    r->pokes = more;
    r->pokes[r->npokes++] = *p;
    return true;
}

static bool add_fact(struct replay *r, const struct replay_fact *f)
{
    void *more = grown(r->facts, r->nfacts, sizeof *r->facts);

    if (!more)
        return false;
    r->facts = more;
    r->facts[r->nfacts++] = *f;
    return true;
}

/* A line of the header: is it the same as in this run? `header` moves on. */
static bool same_line(const char *line, const char **header)
{
    size_t length = strlen(line);

    if (strncmp(*header, line, length) != 0)
        return false;
    *header += length;
    return true;
}

static bool own_line(const char *line)
{
    return strncmp(line, "simrun-experiment ", 18) == 0 ||
           strncmp(line, "file ", 5) == 0 || strncmp(line, "reason ", 7) == 0;
}

/* The line as a terminal can show it: it may be damaged. */
static const char *readable(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    for (char *p = line; *p; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
            *p = '?';
    return line;
}

/* Everything up to "start" must be what this run would write. */
static bool check_header(FILE *f, const char *path, const char *header,
                         char *why, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    bool same = true;
    unsigned version;

    if (getline(&line, &room, f) < 0 ||
        sscanf(line, "simrun-experiment %u", &version) != 1 ||
        version != REC_VERSION) {
        snprintf(why, size, "%s/log: not the log of an experiment", path);
        free(line);
        return false;
    }
    while (same && *header) {
        same = getline(&line, &room, f) > 0;
        if (same && !own_line(line))
            same = same_line(line, &header);
    }
    if (!same) {
        snprintf(why, size,
                 "%s: was recorded with another configuration "
                 "(\"%.60s\"), run the same one",
                 path, readable(line));
    }
    free(line);
    return same;
}

/* The bytes of a memory write, two digits each. */
static bool read_bytes(struct replay_poke *p, const char *text)
{
    unsigned byte;

    for (p->size = 0; sscanf(text, "%2x", &byte) == 1; text += 2) {
        if (p->size == REPLAY_POKE)
            return false;
        p->bytes[p->size++] = (uint8_t)byte;
    }
    return p->size > 0;
}

/* "debug CYCLE CPU TURN STEP reg NAME HEX", or "... mem 0xADDRESS HEX". */
static bool read_poke(struct replay_poke *p, const char *line)
{
    char what[8], where[16], data[2 * REPLAY_POKE + 2];
    uint64_t at;

    *p = (struct replay_poke){0};
    if (sscanf(line, "debug %" SCNu64 " %u %" SCNu64 " %u %7s %15s %129s", &at,
               &p->cpu, &p->turn, &p->step, what, where, data) != 7 ||
        !strchr(line, '\n'))
        return false;
    if (strcmp(what, "mem") == 0)
        return sscanf(where, "%" SCNx32, &p->ea) == 1 && read_bytes(p, data);
    snprintf(p->name, sizeof p->name, "%.7s", where);
    return strcmp(what, "reg") == 0 && sscanf(data, "%" SCNx64, &p->value) == 1;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The line is no such as simrun writes. */
static bool damaged(struct replay *r)
{
    r->damaged = true;
    return false;
}

/* Room for more bytes, which grows by half as much again, so that lines cost
 * little. */
static bool make_room(struct replay *r, size_t bytes)
{
    size_t most = r->nheard + bytes;

    if (r->nheard == 0 || most > r->room) {
        size_t room = most + most / 2 + 64;
        void *more = realloc(r->heard, room);

        if (!more)
            return false;
        r->heard = more;
        r->room = room;
    }
    return true;
}

bool replay_hear_fact(struct replay *r, uint64_t at, char kind, int64_t value,
                      const void *bytes, size_t size)
{
    struct replay_fact f = {
        .at = at, .value = value, .kind = kind, .from = r->nheard};

    if (!make_room(r, size) || !add_fact(r, &f))
        return false;
    if (size)
        memcpy(r->heard + r->nheard, bytes, size);
    r->nheard += size;
    r->facts[r->nfacts - 1].size = size;
    return true;
}

/* Hexadecimal digits to the end of the line: bytes of the last answer. */
static bool add_heard(struct replay *r, const char *text)
{
    if (!make_room(r, strlen(text) / 2))
        return false;
    for (; digit(text[0]) >= 0 && digit(text[1]) >= 0; text += 2) {
        r->heard[r->nheard++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
        r->facts[r->nfacts - 1].size++;
    }
    return *text == '\n' || damaged(r);
}

/* "stdio CYCLE KIND VALUE HEX", or "stdio + HEX" for more of the same. */
static bool read_fact(struct replay *r, const char *line)
{
    struct replay_fact f = {.from = r->nheard};
    int used = 0;

    if (strncmp(line, "stdio + ", 8) == 0)
        return r->nfacts ? add_heard(r, line + 8) : damaged(r);
    if (sscanf(line, "stdio %" SCNu64 " %c %" SCNd64 "%n", &f.at, &f.kind,
               &f.value, &used) != 3)
        return damaged(r);
    used += line[used] == ' ';
    return add_fact(r, &f) && add_heard(r, line + used);
}

bool replay_hear_byte(struct replay *r, uint64_t at, uint8_t byte)
{
    return add(r, at, byte);
}

bool replay_hear(struct replay *r, const char *line)
{
    struct replay_poke poke;
    uint64_t at;
    unsigned byte;
    char end = 0, word[5] = "";

    if (!strchr(line, '\n')) /* a run that was killed */
        return true;
    if (sscanf(line, "input %" SCNu64 " %4s%c", &at, word, &end) == 3 &&
        !strcmp(word, "over") && end == '\n') {
        r->over = at;
        return true;
    }
    end = 0;
    if (strncmp(line, "input ", 6) == 0)
        return sscanf(line, "input %" SCNu64 " %2x%c", &at, &byte, &end) == 3 &&
                       end == '\n'
                   ? add(r, at, (uint8_t)byte)
                   : damaged(r);
    if (strncmp(line, "end ", 4) == 0)
        return (sscanf(line, "end %" SCNu64 "%c", &r->end, &end) == 2 &&
                end == '\n') ||
               damaged(r);
    if (strncmp(line, "stdio ", 6) == 0)
        return read_fact(r, line);
    if (strncmp(line, "debug ", 6) == 0)
        return read_poke(&poke, line) ? add_poke(r, &poke) : damaged(r);
    return process_args_read(&r->process_args, line) &&
           (process_args_sound(&r->process_args) || damaged(r));
}

/* Has a read not as many bytes as it says? The last one may be of a run that
 * was killed while it wrote them. */
static bool is_short(const struct replay *r)
{
    for (size_t i = 0; i + 1 < r->nfacts; i++) {
        const struct replay_fact *f = &r->facts[i];

        if (f->kind == 'r' && f->value > 0 && (uint64_t)f->value != f->size)
            return true;
    }
    return false;
}

/* *part: a recording that stopped before all was heard. False: `why` has the
 * line. */
static bool read_inputs(struct replay *r, FILE *f, const char *path, bool *part,
                        char *why, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    bool ok = true, cut = false, exit = false, unheard = false;

    while (ok && getline(&line, &room, f) > 0) {
        ok = replay_hear(r, line);
        cut |= strncmp(line, "cut ", 4) == 0;
        unheard |= strncmp(line, "unheard ", 8) == 0;
        exit |= strncmp(line, "exit ", 5) == 0;
    }
    if (ok && is_short(r)) {
        snprintf(why, size,
                 "%s: \"stdio\" is damaged, bytes are missing, record the run "
                 "again",
                 path);
        ok = false;
    } else if (!ok && r->damaged)
        snprintf(why, size, "%s: \"%.40s\" is damaged, record the run again",
                 path, readable(line));
    else if (!ok)
        snprintf(why, size, "%s: the host has no memory for it", path);
    free(line);
    *part = cut && (unheard || !exit);
    return ok;
}

bool replay_open(struct replay *r, const char *experiment, const char *header,
                 char *why, size_t size)
{
    char path[4096];
    bool ok, part = false;
    FILE *f;

    *r = (struct replay){0};
    snprintf(path, sizeof path, "%s/log", experiment);
    f = fopen(path, "re");
    if (!f) {
        snprintf(why, size, "%s: cannot be read: %s, name an experiment", path,
                 strerror(errno));
        return false;
    }
    ok = check_header(f, experiment, header, why, size);
    ok = ok && read_inputs(r, f, path, &part, why, size);
    if (ok && part) {
        snprintf(why, size,
                 "%s: recording stopped at --trace-limit before all input was "
                 "heard, record the run again with a larger one",
                 path);
        ok = false;
    }
    fclose(f);
    if (!ok)
        replay_close(r);
    return ok;
}

void replay_close(struct replay *r)
{
    free(r->bytes);
    free(r->pokes);
    free(r->facts);
    free(r->heard);
    process_args_free(&r->process_args);
    *r = (struct replay){0};
}

void replay_rewind(struct replay *r)
{
    r->taken = r->poked = r->recalled = 0;
}

bool replay_get(struct replay *r, uint64_t at, uint8_t *byte)
{
    if (replay_over(r) || r->bytes[r->taken].at > at)
        return false;
    *byte = r->bytes[r->taken++].byte;
    return true;
}

bool replay_fact(struct replay *r, uint64_t at, char kind, int64_t *value,
                 void *bytes, size_t size)
{
    const struct replay_fact *f;

    if (r->recalled == r->nfacts)
        return false;
    f = &r->facts[r->recalled];
    if (f->at != at || f->kind != kind)
        return false;
    *value = f->value;
    if (size)
        memset(bytes, 0, size);
    if (size && f->size)
        memcpy(bytes, r->heard + f->from, f->size < size ? f->size : size);
    r->recalled++;
    return true;
}

const struct replay_poke *replay_poke(const struct replay *r)
{
    return r->poked < r->npokes ? &r->pokes[r->poked] : NULL;
}

bool replay_over(const struct replay *r)
{
    return r->taken == r->count;
}

bool replay_told_over(const struct replay *r, uint64_t at)
{
    return replay_over(r) && r->over && r->over <= at;
}
