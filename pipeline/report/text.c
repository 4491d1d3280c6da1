/* text.c - see report/text.h. */
#include "pipeline/report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h" /* generated: SL_BUILD_VERSION, SL_BUILD_COMMIT */
#include "core/config/config.h"
#include "core/config/inputs.h"
#include "core/config/keys.h"
#include "core/sys/status.h"
#include "pipeline/report/figure.h"
#include "pipeline/report/html.h"

/* ---- methods --------------------------------------------------------------------------------- */

/* What a choice is called in a paper, with who it is from. */
static const struct method {
    const char *key, *value, *words;
} methods[] = {
    {"fluid.integrator", "rk2",
     "a strong-stability-preserving Runge-Kutta method of second order (Shu & Osher 1988)"},
    {"fluid.integrator", "rk3",
     "a strong-stability-preserving Runge-Kutta method of third order (Shu & Osher 1988)"},
    {"fluid.integrator", "vl2",
     "the predictor-corrector method of van Leer as in Stone & Gardiner (2009)"},
    {"fluid.integrator", "ctu", "the unsplit corner-transport-upwind method (Colella 1990)"},
    {"fluid.integrator", "tvd",
     "the relaxing TVD method with directional splitting (Trac & Pen 2003; Schive, Tsai & "
     "Chiueh 2010)"},
    {"fluid.reconstruct", "constant", "cell averages (Godunov 1959)"},
    {"fluid.reconstruct", "plm", "piecewise linear reconstruction (van Leer 1979)"},
    {"fluid.reconstruct", "ppm",
     "piecewise parabolic reconstruction (Colella & Woodward 1984; Colella & Sekora 2008)"},
    {"fluid.reconstruct", "wenoz", "fifth-order WENO-Z reconstruction (Borges et al. 2008)"},
    {"fluid.limiter", "minmod", "the generalised minmod limiter (Kurganov & Tadmor 2000)"},
    {"fluid.limiter", "vanleer", "the limiter of van Leer (1974)"},
    {"fluid.limiter", "mc", "the monotonised central limiter (van Leer 1977)"},
    {"fluid.riemann", "llf", "local Lax-Friedrichs fluxes (Rusanov 1961)"},
    {"fluid.riemann", "hlle", "the HLLE Riemann solver (Einfeldt 1988)"},
    {"fluid.riemann", "hllc",
     "the HLLC Riemann solver (Toro, Spruce & Speares 1994; Batten et al. 1997)"},
    {"fluid.riemann", "roe", "the Riemann solver of Roe (1981)"},
    {"fluid.riemann", "hlld", "the HLLD Riemann solver (Miyoshi & Kusano 2005)"},
    {"fluid.riemann", "lhllc", "the LHLLC Riemann solver (Minoshima & Miyoshi 2021)"},
    {"fluid.riemann", "lhlld", "the LHLLD Riemann solver (Minoshima & Miyoshi 2021)"},
    {"fluid.riemann", "hllc, isothermal",
     "the HLLC Riemann solver with HLLE fluxes of the transverse momentum at shocks (Mignone 2007; "
     "Quirk 1994)"},
    {"fluid.mhd", "glm",
     "The divergence of the magnetic field is carried away and damped (Dedner et al. 2002)."},
    {"fluid.mhd", "ct",
     "Constrained transport keeps the divergence of the magnetic field at zero (Gardiner & "
     "Stone 2005, 2008)."},
    {"ic.transfer", "table", "a tabulated transfer function"},
    {"ic.transfer", "eisenstein_hu", "the transfer function of Eisenstein & Hu (1998)"},
    {"ic.transfer", "eisenstein_hu_smooth",
     "the transfer function without acoustic waves of Eisenstein & Hu (1998)"},
    {"ic.transfer", "bbks",
     "the transfer function of Bardeen et al. (1986) with the shape of Sugiyama (1995)"},
};
enum { METHODS = sizeof methods / sizeof *methods };

static const char *value(const struct sl_report *r, const char *key)
{
    return sl_report_key(sl_report_first(r), key);
}

static double number(const struct sl_report *r, const char *key)
{
    return sl_report_list_number(value(r, key), 0);
}

