/* console.h - the host's end of the console: stdin, stdout and signals.
 *
 * A terminal is asked whether something was typed. Anything else (file, pipe,
 * /dev/null) is read with patience when the guest waits for a byte, so that
 * what the guest sees does not depend on when the host wrote it; until then
 * it is not touched.
 */
#ifndef SIM_HOST_CONSOLE_H
#define SIM_HOST_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONSOLE_BLOCK 4096
#define CONSOLE_PATIENCE 2000 /* ms before `waiting` is called */

enum console_get {
    CONSOLE_BYTE,
    CONSOLE_NONE,
    CONSOLE_END,
    CONSOLE_SIGNAL,
    CONSOLE_WAKE
};

struct console {
    int in, out;
    int signals; /* a signalfd, or -1: none */
    int wake;    /* another file that ends waiting, or -1: none */
    bool in_terminal, out_terminal;
    int error;   /* errno of the first write that failed; 0: none */
    size_t used; /* of output */
    uint8_t output[CONSOLE_BLOCK];
    size_t got, taken; /* of input */
    uint64_t given;    /* bytes of input handed over so far */
    uint8_t input[CONSOLE_BLOCK];
    /* Called before output appears, and once when reading takes long
     * from what is no terminal. */
    void *arg;
    void (*printing)(void *arg);
    void (*waiting)(void *arg);
    bool waited;
    /* A person types: Ctrl-A and a letter are not for the guest, but for this
     * function. NULL: all is for the guest. */
    void (*key)(void *arg, uint8_t letter);
    bool command; /* Ctrl-A came, and the letter will */
    bool quit;    /* it was x: console_get says SIGNAL from now on */
};

void console_init(struct console *c, int in, int out, int signals);

/* Send a byte. Lines appear at once on a terminal. */
void console_put(struct console *c, uint8_t byte);
void console_flush(struct console *c);
/* Is the other end of stdout still open? Else `error` is set to EPIPE,
 * without a byte having been written. */
bool console_watched(struct console *c);

/* Look what a person has typed, whether the guest asks for it or not. */
void console_look(struct console *c);

/* Get a byte. A terminal that has none answers NONE, unless `wait`; anything
 * else is waited for. SIGNAL: interrupted by one of `signals`. WAKE: by `wake`;
 * nothing was taken, ask again. */
enum console_get console_get(struct console *c, bool wait, uint8_t *byte);

/* Save or load where its input stands: lib/base/snap.h. A load reads as many
 * bytes as had been handed over and throws them away, so that the machine goes
 * on with the next one; on a terminal it goes on with what is typed next.
 * False: s->why says why, the input being shorter among others. */
struct snap;
bool console_state(struct snap *s, struct console *c);

#endif
