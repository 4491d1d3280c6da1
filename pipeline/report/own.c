/* own.c - see report/own.h. */
#include "pipeline/report/own.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/campaign/own_mean.h"
#include "pipeline/campaign/own_table.h"
#include "pipeline/campaign/record.h"
#include "pipeline/report/html.h"
#include "pipeline/report/plot.h"

enum {
    FIGURES_MAX = 24,
    MEMBERS_MAX = 24,
    COLUMNS_SHOWN = 4,
    IMAGE_MAX = 4 << 20,
    FEW_ROWS = 12,
    POINTS = 2000, /* of a curve: more than a figure is wide */
    NOTES_MAX = 12
};

/* The products of one directory. */
struct shelf {
    struct sl_buffer *html;
    const struct sl_report *r;
    bool gnuplot;
    int group;          /* -1: those of the campaign */
    int first;          /* member of the group whose products are shown */
    char dir[PATH_MAX]; /* where they are */
    char link[128];     /* the same, seen from the page */
    char last[40];      /* directory of the last snapshot, with a slash; "": none */
    int *made, *left;   /* figures of the page; files that are not shown */
    struct notes *notes;
};

/* Files that cannot be shown, and why. */
struct notes {
    int n;
    struct sl_buffer html;
};

/* One curve figure in the making. */
struct curves {
    const struct shelf *shelf;
    const char *path;
    struct sl_own_table table; /* of the first member */
    int column;
    double low[2], high[2]; /* of x and y */
    struct sl_buffer data, mean;
    int members;
};

bool sl_report_own_has(const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++)
        if (sl_member_has(&r->campaign.member[i], SL_STAGE_own)) return true;
    return sl_campaign_has(&r->campaign, SL_STAGE_summary);
}

/* member: "" or whose it is. why: of it a path of the campaign at its begin is left out. */
static void note_add(const struct shelf *s, const char *path, const char *member, const char *why)
{
    struct sl_buffer *html = &s->notes->html;
    const char *rest = strstr(why, ": ");
    if (rest && strncmp(why, s->r->dir, strlen(s->r->dir)) == 0) why = rest + 2;
    if (s->notes->n++ >= NOTES_MAX) return;
    sl_buffer_add(html, "<p class=\"note\">");
    sl_buffer_html(html, path);
    if (*member) sl_buffer_add(html, " of member %s", member);
    sl_buffer_add(html, " is not shown: ");
    sl_buffer_html(html, why);
    sl_buffer_add(html, "</p>\n");
}

/* ---- images ---------------------------------------------------------------------------------- */

static void title_add(const struct shelf *s, const char *path)
{
    sl_buffer_add(s->html, "<figure class=\"own\"><h3>");
    sl_buffer_html(s->html, path);
    sl_buffer_add(s->html, "</h3>\n");
}

static void link_add(struct sl_buffer *html, const struct shelf *s, const char *path)
{
    sl_buffer_add(html, "<a href=\"%s/", s->link);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        sl_buffer_add(html, isalnum(*c) || strchr("-._~/", *c) ? "%c" : "%%%02X", *c);
    sl_buffer_add(html, "\">");
    sl_buffer_html(html, path);
    sl_buffer_add(html, "</a>");
}

/* What is wrong with a picture, as far as its two ends tell; NULL: nothing. */
static const char *fault_of(const struct sl_buffer *png)
{
    static const char head[] = "\x89PNG\r\n\x1a\n", end[] = "IEND\xae\x42\x60\x82";
    const size_t nhead = sizeof head - 1, nend = sizeof end - 1;
    if (png->n == 0) return "it is empty";
    if (png->n < nhead || memcmp(png->s, head, nhead) != 0) return "it is no PNG";
    if (png->n < nhead + nend || memcmp(png->s + png->n - nend, end, nend) != 0)
        return "it is cut short";
    return NULL;
}

