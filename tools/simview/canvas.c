/* canvas.c - see canvas.h. */
#include "tools/simview/canvas.h"

#include <SDL2/SDL_image.h>
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

static bool open_fonts(struct canvas *c, const char *directory, char *why,
                       size_t size)
{
    char path[4096];

    if (TTF_Init())
        return complain(why, size, "fonts");
    for (int i = 0; i < CANVAS_FONTS; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, fonts[i].file);
        c->font[i] = TTF_OpenFont(path, fonts[i].size);
        if (!c->font[i]) {
            snprintf(why, size,
                     "%s: cannot be read; install fonts-dejavu-core, or say "
                     "--fonts=DIR",
                     path);
            return false;
        }
    }
    return true;
}

bool canvas_image(struct canvas *c, int width, int height,
                  const char *directory, char *why, size_t size)
{
    *c = (struct canvas){.width = width, .height = height};
    if (!open_fonts(c, directory, why, size))
        return false;
    c->surface = SDL_CreateRGBSurfaceWithFormat(0, width, height, 32,
                                                SDL_PIXELFORMAT_ARGB8888);
    c->renderer = c->surface ? SDL_CreateSoftwareRenderer(c->surface) : NULL;
    return c->renderer || complain(why, size, "image");
}

bool canvas_window(struct canvas *c, const char *title, int width, int height,
                   const char *directory, char *why, size_t size)
{
    *c = (struct canvas){0};
    /* The pixels as they are: the way round by OpenGL is a copy more. */
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    if (SDL_Init(SDL_INIT_VIDEO)) {
        complain(why, size, "no screen (--png FILE needs none)");
        return false;
    }
    if (!open_fonts(c, directory, why, size))
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
    for (int f = 0; f < CANVAS_FONTS; f++) {
        for (int i = 0; i < CANVAS_LETTERS; i++)
            if (c->letter[f][i])
                SDL_DestroyTexture(c->letter[f][i]);
        if (c->font[f])
            TTF_CloseFont(c->font[f]);
    }
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
    SDL_GetRendererOutputSize(c->renderer, &c->width, &c->height);
}

void canvas_show(struct canvas *c)
{
    SDL_RenderPresent(c->renderer);
}

bool canvas_png(struct canvas *c, const char *path, char *why, size_t size)
{
    SDL_Surface *copy = SDL_CreateRGBSurfaceWithFormat(
        0, c->width, c->height, 24, SDL_PIXELFORMAT_RGB24);
    bool good = copy &&
                !SDL_RenderReadPixels(c->renderer, NULL, SDL_PIXELFORMAT_RGB24,
                                      copy->pixels, copy->pitch) &&
                !IMG_SavePNG(copy, path);

    SDL_FreeSurface(copy);
    return good || complain(why, size, path);
}

/* ---- rectangles ---------------------------------------------------------- */

static void ink_with(struct canvas *c, colour ink, uint8_t alpha)
{
    SDL_SetRenderDrawColor(c->renderer, (uint8_t)(ink >> 16),
                           (uint8_t)(ink >> 8), (uint8_t)ink, alpha);
}

static SDL_Rect rect_of(struct box b)
{
    return (SDL_Rect){b.x, b.y, b.w, b.h};
}

void canvas_clear(struct canvas *c, colour paper)
{
    ink_with(c, paper, 255);
    SDL_RenderClear(c->renderer);
}

void canvas_fill(struct canvas *c, struct box b, colour ink)
{
    SDL_Rect r = rect_of(b);

    if (b.w <= 0 || b.h <= 0)
        return;
    ink_with(c, ink, 255);
    SDL_RenderFillRect(c->renderer, &r);
}

void canvas_frame(struct canvas *c, struct box b, colour ink)
{
    SDL_Rect r = rect_of(b);

    ink_with(c, ink, 255);
    SDL_RenderDrawRect(c->renderer, &r);
}