static bool is(const struct sl_report *r, const char *key, const char *text)
{
    return !strcmp(value(r, key), text);
}

static const char *words_for(const char *key, const char *of)
{
    for (int i = 0; i < METHODS; i++)
        if (!strcmp(methods[i].key, key) && !strcmp(methods[i].value, of)) return methods[i].words;
    return "";
}

/* Where a list has no words of its own here, its sentence. */
static const char *choice_about(const char *path, const char *name)
{
    int key = sl_key_find(path);
    for (int i = 0; key >= 0 && i < sl_keys[key].choice_count; i++)
        if (!strcmp(sl_keys[key].choices[i].name, name)) return sl_keys[key].choices[i].about;
    return "";
}

/* What a member's choice is called; hllc and lhllc of an isothermal gas are one solver, with a
 * sentence of its own. */
static const char *choice_words(const struct sl_report_member *m, const char *key)
{
    const char *v = sl_report_key(m, key), *words;
    bool own = (!strcmp(v, "hllc") || !strcmp(v, "lhllc")) &&
               !strcmp(sl_report_key(m, "fluid.eos"), "isothermal");
    words = words_for(key, own ? "hllc, isothermal" : v);
    return *words ? words : v;
}

/* All choices that members made of a key: "a, b or c"; a piecewise linear reconstruction is named
 * with its limiter. */
static void choices_add(struct sl_buffer *t, const struct sl_report *r, const char *key)
{
    const char *seen[16];
    int n = 0;
    for (int i = 0; i < r->members && n < 16; i++) {
        const char *v = choice_words(&r->member[i], key);
        bool known = !*v;
        for (int k = 0; k < n; k++)
            known |= !strcmp(seen[k], v);
        if (!known) seen[n++] = v;
    }
    for (int k = 0; k < n; k++) {
        const char *about = choice_about(key, seen[k]); /* of a name that has no words */
        sl_buffer_add(t, "%s%s", !k ? "" : k == n - 1 ? " or " : ", ", seen[k]);
        if (*about) sl_buffer_add(t, " (%s)", about);
        if (strcmp(seen[k], words_for("fluid.reconstruct", "plm")) != 0) continue;
        sl_buffer_add(t, " with ");
        choices_add(t, r, "fluid.limiter");
    }
}

static void cells_add(struct sl_buffer *t, const struct sl_report *r, double level)
{
    const char *list = value(r, "mesh.cells");
    for (int i = 0; i < 3 && isfinite(sl_report_list_number(list, i)); i++)
        sl_buffer_add(t, "%s%.0f", i ? " × " : "",
                      ldexp(sl_report_list_number(list, i), (int)level));
}

static void code_add(struct sl_buffer *t)
{
    sl_buffer_add(t, " (version %s, commit %s)", SL_BUILD_VERSION, SL_BUILD_COMMIT);
}

/* Of particles alone. */
static void particles_add(struct sl_buffer *t, const struct sl_report *r)
{
    sl_buffer_add(t, "We follow particles of dark matter with the particle-mesh code sluice");
    code_add(t);
    if (sl_report_differs(r, "mesh.cells")) {
        sl_buffer_add(t, " on meshes of different resolution. ");
        return;
    }
    sl_buffer_add(t, " on a mesh of ");
    cells_add(t, r, 0);
    sl_buffer_add(t, " cells. ");
}

static void equations_add(struct sl_buffer *t, const struct sl_report *r)
{
    bool field = *value(r, "fluid.mhd") && !is(r, "fluid.mhd", "none");
    sl_buffer_add(t, "We solve the equations of %s of an ",
                  field ? "ideal magnetohydrodynamics" : "hydrodynamics");
    if (is(r, "fluid.eos", "isothermal"))
        sl_buffer_add(t, "isothermal gas with the finite-volume code sluice");
    else if (fabs(number(r, "fluid.gamma") - 5.0 / 3) < 1e-9)
        sl_buffer_add(t, "ideal gas with γ = 5/3 with the finite-volume code sluice");
    else
        sl_buffer_add(t, "ideal gas with γ = %.6g with the finite-volume code sluice",
                      number(r, "fluid.gamma"));
    code_add(t);
    double levels = number(r, "mesh.levels");
    if (sl_report_differs(r, "mesh.cells"))
        sl_buffer_add(t, " on grids of different resolution");
    else if (levels > 0 || sl_report_differs(r, "mesh.levels")) {
        sl_buffer_add(t, " on a root grid of ");
        cells_add(t, r, 0);
        sl_buffer_add(t, " cells that is refined block by block (Berger & Colella 1989; Burstedde, "
                         "Wilcox & Ghattas 2011)");
        if (!sl_report_differs(r, "mesh.levels")) {
            sl_buffer_add(t, " up to %.0f times, to the resolution of ", levels);
            cells_add(t, r, levels);
            sl_buffer_add(t, " cells");
        }
    } else {
        sl_buffer_add(t, " on a uniform grid of ");
        cells_add(t, r, 0);
        sl_buffer_add(t, " cells");
    }
    sl_buffer_add(t, ". ");
}

