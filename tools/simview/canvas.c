/* canvas.c - see canvas.h. */
#include "tools/simview/canvas.h"

#include <SDL2/SDL_image.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#define UNKNOWN 0xBF /* the sign of a letter beyond Latin-1 */
#define STRIPE 7     /* pixels from one stripe to the next */

static const struct {
    const char *file;
    int size;
} fonts[CANVAS_FONTS] = {
    [CANVAS_TEXT] = {"DejaVuSans.ttf", 13},
    [CANVAS_LARGE] = {"DejaVuSans.ttf", 19},
    [CANVAS_MONO] = {"DejaVuSansMono.ttf", 12},
};

/* ---- opening ------------------------------------------------------------- */

static bool complain(char *why, size_t size, const char *what)
{
    snprintf(why, size, "%s: %s", what, SDL_GetError());
    return false;
}

static bool open_fonts(struct canvas *c, char *why, size_t size)
{
    char path[4200];

    for (int i = 0; i < CANVAS_FONTS; i++) {
        snprintf(path, sizeof path, "%s/%s", c->fonts, fonts[i].file);
        c->font[i] = TTF_OpenFont(path, (int)lround(fonts[i].size * c->scale));
        if (!c->font[i]) {
            snprintf(why, size,
                     "%.4100s: cannot be read; install fonts-dejavu-core, or "
                     "say --fonts=DIR",
                     path);
            return false;
        }
    }
    return true;
}

static void close_fonts(struct canvas *c)
{
    for (int f = 0; f < CANVAS_FONTS; f++) {
        for (int i = 0; i < CANVAS_LETTERS; i++)
            if (c->letter[f][i])
                SDL_DestroyTexture(c->letter[f][i]);
        if (c->font[f])
            TTF_CloseFont(c->font[f]);
        c->font[f] = NULL;
    }
    memset(c->letter, 0, sizeof c->letter);
    memset(c->advance, 0, sizeof c->advance);
}

/* ---- scale --------------------------------------------------------------- */

/* What a size suggests: a quarter more for each quarter that a screen of 1200
 * by 800 grows by. */
static double suggested(int width, int height)
{
    double by = fmin(width / 1200., height / 800.);

    return fmax(1, fmin(floor(4 * by) / 4, CANVAS_SCALE_MOST));
}

static void set_scale(struct canvas *c, int width, int height)
{
    c->scale = c->wanted > 0 ? c->wanted : suggested(width, height);
    c->width = (int)(width / c->scale);
    c->height = (int)(height / c->scale);
}

void canvas_scale(struct canvas *c, double scale)
{
    c->wanted = scale > 0 ? fmax(1, fmin(scale, CANVAS_SCALE_MOST)) : 0;
    canvas_measure(c);
}

int canvas_place(const struct canvas *c, int pixel)
{
    return (int)(pixel / c->scale);
}

/* Of the screen. */
static int pixel_of(const struct canvas *c, int at)
{
    return (int)lround(at * c->scale);
}

static bool begin(struct canvas *c, const char *directory, double scale,
                  int width, int height)
{
    *c = (struct canvas){.wanted = scale};
    snprintf(c->fonts, sizeof c->fonts, "%s", directory);
    set_scale(c, width, height);
    return !TTF_Init();
}

bool canvas_image(struct canvas *c, int width, int height,
                  const char *directory, double scale, char *why, size_t size)
{
    if (!begin(c, directory, scale, width, height))
        return complain(why, size, "fonts");
    if (!open_fonts(c, why, size))
        return false;
    c->surface = SDL_CreateRGBSurfaceWithFormat(0, width, height, 32,
                                                SDL_PIXELFORMAT_ARGB8888);
    c->renderer = c->surface ? SDL_CreateSoftwareRenderer(c->surface) : NULL;
    return c->renderer || complain(why, size, "image");
}

bool canvas_window(struct canvas *c, const char *title, int width, int height,
                   const char *directory, double scale, char *why, size_t size)
{
    bool fonts_there = begin(c, directory, scale, width, height);

    /* The pixels as they are: the way round by OpenGL is a copy more. */
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    if (SDL_Init(SDL_INIT_VIDEO)) {
        complain(why, size, "no screen (--png FILE needs none)");
        return false;
    }
    if (!fonts_there)
        return complain(why, size, "fonts");
    if (!open_fonts(c, why, size))
        return false;
    c->window = SDL_CreateWindow(title, SDL_WINDOWPOS_UNDEFINED,
                                 SDL_WINDOWPOS_UNDEFINED, width, height,
                                 SDL_WINDOW_RESIZABLE);
    c->renderer = c->window
                      ? SDL_CreateRenderer(c->window, -1, SDL_RENDERER_SOFTWARE)
                      : NULL;
    if (!c->renderer)
        return complain(why, size, "window");
    canvas_measure(c);
    return true;
}

