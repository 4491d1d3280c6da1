/* report/page.c - see report/page.h. One function per section, in the order of the page. */
#include "pipeline/report/page.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "build_info.h" /* generated: SL_BUILD_COMMIT */
#include "core/config/config.h"
#include "core/config/particle_grid.h"
#include "core/cosmo/universe.h"
#include "pipeline/campaign/advice.h"
#include "pipeline/campaign/use.h"
#include "pipeline/report/across.h"
#include "pipeline/report/check.h"
#include "pipeline/report/own.h"
#include "pipeline/report/plane.h"
#include "pipeline/report/plot.h"
#include "pipeline/report/quantities.h"
#include "pipeline/report/scatter.h"
#include "pipeline/report/text.h"

enum {
    ROWS_MAX = 500,
    FAILURES_MAX = 200,
    VARIED_MAX = 4,
    PNG_MAX = 16 << 20,
    SEEDS_MAX = 100,
    FILM_MAX = 8 << 20,
    FILES_MAX = 40
};

/* The numbers that stand at the top and in tables: those that the problem's row names
 * (core/config/show.h). */
enum { HEADLINES = 5 };
struct headlines {
    int n;
    char quantity[HEADLINES + 1][64]; /* the last is one that is looked at */
};

/* Those of which some member has a value. */
static struct headlines headlines_of(const struct sl_report *r)
{
    struct headlines h = {0};
    for (const char *word = sl_report_show(sl_report_first(r))->numbers; *word;) {
        size_t length = strcspn(word, " ");
        double mean, error, any = NAN;
        snprintf(h.quantity[h.n], sizeof h.quantity[0], "%.*s", (int)length, word);
        for (int g = 0; g < r->groups && isnan(any); g++) {
            sl_across_number(r, g, h.quantity[h.n], &mean, &error);
            any = mean;
        }
        if (!isnan(any) && h.n < HEADLINES) h.n++;
        word += length + strspn(word + length, " ");
    }
    return h;
}

static double member_number(const struct sl_report_member *m, const char *quantity)
{
    double v = sl_report_value(m, quantity);
    return isfinite(v) ? v : sl_csv_number(&m->verify, sl_csv_row(&m->verify, quantity), 1);
}

static const char *first_key(const struct sl_report *r, const char *key)
{
    return sl_report_key(sl_report_first(r), key);
}

/* What a row of verify.tsv means, as the first member that has it says; older files say nothing. */
static const char *meaning_of(const struct sl_report *r, const char *name)
{
    const char *meaning = "";
    for (int i = 0; i < r->members && !*meaning; i++)
        meaning = sl_csv_note_text(&r->member[i].verify, name);
    return meaning;
}

/* ---- top ------------------------------------------------------------------------------------ */

static bool has_plane(const struct sl_report *r)
{
    return isfinite(sl_report_list_number(first_key(r, "mesh.cells"), 1));
}

/* Maps are described in two dimensions and three. */
static bool has_maps(const struct sl_report *r, const struct sl_drawings *d)
{
    return d->images.made || d->maps[0] || has_plane(r);
}

static void cells_add(struct sl_buffer *html, const struct sl_report *r)
{
    const char *list = first_key(r, "mesh.cells");
    for (int i = 0; i < 3 && !isnan(sl_report_list_number(list, i)); i++)
        sl_buffer_add(html, "%s%.0f", i ? " × " : "", sl_report_list_number(list, i));
}

/* "and the rms Mach number is 5.2 ± 0.1", when there is one. */
static void finding_add(struct sl_buffer *html, const struct sl_report *r, const char *quantity,
                        double scale, const char *before, const char *after)
{
    double mean, error;
    sl_report_mean(r, 0, quantity, &mean, &error);
    if (isnan(mean) || r->groups > 1) return;
    sl_buffer_add(html, "%s", before);
    sl_page_number(html, scale * mean, scale * error);
    sl_buffer_add(html, "%s", after);
}

static void levels_add(struct sl_buffer *html, const struct sl_report *r)
{
    double levels = sl_report_list_number(first_key(r, "mesh.levels"), 0);
    if (sl_report_differs(r, "mesh.levels"))
        sl_buffer_add(html, " and different numbers of finer levels");
    else if (levels > 0)
        sl_buffer_add(html, " and up to %.0f finer level%s", levels, levels == 1 ? "" : "s");
}

static void what_add(struct sl_buffer *html, const struct sl_report *r)
{
    sl_buffer_add(html, "%d member%s", r->members, r->members == 1 ? "" : "s");
    if (!sl_report_first(r)->keys.n) return; /* nothing has started */
    sl_buffer_add(html, " of problem <strong>");
    sl_buffer_html(html, first_key(r, "problem"));
    sl_buffer_add(html, "</strong> on ");
    if (sl_report_differs(r, "mesh.cells"))
        sl_buffer_add(html, "different numbers of");
    else
        cells_add(html, r);
    bool universe = sl_show_has(sl_report_show(sl_report_first(r))->what, "universe"),
         expands = sl_report_expands(sl_report_first(r));
    const char *end = universe && !expands ? "ic.redshift" : "time.end";
    sl_buffer_add(html, " cells");
    levels_add(html, r);
    if (sl_report_differs(r, end)) return;
    bool crossing = !strcmp(first_key(r, "time.unit"), "crossing");
    sl_buffer_add(html, ", %s",
                  expands    ? "to redshift "
                  : universe ? "the start at redshift "
                  : crossing ? "for "
                             : "to time ");
    sl_buffer_html(html, first_key(r, end));
    if (crossing)
        sl_buffer_add(html, " crossing time%s", strcmp(first_key(r, end), "1") ? "s" : "");
}

static void ran_add(struct sl_buffer *html, const struct sl_report *r)
{
    int out = r->members - r->done - r->bad - r->open;
    what_add(html, r);
    sl_buffer_add(html, ": %d finished", r->done);
    if (r->bad) sl_buffer_add(html, ", <span class=\"bad\">%d failed</span>", r->bad);
    if (r->open) sl_buffer_add(html, ", %d not finished yet", r->open);
    if (out) sl_buffer_add(html, ", %d not needed or taken out", out);
    sl_buffer_add(html, ".");
}

/* The grid of the statistics of an adaptive mesh. */
static void statistics_add(struct sl_buffer *html, const struct sl_report *r)
{
    double level = sl_report_list_number(first_key(r, "statistics.level"), 0);
    struct sl_asked a;
    sl_figure_ask(r, &a);
    if (!a.levels || sl_report_differs(r, "statistics.level")) return;
    sl_buffer_add(html, " Statistics are measured on the ");
    if (level > 0)
        sl_buffer_add(html, "grid of level %.0f", level);
    else
        sl_buffer_add(html, "root grid");
    sl_buffer_add(html, " (statistics.level)%s.",
                  has_plane(r) ? ", maps on finer ones where their captions say so" : "");
}

static void summary_add(struct sl_buffer *html, const struct sl_report *r)
{
    sl_buffer_add(html, "<header>\n<p class=\"kicker\">sluice report</p>\n<h1>");
    sl_buffer_html(html, r->name);
    sl_buffer_add(html, "</h1>\n<p class=\"lead\">");
    ran_add(html, r);
    statistics_add(html, r);
    const char *numbers = sl_report_show(sl_report_first(r))->numbers;
    if (sl_show_has(numbers, "mach_rms_end"))
        finding_add(html, r, "mach_rms_end", 1, " At the end the rms Mach number is ", ".");
    if (sl_show_has(numbers, "kinetic_energy"))
        finding_add(html, r, "kinetic_energy", 100, " Of the kinetic energy at the start ",
                    " % is left.");
    if (r->core_hours > 0) {
        sl_buffer_add(html, " It took ");
        sl_page_duration(html, r->end - r->start);
        sl_buffer_add(html, " from first start to last end, %.3g core hours in all.",
                      r->core_hours);
    }
    sl_buffer_add(html, "</p>\n");
}

/* words: HTML. */
static void number_open(struct sl_buffer *html, bool *open, const char *words)
{
    sl_buffer_add(html, "%s<div><dt>%s</dt><dd>", *open ? "" : "<dl class=\"numbers\">\n", words);
    *open = true;
}

/* A key of the recipe as a headline. */
static void key_headline(struct sl_buffer *html, const struct sl_report *r, bool *open,
                         const char *key, const char *words)
{
    const char *value = first_key(r, key);
    for (int i = 0; i < r->varieds; i++)
        if (!strcmp(r->varied[i], key)) return; /* no one value */
    if (!*value) return;
    number_open(html, open, words);
    sl_buffer_html(html, value);
    sl_buffer_add(html, "</dd></div>\n");
}

/* Whether the key leaves the power of a start what it is: it is about chance alone. */
static bool of_chance(const char *key)
{
    static const char *const keys[] = {"ic.fixed", "ic.paired", "ic.low_modes", "ic.low_seed"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i])) return true;
    return false;
}

/* Whether members are of several universes or starts of other power. */
static bool starts_differ(const struct sl_report *r)
{
    for (int i = 0; i < r->varieds; i++)
        if (!strncmp(r->varied[i], "cosmology.", 10) ||
            (!strncmp(r->varied[i], "ic.", 3) && !of_chance(r->varied[i])))
            return true;
    return false;
}

