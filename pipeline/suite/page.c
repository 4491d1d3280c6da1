/* report/html.c - see suite/page.h. */
#include "pipeline/suite/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "build_info.h" /* generated: SL_BUILD_COMMIT ... */
#include "core/sys/status.h"
#include "pipeline/report/html.h"
#include "pipeline/suite/figure.h"
#include "pipeline/suite/times.h"

struct tally {
    int rows, held, groups;
};

static struct tally count(int n, const struct sl_suite_result *result)
{
    struct tally t = {n, 0, 0};
    for (int i = 0; i < n; i++) {
        t.held += result[i].holds;
        t.groups += i == 0 || strcmp(result[i].row->group, result[i - 1].row->group) != 0;
    }
    return t;
}

/* ---- top ------------------------------------------------------------------------------------- */

static void number_add(struct sl_buffer *html, const char *words, int value)
{
    sl_buffer_add(html, "<div><dt>%s</dt><dd>%d</dd></div>\n", words, value);
}

static void top_add(struct sl_buffer *html, const struct sl_suite_ask *ask, struct tally t)
{
    sl_page_head(html, "Verification", "sluice verify");
    sl_buffer_add(html,
                  "<header>\n<p class=\"kicker\">sluice verify</p>\n<h1>Verification</h1>\n"
                  "<p class=\"lead\">The solver on %d problems with known answers%s: exact "
                  "solutions, symmetry, "
                  "conservation, converged profiles, and what other codes ask of themselves. ",
                  t.groups, ask->all ? ", the long runs too" : "");
    if (t.rows == 0)
        sl_buffer_add(html, "No limits were given.</p>\n");
    else if (t.held == t.rows)
        sl_buffer_add(html, "All <strong>%d limits hold</strong>.</p>\n", t.rows);
    else
        sl_buffer_add(html, "Of %d limits <strong class=\"bad\">%d are missed</strong>.</p>\n",
                      t.rows, t.rows - t.held);
    sl_buffer_add(html, "<dl class=\"numbers\">\n");
    number_add(html, "problems", t.groups);
    number_add(html, "limits", t.rows);
    number_add(html, "held", t.held);
    number_add(html, "missed", t.rows - t.held);
    sl_buffer_add(html,
                  "</dl>\n<nav aria-label=\"Contents\"><ul>\n"
                  "<li><a href=\"#figures\">Figures</a></li>\n"
                  "%s<li><a href=\"#origin\">Provenance</a></li>\n</ul></nav>\n</header>\n<main>\n",
                  t.rows ? "<li><a href=\"#table\">Table</a></li>\n" : "");
}

/* ---- table ----------------------------------------------------------------------------------- */

/* A text of suite.def: 32^3 becomes 32³. */
static void text_add(struct sl_buffer *html, const char *s)
{
    for (const char *up; (up = strchr(s, '^')); s = up) {
        char before[256];
        snprintf(before, sizeof before, "%.*s", (int)(up - s), s);
        sl_buffer_html(html, before);
        size_t n = strspn(++up, "0123456789");
        sl_buffer_add(html, "<sup>%.*s</sup>", (int)n, up);
        up += n;
    }
    sl_buffer_html(html, s);
}

static void row_add(struct sl_buffer *html, const struct sl_suite_result *r, bool first)
{
    const struct sl_suite_row *row = r->row;
    sl_buffer_add(html, "<tr%s><th scope=\"row\">%s</th><td class=\"wide\">",
                  first ? " class=\"first\"" : "", first ? row->group : "");
    text_add(html, row->what);
    sl_buffer_add(html, "</td><td>");
    sl_buffer_html(html, row->scheme);
    sl_buffer_add(html, "</td>");
    sl_page_cell(html, r->value, r->error);
    sl_buffer_add(html, "<td class=\"n\">%s ", sl_suite_sense(row, "≤", "≥", "∋"));
    sl_page_number(html, row->limit, NAN);
    sl_buffer_add(html, "</td><td class=\"%s\">%s</td><td class=\"soft\">",
                  r->holds ? "good" : "bad", r->holds ? "holds" : "MISSED");
    text_add(html, row->peers);
    sl_buffer_add(html, "</td></tr>\n");
}

static void table_add(struct sl_buffer *html, int n, const struct sl_suite_result *result)
{
    static const char *const heads[] = {
        "Problem", "What", "Scheme", ">Measured", ">Limit", "", "Source of the limit", NULL};
    sl_buffer_add(
        html,
        "<h2 id=\"table\">What was measured</h2>\n<p>Errors are Athena's: the root of the sum over "
        "the conserved variables of the squared L1 errors. A ratio compares two resolutions, "
        "“alike” two runs that must agree; ± is the standard error of a mean over seeds, and ∋ "
        "asks that one run of a peer is among them (two standard deviations). A limit is that of "
        "the peer whose name comes first, or stricter; “own” is from our results, beside which the "
        "figure of a peer may stand, and “exact” compares with an exact value.</p>\n");
    sl_page_table(html, "What was measured");
    sl_buffer_add(html, "<thead><tr>");
    sl_page_heads(html, heads);
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int i = 0; i < n; i++)
        row_add(html, &result[i],
                i == 0 || strcmp(result[i].row->group, result[i - 1].row->group) != 0);
    sl_page_table_end(html);
}

