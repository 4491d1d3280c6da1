/* report_figure.c - see report_figure.h: which figures a report has, and how they are made. */
#include "pipeline/report_figure.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/report_draw.h"
#include "pipeline/report_plot.h"

const struct sl_figure sl_figures[SL_FIGURES] = {
#define FIGURE_ROW(name, section, title, about) {#name, title, about, SL_SECTION_##section},
    SL_FIGURE_LIST(FIGURE_ROW)};

void sl_figure_name(char name[64], int id, int group)
{
    if (group)
        snprintf(name, 64, "%s_%d", sl_figures[id].name, group + 1);
    else
        snprintf(name, 64, "%s", sl_figures[id].name);
}

/* Whether a list such as "[velocity, density]" holds an item. */
static bool lists(const char *list, const char *item)
{
    static const char between[] = "[], ";
    for (const char *s = list + strspn(list, between); *s; s += strspn(s, between)) {
        size_t n = strcspn(s, between);
        if (n == strlen(item) && !strncmp(s, item, n)) return true;
        s += n;
    }
    return false;
}

/* What a recipe asks for when it wants a figure: an item of a list, or a number above zero (no item). */
static const struct need {
    const char *key, *item;
} needs[SL_FIGURES] = {[SL_FIGURE_spectrum] = {"statistics.spectra", "velocity"},
                       [SL_FIGURE_compensated] = {"statistics.spectra", "velocity"},
                       [SL_FIGURE_energy_spectrum] = {"statistics.spectra", "energy"},
                       [SL_FIGURE_magnetic_spectrum] = {"statistics.spectra", "magnetic"},
                       [SL_FIGURE_density_spectrum] = {"statistics.spectra", "density"},
                       [SL_FIGURE_correlation] = {"statistics.matter", "correlation"},
                       [SL_FIGURE_growth] = {"statistics.matter", "gas"},
                       [SL_FIGURE_power_growth] = {"statistics.matter", "gas"},
                       [SL_FIGURE_pdf] = {"statistics.pdf", "density"},
                       [SL_FIGURE_structure] = {"statistics.structure", "velocity"},
                       [SL_FIGURE_structure_exponents] = {"statistics.structure", "velocity"},
                       [SL_FIGURE_structure_density] = {"statistics.structure", "density"},
                       [SL_FIGURE_structure_directions] = {"statistics.structure", "diagonals"},
                       [SL_FIGURE_joint_speed] = {"statistics.joint", "speed"},
                       [SL_FIGURE_joint_magnetic] = {"statistics.joint", "magnetic"},
                       [SL_FIGURE_joint_temperature] = {"statistics.joint", "temperature"},
                       [SL_FIGURE_clump_masses] = {"statistics.clumps", NULL},
                       [SL_FIGURE_mass_function] = {"statistics.clumps", NULL},
                       [SL_FIGURE_tree] = {"statistics.tree", NULL},
                       [SL_FIGURE_leaf_masses] = {"statistics.tree", NULL}};

static bool wanted(const struct sl_report_member *m, int id)
{
    const struct need *n = &needs[id];
    if (!n->key) return true;
    const char *value = sl_report_key(m, n->key);
    return n->item ? lists(value, n->item) : sl_report_list_number(value, 0) > 0;
}

/* Spectra, structure functions and what is made of them are measured in periodic boxes alone. */
static bool boundaries_allow(const struct sl_report_member *m, int id)
{
    const char *faces = sl_report_key(m, "mesh.boundary"), *key = needs[id].key;
    bool open = lists(faces, "outflow") || lists(faces, "reflecting") || lists(faces, "fixed") ||
                lists(faces, "conducting") || lists(faces, "symmetric");
    bool waves = key && (!strcmp(key, "statistics.spectra") ||
                         !strcmp(key, "statistics.structure") || !strcmp(key, "statistics.matter"));
    return !open || !(waves || id == SL_FIGURE_energies);
}

static bool matter_power(const struct sl_report_member *m)
{
    const char *matter = sl_report_key(m, "statistics.matter");
    return lists(matter, "gas") || lists(matter, "particles") || lists(matter, "cross");
}

/* Whether members give a covariance of power: three of each group, of which chance makes all amplitudes. */
static bool has_covariance(const struct sl_report *r)
{
    const struct sl_report_member *first = sl_report_first(r);
    bool tied = !strcmp(sl_report_key(first, "ic.fixed"), "true") ||
                sl_report_list_number(sl_report_key(first, "ic.low_modes"), 0) > 0;
    bool power =
        matter_power(first) || lists(sl_report_key(first, "statistics.spectra"), "velocity");
    return power && !tied && r->members >= 3 * r->groups;
}