/* sigma8 of the power that sluice-ic used, as its tables note; *noted: they do. */
static int start_headlines(struct sl_buffer *html, const struct sl_report *r, bool *open,
                           bool *noted)
{
    static const char *const species[] = {"gas", "dark_matter"};
    double start = NAN, today = NAN;
    for (int i = 0; i < 2 && isnan(today) && !starts_differ(r); i++) {
        char path[PATH_MAX + 64];
        struct sl_csv t;
        snprintf(path, sizeof path, "%s/members/%s/spectrum_%s.csv", r->dir, sl_report_first(r)->id,
                 species[i]);
        SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
        start = sl_csv_note(&t, "sigma8_start");
        today = sl_csv_note(&t, "sigma8_today");
        sl_csv_release(&t);
    }
    *noted = !isnan(today);
    if (!*noted) return SL_OK;
    number_open(html, open, "σ<sub>8</sub> today, by linear growth");
    sl_buffer_add(html, "%.4g</dd></div>\n", today);
    number_open(html, open, "σ<sub>8</sub> of the start");
    sl_buffer_add(html, "%.4g</dd></div>\n", start);
    return SL_OK;
}

/* The amplitude of the power: sigma8 as sluice-ic found it, else what the recipe says. */
static int power_headlines(struct sl_buffer *html, const struct sl_report *r, bool *open)
{
    bool noted;
    SL_TRY(start_headlines(html, r, open, &noted));
    if (!noted && !strcmp(first_key(r, "cosmology.normalise"), "sigma8"))
        key_headline(html, r, open, "cosmology.sigma8", "σ<sub>8</sub> today");
    if (!strcmp(first_key(r, "cosmology.normalise"), "a_s"))
        key_headline(html, r, open, "cosmology.a_s", "A<sub>s</sub>, primordial amplitude");
    return SL_OK;
}

/* The universe; its redshifts are those of start and end. */
static int universe_headlines(struct sl_buffer *html, const struct sl_report *r, bool *open)
{
    const struct sl_report_member *m = sl_report_first(r);
    if (!sl_show_has(sl_report_show(m)->what, "universe")) return SL_OK;
    key_headline(html, r, open, "ic.redshift", "redshift z of the start");
    if (sl_report_expands(m)) key_headline(html, r, open, "time.end", "redshift z of the end");
    if (!*first_key(r, "cosmology.file")) { /* else its table of provenance has the rest */
        key_headline(html, r, open, "cosmology.omega_m", "Ω<sub>m</sub> of all matter");
        key_headline(html, r, open, "cosmology.omega_b", "Ω<sub>b</sub> of baryons");
        key_headline(html, r, open, "cosmology.h", "h, H<sub>0</sub> over 100 km/s/Mpc");
    }
    return power_headlines(html, r, open);
}

/* A number of a table of each member of the only group: its mean over them and the standard error
 * of that, NAN for one. */
typedef double (*table_number)(const struct sl_csv *t);

static int member_mean(const struct sl_report *r, const char *base, int snapshot,
                       table_number number, double *mean, double *error)
{
    double sum = 0, square = 0;
    int n = 0;
    for (int i = 0; i < r->members && i < ROWS_MAX; i++) {
        char path[PATH_MAX + 64], file[64];
        struct sl_csv t;
        snprintf(file, sizeof file, snapshot < 0 ? "%s.csv" : "%s_%04d.csv", base, snapshot);
        snprintf(path, sizeof path, "%s/members/%s/stats/%s", r->dir, r->member[i].id, file);
        if (!r->member[i].measured) continue;
        SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
        double v = number(&t);
        sl_csv_release(&t);
        if (!isfinite(v)) continue;
        sum += v;
        square += v * v;
        n++;
    }
    *mean = n ? sum / n : NAN;
    *error = n > 1 ? sqrt(fmax(0, square / n - *mean * *mean) / (n - 1)) : NAN;
    return SL_OK;
}

static double sigma8_of(const struct sl_csv *t)
{
    return sl_csv_note(t, "sigma8");
}

static double redshift_of(const struct sl_csv *t)
{
    return sl_csv_note(t, "redshift");
}

/* Of the longest waves over linear theory, at the end. */
static double growth_of(const struct sl_csv *t)
{
    long last = t->rows - 1;
    return t->rows > 1 ? sl_csv_number(t, last, sl_csv_column(t, "shell_1")) /
                             sl_csv_number(t, last, sl_csv_column(t, "linear"))
                       : NAN;
}

static void result_headline(struct sl_buffer *html, bool *open, const char *words, double mean,
                            double error)
{
    number_open(html, open, words);
    sl_page_number(html, mean, error);
    sl_buffer_add(html, "</dd></div>\n");
}

/* Proper G of the root of the mean square of a member's field at its end, NAN without a field. */
static double field_of(const struct sl_report_member *m)
{
    const char *box = sl_report_key(m, "mesh.box");
    double energy = sl_report_value(m, "magnetic_energy"), volume = 1,
           a = 1 / (1 + sl_report_list_number(sl_report_key(m, "time.end"), 0));
    for (int i = 0; i < 3; i++)
        volume *= sl_report_list_number(box, 2 * i + 1) - sl_report_list_number(box, 2 * i);
    return sqrt(2 * energy / volume) * sl_report_gauss(m, a);
}

static void field_headline(struct sl_buffer *html, const struct sl_report *r, bool *open)
{
    double sum = 0, square = 0;
    char words[80];
    int n = 0;
    for (int i = 0; i < r->members; i++) {
        double v = field_of(&r->member[i]);
        if (!r->member[i].measured || !isfinite(v)) continue;
        sum += v, square += v * v;
        n++;
    }
    snprintf(words, sizeof words, "rms magnetic field at z = %.3g, proper, in G",
             sl_report_list_number(first_key(r, "time.end"), 0));
    if (n)
        result_headline(html, open, words, sum / n,
                        n > 1 ? sqrt(fmax(0, square / n - sum * sum / n / n) / (n - 1)) : NAN);
}

/* What a universe became. */
static int grown_headlines(struct sl_buffer *html, const struct sl_report *r, bool *open)
{
    const struct sl_report_member *m = sl_report_first(r);
    int first = sl_report_finished(r);
    double mean, error, z, unused;
    char words[80];
    if (!sl_show_has(sl_report_show(m)->what, "universe") || first < 0 || r->groups > 1)
        return SL_OK;
    int last = sl_report_last(&r->member[first].snapshots);
    for (int i = 0; i < 3; i++) {
        static const char *const of[][2] = {{"sigma_total", "all matter"},
                                            {"sigma_gas", "the gas"},
                                            {"sigma_particles", "the dark matter"}};
        SL_TRY(member_mean(r, of[i][0], last, sigma8_of, &mean, &error));
        SL_TRY(member_mean(r, of[i][0], last, redshift_of, &z, &unused));
        snprintf(words, sizeof words, "σ<sub>8</sub> of %s at z = %.3g, measured", of[i][1], z);
        if (isfinite(mean)) result_headline(html, open, words, mean, error);
    }
    SL_TRY(member_mean(r, "growth", -1, growth_of, &mean, &error));
    if (isfinite(mean))
        result_headline(html, open, "growth of the longest waves over linear theory", mean, error);
    field_headline(html, r, open);
    return SL_OK;
}

/* What a number is called: as what its verification says it is where it has no words of its own. */
static void headline_open(struct sl_buffer *html, const struct sl_report *r, bool *open,
                          const char *quantity)
{
    const char *words = sl_across_words(quantity), *meaning = meaning_of(r, quantity);
    struct sl_buffer text = {0};
    if (!strcmp(words, quantity) && *meaning) {
        sl_buffer_html(&text, meaning);
        words = text.s;
    }
    number_open(html, open, words ? words : quantity);
    html->failed |= text.failed;
    sl_buffer_release(&text);
}

static int headlines_add(struct sl_buffer *html, const struct sl_report *r, int group)
{
    bool open = false, measured = false;
    struct headlines h = headlines_of(r);
    SL_TRY(grown_headlines(html, r, &open));
    SL_TRY(universe_headlines(html, r, &open));
    for (int i = 0; i < h.n && r->groups == 1; i++) {
        double mean, error;
        sl_across_number(r, group, h.quantity[i], &mean, &error);
        if (isnan(mean)) continue;
        headline_open(html, r, &open, h.quantity[i]);
        sl_page_number(html, mean, error);
        sl_buffer_add(html, "</dd></div>\n");
        measured = true;
    }
    if (open) sl_buffer_add(html, "</dl>\n");
    const char *what = sl_report_show(sl_report_first(r))->what;
    bool chance = sl_show_has(what, "turbulence") || sl_show_has(what, "universe");
    if (measured && (chance || *r->group[group].dir))
        sl_buffer_add(html, "<p class=\"note\">%s</p>\n",
                      *r->group[group].dir
                          ? "Mean over the finished members ± standard error of the mean."
                          : "Values of one member; an ensemble would give them error bars.");
    return SL_OK;
}

