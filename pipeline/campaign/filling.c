/* filling.c - see filling.h. */
#include "pipeline/campaign/filling.h"

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/inputs.h"
#include "core/lists/refine_list.h"
#include "core/sys/status.h"
#include "pipeline/base/csv.h"
#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/place.h"

enum { ANSWER = 8192, MEMBERS = 16 }; /* MEMBERS: histories that are read at most */

/* Assumed: a shock or a layer that each level halves the width of would have a half, blasts have
 * less. */
static const double assumed = 0.3;

void sl_filling_assume(struct sl_filling *f)
{
    f->source = SL_FILLING_ASSUMED;
    f->levels = SL_FILLING_LEVELS - 1;
    for (int l = 0; l < SL_FILLING_LEVELS; l++)
        f->fraction[l] = f->most[l] = pow(assumed, l);
}

double sl_filling_fraction(const struct sl_filling *f, int levels, int l, bool most)
{
    const double *fraction = most ? f->most : f->fraction;
    if (l > levels) return 0;
    if (l <= f->levels) return fraction[l];
    double last =
        f->levels > 0 ? fraction[f->levels - 1] : 0; /* finer ones go on as the last did */
    double ratio = last > 0 ? fraction[f->levels] / last : assumed;
    return fraction[f->levels] * pow(ratio, l - f->levels);
}

/* The finest level up to which a rule refines all of the box; 0: none does. */
static int whole_box(const struct sl_config *cfg)
{
    int finest = 0, levels = (int)cfg->mesh_levels;
    for (int i = 0; i < cfg->mesh_refine_n; i++) {
        const struct sl_refine_rule *r = &cfg->mesh_refine[i];
        int level = r->level > 0 && r->level < levels ? r->level : levels;
        bool all = r->by == SL_REFINE_box && level > finest;
        for (int d = 0; d < sl_config_dim(cfg); d++)
            all = all && r->lo[d] <= cfg->mesh_box[2 * d] && r->hi[d] >= cfg->mesh_box[2 * d + 1];
        if (all) finest = level;
    }
    return finest;
}

/* Beyond what is certain. */
static void assume(const struct sl_config *cfg, struct sl_filling *f)
{
    int whole = whole_box(cfg);
    sl_filling_assume(f);
    for (int l = 0; l < SL_FILLING_LEVELS; l++)
        f->fraction[l] = f->most[l] = pow(assumed, l > whole ? l - whole : 0);
}

/* What cfg states; false: nothing. */
static bool stated(const struct sl_config *cfg, struct sl_filling *f)
{
    if (cfg->resources_filling_n == 0 || cfg->mesh_levels == 0) return false;
    *f = (struct sl_filling){.source = SL_FILLING_STATED, .levels = cfg->resources_filling_n};
    f->fraction[0] = f->most[0] = 1;
    for (int l = 1; l <= f->levels; l++)
        f->fraction[l] = f->most[l] = cfg->resources_filling[l - 1];
    return true;
}

/* ---- the start ------------------------------------------------------------------------------- */

static double root_cells(const struct sl_config *cfg, int halved)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)(cfg->mesh_cells[d] >> halved);
    return cells;
}

/* Shares from the leaves of levels; returns their sum, which is 1 where there are leaves at all. */
static double fractions_of(json_t *leaves, double block_cells, int dim, double root, int levels,
                           double fraction[SL_FILLING_LEVELS])
{
    double finer = 0;
    for (int l = levels; l >= 0; l--) {
        double n = (double)json_integer_value(json_array_get(leaves, (size_t)l));
        finer += n * block_cells / ldexp(root, dim * l);
        fraction[l] = finer;
    }
    return finer;
}

/* Shares of one of the starts; false: there was none, or its leaves leave a hole. */
static bool read_start(json_t *o, const char *name, const struct sl_config *cfg, int halved,
                       int block_cells, double fraction[SL_FILLING_LEVELS])
{
    json_t *leaves = json_object_get(o, name);
    double root = root_cells(cfg, halved);
    double sum = fractions_of(leaves, block_cells, sl_config_dim(cfg), root, (int)cfg->mesh_levels,
                              fraction);
    return fabs(sum - 1) < 1e-6;
}

/* A part of the box that shrinks with the size of cells, as that of a surface does, goes on so:
 * from two starts, the second with cells of twice the size. */