static bool has_energies(const struct sl_report_member *m)
{
    const char *spectra = sl_report_key(m, "statistics.spectra");
    return lists(spectra, "energy") || lists(spectra, "velocity");
}

/* Laws of turbulence are shown for turbulence: those of other problems would be numbers without a meaning. */
static bool of_turbulence(int id)
{
    static const enum sl_figure_id ids[] = {SL_FIGURE_energy,
                                            SL_FIGURE_decay,
                                            SL_FIGURE_mach,
                                            SL_FIGURE_compensated,
                                            SL_FIGURE_dispersion,
                                            SL_FIGURE_pdf,
                                            SL_FIGURE_structure_exponents};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if ((int)ids[i] == id) return true;
    return false;
}

/* Is there the table of cells along x that output.sample: [line] writes? */
static bool has_line(const struct sl_report *r)
{
    char path[PATH_MAX + 200];
    int first = r->group[0].first;
    if (first < 0) return false;
    snprintf(path, sizeof path, "%s/members/%s/sample_line.csv", r->dir, r->member[first].id);
    return access(path, R_OK) == 0;
}

bool sl_figure_applies(const struct sl_report *r, int id)
{
    const struct sl_report_member *first = sl_report_first(r);
    const char *mhd = sl_report_key(first, "fluid.mhd");
    bool field = *mhd && strcmp(mhd, "none") != 0, driven = sl_report_driven(first);
    bool expands = sl_report_expands(first);
    bool universe = !strcmp(sl_report_key(first, "problem"), "cosmology");
    bool start = universe && !expands; /* has one time alone */
    bool later = sl_figures[id].section == SL_SECTION_time || id == SL_FIGURE_compensated ||
                 id == SL_FIGURE_structure_exponents;
    if (of_turbulence(id) && !sl_report_turbulent(first) && !(universe && !start)) return false;
    if (!wanted(first, id) || !boundaries_allow(first, id) || (start && later)) return false;
    switch (id) {
    case SL_FIGURE_profile_density:
    case SL_FIGURE_profile_velocity:
    case SL_FIGURE_profile_pressure:
        return has_line(r);
    case SL_FIGURE_energy:
    case SL_FIGURE_decay:
        return !driven && !expands;
    case SL_FIGURE_thermal:
        return strcmp(sl_report_key(first, "fluid.eos"), "isothermal") != 0;
    case SL_FIGURE_levels:
        return sl_report_list_number(sl_report_key(first, "mesh.levels"), 0) > 0;
    case SL_FIGURE_expansion:
        return expands;
    case SL_FIGURE_growth:
    case SL_FIGURE_power_growth:
        return universe && expands;
    case SL_FIGURE_magnetic:
        return field && !driven;
    case SL_FIGURE_magnetic_spectrum:
    case SL_FIGURE_joint_magnetic:
        return field;
    case SL_FIGURE_balance:
        return driven;
    case SL_FIGURE_energies:
        return has_energies(first);
    case SL_FIGURE_dispersion:
        return !universe && !expands;
    case SL_FIGURE_shells:
        return has_covariance(r);
    case SL_FIGURE_start_power:
    case SL_FIGURE_mass_function:
        return universe;
    case SL_FIGURE_matter_power:
    case SL_FIGURE_sigma:
        return matter_power(first);
    default:
        return true;
    }
}

static int make(const struct sl_report *r, int id, int group, struct sl_drawings *out)
{
    static int (*const makers[])(struct sl_draw *) = {
#define FIGURE_MAKER(name, section, title, about) sl_make_##name,
        SL_FIGURE_LIST(FIGURE_MAKER)};
    struct sl_draw d = {.r = r, .group = group, .missing = out->missing[group][id]};
    sl_figure_name(d.name, id, group);
    snprintf(d.folder, sizeof d.folder, "%.*s/report/figures", PATH_MAX - 32, r->dir);
    int code = makers[id](&d);
    if (!code && !*d.missing) {
        int drawn = sl_plot_draw(d.folder, d.name, &d.script);
        if (drawn == SL_EUNAVAIL) out->gnuplot = false;
        if (drawn) sl_draw_none(&d, "%s", sl_error_text());
    }
    sl_buffer_release(&d.script);
    return code;
}

int sl_figures_make(const struct sl_report *r, struct sl_drawings *out)
{
    *out = (struct sl_drawings){.gnuplot = true};
    for (int group = 0; group < r->groups && group < SL_GROUPS_DRAWN; group++)
        for (int id = 0; id < SL_FIGURES; id++)
            if (sl_figure_applies(r, id)) SL_TRY(make(r, id, group, out));
    return out->gnuplot ? sl_images_make(r, &out->images) : SL_OK;
}
