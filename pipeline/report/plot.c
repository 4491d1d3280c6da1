/* plot.c - see report/plot.h. */
#include "pipeline/report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/sys/file.h"
#include "pipeline/base/disk.h"

enum { SVG_MAX = 64 << 20 };

extern char **environ;

static const struct ink {
    const char *name;
    unsigned light, dark;
} inks[] = {
#define INK_ROW(name, light, dark) {#name, light, dark},
    SL_INK_LIST(INK_ROW)};
enum { INKS = sizeof inks / sizeof *inks };

static const char *const curve_inks[] = {"accent", "warm", "ink", "gold"};
enum { CURVE_INKS = sizeof curve_inks / sizeof *curve_inks };

const char *sl_plot_ink(int i)
{
    return curve_inks[i % CURVE_INKS];
}

int sl_plot_dash(int i)
{
    return 1 + i / CURVE_INKS;
}

/* Appends the colours as gnuplot variables. */
static void plot_inks(struct sl_buffer *script, bool dark)
{
    for (int i = 0; i < INKS; i++)
        sl_buffer_add(script, "%s = \"#%06x\"\n", inks[i].name,
                      dark ? inks[i].dark : inks[i].light);
}

void sl_plot_css(struct sl_buffer *css, bool dark)
{
    for (int i = 0; i < INKS; i++)
        sl_buffer_add(css, "--%s:#%06x;", inks[i].name, dark ? inks[i].dark : inks[i].light);
}

/* ---- running -------------------------------------------------------------------------------- */

static int spawn(pid_t *pid, const char *folder, const char *script)
{
    posix_spawn_file_actions_t act;
    char *const argv[] = {"gnuplot", "--default-settings", (char *)script, NULL};
    int out = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
    if (posix_spawn_file_actions_init(&act)) return ENOMEM;
    int e = posix_spawn_file_actions_addchdir_np(&act, folder);
    if (!e) e = posix_spawn_file_actions_addopen(&act, 0, "/dev/null", O_RDONLY, 0);
    if (!e) e = posix_spawn_file_actions_addopen(&act, 1, "gnuplot.log", out, 0666);
    if (!e) e = posix_spawn_file_actions_adddup2(&act, 1, 2);
    if (!e) e = posix_spawnp(pid, "gnuplot", &act, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&act);
    return e;
}

int sl_plot_run(const char *folder, const char *script)
{
    pid_t pid;
    int status, e = spawn(&pid, folder, script);
    SL_CHECK(e != ENOENT, SL_EUNAVAIL,
             "gnuplot is not installed (on Debian: apt-get install gnuplot-nox)");
    SL_CHECK(!e, SL_EUNAVAIL, "cannot start gnuplot: %s", strerror(e));
    while (waitpid(pid, &status, 0) < 0)
        SL_CHECK(errno == EINTR, SL_EIO, "lost gnuplot: %s", strerror(errno));
    SL_CHECK(WIFEXITED(status) && !WEXITSTATUS(status), SL_EIO,
             "gnuplot failed on %s/%s: see gnuplot.log there", folder, script);
    return SL_OK;
}

/* ---- texts ---------------------------------------------------------------------------------- */

struct sl_plot_quoted sl_plot_text(const char *text)
{
    enum { LONGEST = 4 }; /* of a letter: \ooo */
    struct sl_plot_quoted q = {"\""};
    size_t n = 1;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (n + LONGEST + 2 > sizeof q.s) break;
        if (strchr("\"\\`", *c))
            n += (size_t)snprintf(q.s + n, LONGEST + 1, "\\%03o", *c);
        else
            q.s[n++] = *c < ' ' || *c == 0x7f ? '?' : (char)*c;
    }
    q.s[n] = '"';
    return q;
}

/* ---- a drawing ------------------------------------------------------------------------------ */

/* Dark blue to pale green, even in lightness. */
const int sl_plot_colours[] = {0x0b0405, 0x2e1e3c, 0x413d7b, 0x37659e, 0x348fa7,
                               0x40b7ad, 0x8ad9b1, 0xdef5e5, -1};
/* Blue by white to red, alike in lightness on both sides. */
const int sl_plot_two_sided[] = {0x12355b, 0x2a628f, 0x5b96bd, 0xa6c8dd, 0xf5f4f2,
                                 0xe8bda9, 0xcf8364, 0xa84f37, 0x6d2418, -1};