void canvas_close(struct canvas *c)
{
    close_fonts(c);
    if (c->renderer)
        SDL_DestroyRenderer(c->renderer);
    SDL_FreeSurface(c->surface);
    if (c->window)
        SDL_DestroyWindow(c->window);
    TTF_Quit();
    SDL_Quit();
    *c = (struct canvas){0};
}

void canvas_measure(struct canvas *c)
{
    double before = c->scale;
    int width, height;
    char why[4400];

    if (SDL_GetRendererOutputSize(c->renderer, &width, &height))
        return;
    set_scale(c, width, height);
    if (c->scale == before)
        return;
    close_fonts(c);
    if (open_fonts(c, why, sizeof why))
        return;
    /* They were there before: the old size will do. */
    close_fonts(c);
    c->wanted = before;
    set_scale(c, width, height);
    open_fonts(c, why, sizeof why);
}

void canvas_show(struct canvas *c)
{
    SDL_RenderPresent(c->renderer);
}

static bool write_png(SDL_Surface *image, const char *path, char *why,
                      size_t size)
{
    FILE *to = fopen(path, "wb");
    bool good = false;

    if (to) {
        SDL_RWops *file = SDL_RWFromFP(to, SDL_FALSE);

        good = file && !IMG_SavePNG_RW(image, file, true);
        good &= !fflush(to) && !ferror(to);
        good = !fclose(to) && good;
    }
    if (!good)
        snprintf(why, size, "%s: cannot be written: %s", path, strerror(errno));
    return good;
}

bool canvas_png(struct canvas *c, const char *path, char *why, size_t size)
{
    int width = 0, height = 0;
    bool sized = !SDL_GetRendererOutputSize(c->renderer, &width, &height);
    SDL_Surface *copy = SDL_CreateRGBSurfaceWithFormat(0, width, height, 24,
                                                       SDL_PIXELFORMAT_RGB24);
    bool good = sized && copy &&
                !SDL_RenderReadPixels(c->renderer, NULL, SDL_PIXELFORMAT_RGB24,
                                      copy->pixels, copy->pitch);

    if (good)
        good = write_png(copy, path, why, size);
    else
        complain(why, size, path);
    SDL_FreeSurface(copy);
    return good;
}

/* ---- rectangles ---------------------------------------------------------- */

static void ink_with(struct canvas *c, colour ink, uint8_t alpha)
{
    SDL_SetRenderDrawColor(c->renderer, (uint8_t)(ink >> 16),
                           (uint8_t)(ink >> 8), (uint8_t)ink, alpha);
}

/* Boxes that touch do so on the screen. */
static SDL_Rect rect_of(const struct canvas *c, struct box b)
{
    int x = pixel_of(c, b.x), y = pixel_of(c, b.y);

    return (SDL_Rect){x, y, pixel_of(c, b.x + b.w) - x,
                      pixel_of(c, b.y + b.h) - y};
}

void canvas_clear(struct canvas *c, colour paper)
{
    ink_with(c, paper, 255);
    SDL_RenderClear(c->renderer);
}

void canvas_fill(struct canvas *c, struct box b, colour ink)
{
    SDL_Rect r = rect_of(c, b);

    if (b.w <= 0 || b.h <= 0)
        return;
    ink_with(c, ink, 255);
    SDL_RenderFillRect(c->renderer, &r);
}

void canvas_frame(struct canvas *c, struct box b, colour ink)
{
    SDL_Rect r = rect_of(c, b);

    ink_with(c, ink, 255);
    SDL_RenderDrawRect(c->renderer, &r);
}

void canvas_shade(struct canvas *c, struct box b, colour ink)
{
    SDL_Rect r = rect_of(c, b);

    SDL_SetRenderDrawBlendMode(c->renderer, SDL_BLENDMODE_BLEND);
    ink_with(c, ink, 90);
    SDL_RenderFillRect(c->renderer, &r);
    SDL_SetRenderDrawBlendMode(c->renderer, SDL_BLENDMODE_NONE);
}