static bool image_add(const struct shelf *s, const char *path)
{
    char full[SL_PATH_MAX];
    struct sl_buffer png = {0};
    bool have = sl_disk_join(full, "%s/%s", s->dir, path) == SL_OK &&
                sl_buffer_read(&png, full, IMAGE_MAX) == SL_OK;
    const char *fault = have ? fault_of(&png) : sl_error_text();
    if (fault) note_add(s, path, "", fault);
    have = !fault;
    if (have) {
        title_add(s, path);
        sl_buffer_add(s->html, "<img alt=\"");
        sl_buffer_html(s->html, path);
        sl_buffer_add(s->html, "\" src=\"data:image/png;base64,");
        sl_buffer_base64(s->html, (const unsigned char *)png.s, png.n);
        sl_buffer_add(s->html, "\"><figcaption><p class=\"files\">");
        link_add(s->html, s, path);
        sl_buffer_add(s->html, "</p></figcaption></figure>\n");
    }
    sl_buffer_release(&png);
    return have;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void widen(struct curves *c, int axis, double value)
{
    if (!isfinite(value)) return;
    c->low[axis] = fmin(c->low[axis], value);
    c->high[axis] = fmax(c->high[axis], value);
}

static bool is_logarithmic(const struct curves *c, int axis)
{
    return c->low[axis] > 0 && c->high[axis] >= 100 * c->low[axis];
}

static long stride(const struct sl_own_table *t)
{
    return (t->rows - 1) / POINTS + 1;
}

/* The curve of one member as lines "member,x,value"; of a long one every so many-th row. */
static void curve_add(struct curves *c, const struct sl_own_table *t, int column, int number)
{
    if (c->members++) sl_buffer_add(&c->data, "\n\n");
    for (long row = 0; row < t->rows; row += stride(t)) {
        double x = sl_own_number(t, row, 0), y = sl_own_number(t, row, column);
        widen(c, 0, x);
        widen(c, 1, y);
        sl_buffer_add(&c->data, "%d,%.8g,%.8g\n", number, x, y);
    }
}

static int find_column(const struct sl_own_table *t, const char *name, const char *end)
{
    for (int i = 1; i < t->columns; i++)
        if (strncmp(t->name[i], name, strlen(name)) == 0 &&
            strcmp(t->name[i] + strlen(name), end) == 0)
            return i;
    return -1;
}

/* Those of the other members of the group that have the column. */
static void members_add(struct curves *c)
{
    const struct sl_report *r = c->shelf->r;
    for (int i = 0; i < r->members && c->members < MEMBERS_MAX; i++) {
        char path[SL_PATH_MAX];
        struct sl_own_table t;
        if (r->member[i].group != c->shelf->group || i == c->shelf->first ||
            r->member[i].state != SL_WORK_done ||
            sl_disk_join(path, "%s/members/%s/own/%s", r->dir, r->member[i].id, c->path) != SL_OK)
            continue;
        if (sl_own_table_read(&t, path) != SL_OK) {
            if (c->column == 1) note_add(c->shelf, c->path, r->member[i].id, sl_error_text());
            continue;
        }
        int column = find_column(&t, c->table.name[c->column], "");
        if (column > 0) curve_add(c, &t, column, i);
        sl_own_table_release(&t);
    }
}

/* The mean of the ensemble as lines "x,mean,low,high"; nothing without one. */
static void mean_add(struct curves *c)
{
    const struct sl_report *r = c->shelf->r;
    char path[SL_PATH_MAX];
    struct sl_own_table t;
    const char *name = c->table.name[c->column], *dir = r->group[c->shelf->group].dir;
    if (!*dir || sl_disk_join(path, "%s/%s/own/%s", r->dir, dir, c->path) != SL_OK ||
        sl_own_table_read(&t, path) != SL_OK)
        return;
    int mean = find_column(&t, name, "_mean"), std = find_column(&t, name, "_std");
    if (mean > 0 && std > 0) sl_buffer_add(&c->mean, "x,mean,low,high\n");
    for (long row = 0; mean > 0 && std > 0 && row < t.rows; row += stride(&t)) {
        double m = sl_own_number(&t, row, mean), s = sl_own_number(&t, row, std);
        double low = is_logarithmic(c, 1) ? fmax(m - s, c->low[1]) : m - s;
        sl_buffer_add(&c->mean, "%.8g,%.8g,%.8g,%.8g\n", sl_own_number(&t, row, 0), m, low, m + s);
    }
    sl_own_table_release(&t);
}

static void script_add(const struct curves *c, const char *name, struct sl_buffer *script)
{
    const char *with = c->table.rows <= FEW_ROWS ? "linespoints pt 7 ps 0.4" : "lines";
    bool mean = c->mean.n > 0, several = c->members > 1;
    for (int axis = 0; axis < 2; axis++)
        if (is_logarithmic(c, axis))
            sl_buffer_add(script, "set logscale %c\nset format %c \"10^{%%T}\"\n", "xy"[axis],
                          "xy"[axis]);
    sl_buffer_add(script, "plot '%s.csv' using 2:3 with %s lw %s lc rgb %s %s", name, with,
                  mean ? "0.8" : "1.4", mean ? "faint" : "accent",
                  mean || several ? "title \"members\"" : "notitle");
    if (mean)
        sl_buffer_add(script,
                      ", \\\n  '%s_mean.csv' using 1:3:(0):($4-$3) with vectors nohead lw 1.1 lc "
                      "rgb accent notitle, \\\n  '%s_mean.csv' using 1:2 with lines lw 1.8 lc rgb "
                      "accent title \"mean ± σ\"",
                      name, name);
    sl_buffer_add(script, "\n");
}

static int write_beside(const struct shelf *s, const char *name, const char *end,
                        const struct sl_buffer *text)
{
    char path[SL_PATH_MAX];
    if (text->n == 0) return SL_OK;
    SL_TRY(sl_disk_join(path, "%s/report/figures/%s%s", s->r->dir, name, end));
    return sl_buffer_write(text, path);
}

static int draw(struct curves *c, const char *name)
{
    char folder[SL_PATH_MAX];
    struct sl_buffer script = {0};
    SL_TRY(write_beside(c->shelf, name, ".csv", &c->data));
    SL_TRY(write_beside(c->shelf, name, "_mean.csv", &c->mean));
    SL_TRY(sl_disk_join(folder, "%s/report/figures", c->shelf->r->dir));
    script_add(c, name, &script);
    int code = sl_plot_draw(folder, name, &script, SL_PLOT_WIDTH, SL_PLOT_HEIGHT);
    sl_buffer_release(&script);
    return code;
}

static int show(struct curves *c, const char *name)
{
    const struct shelf *s = c->shelf;
    char folder[SL_PATH_MAX];
    struct sl_buffer title = {0}, about = {0};
    sl_buffer_add(&title, "%s", c->table.name[c->column]);
    sl_buffer_add(&about, "%s against %s: %s/%s", c->table.name[c->column], c->table.name[0],
                  s->group < 0 ? "summary" : "own", c->path);
    if (c->members > 1) sl_buffer_add(&about, " of %d members", c->members);
    if (c->mean.n > 0) sl_buffer_add(&about, "; bars are the standard deviation of a member");
    sl_buffer_add(&about, ".");
    int code = sl_disk_join(folder, "%s/report/figures", s->r->dir);
    if (code == SL_OK) code = sl_page_figure(s->html, folder, name, title.s, about.s);
    sl_buffer_release(&title);
    sl_buffer_release(&about);
    return code;
}

static int column_add(struct curves *c, const char *name)
{
    for (int axis = 0; axis < 2; axis++)
        c->low[axis] = INFINITY, c->high[axis] = -INFINITY;
    c->members = 0;
    sl_buffer_add(&c->data, "member,x,value\n");
    curve_add(c, &c->table, c->column, c->shelf->group < 0 ? 0 : c->shelf->first);
    if (c->shelf->group >= 0) members_add(c);
    if (c->shelf->group >= 0) mean_add(c);
    int code = draw(c, name);
    if (code == SL_OK) code = show(c, name);
    sl_buffer_release(&c->data);
    sl_buffer_release(&c->mean);
    return code;
}

static bool has_values(const struct sl_own_table *t)
{
    int column = 1;
    while (column < t->columns && !sl_own_table_has(t, column))
        column++;
    return column < t->columns;
}

/* A figure for each of the first columns. */
static bool table_add(const struct shelf *s, const char *path)
{
    char full[SL_PATH_MAX], name[32];
    struct curves c = {.shelf = s, .path = path};
    int shown = 0, most = s->gnuplot ? COLUMNS_SHOWN : 0;
    if (sl_disk_join(full, "%s/%s", s->dir, path) != SL_OK ||
        sl_own_table_read(&c.table, full) != SL_OK) {
        note_add(s, path, "", sl_error_text());
        return false;
    }
    if (!has_values(&c.table)) note_add(s, path, "", "no column but the first has numbers");
    for (c.column = 1; c.column < c.table.columns && shown < most; c.column++) {
        if (!sl_own_table_has(&c.table, c.column)) continue;
        snprintf(name, sizeof name, "own_%d", *s->made + shown + 1);
        shown += column_add(&c, name) == SL_OK;
    }
    *s->made += shown > 0 ? shown - 1 : 0; /* the caller counts one */
    sl_own_table_release(&c.table);
    return shown > 0;
}

/* ---- the part -------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

static bool of_snapshot(const char *path, size_t *length)
{
    *length = strspn(path, "0123456789");
    return *length > 0 && path[*length] == '/';
}

static int find_last(const char *path, void *user)
{
    struct shelf *s = user;
    size_t n;
    if (s->group >= 0 && of_snapshot(path, &n) && n + 1 < sizeof s->last)
        snprintf(s->last, sizeof s->last, "%.*s", (int)n + 1, path); /* files come in order */
    return SL_OK;
}

