/* canvas.h - what simview draws on: a window, or an image in memory that needs
 * no screen. Both are SDL's software renderer, so both have the same pixels.
 * Lengths are pixels of the canvas: one or more of the screen, by its scale.
 */
#ifndef TOOLS_SIMVIEW_CANVAS_H
#define TOOLS_SIMVIEW_CANVAS_H

#include <SDL2/SDL.h>
#include <SDL2/SDL_ttf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum canvas_font { CANVAS_TEXT, CANVAS_LARGE, CANVAS_MONO, CANVAS_FONTS };

#define CANVAS_LETTERS 256 /* Latin-1; others are shown as one sign */

struct canvas {
    SDL_Window *window;   /* NULL: an image */
    SDL_Surface *surface; /* of an image */
    SDL_Renderer *renderer;
    TTF_Font *font[CANVAS_FONTS];
    SDL_Texture *letter[CANVAS_FONTS][CANVAS_LETTERS];
    int advance[CANVAS_FONTS][CANVAS_LETTERS]; /* of the screen's pixels */
    char fonts[4096];                          /* the directory */
    double scale;      /* pixels of the screen for one of these */
    double wanted;     /* what was asked for; 0: as the size suggests */
    int width, height; /* of what may be drawn on */
    FILE *said;        /* texts go here too, a line each height; or NULL */
    int said_y;
};

/* A rectangle, and a colour as 0xRRGGBB. */
struct box {
    int x, y, w, h;
};
typedef uint32_t colour;

/* A piece of a paragraph in one colour. */
struct piece {
    const char *text;
    colour ink;
};

#define CANVAS_SCALE_MOST 4

/* An image of width by height pixels of the screen, or a window. Fonts are
 * those of the directory. The scale is from 1 to CANVAS_SCALE_MOST, or 0: as
 * the size suggests. False: *why is a line that says why not. */
bool canvas_image(struct canvas *c, int width, int height, const char *fonts,
                  double scale, char *why, size_t size);
bool canvas_window(struct canvas *c, const char *title, int width, int height,
                   const char *fonts, double scale, char *why, size_t size);
void canvas_close(struct canvas *c);

/* Letters and all else larger or smaller; 0: as the size suggests. */
void canvas_scale(struct canvas *c, double scale);
/* A place of the screen, as the mouse has it, in the canvas's pixels. */
int canvas_place(const struct canvas *c, int pixel);

/* The window's size may have changed. */
void canvas_measure(struct canvas *c);
/* Show what was drawn; an image has it at once. */
void canvas_show(struct canvas *c);
/* Write what was drawn as a PNG file. False: *why. */
bool canvas_png(struct canvas *c, const char *path, char *why, size_t size);

void canvas_clear(struct canvas *c, colour paper);
void canvas_fill(struct canvas *c, struct box b, colour ink);
void canvas_frame(struct canvas *c, struct box b, colour ink);
/* An upright arrow of two pixels, from one height to another. */
void canvas_arrow(struct canvas *c, int x, int from, int to, colour ink);
/* A line from one place to another with a head at its end. */
void canvas_slant(struct canvas *c, int x0, int y0, int x1, int y1, colour ink);
/* Filled, with stripes of the other colour: told apart without colours. */
void canvas_stripes(struct canvas *c, struct box b, colour ink, colour stripe);
/* Half as strong as canvas_fill: what lies below stays to be seen. */
void canvas_shade(struct canvas *c, struct box b, colour ink);
/* Nothing is drawn outside of b; NULL: of the canvas. */
void canvas_clip(struct canvas *c, const struct box *b);

/* Height of a line of text, and width of one. */
int canvas_line(const struct canvas *c, enum canvas_font font);
int canvas_width(const struct canvas *c, enum canvas_font font,
                 const char *text);
/* A line of text from its upper left corner, cut at `most` pixels with "..";
 * returns what it took. */
int canvas_text(struct canvas *c, enum canvas_font font, int x, int y, int most,
                colour ink, const char *text);
/* A text in a frame; returns its width. */
int canvas_badge(struct canvas *c, int x, int y, colour ink, const char *text);
/* Pieces as one paragraph, wrapped at `width`; returns its height. */
int canvas_paragraph(struct canvas *c, enum canvas_font font, int x, int y,
                     int width, const struct piece *pieces, size_t count);

#endif