/* Of a start alone nothing is solved. */
static void alone_add(struct sl_buffer *t, const struct sl_report *r)
{
    sl_buffer_add(t, "Initial conditions are made with sluice (version %s, commit %s) on ",
                  SL_BUILD_VERSION, SL_BUILD_COMMIT);
    if (sl_report_differs(r, "mesh.cells")) {
        sl_buffer_add(t, "grids of different resolution. ");
        return;
    }
    sl_buffer_add(t, "a grid of ");
    cells_add(t, r, 0);
    sl_buffer_add(t, " cells. ");
}

/* What is done in shocks; tvd and cell averages know nothing of them. */
static void shocks_add(struct sl_buffer *t, const struct sl_report *r)
{
    bool flatten = is(r, "fluid.shocks", "flatten");
    if (sl_report_differs(r, "fluid.shocks") || is(r, "fluid.integrator", "tvd")) return;
    if (is(r, "fluid.reconstruct", "constant") || !(flatten || is(r, "fluid.shocks", "limit")))
        return;
    sl_buffer_add(t, "In the cells of strong shocks that hardly move across the mesh, and where "
                     "streams collide, there are no slopes, and solvers exchange transverse "
                     "momentum in shocks. ");
    if (flatten)
        sl_buffer_add(t,
                      "In every strong shock the reconstruction is flattened (Colella & Woodward "
                      "1984). ");
}

static void scheme_add(struct sl_buffer *t, const struct sl_report *r)
{
    if (is(r, "fluid.integrator", "tvd") && !sl_report_differs(r, "fluid.integrator")) {
        sl_buffer_add(t, "Steps are taken by ");
        choices_add(t, r, "fluid.integrator");
    } else {
        sl_buffer_add(t, "Fluxes come from ");
        choices_add(t, r, "fluid.riemann");
        sl_buffer_add(t, " between states of ");
        choices_add(t, r, "fluid.reconstruct");
        if (is(r, "fluid.characteristic", "true")) sl_buffer_add(t, " in characteristic variables");
        sl_buffer_add(t, ", and steps are taken by ");
        choices_add(t, r, "fluid.integrator");
    }
    if (!sl_report_differs(r, "fluid.cfl"))
        sl_buffer_add(t, " at a Courant number of %.3g", number(r, "fluid.cfl"));
    sl_buffer_add(t, ". ");
    if (!is(r, "fluid.mhd", "none") && !sl_report_differs(r, "fluid.mhd")) {
        choices_add(t, r, "fluid.mhd");
        sl_buffer_add(t, " ");
    }
    shocks_add(t, r);
    if (is(r, "fluid.positivity", "true"))
        sl_buffer_add(
            t, "Where the density or the pressure of a cell would become negative, fluxes are "
               "replaced by first-order ones (Lemaster & Stone 2009). ");
    if (is(r, "fluid.dual_energy", "true"))
        sl_buffer_add(t, "Entropy is evolved as well as energy and used where heat is a small part "
                         "of it. ");
}

/* Of each source term that a recipe may ask for. */
static const char *const source_words[SL_SOURCE_COUNT] = {
#define SL_SOURCE_WORDS(name, words) [SL_SOURCE_##name] = words,
#include "source_words.def" /* generated */
#undef SL_SOURCE_WORDS
};

