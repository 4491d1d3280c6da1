/* figure.c - see report/figure.h: which figures a report has, and how they are made. */
#include "pipeline/report/figure.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/config/keys.h"
#include "core/config/show.h"
#include "pipeline/report/across.h"
#include "pipeline/report/draw.h"
#include "pipeline/report/plot.h"
#include "pipeline/report/scatter.h"

/* Each time the rows are read, they are something else. */
#undef SL_FIGURE

const struct sl_figure sl_figures[SL_FIGURES] = {
#define SL_FIGURE(name, section, title, when, about) {#name, title, about, SL_SECTION_##section},
#include "figures.def"
#undef SL_FIGURE
};

void sl_figure_name(char name[64], int id, int group)
{
    if (group && sl_figures[id].section != SL_SECTION_sweep)
        snprintf(name, 64, "%s_%d", sl_figures[id].name, group + 1);
    else
        snprintf(name, 64, "%s", sl_figures[id].name);
}

/* ---- which there are ------------------------------------------------------------------------- */

bool sl_figure_lists(const char *list, const char *item)
{
    static const char between[] = "[], ";
    for (const char *s = list + strspn(list, between); *s; s += strspn(s, between)) {
        size_t n = strcspn(s, between);
        if (n == strlen(item) && !strncmp(s, item, n)) return true;
        s += n;
    }
    return false;
}

/* Whether a value is not the default: then someone asked for it. */
static bool is_other(const char *key, const char *value)
{
    int row = sl_key_find(key);
    return row >= 0 && strcmp(value, sl_keys[row].text) != 0;
}

bool sl_figure_wants(const struct sl_asked *a, const char *key, const char *item)
{
    const char *value = sl_report_key(a->member, key);
    bool structure = !strcmp(key, "statistics.structure");
    bool spectra = structure || !strcmp(key, "statistics.spectra");
    bool shown = structure ? a->turbulence || a->universe : a->waves;
    if (spectra && (!a->closed || !(shown || is_other(key, value)))) return false;
    if (!strcmp(key, "statistics.matter") && !a->closed) return false;
    return item ? sl_figure_lists(value, item) : sl_report_list_number(value, 0) > 0;
}

bool sl_figure_power(const struct sl_asked *a)
{
    return sl_figure_wants(a, "statistics.matter", "gas") ||
           sl_figure_wants(a, "statistics.matter", "particles") ||
           sl_figure_wants(a, "statistics.matter", "cross") || sl_figure_total(a);
}

bool sl_figure_total(const struct sl_asked *a)
{
    return sl_figure_wants(a, "statistics.matter", "total");
}

bool sl_figure_nonlinear(const struct sl_asked *a)
{
    return a->universe && a->expands &&
           (sl_figure_wants(a, "statistics.matter", "particles") ||
            sl_figure_wants(a, "statistics.matter", "gas") || sl_figure_total(a));
}

/* Fewer members say nothing of a matrix. */
enum { COVARIANCE_LEAST = 8 };

enum sl_tie sl_figure_tie(const struct sl_report *r, const struct sl_report_member *m)
{
    bool file = *sl_report_key(m, "ic.noise") || *sl_report_key(m, "ic.file");
    return sl_tie_of(file, !strcmp(sl_report_key(m, "ic.fixed"), "true"),
                     sl_report_list_number(sl_report_key(m, "ic.low_modes"), 0) > 0,
                     sl_report_differs(r, "ic.paired"));
}

bool sl_figure_covariance(const struct sl_asked *a)
{
    bool power = sl_figure_power(a) || sl_figure_wants(a, "statistics.spectra", "velocity");
    return power && sl_figure_tie(a->r, a->member) == SL_TIE_none &&
           a->r->members >= COVARIANCE_LEAST * a->r->groups;
}

/* Is there the table that output.sample: [line], or [radius], writes? */
static bool has_sample(const struct sl_report *r, const char *kind)
{
    char path[PATH_MAX + 200];
    for (int g = 0; g < r->groups; g++) {
        int first = r->group[g].first;
        if (first < 0) continue;
        snprintf(path, sizeof path, "%s/members/%s/sample_%s.csv", r->dir, r->member[first].id,
                 kind);
        if (!access(path, R_OK)) return true;
    }
    return false;
}

/* Spectra, structure functions and what is made of them are measured in periodic boxes alone. */
static bool is_closed(const struct sl_report_member *m)
{
    const char *faces = sl_report_key(m, "mesh.boundary");
    return !sl_figure_lists(faces, "outflow") && !sl_figure_lists(faces, "reflecting") &&
           !sl_figure_lists(faces, "fixed") && !sl_figure_lists(faces, "conducting") &&
           !sl_figure_lists(faces, "symmetric");
}