static int file_add(const char *path, void *user)
{
    struct shelf *s = user;
    size_t n;
    bool early =
        s->group >= 0 && of_snapshot(path, &n) && strncmp(path, s->last, strlen(s->last)) != 0;
    bool shown = !early && *s->made < FIGURES_MAX &&
                 (ends_in(path, ".png") ? image_add(s, path)
                  : sl_own_is_csv(path) ? table_add(s, path)
                                        : false);
    *s->made += shown;
    *s->left += !shown;
    return SL_OK;
}

static void shelf_add(struct shelf *s)
{
    int left = 0;
    struct notes notes = {0};
    s->left = &left;
    s->notes = &notes;
    sl_disk_walk(s->dir, "", find_last, s);
    sl_buffer_add(s->html, "<div class=\"figures\">\n");
    sl_disk_walk(s->dir, "", file_add, s);
    sl_buffer_add(s->html, "</div>\n");
    if (notes.n > 0) sl_buffer_add(s->html, "%s", notes.html.s);
    sl_buffer_release(&notes.html);
    sl_buffer_add(s->html, "<p class=\"note\">");
    if (left > 0) sl_buffer_add(s->html, "%d more file%s: ", left, left == 1 ? "" : "s");
    sl_buffer_add(s->html, "<a href=\"%s/\">%s/</a></p>\n", s->link, s->link + 3);
}