static int scale(json_t *o, const struct sl_config *cfg, int halved, int block_cells,
                 struct sl_filling *f)
{
    double coarser[SL_FILLING_LEVELS] = {0};
    if (!read_start(o, "smooth", cfg, halved, block_cells, f->fraction))
        return SL_FAIL(SL_EINPUT, "sluice-sim does not say what a coarser start is like");
    bool two = read_start(o, "coarser", cfg, halved + 1, block_cells, coarser);
    for (int l = 1; l <= f->levels; l++) {
        double power = two && f->fraction[l] > 0 ? log2(coarser[l] / f->fraction[l]) : 1;
        power = fmin(fmax(power, 0), sl_config_dim(cfg));
        f->most[l] = fmax(f->most[l], f->fraction[l]);
        f->fraction[l] *= exp2(-power * halved);
    }
    return SL_OK;
}

static int parse(json_t *o, const struct sl_config *cfg, struct sl_filling *f)
{
    int halved = -1, block = 0, levels = (int)cfg->mesh_levels;
    f->filled = SL_FILLING_LEVELS;
    json_unpack(o, "{s:i, s:i, s?i}", "halved", &halved, "block_cells", &block, "filled",
                &f->filled);
    bool good = halved >= 0 && halved < 20 && levels < SL_FILLING_LEVELS &&
                read_start(o, "leaves", cfg, halved, block, f->fraction);
    SL_CHECK(good, SL_EINPUT, "sluice-sim does not say what its start is like");
    f->source = halved > 0 ? SL_FILLING_COARSE : SL_FILLING_START;
    f->levels = levels;
    f->rules = cfg->mesh_refine_n;
    memcpy(f->most, f->fraction, sizeof f->most);
    for (int i = 0; i < f->rules; i++)
        f->asked[i] =
            json_integer_value(json_array_get(json_object_get(o, "asked"), (size_t)i)) > 0;
    for (int d = 0; d < 3; d++)
        f->cells[d] = d < sl_config_dim(cfg) ? cfg->mesh_cells[d] >> halved : 1;
    return halved > 0 ? scale(o, cfg, halved, block, f) : SL_OK;
}

int sl_filling_parse(const char *text, const struct sl_config *cfg, struct sl_filling *f)
{
    json_t *o = json_loads(text, 0, NULL);
    int code = parse(o, cfg, f);
    json_decref(o);
    return code;
}

/* The recipe of one run in a file that belongs to nobody else. */
static int write_run(const struct sl_config *cfg, char path[SL_PATH_MAX])
{
    const char *tmp = getenv("TMPDIR");
    char *text = NULL;
    SL_TRY(sl_disk_join(path, "%s/sluice-start-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
    SL_TRY(sl_config_print(cfg, &text));
    int fd = mkostemp(path, O_CLOEXEC);
    int code = fd >= 0 ? sl_write_all(fd, text, strlen(text), path)
                       : SL_FAIL(SL_EIO, "cannot make a file in %s", tmp && *tmp ? tmp : "/tmp");
    free(text);
    if (fd >= 0) close(fd);
    if (fd >= 0 && code != SL_OK) unlink(path);
    return code;
}

/* The answer of sluice-sim to a question about the start of cfg, which path holds. Where it fails
 * *code is its exit code, and what is recorded the line "error: WHY". */
static int ask(const struct sl_config *cfg, const char *path, const char *question,
               char text[ANSWER], int *code)
{
    char program[SL_PATH_MAX];
    struct sl_child child = {.err = open("/dev/null", O_WRONLY | O_CLOEXEC), .on_death = 15};
    bool single = cfg->resources_precision == SL_PRECISION_single;
    const char *name = single ? "sluice-sim-f32" : "sluice-sim";
    int status = sl_place_program(name, program, sizeof program);
    sl_args_add(&child.args, "%s", program);
    sl_args_add(&child.args, "%s", question);
    sl_args_add(&child.args, "%s", path);
    if (status == SL_OK) status = sl_child_capture(&child, text, ANSWER, code);
    sl_args_release(&child.args);
    if (child.err >= 0) close(child.err);
    SL_TRY(status);
    if (*code == 0) return SL_OK;
    const char *at = strstr(text, "error: ");
    at = at ? at + strlen("error: ") : "sluice-sim could not make it";
    return SL_FAIL(SL_EUNAVAIL, "%.*s", (int)strcspn(at, "\n"), at);
}

static void absolute(char value[SL_TEXT_MAX], const char *home)
{
    char path[SL_PATH_MAX], real[PATH_MAX];
    if (!*value || sl_disk_join(path, "%s%s%s", *value == '/' ? "" : home,
                                *value == '/' || !*home ? "" : "/", value) != SL_OK)
        return;
    if (realpath(path, real) && strlen(real) < SL_TEXT_MAX) memcpy(value, real, strlen(real) + 1);
}

/* Of all input files; relative ones are seen from home, "": from here. */
static void absolute_inputs(struct sl_config *cfg, const char *home)
{
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (sl_keys[i].type == SL_TYPE_TEXT && sl_keys[i].kind == SL_TEXT_path)
            absolute((char *)cfg + sl_keys[i].at, home);
}

static bool start_is_there(const struct sl_config *cfg)
{
    return !sl_config_needs_ic(cfg) || access(cfg->run_input, R_OK) == 0;
}

int sl_filling_start(const struct sl_config *cfg, const char *home, struct sl_filling *f)
{
    char path[SL_PATH_MAX], text[ANSWER];
    struct sl_config own = *cfg;
    absolute_inputs(&own, home);
    *f = (struct sl_filling){.source = SL_FILLING_ASSUMED};
    if (!start_is_there(&own)) {
        snprintf(f->trouble, sizeof f->trouble, "its fields are made by the stage ic");
        assume(&own, f);
        return SL_OK;
    }
    SL_TRY(write_run(&own, path));
    int exit_code = 0, code = ask(&own, path, "--first-mesh", text, &exit_code);
    unlink(path);
    if (code == SL_OK) code = sl_filling_parse(text, &own, f);
    if (code == SL_OK) return SL_OK;
    snprintf(f->trouble, sizeof f->trouble, "%.200s", sl_error_text());
    sl_filling_assume(f);
    return SL_OK;
}

int sl_filling_refusal(const struct sl_config *cfg)
{
    char path[SL_PATH_MAX], text[ANSWER];
    struct sl_config own = *cfg;
    int exit_code = 0;
    absolute_inputs(&own, "");
    SL_TRY(write_run(&own, path));
    ask(&own, path, "--first-state", text, &exit_code);
    unlink(path);
    return exit_code == SL_EINPUT ? SL_EINPUT : SL_OK;
}

/* The answer to a question about the start of cfg, paths as they are seen from here. */
static int ask_start(const struct sl_config *cfg, const char *question, char text[ANSWER])
{
    char path[SL_PATH_MAX];
    struct sl_config own = *cfg;
    int exit_code = 0;
    absolute_inputs(&own, "");
    SL_CHECK(start_is_there(&own), SL_EUNAVAIL, "its fields are made by the stage ic");
    SL_TRY(write_run(&own, path));
    int code = ask(&own, path, question, text, &exit_code);
    unlink(path);
    return code;
}

void sl_filling_remarks(const struct sl_config *cfg, void (*each)(const char *text, void *user),
                        void *user)
{
    static const char head[] = "remark: ";
    char text[ANSWER], *rest;
    if (ask_start(cfg, "--first-remarks", text) != SL_OK) return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, head, sizeof head - 1) == 0) each(line + sizeof head - 1, user);
}

