/* cmd_inspect.c - sluice inspect: tells what a file of a campaign holds, or what is understood of a
 * table of transfer functions, a table of P(k) or a parameter file of CMBFAST, and what is wrong
 * with it.
 *
 * Shapes  none
 * Units   k in h/Mpc
 * Errors  SL_EINPUT when a file has something wrong with it or is none of these; SL_EUSAGE
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/inspect.sh
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/config/config.h"
#include "core/cosmo/boltzmann_ini.h"
#include "core/cosmo/columns.h"
#include "core/cosmo/universe.h"
#include "core/sys/file.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/buffer.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/nearest.h"
#include "pipeline/campaign/recipe.h"
#include "pipeline/show/look.h"

enum { FILES = 16 };

struct inspection {
    const char *recipe;
    double box, redshift;
    int64_t cells;
    bool json;
    struct sl_config cfg;
    struct sl_universe u;
    /* of the last table of transfer functions or power, for the comparison with the next */
    struct sl_power power;
    const char *path;
    double z;
    bool have;
    int wrong; /* files */
    json_t *list;
};

/* ---- what it is compared with ---- */

/* The recipe's first member, or the defaults; words key=value over either. */
static int open_config(struct inspection *in, char **words, int n)
{
    static const char none[] = "campaign: inspect\nproblem: cosmology\n"
                               "mesh.cells: [4, 4, 4]\ntime.end: 0\n";
    if (!in->recipe) return sl_config_parse("defaults", none, sizeof none - 1, words, n, &in->cfg);
    struct sl_recipe *recipe;
    SL_TRY(sl_recipe_open(in->recipe, words, n, &recipe));
    int code = sl_recipe_member(recipe, 0, &in->cfg);
    sl_recipe_close(recipe);
    return code;
}

static int open_universe(struct inspection *in)
{
    struct sl_named_bytes parameters = {in->cfg.cosmology_file, NULL, 0};
    char *bytes = NULL, path[SL_PATH_MAX], dir[SL_PATH_MAX] = "";
    if (parameters.path[0]) {
        if (in->recipe) SL_TRY(sl_path_parent(dir, in->recipe));
        SL_TRY(sl_path_join(path, parameters.path[0] == '/' ? "" : dir, parameters.path));
        SL_TRY(sl_file_read(path, SL_COLUMNS_BYTES, &bytes, &parameters.size));
        parameters.bytes = bytes;
    }
    int code = sl_universe_init(&in->cfg, &parameters, &in->u);
    free(bytes);
    return code;
}

static void waves(const struct inspection *in, double *lowest, double *highest)
{
    *lowest = *highest = 0;
    if (in->box > 0) {
        *lowest = 2 * 3.14159265358979323846 / in->box;
        *highest = in->cells > 0 ? sqrt(3) * *lowest * (double)in->cells / 2 : 0;
    } else if (in->recipe) {
        sl_universe_waves(&in->cfg, lowest, highest);
    }
}

static double taken_for(const struct inspection *in)
{
    if (in->redshift >= 0) return in->redshift;
    return in->recipe ? sl_universe_table_redshift(&in->cfg) : -1;
}

/* ---- output ---- */

/* A line; what a file says in it must neither drive the terminal nor make lines of its own. */
static void say(const char *fmt, ...) SL_PRINTF(1, 2);
static void say(const char *fmt, ...)
{
    struct sl_buffer line = {0};
    va_list args;
    va_start(args, fmt);
    sl_buffer_list(&line, fmt, args);
    va_end(args);
    size_t capacity = 4 * line.n + 1;
    char *safe = line.failed ? NULL : malloc(capacity);
    if (safe) sl_text_escape(line.s, false, safe, capacity);
    if (safe) puts(safe);
    free(safe);
    sl_buffer_release(&line);
}

static const char *const kinds[] = {"note", "warning", "wrong"};

static int count_kind(const struct sl_findings *f, int kind)
{
    int n = 0;
    for (int i = 0; i < f->n; i++)
        n += (int)f->item[i].kind == kind;
    return n;
}

static int count_wrong(const struct sl_findings *f)
{
    return count_kind(f, SL_FINDING_WRONG);
}