/* Before all numbers: what they may be wrong by. */
static void failed_checks_add(struct sl_buffer *html, const struct sl_report *r)
{
    struct sl_check check[SL_CHECKS_MAX];
    int n = sl_checks_make(r, check), failed = 0;
    for (int i = 0; i < n; i++)
        failed += check[i].verdict == SL_VERDICT_fail;
    if (!failed) return;
    sl_buffer_add(html,
                  "<p class=\"notice failed\"><strong class=\"bad\">%d of %d <a "
                  "href=\"#checks\">checks</a> failed:</strong> ",
                  failed, n);
    for (int i = 0, shown = 0; i < n; i++) {
        if (check[i].verdict != SL_VERDICT_fail) continue;
        sl_buffer_add(html, "%s%s (", shown++ ? "; " : "", check[i].name);
        sl_buffer_html(html, check[i].found);
        sl_buffer_add(html, ")");
    }
    sl_buffer_add(html, ".</p>\n");
}

/* Members of a group whose statistics are done. */
static int measured_in(const struct sl_report *r, int group)
{
    int n = 0;
    for (int i = 0; i < r->members; i++)
        n += r->member[i].group == group && r->member[i].measured;
    return n;
}

/* Of groups that are to have error bars and have none, or have them from fewer members than asked
 * for: ensemble.min stands against it. */
static void ensemble_notice(struct sl_buffer *html, const struct sl_report *r)
{
    const char *min = first_key(r, "ensemble.min");
    double need = sl_report_list_number(min, 0);
    int short_of = 0, several = 0, least = 0;
    for (int g = 0; g < r->groups; g++) {
        int members = r->group[g].members, n = measured_in(r, g);
        bool lacks = !*r->group[g].dir || n < fmin(need, members);
        several += members > 1;
        if (members < 2 || !lacks) continue;
        if (!short_of++ || n < least) least = n;
    }
    if (!short_of || !r->measured) return;
    sl_buffer_add(html, "<p class=\"notice\">");
    if (several > 1)
        sl_buffer_add(html, "%d of %d groups have no error bars yet: an ensemble needs ", short_of,
                      several);
    else
        sl_buffer_add(html, "There is no ensemble yet: it needs ");
    sl_buffer_html(html, *min ? min : "2");
    sl_buffer_add(html,
                  " members (<code>ensemble.min</code>), %d %s finished%s. Figures show the first "
                  "finished member, without error bars.</p>\n",
                  least, least == 1 ? "is" : "are", several > 1 ? " where fewest are" : "");
}

static void notices_add(struct sl_buffer *html, const struct sl_report *r,
                        const struct sl_drawings *d)
{
    if (!d->gnuplot)
        sl_buffer_add(html,
                      "<p class=\"notice\">There are no figures: gnuplot is not installed. On "
                      "Debian: <code>apt-get install gnuplot-nox</code>, then <code>sluice "
                      "report</code> again.</p>\n");
    ensemble_notice(html, r);
    if (*r->target) {
        sl_buffer_add(html, "<p class=\"notice\">");
        sl_buffer_html(html, r->target);
        sl_buffer_add(html, ".</p>\n");
    }
    if (!r->measured)
        sl_buffer_add(html,
                      "<p class=\"notice\">No member has finished its statistics, so there are "
                      "no results yet.</p>\n");
}

/* Of a flow that is looked at: before the results. An error, turbulence or a universe is numbers
 * first. */
static bool maps_first(const struct sl_report *r)
{
    const char *what = sl_report_show(sl_report_first(r))->what;
    return !sl_show_has(what, "turbulence") && !sl_show_has(what, "universe") &&
           !sl_show_has(what, "error");
}

static void content_add(struct sl_buffer *html, const char *id, const char *title)
{
    sl_buffer_add(html, "<li><a href=\"#%s\">%s</a></li>\n", id, title);
}

static void contents_add(struct sl_buffer *html, const struct sl_report *r,
                         const struct sl_drawings *d)
{
    static const char *const parts[] = {"members",  "Members",  "checks",   "Checks",     "cost",
                                        "Cost",     "failures", "Failures", "methods",    "Methods",
                                        "universe", "Universe", "origin",   "Provenance", "files",
                                        "Files",    NULL};
    bool universe = !strcmp(first_key(r, "problem"), "cosmology");
    bool maps = has_maps(r, d), first = maps_first(r);
    sl_buffer_add(html, "<nav aria-label=\"Contents\"><ul>\n");
    if (maps && first) content_add(html, "maps", "Maps");
    content_add(html, "results", "Results");
    if (maps && !first) content_add(html, "maps", "Maps");
    if (sl_report_own_has(r)) content_add(html, "own", "Own analysis");
    for (int i = 0; parts[i]; i += 2)
        if ((strcmp(parts[i], "methods") || sl_report_first(r)->keys.n) &&
            (strcmp(parts[i], "universe") || universe))
            content_add(html, parts[i], parts[i + 1]);
    sl_buffer_add(html, "</ul></nav>\n</header>\n<main>\n");
}

/* ---- figures -------------------------------------------------------------------------------- */

/* The list of figures that are not there, if any; releases it. */
static void lacking_add(struct sl_buffer *html, struct sl_buffer *lacking)
{
    if (lacking->n) {
        sl_buffer_add(html, "<div class=\"missing\">Not drawn<ul>\n");
        sl_buffer_bytes(html, lacking->s, lacking->n);
        sl_buffer_add(html, "</ul></div>\n");
    }
    html->failed |= lacking->failed;
    sl_buffer_release(lacking);
}

static void lack_add(struct sl_buffer *lacking, const char *title, const char *why)
{
    sl_buffer_add(lacking, "<li>%s: ", title);
    sl_buffer_html(lacking, why);
    sl_buffer_add(lacking, "</li>\n");
}

/* The figure, or a line for the list of what is missing. */
static void figure_add(struct sl_buffer *html, struct sl_buffer *lacking, const struct sl_report *r,
                       const struct sl_drawings *d, int id, int group)
{
    char name[64], folder[PATH_MAX + 32];
    const struct sl_figure *f = &sl_figures[id];
    const char *why = d->missing[group][id], *title = d->title[group][id];
    struct sl_buffer about = {0};
    sl_figure_name(name, id, group);
    snprintf(folder, sizeof folder, "%s/report/figures", r->dir);
    sl_buffer_add(&about, "%s%s%s", f->about, *d->note[group][id] ? " " : "", d->note[group][id]);
    if (!*title) title = f->title;
    if (!*why && sl_page_figure(html, folder, name, title, about.s)) why = sl_error_text();
    sl_buffer_release(&about);
    if (*why && strcmp(why, SL_FIGURE_SKIPPED) != 0) lack_add(lacking, title, why);
}

/* Nothing of a section to which no figure applies, as those against time of a start. */
static void section_add(struct sl_buffer *html, const struct sl_report *r,
                        const struct sl_drawings *d, int group, enum sl_figure_section section)
{
    static const char *const titles[] = {"Across the sweep", "Against time", "Across scales",
                                         "The gas"};
    struct sl_buffer lacking = {0}, drawn = {0};
    struct sl_asked a;
    sl_figure_ask(r, &a);
    for (int i = 0; i < SL_FIGURES; i++)
        if (sl_figures[i].section == section && sl_figure_applies(&a, i))
            figure_add(&drawn, &lacking, r, d, i, group);
    if (drawn.n || lacking.n) sl_buffer_add(html, "<h3 class=\"part\">%s</h3>\n", titles[section]);
    if (drawn.n) {
        sl_buffer_add(html, "<div class=\"figures\">\n");
        sl_buffer_bytes(html, drawn.s, drawn.n);
        sl_buffer_add(html, "</div>\n");
    }
    html->failed |= drawn.failed;
    sl_buffer_release(&drawn);
    lacking_add(html, &lacking);
}

/* What the groups found, side by side. */
static void groups_add(struct sl_buffer *html, const struct sl_report *r)
{
    struct headlines h = headlines_of(r);
    bool several = false;
    for (int g = 0; g < r->groups; g++)
        several |= r->group[g].members > 1;
    if (several)
        sl_buffer_add(html, "<p>Members that differ in their seed only form a group; numbers are "
                            "means over a group ± standard error of the mean.</p>\n");
    else
        sl_buffer_add(html, "<p>Each group is one member.</p>\n");
    sl_page_table(html, "Groups");
    sl_buffer_add(html, "<thead><tr><th scope=\"col\">Group</th><th scope=\"col\">What</th>"
                        "<th scope=\"col\" class=\"n\">Members</th>");
    for (int i = 0; i < h.n; i++)
        sl_buffer_add(html, "<th scope=\"col\" class=\"n\">%s</th>", sl_across_head(h.quantity[i]));
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int g = 0; g < r->groups && g < ROWS_MAX; g++) {
        sl_buffer_add(html, "<tr><th scope=\"row\">%d</th><td>", g + 1);
        sl_page_label(html, r->group[g].what);
        sl_buffer_add(html, "</td><td class=\"n\">%d</td>", r->group[g].members);
        for (int i = 0; i < h.n; i++) {
            double mean, error;
            sl_across_number(r, g, h.quantity[i], &mean, &error);
            sl_page_cell(html, mean, error);
        }
        sl_buffer_add(html, "</tr>\n");
    }
    sl_page_table_end(html);
    if (r->groups > SL_GROUPS_DRAWN)
        sl_buffer_add(html, "<p class=\"note\">Figures are drawn for the first %d groups.</p>\n",
                      SL_GROUPS_DRAWN);
}