bool sl_filling_collapse(const struct sl_config *cfg, struct sl_collapse *out)
{
    char text[ANSWER];
    double end, unit;
    bool gas = sl_config_has_gas(cfg) && cfg->gravity_four_pi_g > 0;
    if (!gas || ask_start(cfg, "--first-collapse", text) != SL_OK) return false;
    json_t *o = json_loads(text, 0, NULL);
    int code = json_unpack(o, "{s:F, s:F, s:F, s:F, s:F}", "density", &out->density, "jeans",
                           &out->jeans, "time", &out->time, "end", &end, "unit", &unit);
    json_decref(o);
    if (code != 0) return false;
    out->times = end / out->time;
    out->time /= unit;
    return true;
}

/* *at: the first member with most levels; -1: none has any. */
static int most_levels(struct sl_recipe *recipe, struct sl_config *most, int64_t *at)
{
    struct sl_config cfg;
    *at = -1;
    most->mesh_levels = 0;
    for (int64_t i = 0; i < sl_recipe_count(recipe) && i < SL_MEMBERS_ASK; i++) {
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        if (cfg.mesh_levels > most->mesh_levels) *most = cfg, *at = i;
    }
    return SL_OK;
}

int sl_filling_recipe(struct sl_recipe *recipe, struct sl_config *cfg, struct sl_filling *f)
{
    struct sl_config most;
    int64_t at;
    *f = (struct sl_filling){.source = SL_FILLING_ASSUMED};
    sl_filling_assume(f);
    SL_TRY(most_levels(recipe, &most, &at));
    if (cfg) *cfg = most;
    if (at < 0) return SL_OK;
    sl_input_files_from_here(sl_recipe_inputs(recipe), &most);
    SL_TRY(sl_filling_start(&most, "", f));
    sl_member_id(at, f->member);
    return SL_OK;
}

int sl_filling_expected(struct sl_recipe *recipe, struct sl_filling *f)
{
    struct sl_config most;
    int64_t at;
    SL_TRY(most_levels(recipe, &most, &at));
    return stated(&most, f) ? SL_OK : sl_filling_recipe(recipe, NULL, f);
}

/* ---- measured -------------------------------------------------------------------------------- */