static void show_findings(struct inspection *in, json_t *o, const struct sl_findings *f)
{
    json_t *list = json_array();
    for (int i = 0; i < f->n; i++) {
        if (!in->json) say("  %-9s %s", kinds[f->item[i].kind], f->item[i].text);
        json_array_append_new(list, json_pack("{s:s, s:o}", "kind", kinds[f->item[i].kind], "text",
                                              sl_json_text(f->item[i].text)));
    }
    int wrong = count_wrong(f);
    bool warned = count_kind(f, SL_FINDING_WARN) > 0;
    if (!in->json && wrong == 0)
        say("  %-9s %s", "verdict",
            warned ? "none: it is for you to judge what the warnings say"
                   : "nothing is wrong with it");
    json_object_set_new(o, "ok", wrong == 0 && warned ? json_null() : json_boolean(wrong == 0));
    json_object_set_new(o, "findings", list);
    in->wrong += wrong > 0;
}

static void show_redshift(const struct inspection *in, const struct sl_transfer *t,
                          const struct sl_transfer_look *look)
{
    char header[64] = "does not say", implied[64] = "does not say";
    (void)in;
    if (t->z >= 0) snprintf(header, sizeof header, "%g", t->z);
    if (look->z_implied >= 0)
        snprintf(implied, sizeof implied, "%.3g, to about 3 %%", look->z_implied);
    if (look->z >= 0)
        say("  %-9s %.4g (header: %s; amplitude: %s)", "redshift", look->z, header, implied);
    else
        say("  %-9s unknown (header: %s; amplitude: %s)", "redshift", header, implied);
}

static void show_table(const struct inspection *in, const struct sl_transfer *t,
                       const struct sl_transfer_look *look)
{
    double lowest, highest;
    waves(in, &lowest, &highest);
    say("  %-9s %s, %s", "code", sl_transfer_code(t->layout), sl_transfer_about(t->layout));
    say("  %-9s known by %s", "columns",
        t->named ? "their names" : "their number and what they hold: no line names them");
    say("  %-9s %d, k = %.4g .. %.4g h/Mpc", "rows", t->n, t->k[0], t->k[t->n - 1]);
    show_redshift(in, t, look);
    if (look->shape >= 0)
        say("  %-9s %.2g %% (rms) off Eisenstein & Hu for this cosmology", "shape",
            100 * look->shape);
    if (t->file_total && look->total_off > 0)
        say("  %-9s made from baryons and dark matter; the file's own is up to %.2g %% off",
            "total", 100 * look->total_off);
    if (!t->power)
        say("  %-9s %s", "velocity",
            t->v_cdm ? "of baryons and of dark matter"
                     : "none: all matter moves with the growth rate");
    if (lowest > 0) say("  %-9s waves of k = %.4g .. %.4g h/Mpc", "box", lowest, highest);
}

static void show_power(struct inspection *in, json_t *o, const struct sl_transfer *t)
{
    const struct sl_power *p = &in->power;
    double now = sl_power_sigma(p, 8);
    static const char *const by[] = {"A_s", "sigma8 today", "the table itself"};
    if (!in->json)
        say("  %-9s %.5g at z = %.4g, %.5g today, amplitude by %s (%g)", "sigma8", now, p->spec.z,
            p->sigma8, by[p->spec.norm],
            p->spec.norm == SL_POWER_a_s      ? p->spec.a_s
            : p->spec.norm == SL_POWER_sigma8 ? p->spec.sigma8
                                              : 1);
    if (!in->json && p->spec.norm == SL_POWER_sigma8)
        say("  %-9s %.6g times the table as it stands%s", "factor", p->factor,
            t->power ? "" : " (unit curvature)");
    json_object_set_new(o, "sigma8", json_real(now));
    json_object_set_new(o, "sigma8_today", json_real(p->sigma8));
    json_object_set_new(o, "factor", json_real(p->factor));
}

/* Two tables of one universe differ by the growth alone. */
static void compare(const struct inspection *in, const struct sl_power *before,
                    struct sl_findings *f)
{
    double expected = before->now.d1 / in->power.now.d1, worst = 1;
    for (double k = 0.1; k < 2; k *= 1.1) {
        if (k < in->power.k_first || k > in->power.k_last || k < before->k_first ||
            k > before->k_last)
            continue;
        double ratio = sl_power_amplitude(before, SL_POWER_TOTAL, k) /
                       sl_power_amplitude(&in->power, SL_POWER_TOTAL, k) / expected;
        if (fabs(log(ratio)) > fabs(log(worst))) worst = ratio;
    }
    sl_finding(f, fabs(log(worst)) > 0.01 ? SL_FINDING_WRONG : SL_FINDING_NOTE,
               "beyond k = 0.1 h/Mpc %s is D(z = %.4g) / D(z = %.4g) times this table to %.2g %%",
               in->path, before->spec.z, in->power.spec.z, 100 * fabs(worst - 1));
}