static void group_title(struct sl_buffer *html, const struct sl_report *r, int group)
{
    sl_buffer_add(html, "<h2 class=\"group\">Group %d <span class=\"soft\">", group + 1);
    sl_page_label(html, r->group[group].what);
    sl_buffer_add(html, "</span></h2>\n");
}

/* Its quantities and figures; nothing of a group that has none, as its numbers stand in the table
 * of all. */
static void group_results_add(struct sl_buffer *html, const struct sl_report *r,
                              const struct sl_drawings *d, int group)
{
    struct sl_buffer part = {0};
    if (r->groups > 1 && r->group[group].first < 0) {
        sl_buffer_add(&part, "<p class=\"note\">No member of this group has finished its "
                             "statistics.</p>\n");
    } else {
        sl_quantities_add(&part, r, group);
        for (int section = SL_SECTION_time; section <= SL_SECTION_gas; section++)
            section_add(&part, r, d, group, (enum sl_figure_section)section);
    }
    if (part.n && r->groups > 1) group_title(html, r, group);
    if (part.n) sl_buffer_bytes(html, part.s, part.n);
    html->failed |= part.failed;
    sl_buffer_release(&part);
}

static int results_add(struct sl_buffer *html, const struct sl_report *r,
                       const struct sl_drawings *d)
{
    sl_buffer_add(html, "<h2 id=\"results\">Results</h2>\n");
    size_t before = html->n;
    if (r->groups > 1) {
        groups_add(html, r);
        if (r->measured > 1) section_add(html, r, d, 0, SL_SECTION_sweep);
        SL_TRY(sl_scatter_add(html, r));
    }
    for (int group = 0; group < r->groups && group < SL_GROUPS_DRAWN; group++)
        group_results_add(html, r, d, group);
    if (html->n == before && r->measured)
        sl_buffer_add(html, "<p class=\"note\">This problem is looked at in its maps and in the "
                            "numbers at the head and below; no curve belongs to it.</p>\n");
    return SL_OK;
}

/* ---- maps ----------------------------------------------------------------------------------- */

static bool image_add(struct sl_buffer *html, const struct sl_report *r, const char *field,
                      int member, int kind, int snapshot)
{
    char path[PATH_MAX + 200];
    struct sl_buffer png = {0};
    snprintf(path, sizeof path, "%s/report/figures/%s_%03d_%04d.png", r->dir, sl_image_kinds[kind],
             member + 1, snapshot);
    bool have = sl_buffer_read(&png, path, PNG_MAX) == SL_OK;
    if (have) {
        sl_buffer_add(html, "<img alt=\"%s of %s of member ", sl_image_kinds[kind], field);
        sl_buffer_html(html, r->member[member].id);
        sl_buffer_add(html, ", snapshot %d\" src=\"data:image/png;base64,", snapshot);
        sl_buffer_base64(html, (const unsigned char *)png.s, png.n);
        sl_buffer_add(html, "\">\n");
    }
    sl_buffer_release(&png);
    return have;
}

/* Cells of the row that a member has no snapshots for. */
static void empty_add(struct sl_buffer *html, int n)
{
    for (int i = 0; i < n; i++)
        sl_buffer_add(html, "<span></span>\n");
}

static void member_fields_add(struct sl_buffer *html, const struct sl_report *r, int member,
                              const struct sl_images *images)
{
    struct sl_buffer part = {0};
    int have = 0, n = images->times[member].n;
    const int *snapshot = images->times[member].snapshot;
    char sign = sl_report_clock(&r->member[member]);
    sl_buffer_add(&part, "<figure><h3>");
    sl_buffer_html(&part, r->member[member].id);
    sl_buffer_add(&part, " <span class=\"soft\">");
    sl_page_label(&part, r->member[member].label);
    sl_buffer_add(&part,
                  "</span></h3>\n<div class=\"planes\" "
                  "style=\"grid-template-columns:repeat(%d,1fr)\">\n",
                  images->most);
    for (int t = 0; t < n; t++)
        if (isnan(images->times[member].at[t]))
            sl_buffer_add(&part, "<span>snapshot %d</span>\n", snapshot[t]);
        else
            sl_buffer_add(&part, "<span>%c = %.4g</span>\n", sign, images->times[member].at[t]);
    empty_add(&part, images->most - n);
    for (int k = 0; k < SL_IMAGE_KINDS; k++) {
        if (!images->drawn[k]) continue;
        for (int t = 0; t < n; t++)
            have += image_add(&part, r, images->field, member, k, snapshot[t]);
        empty_add(&part, images->most - n);
    }
    sl_buffer_add(&part, "</div></figure>\n");
    if (have) sl_buffer_bytes(html, part.s, part.n);
    html->failed |= part.failed;
    sl_buffer_release(&part);
}

static void scale_add(struct sl_buffer *html, const struct sl_report *r,
                      const struct sl_images *images, int kind)
{
    char words[48], where[32] = "";
    sl_plane_words(images->field, words);
    if (isfinite(sl_report_list_number(first_key(r, "mesh.cells"), 2)))
        snprintf(where, sizeof where, "%s %c: ", kind ? "Projection along" : "Slice across",
                 images->axis);
    const char *log = images->scale[kind] == SL_SCALE_log ? "log<sub>10</sub> of " : "";
    char less[40] = "";
    if (images->scale[kind] == SL_SCALE_difference)
        snprintf(less, sizeof less, " − %.6g", images->middle[kind]);
    if (!images->drawn[kind]) return;
    sl_buffer_add(html,
                  "<div class=\"scale\"><span>%s%s%s%s</span>"
                  "<i style=\"background:linear-gradient(90deg",
                  where, log, words, less);
    for (int i = 0; sl_plot_colours[i] >= 0; i++)
        sl_buffer_add(html, ",#%06x", (unsigned)sl_plot_colours[i]);
    sl_buffer_add(html,
                  ")\"></i><span class=\"ends\"><span>%.4g</span><span>%.4g</span></span></div>\n",
                  images->lo[kind], images->hi[kind]);
}

/* All members beside each other at a few times. */
static void images_add(struct sl_buffer *html, const struct sl_report *r,
                       const struct sl_images *images)
{
    static const char *const shown[] = {"The last", "First and last", "First, middle and last"};
    if (!images->made || (r->members == 1 && images->most == 1)) return;
    sl_buffer_add(html,
                  "<h3 class=\"part\">%s</h3>\n<p>%s snapshot%s of each member, on one colour "
                  "scale.</p>\n<div class=\"scales\">\n",
                  r->members > 1 ? "All members" : "In time", shown[images->most - 1],
                  images->most > 1 ? "s" : "");
    for (int k = 0; k < SL_IMAGE_KINDS; k++)
        scale_add(html, r, images, k);
    sl_buffer_add(html, "</div>\n<div class=\"fields\">\n");
    for (int m = 0; m < r->members && m < SL_IMAGE_MEMBERS; m++)
        member_fields_add(html, r, m, images);
    sl_buffer_add(html, "</div>\n");
    if (r->members > SL_IMAGE_MEMBERS)
        sl_buffer_add(html, "<p class=\"note\">Shown are the first %d of %d members.</p>\n",
                      SL_IMAGE_MEMBERS, r->members);
}

/* Why a map of a group is not on the page, "" when it is. */
typedef char map_reasons[SL_GROUPS_DRAWN][SL_MAPS_DRAWN][256];

static void group_maps_add(struct sl_buffer *html, const struct sl_report *r,
                           const struct sl_drawings *d, int group, map_reasons reasons)
{
    char folder[PATH_MAX + 32];
    bool any = false;
    snprintf(folder, sizeof folder, "%s/report/figures", r->dir);
    for (int i = 0; i < d->maps[group]; i++)
        any |= !*d->map[group][i].missing;
    if ((any || d->maps_left[group]) && r->groups > 1) {
        sl_buffer_add(html, "<h3 class=\"part\">Group %d <span class=\"soft\">", group + 1);
        sl_page_label(html, r->group[group].what);
        sl_buffer_add(html, "</span></h3>\n");
    }
    if (any) sl_buffer_add(html, "<div class=\"figures\">\n");
    for (int i = 0; i < d->maps[group]; i++) {
        const struct sl_map_figure *m = &d->map[group][i];
        const char *why = m->missing;
        if (!*why && sl_page_figure(html, folder, m->name, m->title, m->about))
            why = sl_error_text();
        snprintf(reasons[group][i], sizeof reasons[group][i], "%s", why);
    }
    if (any) sl_buffer_add(html, "</div>\n");
    if (d->maps_left[group])
        sl_buffer_add(html, "<p class=\"note\">%d more maps are tables in stats/ alone.</p>\n",
                      d->maps_left[group]);
}

/* Whether a group lacks the map of this title for this reason. */
static bool group_lacks(const struct sl_drawings *d, int group, const char *title, const char *why,
                        map_reasons reasons)
{
    for (int i = 0; i < d->maps[group]; i++)
        if (!strcmp(d->map[group][i].title, title) && !strcmp(reasons[group][i], why)) return true;
    return false;
}

