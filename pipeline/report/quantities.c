/* quantities.c - see report/quantities.h. */
#include "pipeline/report/quantities.h"

#include <math.h>

#include "pipeline/report/page.h"

/* From here on two ensembles are said to differ. */
#define DIFFERENT 3.0

static void cell_add(struct sl_buffer *html, double value, double error)
{
    sl_buffer_add(html, "<td class=\"n\">");
    sl_page_number(html, value, error);
    sl_buffer_add(html, "</td>");
}

static double cell(const struct sl_csv *t, long row, const char *column)
{
    return sl_csv_number(t, row, sl_csv_column(t, column));
}

/* The other's mean and the difference in standard errors. */
static void compare_add(struct sl_buffer *html, const struct sl_report *r, int group,
                        const char *quantity, int other)
{
    double mean, error, their_mean, their_error;
    sl_report_mean(r, group, quantity, &mean, &error);
    sl_report_mean(r->against, other, quantity, &their_mean, &their_error);
    double sigmas = (mean - their_mean) / hypot(error, their_error);
    cell_add(html, their_mean, their_error);
    sl_buffer_add(html, "<td class=\"n%s\">", fabs(sigmas) >= DIFFERENT ? " bad" : "");
    if (isfinite(sigmas))
        sl_buffer_add(html, "%s%.1f σ", sigmas < 0 ? "−" : "+", fabs(sigmas));
    else
        sl_buffer_add(html, "–");
    sl_buffer_add(html, "</td>");
}

static void row_add(struct sl_buffer *html, const struct sl_report *r, int group, long row,
                    int other)
{
    const struct sl_csv *t = &r->group[group].summary;
    const char *quantity = sl_csv_text(t, row, 0);
    sl_buffer_add(html, "<tr><th scope=\"row\">");
    sl_buffer_html(html, quantity);
    sl_buffer_add(html, "</th>");
    cell_add(html, cell(t, row, "mean"), cell(t, row, "standard_error"));
    if (other >= 0) {
        compare_add(html, r, group, quantity, other);
    } else {
        cell_add(html, cell(t, row, "median"), NAN);
        cell_add(html, cell(t, row, "p16"), NAN);
        cell_add(html, cell(t, row, "p84"), NAN);
    }
    cell_add(html, cell(t, row, "members"), NAN);
    sl_buffer_add(html, "<td>");
    sl_buffer_html(html, sl_csv_text(t, row, sl_csv_column(t, "unit")));
    sl_buffer_add(html, "</td></tr>\n");
}

static void heads_add(struct sl_buffer *html, const struct sl_report *r, int other)
{
    sl_buffer_add(html, "<thead><tr><th scope=\"col\">Quantity</th><th scope=\"col\" "
                        "class=\"n\">Mean</th>");
    if (other >= 0) {
        sl_buffer_add(html, "<th scope=\"col\" class=\"n\">");
        sl_buffer_html(html, r->against->name);
        sl_buffer_add(html, "</th><th scope=\"col\" class=\"n\">Difference</th>");
    } else {
        sl_buffer_add(html, "<th scope=\"col\" class=\"n\">Median</th><th scope=\"col\" "
                            "class=\"n\">16 %%</th><th scope=\"col\" class=\"n\">84 %%</th>");
    }
    sl_buffer_add(html, "<th scope=\"col\" class=\"n\">Members</th><th scope=\"col\">Unit</th>"
                        "</tr></thead><tbody>\n");
}

void sl_quantities_add(struct sl_buffer *html, const struct sl_report *r, int group)
{
    const struct sl_report_group *g = &r->group[group];
    int other = sl_report_counterpart(r, group);
    if (!*g->dir || !g->summary.rows) return;
    sl_buffer_add(html, "<details%s><summary>All quantities%s", other >= 0 ? " open" : "",
                  other >= 0 ? " against " : "");
    if (other >= 0) sl_buffer_html(html, r->against->name);
    sl_buffer_add(html, "</summary>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                        "aria-label=\"All quantities\"><table>\n");
    heads_add(html, r, other);
    for (long i = 0; i < g->summary.rows; i++)
        row_add(html, r, group, i, other);
    sl_buffer_add(html, "</tbody></table></div>\n");
    if (other >= 0)
        sl_buffer_add(html,
                      "<p class=\"note\">The difference is in units of both standard errors "
                      "together; from %.0f σ on it is marked.</p>\n",
                      DIFFERENT);
    sl_buffer_add(html, "</details>\n");
}
