/* html.c - see report/html.h. */
#include "pipeline/report/html.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build_info.h" /* generated: SL_BUILD_COMMIT */
#include "core/sys/file.h"
#include "pipeline/base/disk.h"
#include "pipeline/report/plot.h"
#include "report_css.h" /* generated from report.css: report_css[] */

/* ---- numbers as people write them ----------------------------------------------------------- */

static int decimals_for(double error)
{
    int d = 1 - (int)floor(log10(error));
    return d < 0 ? 0 : d > 9 ? 9 : d;
}

static void fixed_add(struct sl_buffer *html, int decimals, double v)
{
    if (v < 0) sl_buffer_add(html, "−");
    sl_buffer_add(html, "%.*f", decimals, fabs(v));
}

/* A number with a fraction that is longer than a sign, a point and the digits, as text; false of
 * other words. */
static bool shorten(const char *word, size_t length, char text[32])
{
    enum { DIGITS = 7 };
    char *end;
    double value = strtod(word, &end);
    if (length < DIGITS + 3 || end != word + length || !memchr(word, '.', length)) return false;
    snprintf(text, 32, "%.*g", DIGITS, value);
    return true;
}

void sl_page_label(struct sl_buffer *html, const char *text)
{
    static const char between[] = " ,[]:=";
    char number[32];
    for (size_t n; *text; text += n) {
        n = strcspn(text, between);
        if (n == 0) n = strspn(text, between);
        if (shorten(text, n, number))
            sl_buffer_add(html, "%s", number);
        else
            sl_buffer_html_part(html, text, n);
    }
}

void sl_page_number(struct sl_buffer *html, double value, double error)
{
    double size = fabs(value);
    double most = isfinite(error) ? fmax(size, error) : size;
    bool sure = !(isfinite(error) && error > 1e-9 * size); /* below: round-off */
    if (!isfinite(value)) {
        sl_buffer_add(html, "–");
    } else if (most > 0 && (most >= 1e6 || most < 1e-3) && (sure || error < 1e-3 || error >= 1e5)) {
        int power = (int)floor(log10(most));
        double unit = pow(10, power);
        int decimals = sure ? 1 : decimals_for(error / unit);
        if (!sure) sl_buffer_add(html, "(");
        fixed_add(html, decimals, value / unit);
        if (!sure) sl_buffer_add(html, " ± %.*f)", decimals, error / unit);
        sl_buffer_add(html, " × 10<sup>%s%d</sup>", power < 0 ? "−" : "",
                      power < 0 ? -power : power);
    } else if (!sure) {
        fixed_add(html, decimals_for(error), value);
        sl_buffer_add(html, " <small>± %.*f</small>", decimals_for(error), error);
    } else {
        bool whole = floor(size) == size || size >= 999.95; /* four digits have no fraction */
        sl_buffer_add(html, whole ? "%s%.0f" : "%s%#.4g", value < 0 ? "−" : "", size);
    }
}

void sl_page_duration(struct sl_buffer *html, double seconds)
{
    if (!isfinite(seconds))
        sl_buffer_add(html, "–");
    else if (seconds < 60)
        sl_buffer_add(html, "%.1f s", seconds);
    else if (seconds < 3600)
        sl_buffer_add(html, "%d min %d s", (int)seconds / 60, (int)seconds % 60);
    else
        sl_buffer_add(html, "%.0f h %d min", floor(seconds / 3600), (int)fmod(seconds / 60, 60));
}

void sl_page_date(struct sl_buffer *html, double t)
{
    char text[64];
    time_t when = (time_t)t;
    struct tm tm;
    if (!isfinite(t) || !gmtime_r(&when, &tm) ||
        !strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &tm))
        sl_buffer_add(html, "–");
    else
        sl_buffer_add(html, "%s", text);
}

/* ---- top and foot --------------------------------------------------------------------------- */