/* The first member of the group whose commands ended well. */
static bool find_first(struct shelf *s)
{
    char home[SL_PATH_MAX];
    for (s->first = 0; s->first < s->r->members; s->first++) {
        if (s->r->member[s->first].group != s->group ||
            sl_campaign_home(home, &s->r->campaign, s->first) != SL_OK ||
            !sl_record_exists(home, SL_STAGE_own))
            continue;
        snprintf(s->dir, sizeof s->dir, "%.*s/own", PATH_MAX - 8, home);
        return true;
    }
    return false;
}

static void group_add(struct shelf *s)
{
    if (!find_first(s)) return;
    snprintf(s->link, sizeof s->link, "../members/%s/own", s->r->member[s->first].id);
    if (s->r->groups > 1) {
        sl_buffer_add(s->html, "<h3 class=\"part\">Group %d <span class=\"soft\">", s->group + 1);
        sl_page_label(s->html, s->r->group[s->group].what);
        sl_buffer_add(s->html, "</span></h3>\n");
    }
    shelf_add(s);
}

void sl_report_own_add(struct sl_buffer *html, const struct sl_report *r, bool gnuplot)
{
    int made = 0;
    struct shelf s = {.html = html, .r = r, .gnuplot = gnuplot, .group = -1, .made = &made};
    if (!sl_report_own_has(r)) return;
    sl_buffer_add(html, "<h2 id=\"own\">Own analysis</h2>\n");
    if (sl_record_exists(r->dir, SL_STAGE_summary)) {
        snprintf(s.dir, sizeof s.dir, "%.*s/summary", PATH_MAX - 16, r->dir);
        snprintf(s.link, sizeof s.link, "../summary");
        shelf_add(&s);
    }
    for (s.group = 0; s.group < r->groups; s.group++) {
        s.last[0] = '\0';
        group_add(&s);
    }
}