/* ---- the kinds of files ---- */

static int make_power(struct inspection *in, const struct sl_transfer *t,
                      const struct sl_transfer_look *look, struct sl_power *out)
{
    struct sl_power_spec spec = {
        .cosmology = in->u.around,
        .n_s = in->u.n_s,
        .k_pivot = in->u.k_pivot,
        .norm = t->power && in->u.norm != SL_POWER_sigma8 ? SL_POWER_as_table : in->u.norm,
        .a_s = in->u.a_s,
        .sigma8 = in->u.sigma8,
        .table = t,
        .z = look->z,
        .table_z = look->z};
    return sl_power_init(&spec, out);
}

static int weigh(struct inspection *in, json_t *o, const char *path, const struct sl_transfer *t,
                 const struct sl_transfer_look *look, struct sl_findings *f)
{
    struct sl_power before = in->power;
    if (look->z < 0 || (!t->power && count_wrong(f) > 0)) return SL_OK;
    int code = make_power(in, t, look, &in->power);
    if (code != SL_OK) return code;
    show_power(in, o, t);
    if (in->have) {
        compare(in, &before, f);
        sl_power_release(&before);
    }
    in->have = true;
    in->path = path;
    in->z = look->z;
    return SL_OK;
}

static int inspect_table(struct inspection *in, json_t *o, const char *path,
                         const struct sl_transfer *t)
{
    struct sl_transfer_look look;
    struct sl_findings f = {0};
    struct sl_transfer_ask ask = {.cosmology = &in->u.around,
                                  .a_s = in->u.a_s,
                                  .n_s = in->u.n_s,
                                  .k_pivot = in->u.k_pivot,
                                  .z = taken_for(in),
                                  .extrapolate = in->cfg.ic_extrapolate,
                                  .one_fluid = in->cfg.ic_species != SL_IC_SPECIES_distinct &&
                                               in->cfg.ic_species != SL_IC_SPECIES_auto,
                                  .rescaled = in->u.norm == SL_POWER_sigma8};
    waves(in, &ask.k_low, &ask.k_high);
    sl_transfer_examine(t, &ask, &look, &f);
    if (!in->json) show_table(in, t, &look);
    json_t *table =
        json_pack("{s:s, s:s, s:b, s:i, s:f, s:f, s:f, s:f, s:b}", "code",
                  sl_transfer_code(t->layout), "layout", sl_transfer_about(t->layout), "named",
                  t->named, "rows", t->n, "k_first", t->k[0], "k_last", t->k[t->n - 1], "redshift",
                  look.z, "redshift_by_amplitude", look.z_implied, "velocities", t->v_cdm != NULL);
    json_object_update(o, table);
    json_decref(table);
    int code = weigh(in, o, path, t, &look, &f);
    if (code == SL_OK) show_findings(in, o, &f);
    return code;
}

static void inspect_parameters(struct inspection *in, json_t *o, const struct sl_cmbfast *c,
                               const char *ini)
{
    struct sl_findings f = {0};
    struct sl_universe u = in->u;
    int code = sl_universe_take(c, &u);
    if (code != SL_OK) sl_finding(&f, SL_FINDING_WRONG, "%s", sl_error_text());
    if (c->n_s == 0)
        sl_finding(&f, SL_FINDING_NOTE,
                   "it holds no primordial slope: that of the recipe is taken");
    if (!in->json) {
        say("  %-9s %s, parameters as %s", "code", ini ? ini : "CMBFAST",
            c->answers ? "answers to its questions" : "key = value");
        say("  %-9s h %g, Omega_m %g (baryons %g), Omega_k %.4g, dark energy %.5g with w = %g",
            "universe", u.c.h, sl_cosmology_all(&u.c), u.c.omega_b, u.c.omega_k, u.c.omega_de,
            u.c.w0);
        say("  %-9s T_cmb %g K, %g neutrinos: Omega_r %.4g, taken from dark energy", "radiation",
            u.c.t_cmb, u.c.n_eff, u.c.omega_r);
        if (u.c.m_nu > 0)
            say("  %-9s %.4g eV in all (cosmology.m_nu), shared by %d: Omega_nu %.4g, part of "
                "Omega_m",
                "neutrinos", u.c.m_nu, u.c.massive, u.c.omega_nu);
        if (c->n_s != 0) say("  %-9s %g", "slope", c->n_s);
        if (c->a_s > 0) say("  %-9s A_s %g at k = %g / Mpc", "amplitude", c->a_s, c->k_pivot);
        for (int i = 0; i < c->ntf; i++)
            say("  %-9s %s is at z = %g", "table", c->file[i][0] ? c->file[i] : "?", c->z[i]);
    }
    json_t *table = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "code",
                              ini ? ini : "CMBFAST", "layout", "parameters", "h", u.c.h, "omega_m",
                              sl_cosmology_all(&u.c), "omega_b", u.c.omega_b, "omega_k",
                              u.c.omega_k, "w0", u.c.w0, "t_cmb", u.c.t_cmb, "n_s", c->n_s);
    json_object_update(o, table);
    json_decref(table);
    if (u.c.m_nu > 0) json_object_set_new(o, "m_nu", json_real(u.c.m_nu));
    show_findings(in, o, &f);
}