/* The part of the box that cells of a level or of finer ones fill in a row of a history. */
static double fraction_of_row(const struct sl_csv *t, long row, const struct sl_config *cfg, int l)
{
    double sum = 0, root = root_cells(cfg, 0);
    for (int i = l; i <= cfg->mesh_levels; i++) {
        char name[32];
        snprintf(name, sizeof name, "cells_level_%d", i);
        double cells = sl_csv_number(t, row, sl_csv_column(t, name));
        if (isfinite(cells)) sum += cells / ldexp(root, sl_config_dim(cfg) * i);
    }
    return sum;
}

/* Means over the members that were read so far. */
static void take(struct sl_filling *f, const struct sl_csv *t, const struct sl_config *cfg)
{
    int levels = (int)cfg->mesh_levels, n = f->members++;
    if (levels > f->levels) f->levels = levels;
    for (int l = 0; l <= levels; l++) {
        double sum = 0;
        for (long row = 0; row < t->rows; row++) {
            double fraction = fraction_of_row(t, row, cfg, l);
            sum += fraction;
            f->most[l] = fmax(f->most[l], fraction);
        }
        f->fraction[l] = (n * f->fraction[l] + sum / (double)t->rows) / (n + 1);
    }
}

void sl_filling_add(struct sl_filling *f, const struct sl_config *cfg, const char *home)
{
    struct sl_csv t;
    char path[SL_PATH_MAX];
    if (cfg->mesh_levels == 0 || cfg->mesh_levels >= SL_FILLING_LEVELS) return;
    if (sl_disk_join(path, "%s/history.tsv", home) != SL_OK || !sl_disk_exists(path)) return;
    if (sl_csv_read(&t, path, SL_CSV_HISTORY) != SL_OK) return;
    if (t.rows > 0 && sl_csv_column(&t, "cells_level_1") >= 0) {
        f->source = SL_FILLING_MEASURED;
        take(f, &t, cfg);
    }
    sl_csv_release(&t);
}

int sl_filling_campaign(const struct sl_campaign_state *state, struct sl_filling *f)
{
    const struct sl_campaign *c = state->campaign;
    struct sl_config cfg, first = {.mesh_levels = 0};
    char home[SL_PATH_MAX];
    *f = (struct sl_filling){.levels = 0};
    for (int i = 0, seen = 0; i < c->n && f->members < MEMBERS && seen < 4 * MEMBERS; i++, seen++) {
        SL_TRY(sl_campaign_config(c, i, &cfg));
        SL_TRY(sl_campaign_home(home, c, i));
        if (cfg.mesh_levels > first.mesh_levels) {
            first = cfg;
            snprintf(f->member, sizeof f->member, "%.23s", c->member[i].id);
        }
        int before = f->members;
        sl_filling_add(f, &cfg, home);
        bool done = state->member[i].stage[SL_STAGE_sim].state == SL_WORK_done;
        if (f->members > before && !done) f->running++;
    }
    if (f->members > 0) return SL_OK;
    char member[sizeof f->member];
    memcpy(member, f->member, sizeof member);
    *f = (struct sl_filling){.levels = 0};
    sl_filling_assume(f);
    if (first.mesh_levels == 0 || stated(&first, f)) return SL_OK;
    SL_TRY(sl_campaign_home(home, c, sl_campaign_find(c, member)));
    SL_TRY(sl_filling_start(&first, home, f));
    memcpy(f->member, member, sizeof member);
    return SL_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *sl_filling_name(const struct sl_filling *f)
{
    static const char *const name[] = {"assumed", "coarse_start", "start", "measured", "stated"};
    return name[f->source];
}

void sl_filling_say(const struct sl_filling *f, char *text, size_t size)
{
    if (f->source == SL_FILLING_MEASURED)
        snprintf(text, size, "measured in %d member%s%s", f->members, f->members == 1 ? "" : "s",
                 f->running == 0           ? ""
                 : f->running < f->members ? ", some of which have still to run on"
                                           : " on the way; what comes later is not known");
    else if (f->source == SL_FILLING_STATED)
        snprintf(text, size, "as resources.filling states; no member has run yet");
    else if (f->source == SL_FILLING_START)
        snprintf(text, size, "as at the start of member %s; what comes later is not known",
                 f->member);
    else if (f->source == SL_FILLING_COARSE)
        snprintf(
            text, size,
            "from starts of member %s on coarser root grids, of %lld x %lld x %lld cells and of "
            "half as many along each axis; what comes later is not known",
            f->member, (long long)f->cells[0], (long long)f->cells[1], (long long)f->cells[2]);
    else
        snprintf(text, size,
                 "assumed: each level on %g of the coarser one%s%s; "
                 "resources.filling states better",
                 assumed, *f->trouble ? ", as the start is not known: " : "", f->trouble);
}