/* Words in which the value of a key stands where {its.path} does. */
static void filled_add(struct sl_buffer *t, const struct sl_report *r, const char *words)
{
    for (const char *open; (open = strchr(words, '{')) && strchr(open, '}');) {
        char key[64];
        const char *close = strchr(open, '}');
        snprintf(key, sizeof key, "%.*s", (int)(close - open - 1), open + 1);
        sl_buffer_add(t, "%.*s%s", (int)(open - words), words, value(r, key));
        words = close + 1;
    }
    sl_buffer_add(t, "%s ", words);
}

/* The keys of the first member as lines; texts stand in quotes. */
static void keys_add(struct sl_buffer *t, const struct sl_report *r)
{
    const struct sl_keys *k = &sl_report_first(r)->keys;
    for (int i = 0; i < k->n; i++) {
        const char *path = k->key_value[2 * i], *text = k->key_value[2 * i + 1];
        int key = sl_key_find(path);
        bool quotes = key >= 0 && sl_keys[key].type == SL_TYPE_TEXT;
        if (key >= 0) sl_buffer_add(t, quotes ? "%s: \"%s\"\n" : "%s: %s\n", path, text);
    }
}

void sl_text_recipe(const struct sl_report *r, struct sl_config *cfg)
{
    struct sl_buffer text = {0};
    struct sl_inputs *in = NULL;
    sl_config_default(cfg);
    keys_add(&text, r);
    if (text.s && !text.failed &&
        sl_inputs_parse("run.yaml", text.s, strlen(text.s), NULL, 0, &in) == SL_OK) {
        struct sl_resolver resolver;
        sl_resolver_init(&resolver, in, cfg);
        (void)sl_resolve_all(&resolver);
    }
    sl_inputs_free(in);
    sl_buffer_release(&text);
}

/* Words of which a part in brackets, "[mesh.levels:, on levels]", stands where that key is above
 * zero for some member. */
static void parts_add(struct sl_buffer *t, const struct sl_report *r, const char *words)
{
    struct sl_buffer chosen = {0};
    for (const char *open; (open = strchr(words, '[')) != NULL;) {
        char key[64];
        const char *colon = strchr(open, ':'), *close = strchr(open, ']');
        if (!colon || !close || close < colon) break;
        snprintf(key, sizeof key, "%.*s", (int)(colon - open - 1), open + 1);
        bool asked = number(r, key) > 0 || sl_report_differs(r, key);
        sl_buffer_add(&chosen, "%.*s", (int)(open - words), words);
        if (asked) sl_buffer_add(&chosen, "%.*s", (int)(close - colon - 1), colon + 1);
        words = close + 1;
    }
    sl_buffer_add(&chosen, "%s", words);
    if (chosen.s) filled_add(t, r, chosen.s);
    t->failed |= chosen.failed;
    sl_buffer_release(&chosen);
}

static void forces_add(struct sl_buffer *t, const struct sl_report *r)
{
    struct sl_config cfg;
    sl_text_recipe(r, &cfg);
    for (int i = 0; i < SL_SOURCE_COUNT; i++)
        if (sl_config_wants(&cfg, (enum sl_source_id)i)) parts_add(t, r, source_words[i]);
    if (!sl_config_adaptive(&cfg) && !sl_report_differs(r, "time.stepping"))
        sl_buffer_add(t, "Steps are given in number: %s. ",
                      words_for("time.stepping", value(r, "time.stepping")));
    if (sl_report_expands(sl_report_first(r)))
        sl_buffer_add(t, "Supercomoving variables remove the expansion from the equations (Martel "
                         "& Shapiro 1998). ");
}

static void separate_add(struct sl_buffer *t, const struct sl_report *r)
{
    const char *first = value(r, "ic.mean_overdensity");
    bool differs = sl_report_differs(r, "ic.mean_overdensity");
    if (!*first || (!strcmp(first, "0") && !differs)) return;
    sl_buffer_add(t,
                  "Boxes are separate universes (Sirko 2005; Wagner et al. 2015) of mean density "
                  "contrast %s today by linear theory; redshifts of the recipe are those of the "
                  "universe around, at equal age. ",
                  differs ? "that differs among members" : first);
}