/* Says which groups lack a map as this one does, in text: "" of a campaign with one group. */
static void groups_lacking(const struct sl_report *r, const struct sl_drawings *d, int group,
                           int map, map_reasons reasons, char *text, size_t size)
{
    const char *title = d->map[group][map].title, *why = reasons[group][map];
    int n = 0, groups = r->groups < SL_GROUPS_DRAWN ? r->groups : SL_GROUPS_DRAWN;
    size_t used = 0;
    *text = '\0';
    if (r->groups == 1) return;
    for (int g = group; g < groups; g++)
        n += group_lacks(d, g, title, why, reasons);
    if (n == r->groups) {
        snprintf(text, size, " (all groups)");
        return;
    }
    for (int g = group; g < groups; g++)
        if (group_lacks(d, g, title, why, reasons) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s %d",
                                     used    ? ","
                                     : n > 1 ? " (groups"
                                             : " (group",
                                     g + 1);
    if (used < size) snprintf(text + used, size - used, ")");
}

/* A map that is not on the page, with all groups that lack it for the same reason; nothing where a
 * group before it does. */
static void map_lack_add(struct sl_buffer *lacking, const struct sl_report *r,
                         const struct sl_drawings *d, int group, int map, map_reasons reasons)
{
    const char *title = d->map[group][map].title, *why = reasons[group][map];
    char groups[64], text[256];
    for (int g = 0; g < group; g++)
        if (group_lacks(d, g, title, why, reasons)) return;
    groups_lacking(r, d, group, map, reasons, groups, sizeof groups);
    snprintf(text, sizeof text, "%s%s", title, groups);
    lack_add(lacking, text, why);
}

static void maps_lacking_add(struct sl_buffer *html, const struct sl_report *r,
                             const struct sl_drawings *d, int groups, map_reasons reasons)
{
    struct sl_buffer lacking = {0};
    for (int group = 0; group < groups; group++)
        for (int i = 0; i < d->maps[group]; i++)
            if (*reasons[group][i]) map_lack_add(&lacking, r, d, group, i, reasons);
    lacking_add(html, &lacking);
}

/* An image that moves; left out on paper and for those who asked for less motion: the maps stand
 * above. */
static void film_add(struct sl_buffer *html, const struct sl_report *r, const struct sl_drawings *d)
{
    char light[PATH_MAX + 64], dark[PATH_MAX + 64];
    struct sl_buffer gif[2] = {{0}, {0}};
    snprintf(light, sizeof light, "%s/report/figures/film.gif", r->dir);
    snprintf(dark, sizeof dark, "%s/report/figures/film_dark.gif", r->dir);
    if (!*d->film) return;
    if (sl_buffer_read(&gif[0], light, FILM_MAX) || sl_buffer_read(&gif[1], dark, FILM_MAX)) {
        sl_buffer_add(html, "<p class=\"note\">The film is <a "
                            "href=\"figures/film.gif\">figures/film.gif</a>, too large for "
                            "this page.</p>\n");
    } else {
        sl_buffer_add(html, "<h3 class=\"part\" id=\"film\">Film</h3>\n<figure class=\"film\">"
                            "<picture><source media=\"(prefers-color-scheme: dark)\" "
                            "srcset=\"data:image/gif;base64,");
        sl_buffer_base64(html, (const unsigned char *)gif[1].s, gif[1].n);
        sl_buffer_add(html, "\"><img alt=\"film of slices\" src=\"data:image/gif;base64,");
        sl_buffer_base64(html, (const unsigned char *)gif[0].s, gif[0].n);
        sl_buffer_add(html, "\"></picture><figcaption>");
        sl_buffer_html(html, d->film);
        sl_buffer_add(html,
                      "<p class=\"files\"><a href=\"figures/film.gif\" aria-label=\"gif of the "
                      "film\">gif</a></p></figcaption></figure>\n");
    }
    sl_buffer_release(&gif[0]);
    sl_buffer_release(&gif[1]);
}

static void maps_add(struct sl_buffer *html, const struct sl_report *r, const struct sl_drawings *d)
{
    int groups = r->groups < SL_GROUPS_DRAWN ? r->groups : SL_GROUPS_DRAWN;
    map_reasons reasons;
    if (!has_maps(r, d)) return; /* a line of cells has none */
    sl_buffer_add(html, "<h2 id=\"maps\">Maps</h2>\n");
    if (!d->images.made && !d->maps[0]) {
        sl_buffer_add(html, "<p class=\"missing\">No member has slices or projections.</p>\n");
        return;
    }
    for (int group = 0; group < groups; group++)
        group_maps_add(html, r, d, group, reasons);
    maps_lacking_add(html, r, d, groups, reasons);
    film_add(html, r, d);
    images_add(html, r, &d->images);
}

/* ---- tables --------------------------------------------------------------------------------- */

static void cut_note(struct sl_buffer *html, int shown, int all)
{
    if (all > shown)
        sl_buffer_add(html,
                      "<p class=\"note\">Shown are the first %d of %d; <code>sluice export "
                      "--csv</code> gives all.</p>\n",
                      shown, all);
}

static const char *state_class(enum sl_work_state state)
{
    if (sl_report_bad(state)) return "bad";
    return state == SL_WORK_done ? "good" : "soft";
}

/* Numbers, and lists of them, stand at the right of a column, words at the left. */
static const char *number_class(const struct sl_report *r, const char *key)
{
    return isfinite(sl_report_list_number(first_key(r, key), 0)) ? " class=\"n\"" : "";
}

static void member_row(struct sl_buffer *html, const struct sl_report *r, const struct headlines *h,
                       const struct sl_report_member *m)
{
    sl_buffer_add(html, "<tr><th scope=\"row\">");
    sl_buffer_html(html, m->id);
    sl_buffer_add(html, "</th>");
    for (int i = 0; i < r->varieds && i < VARIED_MAX; i++) {
        sl_buffer_add(html, "<td%s>", number_class(r, r->varied[i]));
        sl_buffer_html(html, sl_report_key(m, r->varied[i]));
        sl_buffer_add(html, "</td>");
    }
    sl_buffer_add(html, "<td class=\"%s\">%s</td>", state_class(m->state),
                  sl_campaign_state_name(m->state));
    sl_page_cell(html, m->steps, NAN);
    for (int i = 0; i < h->n; i++)
        sl_page_cell(html, member_number(m, h->quantity[i]), NAN);
    sl_buffer_add(html, "</tr>\n");
}

static void members_add(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const heads[] = {"State", ">Steps", NULL};
    struct headlines h = headlines_of(r);
    sl_buffer_add(html, "<h2 id=\"members\">Members</h2>\n");
    sl_page_table(html, "Members");
    sl_buffer_add(html, "<thead><tr><th scope=\"col\">Member</th>");
    for (int i = 0; i < r->varieds && i < VARIED_MAX; i++) {
        sl_buffer_add(html, "<th scope=\"col\"%s>", number_class(r, r->varied[i]));
        sl_buffer_html(html, r->varied[i]);
        sl_buffer_add(html, "</th>");
    }
    sl_page_heads(html, heads);
    for (int i = 0; i < h.n; i++)
        sl_buffer_add(html, "<th scope=\"col\" class=\"n\">%s</th>", sl_across_head(h.quantity[i]));
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int i = 0; i < r->members && i < ROWS_MAX; i++)
        member_row(html, r, &h, &r->member[i]);
    sl_page_table_end(html);
    cut_note(html, ROWS_MAX, r->members);
}

/* The errors against the exact solution that are worth a column. */
static const char *const exact_names[] = {"density", "momentum_x", "momentum_y", "momentum_z",
                                          "energy",  "pressure",   "relative_l1"};
enum { EXACT_NAMES = sizeof exact_names / sizeof *exact_names };

static double exact_error(const struct sl_report_member *m, int name)
{
    return sl_csv_number(&m->verify, sl_csv_row(&m->verify, exact_names[name]), 1);
}

/* Whether any member has an error of that name that is not zero. */
static bool exact_shown(const struct sl_report *r, int name)
{
    for (int i = 0; i < r->members; i++)
        if (exact_error(&r->member[i], name) > 0) return true;
    return false;
}

/* Begins the row of a member that was verified; false: it was not. */
static bool verified_head(struct sl_buffer *html, const struct sl_report *r,
                          const struct sl_report_member *m)
{
    if (!m->verify.rows) return false;
    sl_buffer_add(html, "<tr><th scope=\"row\">");
    sl_buffer_html(html, m->id);
    sl_buffer_add(html, "</th>");
    if (r->varieds) {
        sl_buffer_add(html, "<td>");
        sl_page_label(html, m->label);
        sl_buffer_add(html, "</td>");
    }
    return true;
}

static void exact_row(struct sl_buffer *html, const struct sl_report *r, const bool *shown, int i)
{
    if (!verified_head(html, r, &r->member[i])) return;
    for (int k = 0; k < EXACT_NAMES; k++)
        if (shown[k]) sl_page_cell(html, exact_error(&r->member[i], k), NAN);
    sl_buffer_add(html, "</tr>\n");
}