void canvas_shade(struct canvas *c, struct box b, colour ink)
{
    SDL_Rect r = rect_of(b);

    SDL_SetRenderDrawBlendMode(c->renderer, SDL_BLENDMODE_BLEND);
    ink_with(c, ink, 90);
    SDL_RenderFillRect(c->renderer, &r);
    SDL_SetRenderDrawBlendMode(c->renderer, SDL_BLENDMODE_NONE);
}

void canvas_stripes(struct canvas *c, struct box b, colour ink, colour stripe)
{
    SDL_Rect before, r = rect_of(b), within;
    SDL_bool clipped = SDL_RenderIsClipEnabled(c->renderer);

    canvas_fill(c, b, ink);
    SDL_RenderGetClipRect(c->renderer, &before);
    if (!clipped)
        before = (SDL_Rect){0, 0, c->width, c->height};
    if (!SDL_IntersectRect(&before, &r, &within))
        return;
    SDL_RenderSetClipRect(c->renderer, &within);
    ink_with(c, stripe, 255);
    for (int x = b.x - b.h; x < b.x + b.w; x += STRIPE) {
        SDL_RenderDrawLine(c->renderer, x, b.y + b.h, x + b.h, b.y);
        SDL_RenderDrawLine(c->renderer, x + 1, b.y + b.h, x + b.h + 1, b.y);
    }
    SDL_RenderSetClipRect(c->renderer, clipped ? &before : NULL);
}

void canvas_clip(struct canvas *c, const struct box *b)
{
    SDL_Rect r;

    if (b)
        r = rect_of(*b);
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
    SDL_Rect to = {.x = x, .y = y};
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
    return TTF_FontHeight(c->font[font]) + 1;
}

int canvas_width(const struct canvas *c, enum canvas_font font,
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

static int put_text(struct canvas *c, enum canvas_font font, int x, int y,
                    int most, colour ink, const char *text)
{
    bool cut = canvas_width(c, font, text) > most;
    int dots = cut ? canvas_width(c, font, "..") : 0, start = x;

    if (cut && most < 2 * dots)
        return 0;
    while (*text) {
        unsigned letter = next_letter(&text);

        load_letter(c, font, letter);
        if (cut && x - start + c->advance[font][letter] + dots > most)
            break;
        x += put_letter(c, font, x, y, ink, letter);
    }
    for (int i = 0; cut && i < 2; i++)
        x += put_letter(c, font, x, y, ink, '.');
    return x - start;
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

/* ---- paragraphs ---------------------------------------------------------- */

/* Where the next letter goes. */
struct pen {
    int left, x, y, width;
};

static void put_word(struct canvas *c, enum canvas_font font, struct pen *p,
                     colour ink, const char *word, size_t length)
{
    char text[512];
    int wide;

    if (length >= sizeof text)
        length = sizeof text - 1;
    memcpy(text, word, length);
    text[length] = '\0';
    wide = canvas_width(c, font, text);
    if (p->x > p->left && p->x + wide > p->left + p->width) {
        p->x = p->left;
        p->y += canvas_line(c, font);
    }
    p->x += put_text(c, font, p->x, p->y, p->left + p->width - p->x, ink, text);
}

int canvas_paragraph(struct canvas *c, enum canvas_font font, int x, int y,
                     int width, const struct piece *pieces, size_t count)
{
    struct pen p = {x, x, y, width};
    int blank = canvas_width(c, font, " ");

    for (size_t i = 0; i < count; i++) {
        if (i && c->said)
            fputs(pieces[i].text, c->said);
        else
            say(c, y, pieces[i].text);
        for (const char *t = pieces[i].text; *t;) {
            size_t length = strcspn(t, " ");

            if (length)
                put_word(c, font, &p, pieces[i].ink, t, length);
            for (t += length; *t == ' '; t++)
                p.x += p.x > p.left ? blank : 0;
        }
    }
    return p.y - y + canvas_line(c, font);
}