static void neutrinos_add(struct sl_buffer *t, const struct sl_report *r)
{
    const char *first = value(r, "cosmology.m_nu");
    bool differs = sl_report_differs(r, "cosmology.m_nu");
    if (!*first || (!strcmp(first, "0") && !differs)) return;
    sl_buffer_add(t,
                  "Neutrinos with masses of %s eV in all are part of Ω_m and of the expansion (an "
                  "integral over their Fermi-Dirac distribution), and do not cluster; σ_8 and all "
                  "results are those of dark matter and baryons. ",
                  differs ? "several sums" : first);
}

static void start_add(struct sl_buffer *t, const struct sl_report *r)
{
    if (is(r, "problem", "turbulence")) {
        bool table = *value(r, "turbulence.table") != '\0';
        sl_buffer_add(t, "The gas starts with uniform density and a Gaussian random velocity");
        if (!sl_report_differs(r, "turbulence.mach"))
            sl_buffer_add(t, " of rms Mach number %s", value(r, "turbulence.mach"));
        if (table)
            sl_buffer_add(t, " with a tabulated spectrum");
        else if (!sl_report_differs(r, "turbulence.spectrum"))
            sl_buffer_add(t, " with E(k) ∝ k^%s for k from %s to %s (2π/L)",
                          value(r, "turbulence.spectrum"), value(r, "turbulence.kmin"),
                          value(r, "turbulence.kmax"));
        if (!sl_report_differs(r, "turbulence.solenoidal"))
            sl_buffer_add(t,
                          ", its modes projected with a weight of %s for solenoidal ones "
                          "(Federrath et al. 2010)",
                          value(r, "turbulence.solenoidal"));
        sl_buffer_add(t, ". ");
    }
    if (is(r, "problem", "cosmology") && !*value(r, "cosmology.file")) {
        bool second = is(r, "ic.order", "2");
        sl_buffer_add(t,
                      "Initial conditions at z = %s follow from %s and %s-order Lagrangian "
                      "perturbation theory (%s) in a universe with Ω_m = %s, Ω_b = %s, h = %s "
                      "and n_s = %s, ",
                      value(r, "ic.redshift"), words_for("ic.transfer", value(r, "ic.transfer")),
                      second ? "second" : "first",
                      second ? "Bouchet et al. 1995" : "Zel'dovich 1970",
                      value(r, "cosmology.omega_m"), value(r, "cosmology.omega_b"),
                      value(r, "cosmology.h"), value(r, "cosmology.n_s"));
        if (is(r, "cosmology.normalise", "sigma8"))
            sl_buffer_add(t, "normalised to σ_8 = %s", value(r, "cosmology.sigma8"));
        else if (is(r, "cosmology.normalise", "a_s"))
            sl_buffer_add(t, "normalised to A_s = %s", value(r, "cosmology.a_s"));
        else
            sl_buffer_add(t, "normalised as the table is");
        if (is(r, "ic.fixed", "true"))
            sl_buffer_add(t, "; amplitudes are fixed, phases random (Angulo & Pontzen 2016)");
        sl_buffer_add(t, ". ");
        separate_add(t, r);
        neutrinos_add(t, r);
    }
}

static void ensemble_add(struct sl_buffer *t, const struct sl_report *r)
{
    bool reduced = false;
    int members = 0;
    for (int g = 0; g < r->groups; g++) {
        reduced |= *r->group[g].dir != '\0';
        members = r->group[g].members > members ? r->group[g].members : members;
    }
    if (!reduced || members < 2) return;
    sl_buffer_add(t,
                  "Results are means over %s%d realisations that differ in %s, "
                  "given with the standard error of the mean; intervals are from the bootstrap "
                  "(Efron 1979). ",
                  r->groups > 1 ? "up to " : "", members,
                  !sl_report_differs(r, "ic.paired") ? "their random seed"
                  : sl_report_differs(r, "seed")     ? "their random seed, two of each seed, with "
                                                       "opposite phases"
                                                     : "their phases, which are opposite");
}