/* The names of all rows that the members' verify.tsv have. */
enum { MEASURED_MAX = 64, MEASURED_SHOWN = 8 };
struct measured {
    int n;
    const char *name[MEASURED_MAX]; /* borrowed from the tables */
};

static void measured_note(struct measured *all, const char *name)
{
    for (int k = 0; k < all->n; k++)
        if (!strcmp(all->name[k], name)) return;
    if (all->n < MEASURED_MAX) all->name[all->n++] = name;
}

static struct measured measured_of(const struct sl_report *r)
{
    struct measured all = {0};
    for (int i = 0; i < r->members; i++)
        for (long k = 0; k < r->member[i].verify.rows; k++)
            measured_note(&all, sl_csv_text(&r->member[i].verify, k, 0));
    return all;
}

static void measured_row(struct sl_buffer *html, const struct sl_report *r,
                         const struct measured *all, const struct sl_report_member *m)
{
    const struct sl_csv *t = &m->verify;
    if (!verified_head(html, r, m)) return;
    for (int k = 0; k < all->n && k < MEASURED_SHOWN; k++)
        sl_page_cell(html, sl_csv_number(t, sl_csv_row(t, all->name[k]), 1), NAN);
    sl_buffer_add(html, "</tr>\n");
}

static void meanings_add(struct sl_buffer *html, const struct sl_report *r, const char *const *name,
                         int n)
{
    bool any = false;
    for (int k = 0; k < n; k++) {
        const char *meaning = meaning_of(r, name[k]);
        if (!*meaning) continue;
        sl_buffer_add(html, "%s<li><code>", any ? "" : "<ul class=\"note\">\n");
        sl_buffer_html(html, name[k]);
        sl_buffer_add(html, "</code>: ");
        sl_buffer_html(html, meaning);
        sl_buffer_add(html, "</li>\n");
        any = true;
    }
    if (any) sl_buffer_add(html, "</ul>\n");
}

/* What a problem without an exact solution measures of its end: a row of verify.tsv is a column. */
static void measured_add(struct sl_buffer *html, const struct sl_report *r)
{
    const struct measured all = measured_of(r);
    if (!all.n) return;
    sl_buffer_add(html, "<h2>Known answers</h2>\n<p>What <code>verify: true</code> measured at the "
                        "end of the run (verify.tsv).</p>\n");
    sl_page_table(html, "Known answers");
    sl_buffer_add(html, "<thead><tr><th scope=\"col\">Member</th>");
    if (r->varieds) sl_buffer_add(html, "<th scope=\"col\">What</th>");
    for (int k = 0; k < all.n && k < MEASURED_SHOWN; k++) {
        sl_buffer_add(html, "<th scope=\"col\" class=\"n\">");
        sl_buffer_html(html, all.name[k]);
        sl_buffer_add(html, "</th>");
    }
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int i = 0; i < r->members && i < ROWS_MAX; i++)
        measured_row(html, r, &all, &r->member[i]);
    sl_page_table_end(html);
    meanings_add(html, r, all.name, all.n < MEASURED_SHOWN ? all.n : MEASURED_SHOWN);
    cut_note(html, ROWS_MAX, r->members);
    if (all.n > MEASURED_SHOWN)
        sl_buffer_add(html,
                      "<p class=\"note\">Shown are the first %d of %d columns; verify.tsv of "
                      "the members has all.</p>\n",
                      MEASURED_SHOWN, all.n);
}

static void exact_add(struct sl_buffer *html, const struct sl_report *r)
{
    bool shown[EXACT_NAMES], any = false;
    for (int k = 0; k < EXACT_NAMES; k++)
        any |= shown[k] = exact_shown(r, k);
    if (!any) {
        measured_add(html, r);
        return;
    }
    sl_buffer_add(html,
                  "<h2>Exact solution</h2>\n<p>Mean absolute difference from the exact solution "
                  "at the end of the run (L1), in code units.</p>\n");
    sl_page_table(html, "Exact solution");
    sl_buffer_add(html, "<thead><tr><th scope=\"col\">Member</th>");
    if (r->varieds) sl_buffer_add(html, "<th scope=\"col\">What</th>");
    for (int k = 0; k < EXACT_NAMES; k++)
        if (shown[k]) sl_buffer_add(html, "<th scope=\"col\" class=\"n\">%s</th>", exact_names[k]);
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int i = 0; i < r->members && i < ROWS_MAX; i++)
        exact_row(html, r, shown, i);
    sl_page_table_end(html);
    meanings_add(html, r, exact_names, EXACT_NAMES);
}

static void checks_add(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const heads[] = {"Check", "Verdict", "Found", NULL};
    static const char *const classes[] = {"good", "bad", "soft"};
    struct sl_check check[SL_CHECKS_MAX];
    int n = sl_checks_make(r, check);
    sl_buffer_add(html, "<h2 id=\"checks\">Checks</h2>\n");
    sl_page_table(html, "Checks");
    sl_buffer_add(html, "<thead><tr>");
    sl_page_heads(html, heads);
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int i = 0; i < n; i++) {
        sl_buffer_add(html,
                      "<tr><th scope=\"row\">%s</th><td class=\"%s\">%s</td><td class=\"wide\">",
                      check[i].name, classes[check[i].verdict], sl_verdict_word(check[i].verdict));
        sl_buffer_html(html, check[i].found);
        sl_buffer_add(html, "</td></tr>\n");
    }
    sl_page_table_end(html);
}

static void fraction_cell(struct sl_buffer *html, double fraction)
{
    if (fraction < 0)
        sl_buffer_add(html, "<td></td>");
    else
        sl_buffer_add(html, "<td class=\"n\">%.3g&nbsp;%%</td>", 100 * fraction);
}

static bool any_particles(const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++)
        if (r->member[i].particle_steps_per_s > 0) return true;
    return false;
}

static bool any_gravity(const struct sl_report *r)
{
    for (int i = 0; i < r->members; i++)
        if (isfinite(r->member[i].gravity_share)) return true;
    return false;
}

/* Columns of the table of costs that not all campaigns have. */
struct cost_columns {
    bool particles, gravity;
};

static void cost_row(struct sl_buffer *html, const struct sl_report_member *m,
                     const struct cost_columns *has)
{
    sl_buffer_add(html, "<tr><th scope=\"row\">");
    sl_buffer_html(html, m->id);
    sl_buffer_add(html, "</th><td class=\"n\">%d</td><td class=\"n\">", m->attempts);
    sl_page_duration(html, m->wall);
    sl_buffer_add(html, "</td>");
    sl_page_cell(html, m->cells_per_s > 0 ? m->cells_per_s / 1e6 : NAN, NAN);
    if (has->particles)
        sl_page_cell(html, m->particle_steps_per_s > 0 ? m->particle_steps_per_s / 1e6 : NAN, NAN);
    if (has->gravity) fraction_cell(html, isfinite(m->gravity_share) ? m->gravity_share : -1);
    sl_page_cell(html, m->core_hours, NAN);
    sl_buffer_add(html, "</tr>\n");
}

static void cost_add(struct sl_buffer *html, const struct sl_report *r)
{
    const struct cost_columns has = {any_particles(r), any_gravity(r)};
    const char *heads[8] = {"Member", ">Attempts", ">Wall time", ">10<sup>6</sup> cells/s"};
    int attempts = 0, n = 4;
    if (has.particles) heads[n++] = ">10<sup>6</sup> particle-steps/s";
    if (has.gravity) heads[n++] = ">Gravity, share of step time";
    heads[n++] = ">Core hours";
    double wall = 0;
    sl_buffer_add(html, "<h2 id=\"cost\">Cost</h2>\n");
    sl_page_table(html, "Cost");
    sl_buffer_add(html, "<thead><tr>");
    sl_page_heads(html, heads);
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int i = 0; i < r->members; i++) {
        if (i < ROWS_MAX) cost_row(html, &r->member[i], &has);
        attempts += r->member[i].attempts;
        wall += r->member[i].wall;
    }
    sl_buffer_add(html, "<tr><th scope=\"row\">all</th><td class=\"n\">%d</td><td class=\"n\">",
                  attempts);
    sl_page_duration(html, wall);
    sl_buffer_add(html, "</td>");
    for (int i = 4; i < n; i++)
        sl_buffer_add(html, "<td></td>");
    sl_page_cell(html, r->core_hours, NAN);
    sl_buffer_add(html, "</tr>\n");
    sl_page_table_end(html);
    cut_note(html, ROWS_MAX, r->members);
}

/* What attempts took of what they had asked for. */
static void use_add(struct sl_buffer *html, const struct sl_report *r)
{
    bool any = false, memory = false; /* asked for */
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        any |= r->use[s].attempts > 0;
        memory |= r->use[s].attempts > 0 && sl_use_memory(&r->use[s]) >= 0;
    }
    const char *const heads[] = {"Stage",
                                 ">Attempts",
                                 ">Wall time used, of its limit",
                                 ">Most memory of a rank, MiB",
                                 memory ? ">Memory used, of that requested" : NULL,
                                 NULL};
    if (!any) return;
    sl_page_table(html, "Used of asked");
    sl_buffer_add(html, "<thead><tr>");
    sl_page_heads(html, heads);
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        const struct sl_use *u = &r->use[s];
        if (u->attempts == 0) continue;
        sl_buffer_add(html, "<tr><th scope=\"row\">%s</th><td class=\"n\">%d</td>",
                      sl_stage_name(s), u->attempts);
        fraction_cell(html, sl_use_time(u));
        sl_page_cell(html, u->most > 0 ? u->most / 0x1p20 : NAN, NAN);
        if (memory) fraction_cell(html, sl_use_memory(u));
        sl_buffer_add(html, "</tr>\n");
    }
    sl_page_table_end(html);
}