void sl_plot_palette(struct sl_buffer *script, bool two_sided)
{
    const int *colour = two_sided ? sl_plot_two_sided : sl_plot_colours;
    sl_buffer_add(script, "set palette defined (");
    for (int i = 0; colour[i] >= 0; i++)
        sl_buffer_add(script, "%s%d \"#%06x\"", i ? ", " : "", i, (unsigned)colour[i]);
    sl_buffer_add(script, ")\nset palette maxcolors 0\n");
}

void sl_plot_preamble(struct sl_buffer *t, bool dark)
{
    plot_inks(t, dark);
    sl_buffer_add(
        t,
        "set encoding utf8\nset datafile separator \",\"\nset datafile missing \"nan\"\n"
        "set datafile columnheaders\nset border 3 lc rgb soft lw 0.8\n"
        "set tics nomirror out scale 0.6 textcolor rgb soft\nset grid y lt 1 lc rgb line lw 0.6\n"
        "set key above left Left reverse horizontal textcolor rgb ink samplen 1.6 spacing 1.15 "
        "width 1\nset "
        "pointintervalbox 0\n"
        "set xlabel textcolor rgb soft offset 0,0.5\nset ylabel textcolor rgb soft offset 0.5,0\n"
        "set rmargin 2.5\nset label textcolor rgb soft\nset samples 200\n");
}

void sl_plot_key(struct sl_buffer *script, int longest)
{
    /* in the pixels of a canvas of SL_PLOT_WIDTH: the axes, a sample of a curve, a letter; gnuplot
     * takes letters for wider than they are, which short labels need */
    const double axes = 370, sample = 46, letter = 6.6, wide = 8.5, too_wide = 0.22;
    bool is_short = longest <= 12;
    int columns = (int)(axes / (sample + (is_short ? wide : letter) * longest));
    sl_buffer_add(script, "set key maxcols %d width %d\n", columns > 1 ? columns : 1,
                  is_short ? 0 : -(int)lround(too_wide * longest));
}

/* Letters that are seen of a text in quotes, up to its end. */
static int letters_of(const char *text)
{
    int n = 0;
    for (const char *c = text; *c && *c != '"'; c++) {
        if (*c == '\\') c += strspn(c + 1, "0123456789");
        n += ((unsigned char)*c & 0xc0) != 0x80 && !strchr("{}^_", *c);
    }
    return n;
}

/* The legend of a script that says nothing of its columns, for the longest of its labels. */
static void legend_add(struct sl_buffer *script, const struct sl_buffer *body)
{
    static const char mark[] = "title \"";
    int longest = 0;
    if (!body->s || strstr(body->s, "maxcols")) return;
    for (const char *at = body->s; (at = strstr(at, mark)); at++) {
        int n = letters_of(at + strlen(mark));
        longest = n > longest ? n : longest;
    }
    if (longest) sl_plot_key(script, longest);
}

/* The whole script: SVG, then the same as PNG and PDF; outputs appear under temporary names. */
static int script_write(const char *folder, const char *name, const struct sl_buffer *body,
                        int width, int height)
{
    struct sl_buffer t = {0};
    char path[SL_PATH_MAX];
    sl_plot_preamble(&t, false);
    sl_buffer_add(
        &t,
        "set terminal svg size %d,%d enhanced font \"sans-serif,13\" background rgb paper\n"
        "set output '%s.svg.new'\n",
        width, height, name);
    legend_add(&t, body);
    sl_buffer_bytes(&t, body->s, body->n);
    sl_buffer_add(
        &t,
        "\nset terminal pngcairo size %d,%d enhanced fontscale 2.4 linewidth 2.4 "
        "font \"sans,13\" background rgb paper\nset output '%s.png.new'\nreplot\n"
        "set terminal pdfcairo size %.3fin,%.3fin enhanced fontscale 0.53 linewidth 0.8 font "
        "\"sans,13\" background rgb paper\nset output '%s.pdf.new'\nreplot\n"
        "set output\n",
        3 * width, 3 * height, name, width / 96.0, height / 96.0, name);
    t.failed |= body->failed;
    int code = sl_disk_join(path, "%s/%s.gp", folder, name);
    if (code == SL_OK) code = sl_buffer_write(&t, path);
    sl_buffer_release(&t);
    return code;
}