void canvas_stripes(struct canvas *c, struct box b, colour ink, colour stripe)
{
    SDL_Rect before, r = rect_of(c, b), within;
    SDL_bool clipped = SDL_RenderIsClipEnabled(c->renderer);
    int step = pixel_of(c, STRIPE), wide = pixel_of(c, 2);

    canvas_fill(c, b, ink);
    SDL_RenderGetClipRect(c->renderer, &before);
    if (!clipped)
        before = rect_of(c, (struct box){0, 0, c->width + 1, c->height + 1});
    if (!SDL_IntersectRect(&before, &r, &within))
        return;
    SDL_RenderSetClipRect(c->renderer, &within);
    ink_with(c, stripe, 255);
    for (int x = r.x - r.h; x < r.x + r.w; x += step)
        for (int k = 0; k < wide; k++)
            SDL_RenderDrawLine(c->renderer, x + k, r.y + r.h, x + k + r.h, r.y);
    SDL_RenderSetClipRect(c->renderer, clipped ? &before : NULL);
}

void canvas_arrow(struct canvas *c, int x, int from, int to, colour ink)
{
    int down = to > from ? 1 : -1;

    canvas_fill(
        c, (struct box){x - 1, SDL_min(from, to), 2, SDL_abs(to - from)}, ink);
    for (int k = 0; k < 5; k++)
        canvas_fill(c,
                    (struct box){x - 1 - k, to - down * (k + 1) - (down < 0),
                                 2 + 2 * k, 1},
                    ink);
}

void canvas_slant(struct canvas *c, int x0, int y0, int x1, int y1, colour ink)
{
    int ax = pixel_of(c, x0), ay = pixel_of(c, y0), bx = pixel_of(c, x1),
        by = pixel_of(c, y1), size = pixel_of(c, 4);
    int up = by < ay ? size : -size;

    ink_with(c, ink, 255);
    SDL_RenderDrawLine(c->renderer, ax, ay, bx, by);
    for (int k = -size + 1; k < size; k++)
        SDL_RenderDrawLine(c->renderer, bx, by, bx + k, by + up);
}

void canvas_clip(struct canvas *c, const struct box *b)
{
    SDL_Rect r;

    if (b)
        r = rect_of(c, *b);
    SDL_RenderSetClipRect(c->renderer, b ? &r : NULL);
}

/* ---- text ---------------------------------------------------------------- */

/* The letter at *text as a number of Latin-1, and *text behind it. */
static unsigned next_letter(const char **text)
{
    const unsigned char *t = (const unsigned char *)*text;
    unsigned code = *t++, more = code >= 0xF0   ? 3
                                 : code >= 0xE0 ? 2
                                 : code >= 0xC0 ? 1
                                                : 0;

    if (more)
        code &= 0x3Fu >> more;
    for (; more && (*t & 0xC0) == 0x80; more--)
        code = code << 6 | (*t++ & 0x3Fu);
    *text = (const char *)t;
    return code < CANVAS_LETTERS ? code : UNKNOWN;
}

static int advance(const struct canvas *c, enum canvas_font font,
                   unsigned letter)
{
    int wide = 0;

    TTF_GlyphMetrics(c->font[font], (Uint16)letter, NULL, NULL, NULL, NULL,
                     &wide);
    return wide;
}

/* Letters are drawn white once, and coloured when they are used. */
static void load_letter(struct canvas *c, enum canvas_font font,
                        unsigned letter)
{
    SDL_Surface *s;

    if (c->advance[font][letter])
        return;
    c->advance[font][letter] = advance(c, font, letter);
    s = TTF_RenderGlyph_Blended(c->font[font], (Uint16)letter,
                                (SDL_Color){255, 255, 255, 255});
    if (s)
        c->letter[font][letter] = SDL_CreateTextureFromSurface(c->renderer, s);
    SDL_FreeSurface(s);
}

static int put_letter(struct canvas *c, enum canvas_font font, int x, int y,
                      colour ink, unsigned letter)
{
    SDL_Rect to = {.x = x, .y = y}; /* of the screen */
    SDL_Texture *t;

    load_letter(c, font, letter);
    t = c->letter[font][letter];
    if (t && letter != ' ') {
        SDL_QueryTexture(t, NULL, NULL, &to.w, &to.h);
        SDL_SetTextureColorMod(t, (uint8_t)(ink >> 16), (uint8_t)(ink >> 8),
                               (uint8_t)ink);
        SDL_RenderCopy(c->renderer, t, NULL, &to);
    }
    return c->advance[font][letter];
}

int canvas_line(const struct canvas *c, enum canvas_font font)
{
    return (int)ceil(TTF_FontHeight(c->font[font]) / c->scale) + 1;
}