static int parse_parameters(const char *path, const char *bytes, size_t size, struct sl_cmbfast *c)
{
    return sl_boltzmann_ini_is(bytes, size) ? sl_boltzmann_ini_parse(path, bytes, size, c)
                                            : sl_cmbfast_parse(path, bytes, size, c);
}

/* A parameter file has '=' in it, or is refused as a table and is good as answers. */
static int inspect_bytes(struct inspection *in, json_t *o, const char *path, const char *bytes,
                         size_t size)
{
    struct sl_transfer t;
    struct sl_cmbfast c;
    struct sl_findings f = {0};
    int code = sl_transfer_parse(path, bytes, size, &in->u.around, taken_for(in), &t);
    if (code == SL_OK) {
        code = inspect_table(in, o, path, &t);
        sl_transfer_release(&t);
        return code;
    }
    sl_finding(&f, SL_FINDING_WRONG, "%s", sl_error_text());
    bool keys = sl_boltzmann_ini_is(bytes, size) ||
                (memchr(bytes, '=', size) && bytes[strspn(bytes, " \t\r\n")] != '#');
    code = parse_parameters(path, bytes, size, &c);
    if (code == SL_OK) {
        inspect_parameters(in, o, &c, sl_boltzmann_ini_code(bytes, size));
        return SL_OK;
    }
    if (keys) {
        f.n = 0;
        sl_finding(&f, SL_FINDING_WRONG, "%s", sl_error_text());
    }
    show_findings(in, o, &f);
    return SL_OK;
}

