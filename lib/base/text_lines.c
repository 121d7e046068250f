/* text_lines.c - reads the file whole. */
#include "lib/base/text_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/grow.h"

#define LINES_MAX (256u << 20) /* more is not a log */

/* The file's bytes, zero terminated; *size of them. NULL: errno. */
static char *slurp(int fd, size_t *size)
{
    struct stat st;
    char *text;

    if (fstat(fd, &st))
        return NULL;
    if (!S_ISREG(st.st_mode) || st.st_size > (off_t)LINES_MAX) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EFBIG;
        return NULL;
    }
    text = grow_zero((size_t)st.st_size + 1, 1);
    for (*size = 0; *size < (size_t)st.st_size;) {
        ssize_t n = read(fd, text + *size, (size_t)st.st_size - *size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            free(text);
            return NULL;
        }
        if (!n)
            break;
        *size += (size_t)n;
    }
    return text;
}

static bool garbage(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
            return true;
    return false;
}

static void take(struct text_lines *l, char *text, unsigned number)
{
    char *blank = strchr(text, ' ');

    l->line = grow(l->line, &l->room, l->count + 1, sizeof *l->line);
    if (blank)
        *blank = '\0';
    l->line[l->count++] = (struct line){
        .key = text, .value = blank ? blank + 1 : "", .number = number};
}

static void split(struct text_lines *l, size_t size)
{
    char *end = l->text + size;
    unsigned number = 0;

    for (char *at = l->text; at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));

        if (!stop)
            break;
        number++;
        if (stop == at) {
            ; /* an empty line says nothing */
        } else if (garbage(at, (size_t)(stop - at))) {
            if (!l->garbage++)
                l->first_garbage = number;
        } else {
            *stop = '\0';
            take(l, at, number);
        }
        at = stop + 1;
    }
}

bool text_lines_read(struct text_lines *l, int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t size = 0;
    int why;

    *l = (struct text_lines){0};
    if (fd < 0)
        return false;
    l->text = slurp(fd, &size);
    why = errno;
    close(fd);
    errno = why;
    if (l->text)
        split(l, size);
    return l->text != NULL;
}

void text_lines_free(struct text_lines *l)
{
    free(l->line);
    free(l->text);
    *l = (struct text_lines){0};
}

const char *text_lines_get(const struct text_lines *l, const char *key)
{
    for (size_t i = l->count; i-- > 0;)
        if (!strcmp(l->line[i].key, key))
            return l->line[i].value;
    return NULL;
}

char *text_lines_word(char **rest)
{
    char *word = *rest + strspn(*rest, " ");

    if (!*word)
        return NULL;
    *rest = word + strcspn(word, " ");
    if (**rest)
        *(*rest)++ = '\0';
    return word;
}