void sl_methods_add(struct sl_buffer *html, const struct sl_report *r)
{
    struct sl_buffer t = {0};
    struct sl_asked asked;
    if (!sl_report_first(r)->keys.n) return;
    sl_figure_ask(r, &asked);
    if (asked.start) {
        alone_add(&t, r);
    } else {
        if (asked.gas)
            equations_add(&t, r), scheme_add(&t, r);
        else
            particles_add(&t, r);
        forces_add(&t, r);
    }
    start_add(&t, r);
    ensemble_add(&t, r);
    sl_buffer_add(html, "<h2 id=\"methods\">Methods</h2>\n<p class=\"methods\">");
    if (t.s) sl_buffer_html(html, t.s);
    sl_buffer_add(html,
                  "</p>\n<p class=\"note\">A first draft for the methods of a paper: the methods "
                  "of this run and their authors.</p>\n");
    html->failed |= t.failed;
    sl_buffer_release(&t);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Values as they are compared: without quotes, numbers as numbers. */
static bool same(const char *a, const char *b)
{
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    if (!strcmp(a, b)) return true;
    if (!strcmp(b, "") && !strcmp(a, "\"\"")) return true;
    return *a && *b && !*end_a && !*end_b && x == y;
}

/* Keys that a group of the table has in common: "mesh" of "mesh.cells"; "" of those that stand
 * alone. */
static size_t group_length(const char *key)
{
    const char *dot = strchr(key, '.');
    return dot ? (size_t)(dot - key) : 0;
}

/* Keys that mean something for other problems alone. */
static bool of_others(const char *key, const char *problem)
{
    static const char *const names[] = {
#define NAME(name, ic, about) #name,
        SL_PROBLEM_NAMES(NAME)
#undef NAME
            "ic"};
    size_t n = group_length(key);
    bool universe = !strcmp(problem, "cosmology") || !strcmp(problem, "pancake") ||
                    !strcmp(problem, "bertschinger") || !strcmp(problem, "expanding_box");
    for (size_t i = 0; n && i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && !strncmp(names[i], key, n))
            return !strncmp(key, "ic.", 3) || !strncmp(key, "cosmology.", 10)
                       ? !universe
                       : strlen(problem) != n || strncmp(problem, key, n) != 0;
    return false;
}

static void parameter_row(struct sl_buffer *html, const struct sl_report *r, const char *key,
                          const char *of, bool first)
{
    int row = sl_key_find(key);
    bool several = sl_report_differs(r, key), usual = row >= 0 && same(of, sl_keys[row].text);
    sl_buffer_add(html, "<tr%s><th scope=\"row\">", first ? " class=\"first\"" : "");
    sl_buffer_html(html, key);
    sl_buffer_add(html, "</th><td class=\"value%s\">", usual && !several ? " soft" : "");
    sl_buffer_html(html, of);
    sl_buffer_add(html, "</td><td class=\"soft\">%s</td><td class=\"wide\">",
                  several ? "differs"
                  : usual ? "default"
                          : "");
    if (row >= 0) sl_buffer_html(html, sl_keys[row].about);
    sl_buffer_add(html, "</td></tr>\n");
}

void sl_parameters_add(struct sl_buffer *html, const struct sl_report *r)
{
    const struct sl_keys *keys = &sl_report_first(r)->keys;
    const char *problem = value(r, "problem"), *last = "";
    if (!keys->n) return;
    sl_buffer_add(html,
                  "<details class=\"keys\"><summary>All parameters, as the programs resolved them"
                  "</summary>\n<p class=\"note\">Those of member ");
    sl_buffer_html(html, sl_report_first(r)->id);
    sl_buffer_add(html, "; <em>differs</em>: another member has another value. Keys of other "
                        "problems are left out.</p>\n");
    sl_page_table(html, "Parameters");
    sl_buffer_add(html,
                  "<thead><tr><th scope=\"col\">Key</th><th scope=\"col\">Value</th><th "
                  "scope=\"col\"></th><th scope=\"col\">What it is</th></tr></thead><tbody>\n");
    for (int i = 0; i < keys->n; i++) {
        const char *key = keys->key_value[2 * i];
        size_t n = group_length(key);
        if (!strncmp(key, "run.", 4) || of_others(key, problem)) continue;
        parameter_row(html, r, key, keys->key_value[2 * i + 1],
                      i > 0 && (group_length(last) != n || strncmp(last, key, n) != 0));
        last = key;
    }
    sl_page_table_end(html);
    sl_buffer_add(html, "</details>\n");
}