/* ---- figures --------------------------------------------------------------------------------- */

struct part {
    const struct sl_suite_ask *ask;
    struct sl_suite_runs *runs;
    char folder[SL_PATH_MAX];
    struct sl_buffer *html;
};

/* The caption of a figure; of times with what their file says of them. */
static int caption_add(const struct part *p, int i, struct sl_buffer *text)
{
    struct sl_suite_times times;
    sl_buffer_add(text, "%s", sl_suite_figures[i].about);
    if (!sl_suite_figure_timed(i)) return SL_OK;
    SL_TRY(sl_suite_times_read(p->ask->times, &times));
    if (!*times.about) return SL_OK;
    sl_buffer_add(text, " Measured: %s.", times.about);
    return SL_OK;
}

static int page_add(const struct part *p, int i)
{
    const struct sl_suite_figure *f = &sl_suite_figures[i];
    struct sl_buffer caption = {0};
    int code = caption_add(p, i, &caption);
    if (code == SL_OK && caption.failed) code = SL_FAIL(SL_EMEM, "no memory for a caption");
    if (code == SL_OK) code = sl_page_figure(p->html, p->folder, f->name, f->title, caption.s);
    sl_buffer_release(&caption);
    return code;
}

static int figure_add(const struct part *p, int i, struct sl_buffer *lacking)
{
    const struct sl_suite_figure *f = &sl_suite_figures[i];
    char missing[256];
    SL_TRY(sl_suite_figure_make(i, p->ask, p->runs, p->folder, missing));
    if (!*missing && page_add(p, i) != SL_OK)
        snprintf(missing, sizeof missing, "%s", sl_error_text());
    if (!*missing) return SL_OK;
    sl_buffer_add(lacking, "<li>%s: ", f->title);
    sl_buffer_html(lacking, missing);
    sl_buffer_add(lacking, "</li>\n");
    return SL_OK;
}

static int paper_add(const struct part *p, int paper, const char *title)
{
    struct sl_buffer lacking = {0};
    int code = SL_OK, n = 0;
    for (int i = 0; i < sl_suite_figure_count && code == SL_OK; i++) {
        const struct sl_suite_figure *f = &sl_suite_figures[i];
        if ((int)f->paper != paper || !sl_suite_figure_asked(i, p->ask)) continue;
        if (n++ == 0)
            sl_buffer_add(p->html, "<h3 class=\"part\">%s</h3>\n<div class=\"figures\">\n", title);
        code = figure_add(p, i, &lacking);
    }
    if (n) sl_buffer_add(p->html, "</div>\n");
    if (lacking.n) {
        sl_buffer_add(p->html, "<div class=\"missing\">Not drawn<ul>\n");
        sl_buffer_bytes(p->html, lacking.s, lacking.n);
        sl_buffer_add(p->html, "</ul></div>\n");
    }
    p->html->failed |= lacking.failed;
    sl_buffer_release(&lacking);
    return code;
}

static int figures_add(const struct part *p)
{
    static const char *const papers[] = {
#define PAPER_TITLE(name, title) title,
        SL_SUITE_PAPER_LIST(PAPER_TITLE)};
    sl_buffer_add(
        p->html,
        "<h2 id=\"figures\">Figures</h2>\n<p>What the papers of three codes show, run by sluice "
        "and compared with exact or converged solutions. The papers' own figures are not "
        "reproduced; "
        "captions name them and their numbers.</p>\n");
    for (int i = 0; i < SL_SUITE_PAPERS; i++)
        SL_TRY(paper_add(p, i, papers[i]));
    return SL_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void origin_add(struct sl_buffer *html)
{
    struct utsname host;
    sl_buffer_add(html, "<h2 id=\"origin\">Provenance</h2>\n<dl class=\"facts\">\n");
    sl_page_fact(html, "sluice", SL_BUILD_COMMIT);
    sl_page_fact(html, "Compiler", SL_BUILD_COMPILER);
    sl_page_fact(html, "Flags", SL_BUILD_FLAGS);
    if (uname(&host) == 0) sl_page_fact(html, "Host", host.nodename);
    sl_page_fact_open(html, "Date");
    sl_page_date(html, (double)time(NULL));
    sl_buffer_add(html, "</dd>\n</dl>\n");
}

int sl_suite_page_write(const struct sl_suite_ask *ask, int n, const struct sl_suite_result *result,
                        struct sl_suite_runs *runs)
{
    struct sl_buffer html = {0};
    struct part p = {ask, runs, "", &html};
    char path[SL_PATH_MAX];
    SL_TRY(sl_path_join(p.folder, ask->report, "figures"));
    SL_TRY(sl_path_join(path, ask->report, "index.html"));
    SL_TRY(sl_mkdir_all(p.folder));
    top_add(&html, ask, count(n, result));
    int code = figures_add(&p);
    if (n > 0) table_add(&html, n, result);
    origin_add(&html);
    sl_page_foot(&html);
    if (code == SL_OK) code = sl_buffer_write(&html, path);
    sl_buffer_release(&html);
    if (code == SL_OK && !ask->json) printf("%s\n", path);
    return code;
}