/* ---- failures ------------------------------------------------------------------------------- */

static void ended_add(struct sl_buffer *html, const struct sl_report_attempt *a)
{
    sl_buffer_html(html, a->result);
    if (a->code) sl_buffer_add(html, ", exit code %d", a->code);
}

static void failure_row(struct sl_buffer *html, const struct sl_report_member *m,
                        const struct sl_report_attempt *a, bool again)
{
    sl_buffer_add(html, "<tr><th scope=\"row\">");
    sl_buffer_html(html, m->id);
    sl_buffer_add(html, "</th><td>");
    sl_buffer_html(html, a->stage);
    sl_buffer_add(html, "</td><td class=\"n\">%d</td><td class=\"n\">", a->number);
    sl_page_duration(html, a->wall);
    sl_buffer_add(html, "</td><td>");
    ended_add(html, a);
    sl_buffer_add(html, "</td><td class=\"wide\">");
    sl_buffer_html(html, *a->cause ? a->cause : "not recorded");
    sl_buffer_add(html, "</td><td>%s</td></tr>\n", again ? "tried again" : "given up");
}

/* Whether a later attempt at the same stage exists. */
static bool tried_again(const struct sl_report_member *m, int attempt)
{
    for (int i = attempt + 1; i < m->attempts; i++)
        if (!strcmp(m->attempt[i].stage, m->attempt[attempt].stage)) return true;
    return false;
}

/* Rows of a member's attempts that did not end well; *n counts them. */
static void member_failures(struct sl_buffer *html, const struct sl_report_member *m, int *n)
{
    for (int i = 0; i < m->attempts; i++) {
        if (!strcmp(m->attempt[i].result, "done")) continue;
        if (++*n <= FAILURES_MAX) failure_row(html, m, &m->attempt[i], tried_again(m, i));
    }
}

static int failure_rows(struct sl_buffer *html, const struct sl_report *r)
{
    int n = 0;
    for (int i = 0; i < r->members; i++)
        member_failures(html, &r->member[i], &n);
    member_failures(html, &r->whole, &n);
    return n;
}

static void failures_add(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const heads[] = {"Member", "Stage", ">Attempt", ">After",
                                        "Ended",  "Cause", "Then",     NULL};
    struct sl_buffer rows = {0};
    int n = failure_rows(&rows, r);
    sl_buffer_add(html, "<h2 id=\"failures\">Failures and retries</h2>\n");
    if (n) {
        sl_page_table(html, "Failures and retries");
        sl_buffer_add(html, "<thead><tr>");
        sl_page_heads(html, heads);
        sl_buffer_add(html, "</tr></thead><tbody>\n");
        sl_buffer_bytes(html, rows.s, rows.n);
        sl_page_table_end(html);
        cut_note(html, FAILURES_MAX, n);
    } else {
        sl_buffer_add(html, "<p>None: every attempt ended well.</p>\n");
    }
    html->failed |= rows.failed;
    sl_buffer_release(&rows);
}

/* ---- provenance ----------------------------------------------------------------------------- */

static bool host_seen(const struct sl_report *r, int member, int attempt)
{
    const char *host = r->member[member].attempt[attempt].host;
    for (int i = 0; i <= member; i++)
        for (int j = 0; j < (i < member ? r->member[i].attempts : attempt); j++)
            if (!strcmp(r->member[i].attempt[j].host, host)) return true;
    return false;
}

static void hosts_add(struct sl_buffer *html, const struct sl_report *r)
{
    int n = 0;
    sl_page_fact_open(html, "Hosts");
    for (int i = 0; i < r->members && n < 64 && i < ROWS_MAX; i++)
        for (int j = 0; j < r->member[i].attempts; j++) {
            const char *host = r->member[i].attempt[j].host;
            if (!*host || host_seen(r, i, j)) continue;
            if (n++) sl_buffer_add(html, ", ");
            sl_buffer_html(html, host);
        }
    sl_buffer_add(html, "%s</dd>\n", n ? "" : "not recorded");
}

/* Facts of the history's head that belong to one member only, or stand here already. */
static bool fact_known(const char *name)
{
    static const char *const known[] = {"campaign", "member",       "recipe_hash", "seed",
                                        "input",    "input_crc32c", "host",        "started"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], name)) return true;
    return false;
}

static void seeds_add(struct sl_buffer *html, const struct sl_report *r)
{
    int shown = r->members < SEEDS_MAX ? r->members : SEEDS_MAX;
    sl_page_fact_open(html, "Seeds");
    for (int i = 0; i < shown; i++) {
        sl_buffer_add(html, i ? ", " : "");
        sl_buffer_html(html, sl_report_key(&r->member[i], "seed"));
    }
    sl_buffer_add(html, "%s</dd>\n", shown < r->members ? " …" : "");
}

/* The lines "key value" at the head of a history are facts about the run. */
static void history_facts_add(struct sl_buffer *html, const struct sl_report *r)
{
    for (int i = 0; i < r->provenance.comments; i++) {
        const char *line = r->provenance.comment[i], *blank = strchr(line, ' ');
        char name[64];
        if (!blank || !strncmp(line, "sluice history", 14)) continue;
        snprintf(name, sizeof name, "%.*s", (int)(blank - line), line);
        if (!fact_known(name)) sl_page_fact(html, name, blank + 1);
    }
}

/* What sluice-ic took the power of the input from: the end of the first comment of its table. */
static int source_add(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const species[] = {"gas", "dark_matter"}, mark[] = "; input: ";
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX + 64];
        struct sl_csv t;
        snprintf(path, sizeof path, "%s/members/%s/spectrum_%s.csv", r->dir, sl_report_first(r)->id,
                 species[i]);
        SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
        const char *source = t.comments ? strstr(t.comment[0], mark) : NULL;
        if (source) sl_page_fact(html, "Power of the input", source + strlen(mark));
        sl_csv_release(&t);
        if (source) break;
    }
    return SL_OK;
}

static bool massive(const struct sl_report *r)
{
    const char *mass = first_key(r, "cosmology.m_nu");
    return (*mass && strcmp(mass, "0")) || sl_report_differs(r, "cosmology.m_nu");
}

/* The universe of the run: its keys, and where its power comes from. */
static int universe_add(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const keys[] = {"cosmology.file",    "cosmology.h",
                                       "cosmology.omega_m", "cosmology.omega_b",
                                       "cosmology.omega_k", "cosmology.w0",
                                       "cosmology.wa",      "cosmology.t_cmb",
                                       "cosmology.n_s",     "cosmology.normalise",
                                       "cosmology.a_s",     "cosmology.sigma8",
                                       "ic.redshift",       "ic.transfer",
                                       "ic.table",          "ic.mode",
                                       "ic.species",        "ic.order",
                                       "ic.fixed"};
    if (strcmp(first_key(r, "problem"), "cosmology")) return SL_OK;
    SL_TRY(source_add(html, r));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        sl_page_fact(html, keys[i], first_key(r, keys[i]));
    if (massive(r)) {
        sl_page_fact(html, "cosmology.m_nu", first_key(r, "cosmology.m_nu"));
        sl_page_fact(html, "Massive neutrinos",
                     "in the expansion alone: matter below is dark matter and baryons, whose waves "
                     "grow as though neutrinos never clustered");
    }
    sl_page_fact(html, "Units",
                 "lengths in comoving Mpc/h, densities over the mean of all matter, velocities "
                 "a v / (100 km/s), pressures in these");
    return SL_OK;
}

/* ---- the universe ---- */

/* A line of the table; a key of which members have several values has none. */
static void universe_row(struct sl_buffer *html, const char *words, const char *value,
                         const char *unit)
{
    if (!*value) return;
    sl_buffer_add(html, "<tr><td>%s</td><td class=\"n\">", words);
    sl_buffer_html(html, value);
    sl_buffer_add(html, "</td><td>%s</td></tr>\n", unit);
}

static void universe_number(struct sl_buffer *html, const char *words, double value,
                            const char *unit)
{
    char text[40];
    snprintf(text, sizeof text, "%.4g", value);
    if (isfinite(value)) universe_row(html, words, text, unit);
}

static const char *common_key(const struct sl_report *r, const char *key)
{
    return sl_report_differs(r, key) ? "" : first_key(r, key);
}