void sl_page_head(struct sl_buffer *html, const char *title, const char *kind)
{
    sl_buffer_add(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                        "'none'; img-src data:; style-src 'unsafe-inline'\">\n"
                        "<meta name=\"color-scheme\" content=\"light dark\">\n"
                        "<meta name=\"generator\" content=\"sluice " SL_BUILD_COMMIT "\">\n"
                        "<link rel=\"icon\" href=\"data:,\">\n<title>");
    sl_buffer_html(html, title);
    sl_buffer_add(html, " – %s</title>\n<style>\n:root{color-scheme:light dark;", kind);
    sl_plot_css(html, false);
    sl_buffer_add(html, "}\n@media screen and (prefers-color-scheme:dark){:root{");
    sl_plot_css(html, true);
    sl_buffer_add(html, "}}\n");
    for (int i = 0; report_css[i]; i++)
        sl_buffer_add(html, "%s", report_css[i]);
    sl_buffer_add(html, "</style>\n</head>\n<body>\n");
}

void sl_page_foot(struct sl_buffer *html)
{
    sl_buffer_add(html, "</main>\n<footer>Written by sluice on ");
    sl_page_date(html, (double)time(NULL));
    sl_buffer_add(html,
                  ". Drawings by gnuplot. The numbers behind every figure are next to this page "
                  "in <code>figures/</code>.</footer>\n</body>\n</html>\n");
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Opens a table that scrolls by itself on a narrow screen. */
void sl_page_table(struct sl_buffer *html, const char *label)
{
    sl_buffer_add(html,
                  "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">"
                  "<table>\n",
                  label);
}

void sl_page_table_end(struct sl_buffer *html)
{
    sl_buffer_add(html, "</tbody></table></div>\n");
}

/* Heads: a leading '>' makes a column of numbers. */
void sl_page_heads(struct sl_buffer *html, const char *const *heads)
{
    for (; *heads; heads++)
        sl_buffer_add(html, "<th scope=\"col\"%s>%s</th>", **heads == '>' ? " class=\"n\"" : "",
                      **heads == '>' ? *heads + 1 : *heads);
}

void sl_page_cell(struct sl_buffer *html, double value, double error)
{
    sl_buffer_add(html, "<td class=\"n\">");
    sl_page_number(html, value, error);
    sl_buffer_add(html, "</td>");
}

/* ---- facts ---------------------------------------------------------------------------------- */

void sl_page_fact_open(struct sl_buffer *html, const char *name)
{
    sl_buffer_add(html, "<dt>");
    sl_buffer_html(html, name);
    sl_buffer_add(html, "</dt><dd>");
}

void sl_page_fact(struct sl_buffer *html, const char *name, const char *value)
{
    if (!*value) return;
    sl_page_fact_open(html, name);
    sl_buffer_html(html, value);
    sl_buffer_add(html, "</dd>\n");
}

/* ---- figures -------------------------------------------------------------------------------- */

static void files_add(struct sl_buffer *html, const char *name)
{
    sl_buffer_add(html, "<p class=\"files\">");
    for (int i = 0; i < 4; i++) {
        static const char *const kinds[] = {"pdf", "svg", "png", "csv"};
        sl_buffer_add(html, "<a href=\"figures/%s.%s\" aria-label=\"%s of figure %s\">%s</a>", name,
                      kinds[i], kinds[i], name, kinds[i]);
    }
    sl_buffer_add(html, "</p>");
}

int sl_page_figure(struct sl_buffer *html, const char *folder, const char *name, const char *title,
                   const char *about)
{
    char path[SL_PATH_MAX];
    struct sl_buffer svg = {0};
    SL_TRY(sl_disk_join(path, "%s/%s.svg", folder, name));
    int code = sl_plot_inline(&svg, path, name, title, about);
    if (code == SL_OK) {
        sl_buffer_add(html, "<figure id=\"figure-%s\"><h3>", name);
        sl_buffer_html(html, title);
        sl_buffer_add(html, "</h3>\n");
        sl_buffer_bytes(html, svg.s, svg.n);
        html->failed |= svg.failed;
        sl_buffer_add(html, "<figcaption>");
        sl_buffer_html(html, about);
        files_add(html, name);
        sl_buffer_add(html, "</figcaption></figure>\n");
    }
    sl_buffer_release(&svg);
    return code;
}