/* A constant acceleration has no energy in the history. */
static bool is_bound(const struct sl_report_member *m)
{
    const char *kind = sl_report_key(m, "potential.kind");
    return sl_report_list_number(sl_report_key(m, "gravity.four_pi_g"), 0) > 0 ||
           (*kind && strcmp(kind, "none") != 0);
}

static bool has_flow(const struct sl_report_member *m)
{
    const char *faces = sl_report_key(m, "mesh.boundary");
    bool tube = isnan(sl_report_list_number(sl_report_key(m, "mesh.cells"), 1));
    return sl_figure_lists(faces, "fixed") || (tube && sl_figure_lists(faces, "outflow"));
}

void sl_figure_ask(const struct sl_report *r, struct sl_asked *a)
{
    const struct sl_report_member *m = sl_report_first(r);
    const char *what = sl_report_show(m)->what, *mhd = sl_report_key(m, "fluid.mhd");
    *a = (struct sl_asked){.r = r, .member = m, .closed = is_closed(m)};
    a->line = has_sample(r, "line");
    a->radius = has_sample(r, "radius");
    a->universe = sl_show_has(what, "universe");
    a->expands = sl_report_expands(m);
    a->start = a->universe && !a->expands;
    a->turbulence = sl_show_has(what, "turbulence");
    a->energies = sl_show_has(what, "energies") && !a->start;
    a->waves = sl_show_has(what, "spectra");
    a->driven = sl_report_driven(m);
    a->bound = is_bound(m) && !a->expands && !a->start;
    a->flows = has_flow(m);
    a->field = *mhd && strcmp(mhd, "none") != 0;
    a->gas = strcmp(sl_report_key(m, "fluid.eos"), "none") != 0;
    a->isothermal = !strcmp(sl_report_key(m, "fluid.eos"), "isothermal");
    for (int i = 0; i < r->members; i++)
        a->levels |= sl_report_list_number(sl_report_key(&r->member[i], "mesh.levels"), 0) > 0;
    a->spectra = sl_report_key(m, "statistics.spectra");
    a->swept = r->groups > 1;
}

#define SL_FIGURE(name, section, title, when, about)                                               \
    static bool when_##name(const struct sl_asked *a)                                              \
    {                                                                                              \
        return when;                                                                               \
    }
#include "figures.def"
#undef SL_FIGURE

bool sl_figure_applies(const struct sl_asked *a, int id)
{
    static bool (*const when[])(const struct sl_asked *) = {
#define SL_FIGURE(name, ...) when_##name,
#include "figures.def"
#undef SL_FIGURE
    };
    return when[id](a);
}

/* ---- making them ----------------------------------------------------------------------------- */

static int make(const struct sl_report *r, int id, int group, struct sl_drawings *out)
{
    static int (*const makers[])(struct sl_draw *) = {
#define SL_FIGURE(name, ...) sl_make_##name,
#include "figures.def"
#undef SL_FIGURE
    };
    struct sl_draw d = {.r = r,
                        .group = group,
                        .missing = out->missing[group][id],
                        .width = SL_PLOT_WIDTH,
                        .height = SL_PLOT_HEIGHT};
    sl_figure_name(d.name, id, group);
    snprintf(d.folder, sizeof d.folder, "%.*s/report/figures", PATH_MAX - 32, r->dir);
    int code = makers[id](&d);
    snprintf(out->title[group][id], sizeof out->title[group][id], "%s", d.title);
    snprintf(out->note[group][id], sizeof out->note[group][id], "%s", d.note);
    if (!code && !*d.missing) {
        int drawn = sl_plot_draw(d.folder, d.name, &d.script, d.width, d.height);
        if (drawn == SL_EUNAVAIL) out->gnuplot = false;
        if (drawn) sl_draw_none(&d, "%s", sl_error_text());
    }
    sl_buffer_release(&d.script);
    return code;
}

int sl_figures_make(const struct sl_report *r, struct sl_drawings *out)
{
    struct sl_asked a;
    memset(out, 0, sizeof *out);
    out->gnuplot = true;
    sl_figure_ask(r, &a);
    for (int group = 0; group < r->groups && group < SL_GROUPS_DRAWN; group++)
        for (int id = 0; id < SL_FIGURES; id++)
            if (sl_figure_applies(&a, id) &&
                (group == 0 || sl_figures[id].section != SL_SECTION_sweep))
                SL_TRY(make(r, id, group, out));
    if (!out->gnuplot) return SL_OK;
    int code = sl_map_figures_make(r, out);
    if (code == SL_OK) code = sl_images_make(r, &out->images);
    if (code == SL_EUNAVAIL) out->gnuplot = false; /* no figure had asked for it */
    return code == SL_EUNAVAIL ? SL_OK : code;
}
