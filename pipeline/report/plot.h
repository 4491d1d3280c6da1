/* plot.h - runs gnuplot and makes its drawings part of a page.
 *
 * It works inside one folder on files whose names are fixed or counted. What of a campaign stands
 * in a script is numbers, and texts by sl_plot_text alone: a directory that somebody else made must
 * not run commands.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUNAVAIL when gnuplot is not installed; SL_EIO
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c, tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_PLOT_H
#define SL_PIPELINE_REPORT_PLOT_H

#include <stdbool.h>

#include "pipeline/base/buffer.h"

/* X(name, light, dark): the colours of page and drawings. A drawing is made with the light ones; in
 * the page they become var(--name), so that it follows the reader's choice. */
#define SL_INK_LIST(X)                                                                             \
    X(paper, 0xffffff, 0x12171b)                                                                   \
    X(ink, 0x1b2328, 0xe4e9ec)                                                                     \
    X(soft, 0x56636c, 0x9eabb4)                                                                    \
    X(faint, 0xb9c4cb, 0x4a565f)                                                                   \
    X(line, 0xe1e7eb, 0x2a333a)                                                                    \
    X(shade, 0xf3f7f9, 0x1a2126)                                                                   \
    X(deep, 0xe3edf2, 0x202d34)                                                                    \
    X(accent, 0x0a5a78, 0x3c93b7)                                                                  \
    X(warm, 0xb8541c, 0xe88f58)                                                                    \
    X(gold, 0xb9a51d, 0xd9c93c)                                                                    \
    X(good, 0x2c7a4b, 0x69c08c)                                                                    \
    X(bad, 0xb3261e, 0xf2867e)

/* The colour of curve i of many, and its dashes ("dt 2"): four colours that the colour-blind tell
 * apart, and a printer without colours, dashed beyond the first four curves. */
const char *sl_plot_ink(int i);
int sl_plot_dash(int i);

/* Appends the colours as CSS custom properties. */
void sl_plot_css(struct sl_buffer *css, bool dark);

/* Runs gnuplot in `folder` on `script` (a file name there). */
int sl_plot_run(const char *folder, const char *script);

/* A text as a script takes it, in quotes; one that is too long is cut. Quotes and backquotes, which
 * gnuplot would obey, are letters of it, and so are backslashes; control characters, line ends too,
 * are question marks. What enhanced text obeys (_ ^ { @ & ~), which runs nothing, stays. */
struct sl_plot_quoted {
    char s[1024];
};
struct sl_plot_quoted sl_plot_text(const char *text);

/* A canvas of most figures, in pixels of a screen. */
enum { SL_PLOT_WIDTH = 460, SL_PLOT_HEIGHT = 320 };

/* Draws <name>.svg, <name>.png and <name>.pdf in `folder`, which appear when they are whole: the
 * preamble, then `body`, the commands that make this one. Its script stays as <name>.gp. */
int sl_plot_draw(const char *folder, const char *name, const struct sl_buffer *body, int width,
                 int height);
/* What every drawing of the house has in common: colours, tics, margins; the legend stands above
 * the axes. dark: for what cannot follow the reader's choice of colours as the page does. */
void sl_plot_preamble(struct sl_buffer *script, bool dark);
/* Sets the columns of the legend for labels of at most `longest` letters: gnuplot takes letters for
 * wider than they are, and lets the last of many columns leave the canvas. sl_plot_draw does it for
 * the titles of curves in its commands where these do not. */
void sl_plot_key(struct sl_buffer *script, int longest);

/* Colours of maps from low to high, ended by a negative number, and of those about zero; the same
 * as commands. */
extern const int sl_plot_colours[], sl_plot_two_sided[];
void sl_plot_palette(struct sl_buffer *script, bool two_sided);

/* Appends the drawing of an SVG file as an element: colours as variables, ids made unique by
 * `name`, title and description for those who do not see it. */
int sl_plot_inline(struct sl_buffer *html, const char *path, const char *name, const char *title,
                   const char *about);

#endif
