/* report_plot.c - see report_plot.h. */
#include "pipeline/report_plot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SVG_MAX = 64 << 20 };

extern char **environ;

static const struct ink {
    const char *name;
    unsigned light, dark;
} inks[] = {
#define INK_ROW(name, light, dark) {#name, light, dark},
    SL_INK_LIST(INK_ROW)};
enum { INKS = sizeof inks / sizeof *inks };

void sl_plot_inks(struct sl_buffer *script)
{
    for (int i = 0; i < INKS; i++)
        sl_buffer_add(script, "%s = \"#%06x\"\n", inks[i].name, inks[i].light);
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
    int out = O_WRONLY | O_CREAT | O_APPEND;
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

/* The body of a drawing: colours and ids replaced. */
static void body_add(struct sl_buffer *html, const char *s, const char *end, const char *name)
{
    while (s < end) {
        unsigned rgb;
        int n = *s == 'r' || *s == '#' ? colour_at(s, &rgb) : 0;
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