static void universe_keys(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const rows[][2] = {
        {"cosmology.omega_m", "Ω<sub>m</sub>, all matter"},
        {"cosmology.omega_b", "Ω<sub>b</sub>, baryons in it"},
        {"cosmology.omega_k", "Ω<sub>k</sub>, curvature"},
        {"cosmology.w0", "w<sub>0</sub> of the dark energy, which is the rest"},
        {"cosmology.wa", "w<sub>a</sub> of the dark energy"},
        {"cosmology.h", "h, H<sub>0</sub> over 100 km/s/Mpc"},
        {"cosmology.n_s", "n<sub>s</sub>, tilt of the primordial power"}};
    bool file = *first_key(r, "cosmology.file") != '\0';
    universe_row(html, "parameters", common_key(r, "cosmology.file"), "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !file; i++)
        universe_row(html, rows[i][1], common_key(r, rows[i][0]), "");
    if (massive(r) && !file)
        universe_row(html,
                     "m<sub>ν</sub>, sum of the masses of neutrinos, which are in Ω<sub>m</sub>",
                     common_key(r, "cosmology.m_nu"), "eV");
}

/* Of the recipe, of the input of the start, and as it is at the end. */
static int universe_sigma8(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const of[][2] = {{"sigma_total", "all matter"},
                                        {"sigma_gas", "the gas"},
                                        {"sigma_particles", "the particles"}};
    int first = sl_report_finished(r);
    double mean, error, z, unused;
    char words[80];
    if (!strcmp(first_key(r, "cosmology.normalise"), "sigma8"))
        universe_row(html, "σ<sub>8</sub> today, of the recipe", common_key(r, "cosmology.sigma8"),
                     "");
    if (first < 0 || r->groups > 1) return SL_OK;
    for (int i = 0; i < 3; i++) {
        int last = sl_report_last(&r->member[first].snapshots);
        SL_TRY(member_mean(r, of[i][0], last, sigma8_of, &mean, &error));
        SL_TRY(member_mean(r, of[i][0], last, redshift_of, &z, &unused));
        snprintf(words, sizeof words, "σ<sub>8</sub> of %s at z = %.3g, measured", of[i][1], z);
        universe_number(html, words, mean, "");
    }
    return SL_OK;
}

static void universe_grid(struct sl_buffer *html, const struct sl_report *r)
{
    struct sl_config cfg;
    if (sl_report_differs(r, "mesh.cells") || sl_report_differs(r, "mesh.box")) return;
    sl_text_recipe(r, &cfg);
    const struct sl_particle_grid g = sl_particle_grid(&cfg, sl_universe_neutrinos(&cfg));
    double side = cfg.mesh_box[1] - cfg.mesh_box[0];
    universe_number(html, "side of the box, along x", side, "Mpc/h");
    universe_number(html, "cell of the mesh, along x", side / (double)cfg.mesh_cells[0], "Mpc/h");
    if (!(g.number > 0) || sl_report_differs(r, "particles.spacing")) return;
    universe_number(html, "particles along x",
                    (double)cfg.mesh_cells[0] / (double)cfg.particles_spacing, "");
    bool mass = *common_key(r, "cosmology.omega_m") && *common_key(r, "cosmology.omega_b") &&
                *common_key(r, "cosmology.m_nu");
    universe_number(html, "mass of a particle", mass ? g.mass : NAN, "M<sub>☉</sub>/h");
    universe_number(html, "Nyquist wave number of the particles", g.nyquist, "h/Mpc");
    universe_number(html, "shot noise of as many points", g.shot, "(Mpc/h)<sup>3</sup>");
    universe_number(html, "cell of the forces, which softens them", g.cell, "Mpc/h");
}

static int universe_table(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const heads[] = {"", ">value", "unit", NULL};
    if (strcmp(first_key(r, "problem"), "cosmology")) return SL_OK;
    sl_buffer_add(html, "<h2 id=\"universe\">The universe</h2>\n");
    sl_page_table(html, "The universe");
    sl_buffer_add(html, "<thead><tr>");
    sl_page_heads(html, heads);
    sl_buffer_add(html, "</tr></thead><tbody>\n");
    universe_keys(html, r);
    int code = universe_sigma8(html, r);
    universe_grid(html, r);
    sl_page_table_end(html);
    return code;
}

static void remark_add(const char *text, void *user)
{
    sl_page_fact(user, "Notes on the inputs", text);
}

/* Of the tables of the first member. */
static void remarks_add(struct sl_buffer *html, const struct sl_report *r)
{
    char dir[PATH_MAX + 64];
    snprintf(dir, sizeof dir, "%s/members/%s", r->dir, sl_report_first(r)->id);
    sl_advice_member(dir, remark_add, html);
}

static int origin_add(struct sl_buffer *html, const struct sl_report *r)
{
    sl_buffer_add(html, "<h2 id=\"origin\">Provenance</h2>\n<dl class=\"facts\">\n");
    sl_page_fact(html, "Campaign", r->name);
    sl_page_fact_open(html, "First start");
    sl_page_date(html, r->start);
    sl_buffer_add(html, "</dd>\n");
    sl_page_fact_open(html, "Last end");
    sl_page_date(html, r->end);
    sl_buffer_add(html, "</dd>\n");
    hosts_add(html, r);
    seeds_add(html, r);
    sl_page_fact(html, "Recipe, SHA-256", r->recipe_hash);
    if (sl_campaign_check_recipes(&r->campaign) != SL_OK)
        sl_page_fact(html, "Not its recipe", sl_error_text());
    history_facts_add(html, r);
    SL_TRY(universe_add(html, r));
    remarks_add(html, r);
    sl_page_fact(html, "Report by sluice", SL_BUILD_COMMIT);
    sl_page_fact_open(html, "Report written");
    sl_page_date(html, (double)time(NULL));
    sl_buffer_add(html, "</dd>\n");
    sl_buffer_add(html, "</dl>\n");
    sl_parameters_add(html, r);
    sl_buffer_add(html, "<h3>Recipe</h3>\n<pre><code>");
    sl_buffer_html(html, r->recipe.s);
    sl_buffer_add(html, "</code></pre>\n");
    return SL_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void link_add(struct sl_buffer *html, const struct sl_report *r, const char *path,
                     const char *what)
{
    char whole[PATH_MAX + 200];
    snprintf(whole, sizeof whole, "%s/%s", r->dir, path);
    if (access(whole, F_OK)) return;
    sl_buffer_add(html, "<dt><a href=\"../");
    sl_buffer_html(html, path);
    sl_buffer_add(html, "\">");
    sl_buffer_html(html, path);
    sl_buffer_add(html, "</a></dt><dd>%s</dd>\n", what);
}

/* Links from the page to what the campaign holds. */
static void files_add(struct sl_buffer *html, const struct sl_report *r)
{
    static const char *const of_member[] = {"run.yaml",   "history.tsv", "verify.tsv", "ic.h5",
                                            "snapshots/", "stats/",      "stats.h5",   "own/"};
    sl_buffer_add(html, "<h2 id=\"files\">Files</h2>\n<dl class=\"facts\">\n");
    link_add(html, r, "recipe.yaml", "the recipe");
    link_add(html, r, "ensemble/", "means, errors, covariances as CSV, and ensemble.h5");
    link_add(html, r, "summary/", "what the command of stages.campaign made");
    link_add(html, r, "report/figures/",
             "every figure as PDF, SVG and PNG, with its numbers as CSV");
    link_add(html, r, "journal.jsonl", "what happened, one event per line");
    sl_buffer_add(html, "</dl>\n");
    sl_page_table(html, "Files of the members");
    sl_buffer_add(html, "<thead><tr><th scope=\"col\">Member</th><th scope=\"col\">Files</th></tr>"
                        "</thead><tbody>\n");
    for (int i = 0; i < r->members && i < FILES_MAX; i++) {
        sl_buffer_add(html, "<tr><th scope=\"row\">%s</th><td class=\"files\">", r->member[i].id);
        for (size_t k = 0; k < sizeof of_member / sizeof *of_member; k++) {
            char path[PATH_MAX + 200];
            snprintf(path, sizeof path, "%s/members/%s/%s", r->dir, r->member[i].id, of_member[k]);
            if (!access(path, F_OK))
                sl_buffer_add(html, "<a href=\"../members/%s/%s\">%s</a> ", r->member[i].id,
                              of_member[k], of_member[k]);
        }
        sl_buffer_add(html, "</td></tr>\n");
    }
    sl_page_table_end(html);
    if (r->members > FILES_MAX)
        sl_buffer_add(html,
                      "<p class=\"note\">Those of the first %d of %d members; the rest lies "
                      "beside them.</p>\n",
                      FILES_MAX, r->members);
}

int sl_page_add(struct sl_buffer *html, const struct sl_report *r, const struct sl_drawings *d)
{
    sl_page_head(html, r->name, "sluice report");
    summary_add(html, r);
    failed_checks_add(html, r);
    SL_TRY(headlines_add(html, r, 0));
    notices_add(html, r, d);
    contents_add(html, r, d);
    if (maps_first(r)) maps_add(html, r, d);
    SL_TRY(results_add(html, r, d));
    if (!maps_first(r)) maps_add(html, r, d);
    sl_report_own_add(html, r, d->gnuplot);
    members_add(html, r);
    exact_add(html, r);
    checks_add(html, r);
    cost_add(html, r);
    use_add(html, r);
    failures_add(html, r);
    sl_methods_add(html, r);
    SL_TRY(universe_table(html, r));
    SL_TRY(origin_add(html, r));
    files_add(html, r);
    sl_page_foot(html);
    return SL_OK;
}