/* Pixels of the screen. */
static int real_width(const struct canvas *c, enum canvas_font font,
                      const char *text)
{
    int wide = 0;

    while (*text) {
        unsigned letter = next_letter(&text);

        wide += c->advance[font][letter] ? c->advance[font][letter]
                                         : advance(c, font, letter);
    }
    return wide;
}

int canvas_width(const struct canvas *c, enum canvas_font font,
                 const char *text)
{
    return (int)ceil(real_width(c, font, text) / c->scale);
}

static int put_text(struct canvas *c, enum canvas_font font, int left, int top,
                    int most, colour ink, const char *text)
{
    int room = pixel_of(c, most), x = pixel_of(c, left), y = pixel_of(c, top);
    bool cut = canvas_width(c, font, text) > most;
    int dots = cut ? real_width(c, font, "..") : 0, start = x;

    if (cut && room < 2 * dots)
        return 0;
    while (*text) {
        unsigned letter = next_letter(&text);

        load_letter(c, font, letter);
        if (cut && x - start + c->advance[font][letter] + dots > room)
            break;
        x += put_letter(c, font, x, y, ink, letter);
    }
    for (int i = 0; cut && i < 2; i++)
        x += put_letter(c, font, x, y, ink, '.');
    return (int)ceil((x - start) / c->scale);
}

/* Texts of one height are one line of what is said. */
static void say(struct canvas *c, int y, const char *text)
{
    if (!c->said)
        return;
    if (c->said_y)
        putc(c->said_y == y + 1 ? '\t' : '\n', c->said);
    fputs(text, c->said);
    c->said_y = y + 1;
}

int canvas_text(struct canvas *c, enum canvas_font font, int x, int y, int most,
                colour ink, const char *text)
{
    say(c, y, text);
    return put_text(c, font, x, y, most, ink, text);
}

int canvas_badge(struct canvas *c, int x, int y, colour ink, const char *text)
{
    int wide = canvas_width(c, CANVAS_TEXT, text) + 12;

    canvas_frame(c, (struct box){x, y, wide, canvas_line(c, CANVAS_TEXT) + 2},
                 ink);
    canvas_text(c, CANVAS_TEXT, x + 6, y + 1, wide, ink, text);
    return wide;
}

/* ---- paragraphs ---------------------------------------------------------- */

/* Where the next letter goes. */
struct pen {
    int left, x, y, width;
};

/* A word, and room for what sticks to it: pixels, or -1: it sticks itself to
 * what is in front of it. */
static void put_word(struct canvas *c, enum canvas_font font, struct pen *p,
                     colour ink, const char *word, size_t length, int stuck)
{
    char text[512];
    int wide;

    if (length >= sizeof text)
        length = sizeof text - 1;
    memcpy(text, word, length);
    text[length] = '\0';
    wide = canvas_width(c, font, text);
    if (stuck >= 0 && p->x > p->left &&
        p->x + wide + stuck > p->left + p->width) {
        p->x = p->left;
        p->y += canvas_line(c, font);
    }
    p->x += put_text(c, font, p->x, p->y, p->left + p->width - p->x, ink, text);
}

/* The width of what a piece begins with, up to a blank. */
static int head_width(struct canvas *c, enum canvas_font font, const char *text)
{
    char head[64];

    snprintf(head, sizeof head, "%.*s", (int)strcspn(text, " "), text);
    return canvas_width(c, font, head);
}

/* The bytes of a word; a number and its % are one. */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " ");

    if (length && !strncmp(text + length, " %", 2))
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

int canvas_paragraph(struct canvas *c, enum canvas_font font, int x, int y,
                     int width, const struct piece *pieces, size_t count)
{
    struct pen p = {x, x, y, width};
    int blank = canvas_width(c, font, " ");
    bool sticks = false;

    for (size_t i = 0; i < count; i++) {
        if (i && c->said)
            fputs(pieces[i].text, c->said);
        else
            say(c, y, pieces[i].text);
        for (const char *t = pieces[i].text; *t;) {
            size_t length = word_length(t);

            if (length)
                put_word(c, font, &p, pieces[i].ink, t, length,
                         sticks && t == pieces[i].text ? -1
                         : !t[length] && i + 1 < count
                             ? head_width(c, font, pieces[i + 1].text)
                             : 0);
            sticks = length && !t[length];
            for (t += length; *t == ' '; t++)
                p.x += p.x > p.left ? blank : 0;
        }
    }
    return p.y - y + canvas_line(c, font);
}