static const char *text_at(const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

/* The longest text of a field of all parts, at least `least`. */
static int widest(const json_t *parts, const char *field, int least)
{
    size_t i;
    json_t *part;
    json_array_foreach(parts, i, part)
    {
        int length = (int)strlen(text_at(part, field));
        if (length > least) least = length;
    }
    return least;
}

/* A sentence that several parts in a row share stands once. */
static void show_parts(const json_t *parts)
{
    size_t i, d;
    json_t *part, *side;
    const char *above = "";
    int names = widest(parts, "name", 24), units = widest(parts, "units", 22);
    json_array_foreach(parts, i, part)
    {
        const char *about = text_at(part, "about");
        char shape[120] = "";
        size_t used = 0;
        json_array_foreach(json_object_get(part, "shape"), d, side) if (used < sizeof shape) used +=
            (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", d ? " x " : "",
                             (long long)json_integer_value(side));
        say("    %-*s %-18s %-*s %s", names, text_at(part, "name"), shape, units,
            text_at(part, "units"), *about && !strcmp(about, above) ? "as above" : about);
        above = about;
    }
}

/* Pictures, logs and lists have no numbers: only what kind of file they are is known. Whether a
 * recipe can be run is not looked at. */
static bool has_contents(const json_t *own)
{
    if (json_is_null(json_object_get(own, "ok"))) return false;
    return json_object_size(json_object_get(own, "facts")) ||
           json_array_size(json_object_get(own, "parts"));
}

/* A file of ours: facts, parts with shape and units, what is wrong. */
static void show_own(struct inspection *in, const json_t *own)
{
    size_t i, wrong = json_array_size(json_object_get(own, "wrong"));
    const char *name;
    json_t *value, *text;
    in->wrong += wrong > 0;
    if (in->json) return;
    say("  %-9s %s", "kind", text_at(own, "kind"));
    json_object_foreach(json_object_get(own, "facts"), name, value)
    {
        char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
        say("  %s: %s", name, json_is_string(value) ? json_string_value(value) : dump);
        free(dump);
    }
    show_parts(json_object_get(own, "parts"));
    json_array_foreach(json_object_get(own, "wrong"), i, text)
        say("  %-9s %s", "wrong", json_string_value(text));
    if (wrong == 0)
        say("  %-9s %s", "verdict",
            has_contents(own)                                 ? "nothing is wrong with it"
            : json_object_size(json_object_get(own, "facts")) ? "none: sluice check has one"
                                                              : "none: only its kind is known");
}

static int inspect_file(struct inspection *in, const char *path)
{
    char *bytes;
    size_t size;
    json_t *own;
    SL_TRY(sl_nearest_file(path, sl_look(path, &own)));
    if (own) {
        if (!in->json) say("%s", sl_quote(path).text);
        json_object_set_new(own, "file", json_string(sl_quote(path).text));
        bool wrong = json_array_size(json_object_get(own, "wrong")) > 0;
        json_object_set_new(own, "ok",
                            wrong || has_contents(own) ? json_boolean(!wrong) : json_null());
        show_own(in, own);
        json_array_append_new(in->list, own);
        return SL_OK;
    }
    SL_TRY(sl_nearest_file(path, sl_file_read(path, SL_COLUMNS_BYTES, &bytes, &size)));
    json_t *o = json_pack("{s:s}", "file", sl_quote(path).text);
    if (!in->json) say("%s", sl_quote(path).text);
    int code = inspect_bytes(in, o, path, bytes, size);
    json_array_append_new(in->list, o);
    free(bytes);
    return code;
}

/* ---- the verb ---- */

/* Files first, then key=value. */
static int part_words(char **words, int n, int *files)
{
    int f = 0;
    for (int i = 0; i < n; i++) {
        if (strchr(words[i], '=')) continue;
        char *word = words[i];
        memmove(words + f + 1, words + f, (size_t)(i - f) * sizeof *words);
        words[f++] = word;
    }
    *files = f;
    SL_CHECK(f > 0, SL_EUSAGE, "usage: sluice inspect FILE... [key=value...]");
    return SL_OK;
}

static int report(struct inspection *in, int files)
{
    if (in->json) {
        json_t *o = json_pack("{s:i, s:O}", "v", 1, "files", in->list);
        SL_TRY(sl_json_print(o));
    }
    SL_CHECK(in->wrong == 0, SL_EINPUT, "%d of %d files cannot be used as they are", in->wrong,
             files);
    return SL_OK;
}

static int run(int argc, char **argv)
{
    static struct inspection in = {.redshift = -1};
    const struct sl_option options[] = {
        {"recipe", 0, SL_OPTION_TEXT, &in.recipe}, {"box", 0, SL_OPTION_REAL, &in.box},
        {"cells", 0, SL_OPTION_INT, &in.cells},    {"redshift", 0, SL_OPTION_REAL, &in.redshift},
        {"json", 0, SL_OPTION_FLAG, &in.json},     {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words, files;
    SL_TRY(sl_options_words(options, argc, argv, 1, -1, "inspect FILE... [key=value...]", &words));
    SL_TRY(part_words(argv + 1, words, &files));
    SL_TRY(open_config(&in, argv + 1 + files, words - files));
    SL_TRY(open_universe(&in));
    in.list = json_array();
    int code = SL_OK;
    for (int i = 0; i < files && code == SL_OK; i++)
        code = inspect_file(&in, argv[1 + i]);
    if (code == SL_OK) code = report(&in, files);
    if (in.have) sl_power_release(&in.power);
    json_decref(in.list);
    return code;
}

const struct sl_verb sl_verb_inspect = {
    .name = "inspect",
    .group = SL_VERB_results,
    .usage = "FILE... [key=value...] [--recipe FILE] [--box L] [--cells N] [--redshift Z] [--json]",
    .about = "what a file is, what it holds, with units, and what is wrong with it: files of a "
             "campaign or "
             "an export, tables of transfer functions",
    .help = "  FILE         of a campaign: ic.h5, snapshots, checkpoints, history.tsv, stats, "
            "records, the journal; or as "
            "CMBFAST, CAMB, CLASS or N-GenIC write it; several of one universe "
            "are compared\n"
            "  key=value    the cosmology to compare with, e.g. cosmology.h=0.674\n"
            "  --recipe     cosmology, redshift, box and cells of a recipe's first member\n"
            "  --box        side of the box in Mpc/h: is the table long enough?\n"
            "  --cells      of the grid along a side\n"
            "  --redshift   redshift of the file; default: what the file says\n"
            "  --json       the same for programs, with a version number",
    .run = run};