static int commit(const char *folder, const char *name, const char *suffix)
{
    char from[SL_PATH_MAX], to[SL_PATH_MAX];
    SL_TRY(sl_disk_join(from, "%s/%s%s.new", folder, name, suffix));
    SL_TRY(sl_disk_join(to, "%s/%s%s", folder, name, suffix));
    SL_CHECK(!rename(from, to), SL_EIO, "cannot write %s: %s", to, strerror(errno));
    return SL_OK;
}

int sl_plot_draw(const char *folder, const char *name, const struct sl_buffer *body, int width,
                 int height)
{
    char script[80];
    snprintf(script, sizeof script, "%s.gp", name);
    SL_TRY(script_write(folder, name, body, width, height));
    SL_TRY(sl_plot_run(folder, script));
    SL_TRY(commit(folder, name, ".svg"));
    SL_TRY(commit(folder, name, ".pdf"));
    return commit(folder, name, ".png");
}

/* ---- an SVG file as an element of the page -------------------------------------------------- */

/* Reads "rgb( 91, 103, 112)" or "#5b6770" at s; returns its length, 0 when there is none. */
static int colour_at(const char *s, unsigned *rgb)
{
    unsigned r, g, b;
    int n = 0;
    if (*s == 'r' && sscanf(s, "rgb(%u ,%u ,%u )%n", &r, &g, &b, &n) == 3 && n) {
        *rgb = (r & 255) << 16 | (g & 255) << 8 | (b & 255);
        return n;
    }
    if (*s != '#' || strspn(s + 1, "0123456789abcdefABCDEF") != 6) return 0;
    *rgb = (unsigned)strtoul(s + 1, NULL, 16);
    return 7;
}

static void colour_add(struct sl_buffer *html, const char *s, int n, unsigned rgb)
{
    for (int i = 0; i < INKS; i++) {
        if (inks[i].light != rgb) continue;
        sl_buffer_add(html, "var(--%s)", inks[i].name);
        return;
    }
    sl_buffer_bytes(html, s, (size_t)n);
}

/* Length of the title that gnuplot gives a curve without one, which a browser would show; 0: none
 * at s. */
static size_t title_at(const char *s, const char *end)
{
    const char *own = "<title>gnuplot_plot_", *close = "</title>";
    if (strncmp(s, own, strlen(own)) != 0) return 0;
    const char *last = strstr(s, close);
    return last && last < end ? (size_t)(last - s) + strlen(close) : 0;
}

/* The body of a drawing: colours and ids replaced. */
static void body_add(struct sl_buffer *html, const char *s, const char *end, const char *name)
{
    while (s < end) {
        unsigned rgb;
        int n = *s == 'r' || *s == '#' ? colour_at(s, &rgb) : 0;
        s += title_at(s, end);
        if (n) {
            colour_add(html, s, n, rgb);
            s += n;
        } else if (!strncmp(s, "id='", 4) || !strncmp(s, "id=\"", 4)) {
            sl_buffer_bytes(html, s, 4);
            sl_buffer_add(html, "%s-", name);
            s += 4;
        } else if (!strncmp(s, "='#gp", 5)) {
            sl_buffer_add(html, "='#%s-", name);
            s += 3;
        } else {
            sl_buffer_bytes(html, s++, 1);
        }
    }
}

int sl_plot_inline(struct sl_buffer *html, const char *path, const char *name, const char *title,
                   const char *about)
{
    struct sl_buffer svg = {0};
    int code = sl_buffer_read(&svg, path, SVG_MAX), end_at = 0;
    double w = 0, h = 0;
    const char *box = code ? NULL : strstr(svg.s, "viewBox=\"");
    if (box) sscanf(box, "viewBox=\"0 0 %lf %lf\"%n", &w, &h, &end_at);
    const char *body = end_at ? strstr(box, "</desc>") : NULL;
    const char *end = body ? strstr(body, "</svg>") : NULL;
    if (!code && !end) code = SL_FAIL(SL_EINPUT, "%s is no drawing of gnuplot", path);
    if (!code) {
        sl_buffer_add(html,
                      "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-labelledby=\"%s-t %s-d\">", w,
                      h, name, name);
        sl_buffer_add(html, "<title id=\"%s-t\">", name);
        sl_buffer_html(html, title);
        sl_buffer_add(html, "</title><desc id=\"%s-d\">", name);
        sl_buffer_html(html, about);
        sl_buffer_add(html, "</desc>");
        body_add(html, body + strlen("</desc>"), end, name);
        sl_buffer_add(html, "</svg>\n");
    }
    sl_buffer_release(&svg);
    return code;
}
